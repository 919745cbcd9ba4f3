"""A model made of rules: what it prints is what it computes.

A RuleSet knows how to read a table, so that its votes, and its decisions, need nothing but itself.
Not here: one rule (rule.py), how rules are read off a machine (extract.py) and made shorter (simplify.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.columns import Column, category_text
from clausal.rules.rule import Rule

_BLOCK_ROWS = 4096  # rows evaluated at a time, so that memory stays small

Votes = NDArray[Any]


class RuleSet(Sequence[Rule]):
    """The rules of a model, the weightiest first.

    Parameters
    ----------
    rules : iterable of Rule
        Each adds its points to the vote of its bank on the rows where it holds.
    booleanizer : Booleanizer
        The fitted transformer that turns a table into the columns that the literals test.
    classes : array-like
        Class labels in order. Two classes share one bank, whose vote speaks for the second; K > 2 classes
        have one bank each.
    constants : sequence of int or float, one per bank, default=None
        What every row gets; None stands for zeros.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        booleanizer: Booleanizer,
        classes: Any,
        constants: Sequence[int | float] | None = None,
    ) -> None:
        self._rules = tuple(rules)
        self.booleanizer = booleanizer
        self.classes = np.asarray(classes)
        n_banks = 1 if len(self.classes) == 2 else len(self.classes)
        self.constants = (0,) * n_banks if constants is None else tuple(constants)

    # --- a sequence of rules ---

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> RuleSet: ...
    def __getitem__(self, index: int | slice) -> Rule | RuleSet:
        return self.with_rules(self._rules[index]) if isinstance(index, slice) else self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def with_rules(self, rules: Iterable[Rule], constants: Sequence[int | float] | None = None) -> RuleSet:
        """Other rules (and constants, if given) on the same table and classes."""
        return RuleSet(
            rules, self.booleanizer, self.classes, self.constants if constants is None else constants
        )

    @property
    def n_rules(self) -> int:
        """How many rules there are."""
        return len(self._rules)

    @property
    def n_literals(self) -> int:
        """Conditions summed over rules: an interval counts 2, `not in {a, b}` counts 2."""
        return sum(len(rule.literals) for rule in self._rules)

    @property
    def n_banks(self) -> int:
        """Votes per row: 1 for two classes, K for K."""
        return len(self.constants)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The meaning of each boolean column that a literal may test."""
        columns: tuple[Column, ...] = self.booleanizer.columns_
        return columns

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes as printed."""
        return tuple(
            category_text(label) if isinstance(label, str) else str(label) for label in self.classes.tolist()
        )

    # --- what the rules compute ---

    def fires(self, X: Any) -> NDArray[np.bool_]:
        """Which rules hold on which rows of a table, bool [n, rules]."""
        return self.fires_on(self.booleanizer.transform(X))

    def fires_on(self, bits: Any) -> NDArray[np.bool_]:
        """Which rules hold on which rows of boolean columns (dense or sparse), bool [n, rules]."""
        result = np.empty((bits.shape[0], len(self)), bool)
        for start in range(0, len(result), _BLOCK_ROWS):
            block = bits[start : start + _BLOCK_ROWS]
            dense = block.toarray() if hasattr(block, "toarray") else block
            for place, rule in enumerate(self._rules):
                result[start : start + _BLOCK_ROWS, place] = rule.holds(dense)
        return result

    def votes(self, X: Any) -> Votes:
        """Constant plus points of the rules that hold: shape (n,) for two classes, (n, K) for more."""
        return self.votes_of(self.fires(X))

    def votes_of(self, fires: NDArray[np.bool_]) -> Votes:
        """The votes that follow from which rules hold, bool [n, rules]."""
        whole = all(isinstance(constant, int) for constant in self.constants)
        votes = np.empty((len(fires), self.n_banks), np.int64 if whole else np.float64)
        votes[:] = self.constants
        for place, rule in enumerate(self._rules):
            votes[fires[:, place], rule.bank] += rule.points
        return votes[:, 0] if self.n_banks == 1 else votes

    def decide(self, votes: Votes) -> NDArray[np.intp]:
        """Places among the classes: v >= 0 for two, the highest vote (the first on a tie) for more."""
        return (votes >= 0).astype(np.intp) if self.n_banks == 1 else votes.argmax(axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        labels: NDArray[Any] = self.classes[self.decide(self.votes(X))]
        return labels

    # --- text ---

    def to_text(self) -> str:
        """One rule per line: points, whom they speak for, conditions."""
        if not self._rules:
            return "(no rules)"
        points = [_points_text(abs(rule.points)) for rule in self._rules]
        wide, name = max(map(len, points)), max(len(rule.speaks_for) for rule in self._rules)
        return "\n".join(
            f"+{p:>{wide}}  {rule.speaks_for:<{name}}  if {rule}"
            for p, rule in zip(points, self._rules, strict=True)
        )

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"RuleSet of {len(self)} rules, {self.n_literals} literals"


def _points_text(points: int | float) -> str:
    """Whole points in full, others to four digits."""
    return str(points) if isinstance(points, int) else f"{points:.4g}"


def speaker(class_names: Sequence[str], bank: int, points: int | float) -> str:
    """Whom points of this sign speak for: a class, or `not` a class where there are more than two."""
    if len(class_names) == 2:
        return class_names[1 if points > 0 else 0]
    return class_names[bank] if points > 0 else f"not {class_names[bank]}"
