"""One rule as a person reads it: conditions, points, and whom they speak for; each both text and test.

Here too: the checks that rules and constants fit their encoding and outcome; whatever does not is a
ValueError that names the part. Not here: a whole model of rules (rule_set.py), how conditions are worded
(wording.py), how rules are read off a machine (extract.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column
from clausal.outcome import Number, Outcome
from clausal.rules.wording import conditions_text
from clausal.untrusted import short_repr, wrong


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
    speaks_for : the class the points speak for, in words; a RuleSet fills it in
    bank : the bank whose vote it adds to
    """

    literals: tuple[Literal, ...]
    points: int | float
    speaks_for: str = ""
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


_MOST_WHOLE = 2**62  # votes are int64


def checked_constants(constants: Sequence[Number] | None, n_banks: int) -> tuple[Number, ...]:
    """One number per bank; zeros for None."""
    if constants is None:
        return (0,) * n_banks
    numbers = tuple(_number(constant, "constants") for constant in constants)
    if len(numbers) != n_banks:
        raise ValueError(f"constants must have one number per bank ({n_banks}). Got {len(numbers)}.")
    return numbers


def checked_rules(rules: Iterable[Rule], columns: Sequence[Column], outcome: Outcome) -> tuple[Rule, ...]:
    """The rules, each with plain points and the word for whom they speak.

    Parameters
    ----------
    rules : in their order
    columns : what literals may test
    outcome : what votes mean
    """
    speakers = [
        (outcome.speaks_for(bank, -1), outcome.speaks_for(bank, 1)) for bank in range(outcome.n_banks)
    ]
    return tuple(
        _checked_rule(rule, f"rules[{place}]", columns, speakers) for place, rule in enumerate(rules)
    )


def check_votes(rules: Iterable[Rule], constants: Iterable[Number]) -> None:
    """Refuse points that together could leave the range of a vote."""
    total = sum(abs(rule.points) for rule in rules) + sum(map(abs, constants))
    if not total <= (_MOST_WHOLE if isinstance(total, int) else np.finfo(np.float64).max):
        raise ValueError("The points of all rules must add up to less than 2**62 in size. Got more.")


def _checked_rule(
    rule: Rule, where: str, columns: Sequence[Column], speakers: Sequence[tuple[str, str]]
) -> Rule:
    if not isinstance(rule, Rule):
        raise wrong(where, "a Rule", rule)
    if not 0 <= rule.bank < len(speakers):
        raise wrong(f"{where}.bank", f"from 0 to {len(speakers) - 1}", rule.bank)
    for literal in rule.literals:
        place = literal.position
        if not 0 <= place < len(columns):
            raise wrong(f"{where}.literals", f"at positions from 0 to {len(columns) - 1}", place)
        if literal.column is not columns[place] and literal.column != columns[place]:
            expected, found = short_repr(str(columns[place])), short_repr(str(literal.column))
            raise ValueError(
                f"{where}.literals must have the encoding's column at position {place}, {expected}. "
                f"Got {found}."
            )
    points = _number(rule.points, f"{where}.points")
    speaks_for = speakers[rule.bank][points > 0]
    if points is rule.points and speaks_for == rule.speaks_for:
        return rule
    return replace(rule, points=points, speaks_for=speaks_for)


def _number(value: Any, where: str) -> Number:
    """A plain int or a finite float."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, int) and not isinstance(number, bool):
        if abs(number) > _MOST_WHOLE:
            raise wrong(where, "at most 2**62 in size", number)
        return number
    if not isinstance(number, float) or not math.isfinite(number):
        raise wrong(where, "a finite number", number)
    return number
