"""Strict readers for the booleanizer section of a model file: parameters, cut points, categories.

Anything unexpected raises a ValueError. Not here: readers of plain types (untrusted.py), the meaning of the
values (features.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from types import NoneType
from typing import Any

from clausal.encoding.columns import Category
from clausal.encoding.values import EXACT_INTEGERS, plain_category
from clausal.untrusted import read_list, read_record, read_scalar, read_text, wrong


def read_params(data: object, where: str, names: Iterable[str]) -> dict[str, Any]:
    """Constructor parameters with exactly these names: strings, integers, None or flat lists of them."""
    record = read_record(data, where, names)
    for name, value in record.items():
        if not isinstance(value, list):
            read_scalar(value, f"{where}.{name}")
        for item in value if isinstance(value, list) else (value,):
            if not isinstance(item, (str, int, NoneType)):
                raise wrong(f"{where}.{name}", "a string, an integer, None or a list of them", item)
            if isinstance(item, int):
                read_scalar(item, f"{where}.{name}")
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
            raise wrong(where, f"a list of integers from 0 to {n_items - 1}", item)
        indices.append(int(item))
    _check_ascending(tuple(indices), where)
    return tuple(indices)


def read_categories(data: object, where: str, ascending: bool) -> tuple[Category, ...]:
    """A list of one or more different categories, all strings or all numbers; sorted if `ascending`."""
    items = read_list(data, where)
    categories: tuple[Category, ...]
    if items and all(isinstance(item, str) for item in items):
        categories = tuple(read_text(item, where) for item in items)
    elif items and not any(isinstance(item, str) for item in items):
        categories = tuple(plain_category(_read_number(item, where)) for item in items)
    else:
        raise wrong(where, "a list of strings or of numbers, at least one", data)
    if len(set(categories)) != len(categories):
        raise wrong(where, "a list of different categories", data)
    if ascending:
        _check_ascending(categories, where)
    return categories


def read_not_missing(
    data: object, where: str, categories: tuple[Category, ...], complete: bool
) -> tuple[str, ...]:
    """Texts in ascending order that are not among these categories, of which some were left out; or None."""
    if data is None:
        return ()
    texts = tuple(str(read_text(item, where)) for item in read_list(data, where))
    _check_ascending(texts, where)
    if not texts or complete or set(texts) & set(categories):
        raise wrong(where, "one or more categories that were left out", data)
    return texts


def _read_number(item: object, where: str) -> float:
    if isinstance(item, bool) or not isinstance(item, (int, float)):
        raise wrong(where, "a list of numbers", item)
    # A JSON writer may drop the `.0` of a float, but an integer that float64 would round was never a float.
    if isinstance(item, int) and abs(item) >= EXACT_INTEGERS and not _is_float(item):
        raise wrong(where, "a list of numbers that float64 can hold", str(item.bit_length()) + " bits")
    if not math.isfinite(item):
        raise wrong(where, "a list of finite numbers", item)
    return float(item)


def _is_float(integer: int) -> bool:
    try:
        return int(float(integer)) == integer
    except OverflowError:
        return False


def _check_ascending(items: tuple[Category, ...], where: str) -> None:
    for first, second in pairwise(items):
        if not first < second:  # type: ignore[operator]  # all strings or all numbers
            raise wrong(where, "sorted without repeats", f"{first} before {second}")
