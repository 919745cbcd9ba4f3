"""Strict readers of plain values from untrusted files; anything unexpected raises a ValueError.

There is one reader per type of value. Its `where` argument is the path to the value, used in messages.
Not here: what the values mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from types import NoneType
from typing import Any

_MAX_SHOWN_CHARACTERS = 60  # of an invalid value in a message
_MAX_SHOWN_KEYS = 10
_MAX_SCALAR_CHARACTERS = 100


def read_record(data: object, where: str, names: Iterable[str]) -> dict[str, object]:
    """A dictionary with exactly these keys."""
    expected = set(names)
    if not isinstance(data, dict):
        raise wrong(where, "a dictionary", data)
    missing, extra = sorted(expected - set(data)), [key for key in data if key not in expected]
    if missing or extra:
        found = [f"{word} {_listed(keys)}" for word, keys in (("no", missing), ("extra", extra)) if keys]
        raise ValueError(
            f"{where} must be a dictionary with the keys {sorted(expected)}. Got {' and '.join(found)}."
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
    """A finite number that float64 holds exactly, as it is: an int remains one."""
    if isinstance(data, bool) or not isinstance(data, (int, float)):
        raise wrong(where, "a number", data)
    if isinstance(data, int) and data.bit_length() > 1023:
        raise wrong(where, "a number that float64 can hold", f"{data.bit_length()} bits")
    if not math.isfinite(data):
        raise wrong(where, "a finite number", data)
    if isinstance(data, int) and int(float(data)) != data:
        raise wrong(where, "a number that float64 holds exactly", data)
    return data


def read_numbers(data: object, where: str) -> tuple[float, ...]:
    """A strictly ascending list of numbers, as floats."""
    items = enumerate(read_list(data, where))
    numbers = tuple(float(read_number(item, f"{where}[{index}]")) for index, item in items)
    check_ascending(numbers, where)
    return numbers


def read_indices(data: object, where: str, n_items: int) -> tuple[int, ...]:
    """A strictly ascending list of integers from 0 to `n_items - 1`."""
    items = enumerate(read_list(data, where))
    indices = tuple(read_integer(item, f"{where}[{index}]", 0, n_items - 1) for index, item in items)
    check_ascending(indices, where)
    return indices


def check_ascending(items: Sequence[Any], where: str) -> None:
    """Refuse items, all strings or all numbers, that are not strictly ascending."""
    for first, second in pairwise(items):
        if not first < second:
            raise wrong(where, "sorted without repeats", f"{first} before {second}")


def read_scalar(data: object, where: str) -> str | float | int | bool | None:
    """A single short value: true, false, null, a number or a string of at most 100 characters."""
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, str):
        if len(data) > _MAX_SCALAR_CHARACTERS:
            raise wrong(where, f"a string of at most {_MAX_SCALAR_CHARACTERS} characters", data)
        return str(data)
    if isinstance(data, int):
        return read_integer(data, where, -(2**63), 2**63 - 1)
    if isinstance(data, float):
        return read_number(data, where)
    raise wrong(where, "a number, a string, true, false or null", data)


def wrong(where: str, expected: str, value: object) -> ValueError:
    """The error for an unexpected value."""
    return ValueError(f"{where} must be {expected}. Got {short_repr(value)}.")


def short_repr(value: object) -> str:
    """The `repr` of a value, shortened; only the type of a collection, which may be arbitrarily nested."""
    if not isinstance(value, (str, int, float, NoneType)):
        return f"a {type(value).__name__}"
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value[: _MAX_SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else text[:_MAX_SHOWN_CHARACTERS] + "..."


def _listed(keys: Sequence[object]) -> str:
    more = [f"{len(keys) - _MAX_SHOWN_KEYS} more"] if len(keys) > _MAX_SHOWN_KEYS else []
    return ", ".join([*map(short_repr, keys[:_MAX_SHOWN_KEYS]), *more])
