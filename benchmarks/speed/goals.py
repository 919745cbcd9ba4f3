"""The goals and the measurements: one line per goal. Nothing here asserts anything.

Peers are the other Tsetlin machines; "the fastest" is the one with the lowest ratio to clausal on a workload.
W1 is the geometric mean over its sizes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from speed.learners import PEERS
from speed.ratios import Spread, fastest, geometric_mean
from speed.summary import Line

Measured = Mapping[str, Mapping[str, Line]]  # by workload, by learner
ALL = frozenset(peer.name for peer in PEERS)
PYTM = frozenset(peer.name for peer in PEERS if peer.package == "pyTsetlinMachine")
FAMILIES = ("W1", "W2", "W3", "W4")


@dataclass(frozen=True)
class Goal:
    """A target value and the measured value; NaN if it was not measured."""

    text: str
    wanted: float
    measured: float
    detail: str = ""

    @property
    def verdict(self) -> str:
        if math.isnan(self.measured):
            return "not measured"
        return "reached" if self.measured >= self.wanted else "missed"


def speedup(lines: Mapping[str, Line], names: Collection[str], what: str) -> tuple[float, str]:
    """The lowest median ratio among some peers, and the name of that peer."""
    spreads: dict[str, Spread] = {n: getattr(lines[n], what) for n in names if n in lines}
    if not spreads:
        return math.nan, "nobody"
    name = fastest(spreads)
    return spreads[name].median, name


def training(measured: Measured, names: Collection[str]) -> dict[str, tuple[float, str]]:
    """For each family, the ratio to the fastest peer, and its name."""
    found = {}
    for family in FAMILIES:
        keys = [key for key in measured if key.split()[0] == family and key != "W3 full"]
        each = [speedup(measured[key], names, "train_ratio") for key in keys]
        each = [pair for pair in each if not math.isnan(pair[0])]
        if each:
            whose = ", ".join(dict.fromkeys(name for _, name in each))
            found[family] = (geometric_mean(ratio for ratio, _ in each), whose)
    return found


def training_goals(measured: Measured) -> list[Goal]:
    """The goals for training; a mean needs all four families."""
    goals = []
    beside = training(measured, ALL)
    all_four = len(beside) == len(FAMILIES)
    detail = "; ".join(f"{family} {ratio:.2f} ({whose})" for family, (ratio, whose) in beside.items())
    mean = geometric_mean(ratio for ratio, _ in beside.values()) if all_four else math.nan
    least = min((ratio for ratio, _ in beside.values()), default=math.nan) if all_four else math.nan
    goals.append(Goal("train, fastest peer on each: geometric mean of the four", 5.0, mean, detail))
    goals.append(Goal("train, fastest peer on each: the least of the four", 3.0, least))
    theirs = training(measured, PYTM)
    mean = geometric_mean(ratio for ratio, _ in theirs.values()) if len(theirs) == len(FAMILIES) else math.nan
    detail = "; ".join(f"{family} {ratio:.2f}" for family, (ratio, _) in theirs.items())
    return [*goals, Goal("train, pyTsetlinMachine: geometric mean of the four", 12.0, mean, detail)]


def goals(measured: Measured, threads: Mapping[str, Spread], curve: Collection[float]) -> list[Goal]:
    """All goals. `threads`: speedup of 2 threads by workload; `curve`: accuracy per epoch on all of MNIST."""
    found = training_goals(measured)
    for text, family, names, wanted in (
        ("predict W3, fastest peer", "W3", ALL, 20.0),
        ("predict W3, pyTsetlinMachine", "W3", PYTM, 200.0),
        ("predict W4, packing included, fastest peer", "W4", ALL, 8.0),
    ):
        ratio, whose = speedup(measured.get(family, {}), names, "predict_ratio")
        found.append(Goal(text, wanted, ratio, whose))
    for text, key, wanted in (
        ("2 threads over 1, train W3, wall time", "W3", 1.8),
        ("2 threads over 1, one bank of 8,000 x 1,568, wall time", "bank", 1.6),
    ):
        found.append(Goal(text, wanted, threads[key].median if key in threads else math.nan))
    best = max(list(curve)[:60], default=math.nan)
    return [*found, Goal("MNIST, all 60,000, best accuracy within 60 epochs, %", 98.1, 100 * best)]
