"""Rules as a person reads them: conditions, points, and whom they speak for.

Not here: how rules are read off a model (extract.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column


@dataclass(frozen=True)
class Literal:
    """A column or its negation: both the text and the test."""

    column: Column
    position: int
    negated: bool

    def holds(self, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether it is true, for each row of boolean columns [n, columns]."""
        result: NDArray[np.bool_] = (bits[:, self.position] == 0) == self.negated
        return result

    def __str__(self) -> str:
        return self.column.text(self.negated)


@dataclass(frozen=True)
class Rule:
    """An AND of literals with signed points for or against a class.

    Attributes
    ----------
    literals : the conditions, all of which must hold
    points : what the rule adds to the vote of its bank; negative points speak against it
    speaks_for : the class the points speak for, in words
    bank : the bank whose vote it adds to
    """

    literals: tuple[Literal, ...]
    points: int | float
    speaks_for: str
    bank: int = 0

    def holds(self, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether all conditions hold, for each row of boolean columns [n, columns]."""
        result = np.ones(len(bits), bool)
        for literal in self.literals:
            result &= literal.holds(bits)
        return result

    def __str__(self) -> str:
        texts = [str(literal) for literal in self.literals]
        if len(texts) > 1:  # `x > 5 or missing` is one condition among others
            texts = [f"({text})" if text.endswith(" or missing") else text for text in texts]
        return " and ".join(texts)


class RuleSet(Sequence[Rule]):
    """The rules of a model, the weightiest first."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> RuleSet: ...
    def __getitem__(self, index: int | slice) -> Rule | RuleSet:
        return RuleSet(self._rules[index]) if isinstance(index, slice) else self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    @property
    def n_literals(self) -> int:
        """Conditions summed over rules."""
        return sum(len(rule.literals) for rule in self._rules)

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
