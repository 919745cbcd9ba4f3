"""Strict reading of plain dictionaries, such as those of a model file: anything unexpected is a ValueError.

Here: one reader per type of value. Not here: what the values mean (features.py, booleanizer.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from types import NoneType
from typing import Any

from clausal.encoding.columns import Category
from clausal.encoding.values import EXACT_INTEGERS, plain_category

_SHOWN = 60  # characters of a wrong value that are quoted


def read_record(data: object, where: str, keys: Iterable[str]) -> dict[str, object]:
    """A dictionary with exactly these keys."""
    wanted = set(keys)
    if not isinstance(data, dict):
        raise _wrong(where, "a dictionary", data)
    if any(not isinstance(key, str) for key in data) or set(data) != wanted:
        raise _wrong(where, f"a dictionary with the keys {sorted(wanted)}", ", ".join(map(_shown, data)))
    return data


def read_list(data: object, where: str) -> list[object]:
    """A list or tuple."""
    if not isinstance(data, (list, tuple)):
        raise _wrong(where, "a list", data)
    return list(data)


def read_bool(data: object, where: str) -> bool:
    """True or False."""
    if not isinstance(data, bool):
        raise _wrong(where, "true or false", data)
    return data


def read_text(data: object, where: str) -> str:
    """A string."""
    if not isinstance(data, str):
        raise _wrong(where, "a string", data)
    return str(data)


def read_texts(data: object, where: str) -> tuple[str, ...]:
    """A list of different strings."""
    texts = tuple(read_text(item, where) for item in read_list(data, where))
    if len(set(texts)) != len(texts):
        raise _wrong(where, "a list of different strings", data)
    return texts


def read_params(data: object, where: str, names: Iterable[str]) -> dict[str, Any]:
    """Constructor parameters of exactly these names: strings, integers, None or flat lists of them."""
    record = read_record(data, where, names)
    for name, value in record.items():
        for item in value if isinstance(value, list) else (value,):
            if not isinstance(item, (str, int, NoneType)):
                raise _wrong(f"{where}.{name}", "a string, an integer, None or a list of them", item)
    return dict(record)


def read_numbers(data: object, where: str) -> tuple[float, ...]:
    """A strictly ascending list of finite numbers, as floats."""
    numbers = tuple(_read_number(item, where) for item in read_list(data, where))
    _check_ascending(numbers, where)
    return numbers


def read_indices(data: object, where: str, n_items: int) -> tuple[int, ...]:
    """A strictly ascending list of integers from 0 to `n_items - 1`."""
    indices = []
    for item in read_list(data, where):
        if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item < n_items:
            raise _wrong(where, f"a list of integers from 0 to {n_items - 1}", item)
        indices.append(int(item))
    _check_ascending(tuple(indices), where)
    return tuple(indices)


def read_categories(data: object, where: str, ascending: bool) -> tuple[Category, ...]:
    """A list of one or more different categories, all strings or all numbers; sorted, with `ascending`."""
    items = read_list(data, where)
    categories: tuple[Category, ...]
    if items and all(isinstance(item, str) for item in items):
        categories = tuple(read_text(item, where) for item in items)
    elif items and not any(isinstance(item, str) for item in items):
        categories = tuple(plain_category(_read_number(item, where)) for item in items)
    else:
        raise _wrong(where, "a list of strings or of numbers, at least one", data)
    if len(set(categories)) != len(categories):
        raise _wrong(where, "a list of different categories", data)
    if ascending:
        _check_ascending(categories, where)
    return categories


def _read_number(item: object, where: str) -> float:
    if isinstance(item, bool) or not isinstance(item, (int, float)):
        raise _wrong(where, "a list of numbers", item)
    # A JSON writer may drop the `.0` of a float; an integer that would be rounded was never a float.
    if isinstance(item, int) and abs(item) >= EXACT_INTEGERS and not _is_float(item):
        raise _wrong(where, "a list of numbers that float64 can hold", str(item.bit_length()) + " bits")
    if not math.isfinite(item):
        raise _wrong(where, "a list of finite numbers", item)
    return float(item)


def _is_float(integer: int) -> bool:
    try:
        return int(float(integer)) == integer
    except OverflowError:
        return False


def _check_ascending(items: tuple[Category, ...], where: str) -> None:
    for first, second in pairwise(items):
        if not first < second:  # type: ignore[operator]  # all strings or all numbers
            raise _wrong(where, "sorted without repeats", f"{first} before {second}")


def _wrong(where: str, rule: str, value: object) -> ValueError:
    return ValueError(f"{where} must be {rule}. Got {_shown(value)}.")


def _shown(value: object) -> str:
    """A value in few characters; of a collection only the type, as it may be nested without bound."""
    if not isinstance(value, (str, int, float, NoneType)):
        return f"a {type(value).__name__}"
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "..."
