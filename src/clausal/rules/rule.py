"""One rule as a person reads it: conditions, points, and whom they speak for; each both text and test.

Not here: a whole model of rules (rule_set.py), how conditions are worded (conditions.py), how rules are read
off a machine (extract.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column
from clausal.rules.conditions import conditions_text


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

    @property
    def features(self) -> tuple[int, ...]:
        """Positions of the features that the conditions test, ascending."""
        return tuple(sorted({literal.column.feature_index for literal in self.literals}))

    def holds(self, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether all conditions hold, for each row of boolean columns [n, columns]."""
        result = np.ones(len(bits), bool)
        for literal in self.literals:
            result &= literal.holds(bits)
        return result

    def __str__(self) -> str:
        return conditions_text((literal.column, literal.negated) for literal in self.literals)
