"""How each rule does on data, as a table to sort: where it holds, how often it is right, and its lift.

Not here: how that is counted (rules/statistics.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.statistics import RuleMeasures, RuleStatistics

MOST_RULES = 200
"""Rules in the table, the first of the model, which are its weightiest."""

_MOST_PAIRS = 5
_LEAST_OVERLAP = 0.5  # of pairs worth telling


@dataclass(frozen=True)
class Measured:
    """What one set of rows says of a rule.

    Attributes
    ----------
    support, share : rows on which it holds, and their share of all
    precision, low, high : share of them that it is right on, with its 95 % interval; NaN where it never holds
    lift : the precision over the share of all rows that it would be right on; NaN where not defined
    """

    support: int
    share: float
    precision: float
    low: float
    high: float
    lift: float


@dataclass(frozen=True)
class RuleLine:
    """One rule, its number in the scorecard, and what each set of rows says of it."""

    number: int
    rule: Rule
    parts: tuple[Measured, ...]


@dataclass(frozen=True)
class RuleTable:
    """All of it.

    Attributes
    ----------
    names : what the sets of rows are called, with their sizes
    lines : a line per rule
    n_left_out : rules without a line
    pairs : numbers of two rules that mostly hold together, and the share of the rows of either where both do
    """

    names: tuple[tuple[str, int], ...]
    lines: tuple[RuleLine, ...]
    n_left_out: int
    pairs: tuple[tuple[int, int, float], ...]


def make_rule_table(statistics: RuleStatistics, rules: RuleSet, names: tuple[str, ...]) -> RuleTable:
    """The table of these statistics on the first rules of a model; `names` say what its parts are."""
    parts = [part for part in (statistics.train, statistics.test) if part is not None]
    lines = tuple(
        RuleLine(place + 1, rule, tuple(_measured(part, place) for part in parts))
        for place, rule in enumerate(statistics.rules)
    )
    sizes = tuple((name, part.n_rows) for name, part in zip(names, parts, strict=True))
    return RuleTable(sizes, lines, len(rules) - len(lines), tuple(_pairs(statistics)))


def _measured(part: RuleMeasures, place: int) -> Measured:
    precision, lift = part.precision, float(part.lift.value[place])
    return Measured(
        support=int(part.support[place]),
        share=float(part.share.value[place]),
        precision=float(precision.value[place]),
        low=float(precision.low[place]),
        high=float(precision.high[place]),
        lift=lift if np.isfinite(lift) else float("nan"),
    )


def _pairs(statistics: RuleStatistics) -> Iterator[tuple[int, int, float]]:
    for pair in statistics.most_overlapping(_MOST_PAIRS):
        if pair.overlap >= _LEAST_OVERLAP:
            yield pair.first + 1, pair.second + 1, pair.overlap
