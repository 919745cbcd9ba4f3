"""What would have to change for another decision, as values that a person could type.

Every counterfactual is checked: the changed row is built as a table of the user's own kind and predicted. Not
here: the search (counterfactual_search.py) and the values to choose from (cells.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import category_text, name_text
from clausal.explain.cells import Cells, make_domain
from clausal.explain.counterfactual_search import Bools, CellModel, Costs, Position, fewest_changes
from clausal.explain.given_rows import GivenRows, Value
from clausal.rules.rule_set import RuleSet

NONE_EXISTS = "no values of the features that may change lead to another decision"
NONE_FOUND = "none was found, though there may be one"
ALREADY = "the decision is already the one asked for"
NOT_ASKED = "not asked for"


@dataclass(frozen=True)
class Change:
    """One feature's new value."""

    feature: str
    old: Value
    new: Value

    def __str__(self) -> str:
        return f"{name_text(self.feature)}: {value_text(self.old)} -> {value_text(self.new)}"


@dataclass(frozen=True)
class Counterfactual:
    """Changes that lead to another decision.

    Attributes
    ----------
    changes : the features to change, in the order of the table
    label : the class that the changed row is predicted as
    votes : its vote of each bank
    minimal : no fewer features would do, and of as many the change is the smallest: the fewest cut points
        crossed, a category or a boolean counting one, real values before missing ones
    """

    changes: tuple[Change, ...]
    label: Any
    votes: tuple[int | float, ...]
    minimal: bool

    def __str__(self) -> str:
        return ", ".join(str(change) for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values that JSON can hold."""
        changes = [{"feature": c.feature, "old": c.old, "new": c.new} for c in self.changes]
        label = plain_label(self.label)
        return {"changes": changes, "label": label, "votes": list(self.votes), "minimal": self.minimal}


def value_text(value: Value) -> str:
    """A value as printed."""
    if value is None:
        return "missing"
    return str(value) if isinstance(value, bool) else category_text(value)


def plain_label(label: Any) -> Any:
    """A class label that JSON can hold: as it is, or what is printed of a date."""
    return label if isinstance(label, (str, int, float)) else str(label)


class CounterfactualFinder:
    """Finds counterfactuals of the rows of a table.

    Parameters
    ----------
    rules : the model
    rows : the table
    cells : how the rules see each feature they use
    fixed : positions of the features that must not change
    target : the class to lead to, its place among the classes; None for any other than the decided one
    """

    def __init__(
        self, rules: RuleSet, rows: GivenRows, cells: list[Cells], fixed: Iterable[int], target: int | None
    ) -> None:
        self._rules, self._rows, self._target = rules, rows, target
        features, barred = rules.encoding.features, set(fixed)
        self._domains = [make_domain(features[own.feature], own, rows.kinds[own.feature]) for own in cells]
        self._may_change = [own.feature not in barred for own in cells]
        points = np.zeros((len(rules), rules.n_banks))
        for place, rule in enumerate(rules):
            points[place, rule.bank] = rule.points
        self._model = CellModel(
            [own.allows for own in cells], points, np.array(rules.constants, np.float64), rules.outcome
        )
        self._known_costs: dict[tuple[int, int], Costs] = {}

    def find(self, row: int, bits: NDArray[np.uint8], decided: int) -> Counterfactual | str:
        """The counterfactual of one row with these boolean columns [columns], or why there is none."""
        if self._target == decided:
            return ALREADY
        wanted = np.arange(len(self._rules.classes)) != decided
        if self._target is not None:
            wanted = np.arange(len(self._rules.classes)) == self._target
        patterns = [int(domain.cells.pattern_of(bits[None])[0]) for domain in self._domains]
        cells = [
            int(domain.cells.of_pattern[pattern])
            for domain, pattern in zip(self._domains, patterns, strict=True)
        ]
        costs = [
            self._costs(place, pattern) if self._may_change[place] else None
            for place, pattern in enumerate(patterns)
        ]
        answer = fewest_changes(Position(self._model, cells), costs, wanted)
        if answer.changes is None:
            return NONE_EXISTS if answer.exact else NONE_FOUND
        values = {}
        for place, cell in sorted(answer.changes.items()):
            domain = self._domains[place]
            present = self._rows.value(row, domain.cells.feature)
            values[domain.cells.feature] = domain.nearest(patterns[place], present, cell)
        return self._checked(row, values, wanted, answer.exact)

    def _costs(self, place: int, pattern: int) -> Costs:
        """The costs of a feature's cells, worked out once for each pattern that it is found in."""
        if (place, pattern) not in self._known_costs:
            self._known_costs[place, pattern] = self._domains[place].costs(pattern)
        return self._known_costs[place, pattern]

    def _checked(
        self, row: int, values: dict[int, Value], wanted: Bools, minimal: bool
    ) -> Counterfactual | str:
        """The counterfactual, if the changed row is really predicted as a wanted class.

        It is, unless the points are fractions whose sum depends on the order of adding.
        """
        votes = self._rules.votes(self._rows.changed(row, values))
        decided = int(self._rules.decide(votes)[0])
        if not wanted[decided]:
            return NONE_FOUND
        names = self._rows.names
        changes = [Change(names[f], self._rows.value(row, f), value) for f, value in values.items()]
        label = self._rules.classes[decided : decided + 1].tolist()[0]
        return Counterfactual(tuple(changes), label, tuple(np.atleast_1d(votes[0]).tolist()), minimal)
