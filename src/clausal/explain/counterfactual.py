"""Counterfactuals: the changes of a row that lead to another decision, or a number to a target.

Every counterfactual is checked by predicting the changed row, as a table of the user's type. Not here: which
features to change (fewest_changes.py), and the possible values (cells.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category, category_text, name_text
from clausal.explain.cells import GivenRows, Value, exceptions, make_domain
from clausal.explain.fewest_changes import Assignment, Bools, CellModel, Costs, fewest_changes
from clausal.outcome import NumericOutcome, make_outcome
from clausal.rules.cells import Cells
from clausal.rules.rule_set import RuleSet

NONE_EXISTS = "no known values of the features that may change lead to another decision"
NONE_FOUND = "none was found, but one may exist"
ALREADY = "the decision is already the target"
NOT_ASKED = "not requested"
ALREADY_REACHED = "the prediction is already the target"
NO_TARGET = "no target was given that the number should reach"
NOT_REACHED = "no values of the features that may change lead to the target"
_MAX_SHOWN = 5  # categories


@dataclass(frozen=True)
class Change:
    """The change of one feature.

    Attributes
    ----------
    feature : its name
    old : the value of the row
    new : a value that leads to the other decision
    any_but : if not empty, every value does so except these: a scorecard keeps only the categories that its
        rules test, so that `new` is made up and stands for all others
    """

    feature: str
    old: Value
    new: Value
    any_but: tuple[Category, ...] = ()

    def __str__(self) -> str:
        return f"{name_text(self.feature)}: {value_text(self.old)} -> {self.new_text}"

    @property
    def new_text(self) -> str:
        """The new value as printed, or which values it stands for."""
        if not self.any_but:
            return value_text(self.new)
        shown, more = self.any_but[:_MAX_SHOWN], len(self.any_but) - _MAX_SHOWN
        listed = ", ".join(map(value_text, shown)) + (f" and {more} more" if more > 0 else "")
        return f"any value but {listed}" if len(self.any_but) == 1 else f"any value not in {{{listed}}}"

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-compatible values; with "any_but" only if it is not empty."""
        plain = {"feature": self.feature, "old": self.old, "new": self.new}
        return plain | ({"any_but": list(self.any_but)} if self.any_but else {})


