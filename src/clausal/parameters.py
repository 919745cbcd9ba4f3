"""What a constructor parameter may be, and the one sentence that says so when it is not.

Every estimator keeps a table `{name: (rule, ...)}`; a value is valid when any of its rules accepts it.
Not here: checks of data, or of how parameters fit together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Protocol

import numpy as np


class Rule(Protocol):
    """A condition on one parameter value, with the words that name it."""

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Whole:
    """An integer within [low, high]; booleans are not integers here."""

    low: int
    high: int | None = None
    even: bool = False

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        if isinstance(value, bool) or not isinstance(value, Integral):
            return False
        in_range = self.low <= int(value) and (self.high is None or int(value) <= self.high)
        return in_range and not (self.even and int(value) % 2)

    def __str__(self) -> str:
        kind = "an even int" if self.even else "an int"
        return f"{kind} >= {self.low}" if self.high is None else f"{kind} from {self.low} to {self.high}"


@dataclass(frozen=True)
class Number:
    """A finite number within [low, high], the ends left out where `open_low` or `open_high` says so."""

    low: float
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        try:
            number = float(value)
        except OverflowError:  # an int or fraction beyond float64
            return False
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        return math.isfinite(number) and above and below

    def __str__(self) -> str:
        low = f"number {'>' if self.open_low else '>='} {self.low:.10g}"
        if self.high == math.inf:
            return f"a finite {low}"
        return f"a {low} and {'<' if self.open_high else '<='} {self.high:.10g}"


@dataclass(frozen=True)
class Pair:
    """A tuple or list of two values, each accepted by `of`, the first not above the second."""

    of: Number

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            return False
        return all(self.of.accepts(part) for part in value) and float(value[0]) <= float(value[1])

    def __str__(self) -> str:
        return f"a pair (low, high), low <= high, of numbers {str(self.of).partition('number ')[2]}"


class OneOf:
    """One of a few constants, such as strings, None or booleans, compared by type and value.

    NumPy's strings and booleans, which a parameter grid may hold, count as Python's.
    """

    def __init__(self, *options: str | bool | None) -> None:
        self.options = options

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        plain = value.item() if isinstance(value, (np.str_, np.bool_)) else value
        return any(type(plain) is type(option) and plain == option for option in self.options)

    def __str__(self) -> str:
        return " or ".join(repr(option) for option in self.options)


@dataclass(frozen=True)
class Instance:
    """An instance of a type (or of one of several)."""

    of: type | tuple[type, ...]
    words: str

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        return isinstance(value, self.of)

    def __str__(self) -> str:
        return self.words


def check_parameters(owner: object, table: Mapping[str, tuple[Rule, ...]]) -> None:
    """Check an estimator's parameters against its table; see `check_value`."""
    for name, rules in table.items():
        check_value(type(owner).__name__, name, getattr(owner, name), rules)


def check_value(owner: str, name: str, value: object, rules: tuple[Rule, ...]) -> None:
    """Raise a ValueError that names parameter, rule and value unless one of the rules accepts the value."""
    if not any(rule.accepts(value) for rule in rules):
        wanted = " or ".join(str(rule) for rule in rules)
        raise ValueError(f"The {name!r} parameter of {owner} must be {wanted}. Got {value!r}.")
