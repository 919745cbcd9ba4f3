"""Numbers from numbers: spreads, geometric means, and which peer was the fastest."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """The median and the extremes of some rounds."""

    median: float
    least: float
    greatest: float
    rounds: int


def spread(values: Iterable[float]) -> Spread:
    """Summarise; a ValueError where there is nothing."""
    listed = list(values)
    if not listed:
        raise ValueError("A spread needs at least one value.")
    return Spread(statistics.median(listed), min(listed), max(listed), len(listed))


def ratios(theirs: Iterable[float], ours: Iterable[float]) -> Spread:
    """Theirs / ours within each round: how many times less ours took."""
    return spread(t / o for t, o in zip(theirs, ours, strict=True))


def geometric_mean(values: Iterable[float]) -> float:
    """The mean that is right for ratios; NaN where there is nothing."""
    listed = list(values)
    return math.exp(math.fsum(map(math.log, listed)) / len(listed)) if listed else math.nan


def fastest(speedups: Mapping[str, Spread]) -> str:
    """The peer that clausal beats by least."""
    return min(speedups, key=lambda name: speedups[name].median)
