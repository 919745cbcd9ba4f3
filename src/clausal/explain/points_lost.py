"""Adverse-action reasons: the points that a row lost, as lenders state them.

A row is in one bin of each part of a scorecard (rules/cells.py). It loses the points between its bin and the
baseline of the part: the best bin, or the mean of given rows. Reasons are the parts that lost the most. Not
here: reasons of `explain`, which name the features that speak for a decision (reasons.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import name_text, number_text
from clausal.explain.cells import GivenRows, Value, dense_bits
from clausal.explain.counterfactual import plain_label, value_text
from clausal.parameters import OneOf, Whole, check_value
from clausal.rules.cells import Part, mean_points, parts_of_rules
from clausal.rules.rule import Override
from clausal.rules.rule_set import RuleSet
from clausal.wording import Number, label_text

BASELINES = ("best", "mean")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LostPoints:
    """The points that a row lost by one feature, or by one rule of several features.

    Attributes
    ----------
    values : the value of each feature, None if missing
    condition : the bin of the row, such as `age <= 30`; of a rule of several features whether it holds
    points : what the row got; with more than two classes, for the class that lost, less the decided one
    baseline : what it could have got: the points of the best bin, or the mean
    best : the condition of the best bin; None if the baseline is the mean
    lost : the difference, above 0
    """

    values: Mapping[str, Value]
    condition: str
    points: Number
    baseline: Number
    best: str | None
    lost: Number

    def __str__(self) -> str:
        values = (f"{name_text(name)} = {value_text(value)}" for name, value in self.values.items())
        noun = "point" if _short(self.lost) == "1" else "points"
        base = f"the mean is {_signed(self.baseline)}"
        if self.best is not None:
            base = f"the best is {_signed(self.baseline)} ({self.best})"
        has = f"{_signed(self.points)} ({self.condition})"
        return f"{_short(self.lost)} {noun} by {' and '.join(values)}: {has}, {base}"

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-compatible values."""
        return {**vars(self), "values": dict(self.values), "text": str(self)}


