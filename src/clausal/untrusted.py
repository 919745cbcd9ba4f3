"""Strict reading of plain values from a file nobody vouches for: anything unexpected is a ValueError.

Here: one reader per type of value; each names where the value stands, the rule, and what it got.
Not here: what the values mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from types import NoneType

_SHOWN = 60  # characters of a wrong value that are quoted
_SHOWN_KEYS = 10
_LONGEST_WORD = 100  # characters of a string that stands for a choice


def read_record(data: object, where: str, names: Iterable[str]) -> dict[str, object]:
    """A dictionary with exactly these keys."""
    wanted = set(names)
    if not isinstance(data, dict):
        raise wrong(where, "a dictionary", data)
    lacking, further = sorted(wanted - set(data)), [key for key in data if key not in wanted]
    if lacking or further:
        found = [f"{word} {_listed(keys)}" for word, keys in (("no", lacking), ("also", further)) if keys]
        raise ValueError(
            f"{where} must be a dictionary with the keys {sorted(wanted)}. Got {' and '.join(found)}."
        )
    return data


def read_list(data: object, where: str) -> list[object]:
    """A list or tuple."""
    if not isinstance(data, (list, tuple)):
        raise wrong(where, "a list", data)
    return list(data)


def read_bool(data: object, where: str) -> bool:
    """True or False."""
    if not isinstance(data, bool):
        raise wrong(where, "true or false", data)
    return data


def read_text(data: object, where: str) -> str:
    """A string."""
    if not isinstance(data, str):
        raise wrong(where, "a string", data)
    return str(data)


def read_texts(data: object, where: str) -> tuple[str, ...]:
    """A list of different strings."""
    texts = tuple(read_text(item, where) for item in read_list(data, where))
    if len(set(texts)) != len(texts):
        raise wrong(where, "a list of different strings", data)
    return texts


def read_integer(data: object, where: str, low: int, high: int) -> int:
    """An integer from low to high."""
    if isinstance(data, bool) or not isinstance(data, int) or not low <= data <= high:
        raise wrong(where, f"an integer from {low} to {high}", data)
    return data


def read_number(data: object, where: str) -> float | int:
    """A finite number that float64 can hold."""
    if isinstance(data, bool) or not isinstance(data, (int, float)):
        raise wrong(where, "a number", data)
    if isinstance(data, int) and data.bit_length() > 1023:
        raise wrong(where, "a number that float64 can hold", f"{data.bit_length()} bits")
    if not math.isfinite(data):
        raise wrong(where, "a finite number", data)
    return data


def read_word(data: object, where: str) -> str | float | int | bool | None:
    """A single value that needs no more than a few bytes: true, false, null, a number or a short string."""
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, str):
        if len(data) > _LONGEST_WORD:
            raise wrong(where, f"a string of at most {_LONGEST_WORD} characters", data)
        return str(data)
    if isinstance(data, int):
        return read_integer(data, where, -(2**63), 2**63 - 1)
    if isinstance(data, float):
        return read_number(data, where)
    raise wrong(where, "a number, a string, true, false or null", data)


def wrong(where: str, rule: str, value: object) -> ValueError:
    """The error for a value that breaks a rule."""
    return ValueError(f"{where} must be {rule}. Got {shown(value)}.")


def shown(value: object) -> str:
    """A value in few characters; of a collection only the type, as it may be nested without bound."""
    if not isinstance(value, (str, int, float, NoneType)):
        return f"a {type(value).__name__}"
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _listed(keys: Sequence[object]) -> str:
    more = [f"{len(keys) - _SHOWN_KEYS} more"] if len(keys) > _SHOWN_KEYS else []
    return ", ".join([*map(shown, keys[:_SHOWN_KEYS]), *more])