@dataclass(frozen=True)
class Counterfactual:
    """Changes that lead to another decision.

    Attributes
    ----------
    changes : the features to change, in the order of the table
    label : the predicted class, or number, of the changed row
    votes : the vote of each bank for the changed row
    minimal : whether the number of changed features is proven to be minimal and, for that number, the size of
        the changes: the number of cut points crossed, where a category or a boolean counts as one; a change
        to missing, or to a special value, counts as larger than any other
    """

    changes: tuple[Change, ...]
    label: Any
    votes: tuple[int | float, ...]
    minimal: bool

    def __str__(self) -> str:
        return ", ".join(str(change) for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-compatible values."""
        changes = [change.to_dict() for change in self.changes]
        label = plain_label(self.label)
        return {"changes": changes, "label": label, "votes": list(self.votes), "minimal": self.minimal}


def value_text(value: Value) -> str:
    """A value as printed."""
    if value is None:
        return "missing"
    return str(value) if isinstance(value, bool) else category_text(value)


def plain_label(label: Any) -> Any:
    """A class label as a JSON-compatible value; other types, such as dates, as text."""
    return label if isinstance(label, (str, int, float)) else str(label)


class CounterfactualFinder:
    """Finds counterfactuals of the rows of a table.

    Parameters
    ----------
    rules : the model
    rows : the table
    cells : the cells of each feature that the model uses, with overrides as rules (`rules.deciding`)
    fixed : indices of the features that must not change
    target : index of the target class; None for any class other than the predicted one
    """

    def __init__(
        self, rules: RuleSet, rows: GivenRows, cells: list[Cells], fixed: Iterable[int], target: int | None
    ) -> None:
        self._rules, self._rows, self._target = rules, rows, target
        features, fixed_features = rules.encoding.features, set(fixed)
        self._domains = [make_domain(features[c.feature], c, rows.kinds[c.feature]) for c in cells]
        self._may_change = [each.feature not in fixed_features for each in cells]
        points = np.zeros((len(rules.deciding), rules.n_banks))
        for index, rule in enumerate(rules.deciding):
            points[index, rule.bank] = rule.points
        self._model = CellModel(
            [each.allows for each in cells], points, np.array(rules.constants, np.float64), rules.outcome
        )
        self._cached_costs: dict[tuple[int, int], Costs] = {}

    def find(self, row: int, bits: NDArray[np.uint8], decided: int) -> Counterfactual | str:
        """The counterfactual of a row, given its boolean columns [columns], or why there is none."""
        if self._target == decided:
            return ALREADY
        wanted = np.arange(len(self._rules.classes)) != decided
        if self._target is not None:
            wanted = np.arange(len(self._rules.classes)) == self._target
        patterns = [int(domain.cells.patterns.of_bits(bits[None])[0]) for domain in self._domains]
        cells = [
            int(domain.cells.of_pattern[pattern])
            for domain, pattern in zip(self._domains, patterns, strict=True)
        ]
        costs = [
            self._costs(index, pattern) if self._may_change[index] else None
            for index, pattern in enumerate(patterns)
        ]
        answer = fewest_changes(Assignment(self._model, cells), costs, wanted)
        if answer.changes is None:
            return NONE_EXISTS if answer.exact else NONE_FOUND
        values = {}
        for index, cell in sorted(answer.changes.items()):
            domain = self._domains[index]
            present = self._rows.value(row, domain.cells.feature)
            values[domain.cells.feature] = domain.nearest(patterns[index], present, cell)
        return self._checked(row, values, wanted, answer.exact)

    def _costs(self, index: int, pattern: int) -> Costs:
        """The costs of changing a feature from a pattern to each of its cells; cached."""
        if (index, pattern) not in self._cached_costs:
            self._cached_costs[index, pattern] = self._domains[index].costs(pattern)
        return self._cached_costs[index, pattern]

    def _checked(
        self, row: int, values: dict[int, Value], wanted: Bools, minimal: bool
    ) -> Counterfactual | str:
        """The counterfactual, if the changed row is indeed predicted as a wanted class.

        It is, unless the points are fractions, whose sum may depend on the order of addition.
        """
        bits = self._bits(self._rows.changed(row, values))
        votes = self._rules.votes_of(self._rules.fires_on(bits))
        decided = int(self._rules.decide(votes, self._rules.overridden_on(bits))[0])
        if not wanted[decided]:
            return NONE_FOUND
        names, features = self._rows.names, self._rules.encoding.features
        changes = [
            Change(names[f], self._rows.value(row, f), value, exceptions(features[f], value))
            for f, value in values.items()
        ]
        label = self._rules.classes[decided : decided + 1].tolist()[0]
        return Counterfactual(tuple(changes), label, tuple(np.atleast_1d(votes[0]).tolist()), minimal)

    def _bits(self, changed: Any) -> Any:
        """The columns of a changed row, without another warning of the unseen values that it kept."""
        rules, encoding = self._rules, self._rules.encoding
        table = encoding.read_by_name(changed, rules.used_features)
        return encoding.table_bits(table, encoding.policy, rules.used_features)


class NumberFinder:
    """Finds the fewest changes with which predicted numbers reach a target, from below or from above.

    Whether a number reaches it is a decision between two classes by a cut-off of the votes.

    Parameters
    ----------
    rules : the model, of numbers
    rows, cells, fixed : as of CounterfactualFinder
    target : the number to reach
    """

    def __init__(
        self, rules: RuleSet, rows: GivenRows, cells: list[Cells], fixed: Iterable[int], target: float
    ) -> None:
        assert isinstance(rules.outcome, NumericOutcome)
        self._outcome, self._target = rules.outcome, target
        self._parts = rows, cells, tuple(fixed)
        self._rules = rules
        points, (constant,) = [rule.points for rule in rules], rules.constants
        ends = [constant + sum(p for p in points if p * sign > 0) for sign in (-1, 1)]
        self._reach = rules.outcome.predictions(np.array(ends, np.float64)[:, None]).tolist()
        self._whole = all(isinstance(number, int) for number in (*points, constant))
        self._finders: dict[bool, CounterfactualFinder] = {}

    def find(self, row: int, bits: NDArray[np.uint8], predicted: float) -> Counterfactual | str:
        """The counterfactual of a row with this prediction, given its boolean columns [columns]."""
        if predicted == self._target:
            return ALREADY_REACHED
        rises = predicted < self._target
        if not (self._reach[0] <= self._target <= self._reach[1]):
            return NOT_REACHED
        if rises not in self._finders:
            self._finders[rises] = self._finder(rises)
        found = self._finders[rises].find(row, bits, 0 if rises else 1)
        if isinstance(found, str):
            return NOT_REACHED if found == NONE_EXISTS else found
        reached = float(self._outcome.predictions(np.array(found.votes, np.float64)))
        return replace(found, label=reached)

    def _finder(self, rises: bool) -> CounterfactualFinder:
        """Of changes with which the number becomes at least, or at most, the target."""
        outcome, target = self._outcome, self._target
        steps = np.arange(-2, 3)
        near = np.floor((target - outcome.offset) / outcome.unit) + steps  # whole votes around the target
        predicted = outcome.predictions(near[:, None])
        reached = near[predicted >= target][0] if rises else near[predicted <= target][-1]
        beyond = 0.0 if rises else (1.0 if self._whole else np.spacing(reached))
        cut_off = float(reached + beyond)
        classes = make_outcome(["lower", "higher"], int(cut_off) if self._whole else cut_off)
        rules = RuleSet(self._rules, self._rules.encoding, classes, self._rules.constants)
        rows, cells, fixed = self._parts
        return CounterfactualFinder(rules, rows, cells, fixed, int(rises))
