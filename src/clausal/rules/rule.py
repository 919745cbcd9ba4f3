"""One rule: its conditions, its points and the class that they count for.

Also here: the checks that rules and constants match their encoding and outcome. Not here: a model made of
rules (rule_set.py), the text of conditions (wording.py), extraction of rules from a machine (extract.py).
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
    """A column or its negation; it can be printed and evaluated."""

    column: Column
    position: int
    negated: bool

    def holds(self, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether the literal is true, for each row of boolean columns [n, columns]."""
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
    points : what the rule adds to the vote of its bank; may be negative
    speaks_for : the class that the points count for, as text; set by the RuleSet
    bank : index of the bank
    """

    literals: tuple[Literal, ...]
    points: int | float
    speaks_for: str = ""
    bank: int = 0

    @property
    def features(self) -> tuple[int, ...]:
        """Indices of the features that the conditions test, ascending."""
        return tuple(sorted({literal.column.feature_index for literal in self.literals}))

    def holds(self, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether all conditions hold, for each row of boolean columns [n, columns]."""
        result = np.ones(len(bits), bool)
        for literal in self.literals:
            result &= literal.holds(bits)
        return result

    def __str__(self) -> str:
        return conditions_text((literal.column, literal.negated) for literal in self.literals)


_MAX_INTEGER = 2**62  # votes are int64


def checked_constants(constants: Sequence[Number] | None, n_banks: int) -> tuple[Number, ...]:
    """One number per bank; zeros for None."""
    if constants is None:
        return (0,) * n_banks
    numbers = tuple(_number(constant, "constants") for constant in constants)
    if len(numbers) != n_banks:
        raise ValueError(f"constants must have one number per bank ({n_banks}). Got {len(numbers)}.")
    return numbers


def checked_rules(rules: Iterable[Rule], columns: Sequence[Column], outcome: Outcome) -> tuple[Rule, ...]:
    """The rules, checked, with points as Python numbers and with `speaks_for` set.

    Parameters
    ----------
    rules : the rules in order
    columns : the columns that literals may test
    outcome : what votes mean
    """
    names = [(outcome.speaks_for(bank, -1), outcome.speaks_for(bank, 1)) for bank in range(outcome.n_banks)]
    return tuple(_checked_rule(rule, f"rules[{index}]", columns, names) for index, rule in enumerate(rules))


def check_votes(rules: Iterable[Rule], constants: Iterable[Number]) -> None:
    """Refuse points whose sum could exceed the range of a vote."""
    total = sum(abs(rule.points) for rule in rules) + sum(map(abs, constants))
    if not total <= (_MAX_INTEGER if isinstance(total, int) else np.finfo(np.float64).max):
        raise ValueError("The points of all rules must add up to less than 2**62 in size. Got more.")


def _checked_rule(
    rule: Rule, where: str, columns: Sequence[Column], names: Sequence[tuple[str, str]]
) -> Rule:
    if not isinstance(rule, Rule):
        raise wrong(where, "a Rule", rule)
    if not 0 <= rule.bank < len(names):
        raise wrong(f"{where}.bank", f"from 0 to {len(names) - 1}", rule.bank)
    for literal in rule.literals:
        index = literal.position
        if not 0 <= index < len(columns):
            raise wrong(f"{where}.literals", f"at positions from 0 to {len(columns) - 1}", index)
        if literal.column is not columns[index] and literal.column != columns[index]:
            expected, found = short_repr(str(columns[index])), short_repr(str(literal.column))
            raise ValueError(
                f"{where}.literals must have the encoding's column at position {index}, {expected}. "
                f"Got {found}."
            )
    points = _number(rule.points, f"{where}.points")
    speaks_for = names[rule.bank][points > 0]
    if points is rule.points and speaks_for == rule.speaks_for:
        return rule
    return replace(rule, points=points, speaks_for=speaks_for)


def _number(value: Any, where: str) -> Number:
    """The value as a Python int or finite float."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, int) and not isinstance(number, bool):
        if abs(number) > _MAX_INTEGER:
            raise wrong(where, "at most 2**62 in size", number)
        return number
    if not isinstance(number, float) or not math.isfinite(number):
        raise wrong(where, "a finite number", number)
    return number
