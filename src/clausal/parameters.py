"""Constraints on constructor parameters, and the error message for a value that violates them.

Every estimator has a dictionary `{name: (constraint, ...)}`. A value is valid if one of its constraints
accepts it. Here too: checks of texts that are shown. Not here: checks of data, or of parameters against each
other.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Protocol

import numpy as np


class Constraint(Protocol):
    """A condition on the value of one parameter; its `str` completes the sentence "must be ..."."""

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Whole:
    """An integer within [low, high]. Booleans are not accepted."""

    low: int
    high: int | None = None
    even: bool = False

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        if isinstance(value, bool) or not isinstance(value, (int, Integral)):  # int alone is quickest to tell
            return False
        in_range = self.low <= int(value) and (self.high is None or int(value) <= self.high)
        return in_range and not (self.even and int(value) % 2)

    def __str__(self) -> str:
        kind = "an even int" if self.even else "an int"
        return f"{kind} >= {self.low}" if self.high is None else f"{kind} from {self.low} to {self.high}"


@dataclass(frozen=True)
class Number:
    """A finite number within [low, high]; `open_low` and `open_high` exclude the ends."""

    low: float
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        if isinstance(value, bool) or not isinstance(value, (float, Real)):
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
    """A tuple or list (low, high) with low <= high, both accepted by `of`."""

    of: Number

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            return False
        return all(self.of.accepts(part) for part in value) and float(value[0]) <= float(value[1])

    def __str__(self) -> str:
        return f"a pair (low, high), low <= high, of numbers {str(self.of).partition('number ')[2]}"


class OneOf:
    """One of a few strings, booleans or None, compared by type and value.

    NumPy strings and booleans, which a parameter grid may contain, are treated like Python's.
    """

    def __init__(self, *options: str | bool | None) -> None:
        self.options = options
        self._types = {type(option) for option in options}

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        plain = value.item() if isinstance(value, (np.str_, np.bool_)) else value
        return type(plain) in self._types and plain in self.options

    def __str__(self) -> str:
        return " or ".join(repr(option) for option in self.options)


@dataclass(frozen=True)
class Instance:
    """An instance of a type, or of one of several types; `words` describes it in messages."""

    of: type | tuple[type, ...]
    words: str

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        return isinstance(value, self.of)

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Matching:
    """A string that a pattern matches as a whole; `words` describes it in messages."""

    pattern: str
    words: str

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        return isinstance(value, str) and re.fullmatch(self.pattern, value) is not None

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Listing:
    """A list, a tuple, or what NumPy reads as an array, such as a pandas Index or a polars Series."""

    words: str

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        arrays = hasattr(value, "__array__") and not isinstance(value, np.generic)
        return isinstance(value, (list, tuple)) or arrays

    def __str__(self) -> str:
        return self.words


def check_parameters(owner: object, constraints: Mapping[str, tuple[Constraint, ...]]) -> None:
    """Check the parameters of an estimator; see `check_value`."""
    for name, alternatives in constraints.items():
        check_value(type(owner).__name__, name, getattr(owner, name), alternatives)


def check_value(owner: str, name: str, value: object, constraints: tuple[Constraint, ...]) -> None:
    """Raise a ValueError unless one of the constraints accepts the value."""
    for constraint in constraints:
        if constraint.accepts(value):
            return
    expected = " or ".join(str(constraint) for constraint in constraints)
    raise ValueError(f"The {name!r} parameter of {owner} must be {expected}. Got {value!r}.")


_MAX_KEY, _MAX_TEXT, _MAX_ENTRIES = 60, 2000, 30  # of what a user says about a model


def check_about(about: object) -> None:
    """Raise a ValueError unless this is a dict of a few texts to show."""
    if not isinstance(about, Mapping):
        raise ValueError(f"about must be a dict of texts. Got {type(about).__name__}.")
    if len(about) > _MAX_ENTRIES:
        raise ValueError(f"about must have at most {_MAX_ENTRIES} entries. Got {len(about)}.")
    for key, value in about.items():
        check_text("a key of about", key, _MAX_KEY)
        check_text(f"about[{key!r}]", value, _MAX_TEXT)


def check_text(name: str, text: object, max_length: int) -> None:
    """Raise ValueError unless this is a text to show: not blank, not too long, without odd characters."""
    if not isinstance(text, str):
        raise ValueError(f"{name} must be a str. Got {text!r:.80}.")
    if not text.strip():
        raise ValueError(f"{name} must not be blank. Got {text!r:.80}.")
    if len(text) > max_length:
        raise ValueError(f"{name} must have at most {max_length} characters. Got {len(text)}.")
    odd = next((mark for mark in text if mark not in "\n\t" and _is_odd(mark)), None)
    if odd is not None:
        raise ValueError(f"{name} must be plain text, without control characters. Got {odd!r}.")


def _is_odd(mark: str) -> bool:
    """Whether a character is a control character, half of a character, or one that turns text round."""
    return unicodedata.category(mark) in ("Cc", "Cs") or mark in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"