@dataclass(frozen=True)
class RowReasons:
    """Why a row was not decided for another class: the points that it lost towards that class.

    Attributes
    ----------
    label : the decided class, or the predicted number
    target : the class towards which the points are; of numbers "higher" or "lower"
    lost : the parts that lost points, those that lost most first
    override : the override that decides, whatever the points, or None
    of_number : whether a number is predicted
    """

    label: Any
    target: Any
    lost: tuple[LostPoints, ...]
    override: Override | None = None
    of_number: bool = False

    def __str__(self) -> str:
        if self.of_number:
            return "\n".join([f"Predicts {number_text(self.label)}", *self.lines()])
        lines = [f"Decided for {label_text(self.label)}"]
        if self.override is not None:
            lines[0] += f" by an override, whatever the points: {self.override}"
        return "\n".join([*lines, *self.lines()])

    def lines(self) -> list[str]:
        """The lost points as text, without the decision."""
        listed = [f"  {number}. {each}" for number, each in enumerate(self.lost, 1)]
        towards = f"a {self.target} prediction" if self.of_number else label_text(self.target)
        return [f"Points lost towards {towards}:", *(listed or ["  none"])]

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-compatible values."""
        return {
            "label": plain_label(self.label),
            "target": plain_label(self.target),
            "override": None if self.override is None else str(self.override),
            "lost": [each.to_dict() for each in self.lost],
        }


def _short(number: Number) -> str:
    return number_text(round(number, 2))


def _signed(number: Number) -> str:
    return _short(number) if number < 0 else f"+{_short(number)}"


class Direction(NamedTuple):
    """The sign with which the points of each bank count towards a target, and the target as an index."""

    signs: tuple[int, ...]
    target: int


def find_points_lost(
    rules: RuleSet, X: Any, *, baseline: str, reference: Any, target: Any, n: int
) -> list[RowReasons]:
    """One `RowReasons` per row of a table; `Explainable.reasons` says what the parameters mean."""
    check_value("reasons", "baseline", baseline, (OneOf(*BASELINES),))
    check_value("reasons", "n", n, (Whole(1),))
    rules.outcome.require_single("reasons")
    wanted = None if target is None else _target_index(rules, target)
    scored = _Scored(rules, X)
    means = _means(rules, scored.parts, baseline, reference)
    rows = GivenRows(X, rules.encoding, sorted(rules.used_features))
    return [scored.reasons(row, rows, wanted, means, n) for row in range(rows.n_rows)]


_ENDS = ["lower", "higher"]
"""The targets of a model of numbers."""


def _target_index(rules: RuleSet, target: Any) -> int:
    numeric, plain = rules.outcome.is_numeric, target.item() if isinstance(target, np.generic) else target
    labels: list[Any] = _ENDS if numeric else rules.classes.tolist()
    if plain not in labels:
        said = "" if numeric else "the classes "
        raise ValueError(f"The 'target' parameter of reasons must be one of {said}{labels}. Got {target!r}.")
    return int(labels.index(plain))


def _means(rules: RuleSet, parts: Sequence[Part], baseline: str, reference: Any) -> list[Floats] | None:
    """The mean points of each part for each bank, over the rows of a table."""
    if (baseline == "mean") != (reference is not None):
        wanted = "given for a baseline of 'mean', and only for it"
        got = "none" if reference is None else f"one for a baseline of {baseline!r}"
        raise ValueError(f"The 'reference' parameter of reasons must be {wanted}. Got {got}.")
    return None if reference is None else mean_points(rules, parts, reference)


class _Scored:
    """The bins of each row, and what is predicted."""

    def __init__(self, rules: RuleSet, X: Any) -> None:
        self._rules, self.parts = rules, parts_of_rules(rules)
        bits = dense_bits(rules, X, "adverse-action reasons")
        fires = rules.fires_on(bits)
        self._bins = [part.of_bits(bits, fires) for part in self.parts]
        self._points = [part.points(rules) for part in self.parts]
        self._votes = rules.outcome.banked(rules.votes_of(fires))
        self._overridden = rules.overridden_on(bits)
        self._targets, self._decided = _ENDS, [0] * len(bits)
        if rules.outcome.is_numeric:
            self._labels = rules.outcome.predictions(self._votes).tolist()
            return
        self._targets = rules.classes.tolist()
        self._decided = rules.decide(rules.outcome.flat(self._votes), self._overridden).tolist()
        self._labels = [self._targets[code] for code in self._decided]

    def reasons(
        self, row: int, rows: GivenRows, target: int | None, means: list[Floats] | None, n: int
    ) -> RowReasons:
        """The reasons of one row."""
        rules = self._rules
        direction = direction_of(rules, self._decided[row], self._votes[row], target)
        found = []
        for index, part in enumerate(self.parts):
            totals = [_total(points, direction) for points in self._points[index]]
            own = int(self._bins[index][row])
            best = max(np.flatnonzero(part.possible).tolist(), key=lambda k: totals[k])
            base = totals[best] if means is None else float(means[index] @ np.array(direction.signs))
            if base > totals[own]:
                found.append((base - totals[own], index, own, base, best))
        found.sort(key=lambda each: -each[0])  # stable: equal losses in the order of the parts
        shown = shown_sign(rules, direction)
        lost = tuple(
            LostPoints(
                {rows.names[feature]: rows.value(row, feature) for feature in self.parts[index].features},
                self.parts[index].condition(own),
                shown * _total(self._points[index][own], direction),
                shown * base,
                self.parts[index].condition(best) if means is None else None,
                size,
            )
            for size, index, own, base, best in found[:n]
        )
        held = -1 if self._overridden is None else int(self._overridden[row])
        override = rules.overrides[held] if held >= 0 else None
        towards = self._targets[direction.target]
        return RowReasons(self._labels[row], towards, lost, override, rules.outcome.is_numeric)


def _total(points: Sequence[Number], direction: Direction) -> Number:
    return sum(sign * own for sign, own in zip(direction.signs, points, strict=True))


def direction_of(rules: RuleSet, decided: int, votes: NDArray[Any], target: int | None) -> Direction:
    """Towards a class: the given one, or the closest rival of the decided one.

    If the given class is the decided one, the points are those towards it over its closest rival. Of numbers,
    towards higher ones, or the given end.
    """
    outcome = rules.outcome
    if outcome.is_numeric:
        return Direction((-1,), 0) if target == 0 else Direction((1,), 1)
    if outcome.positive is not None:
        wanted = 1 - decided if target is None else target
        return Direction((1 if wanted == outcome.positive else -1,), wanted)
    others = [k for k in range(outcome.n_banks) if k != decided]
    rival = max(others, key=lambda k: (votes[k], -k))
    wanted = rival if target is None else target
    against = decided if wanted != decided else rival
    signs = [0] * outcome.n_banks
    signs[wanted], signs[against] = 1, -1
    return Direction(tuple(signs), wanted)


def shown_sign(rules: RuleSet, direction: Direction) -> int:
    """The sign with which points are shown: for the positive one of two classes, or for higher numbers."""
    return direction.signs[0] if rules.n_banks == 1 else 1
