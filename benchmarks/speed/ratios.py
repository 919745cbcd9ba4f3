"""Medians with extremes, geometric means, and the fastest peer."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """The median and the extremes over rounds."""

    median: float
    least: float
    greatest: float
    rounds: int


def spread(values: Iterable[float]) -> Spread:
    """The summary of some values; ValueError if there are none."""
    listed = list(values)
    if not listed:
        raise ValueError("A spread needs at least one value.")
    return Spread(statistics.median(listed), min(listed), max(listed), len(listed))


def ratios(theirs: Iterable[float], ours: Iterable[float]) -> Spread:
    """The cost of the peer divided by that of clausal in each round."""
    return spread(t / o for t, o in zip(theirs, ours, strict=True))


def geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean of ratios; NaN if there are none."""
    listed = list(values)
    return math.exp(math.fsum(map(math.log, listed)) / len(listed)) if listed else math.nan


def fastest(speedups: Mapping[str, Spread]) -> str:
    """The peer with the lowest ratio to clausal."""
    return min(speedups, key=lambda name: speedups[name].median)
