"""The numbers of the tables: the cost, the ratio to clausal and the accuracy of each learner.

A ratio is the cost of the peer divided by that of clausal in the same round; above 1, clausal is faster. The
cost is nanoseconds per clause visit in training (seconds for learners without clauses) and seconds per row in
prediction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from speed.learners import CLAUSAL
from speed.ratios import Spread, ratios, spread

Run = Mapping[str, Any]
Round = Mapping[str, Mapping[str, Run]]


@dataclass(frozen=True)
class Line:
    """One learner on one workload, over the rounds."""

    name: str
    cpu_s: Spread
    ns_per_visit: Spread | None
    train_ratio: Spread | None
    rows_per_s: Spread
    predict_ratio: Spread | None
    accuracy: Spread
    touched: int
    n_epochs: int


def cost(run: Run) -> float:
    """The cost of training."""
    return float(run["cpu"] if run["ns_per_visit"] is None else run["ns_per_visit"])


def line(name: str, theirs: Sequence[Run], ours: Sequence[Run]) -> Line:
    """The summary of the runs of a learner and of the clausal runs right before them."""
    has_clauses = theirs[0]["ns_per_visit"] is not None
    paired = name != CLAUSAL.name
    units = (cost if has_clauses else lambda run: run["cpu"]), (lambda run: 1 / run["rows_per_s"])
    pairs = [ratios(map(unit, theirs), map(unit, ours)) if paired else None for unit in units]
    return Line(
        name,
        spread(run["cpu"] for run in theirs),
        spread(map(cost, theirs)) if has_clauses else None,
        pairs[0],
        spread(run["rows_per_s"] for run in theirs),
        pairs[1],
        spread(run["accuracy"] for run in theirs),
        theirs[0]["touched"],
        theirs[0]["settings"]["n_epochs"],
    )


def lines(rounds: Iterable[Round]) -> dict[str, Line]:
    """All learners of a workload, clausal (all its runs) first."""
    pairs: dict[str, list[Mapping[str, Run]]] = {}
    for each in rounds:
        for name, pair in each.items():
            pairs.setdefault(name, []).append(pair)
    ours = [pair["ours"] for listed in pairs.values() for pair in listed]
    found = {CLAUSAL.name: line(CLAUSAL.name, ours, ours)} if ours else {}
    for name, listed in pairs.items():
        found[name] = line(name, [pair["theirs"] for pair in listed], [pair["ours"] for pair in listed])
    return found
