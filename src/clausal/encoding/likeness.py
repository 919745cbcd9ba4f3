"""What the values of a column look like: numbers stored as text, codes, dates, IDs, row numbers.

Python's `fit` and the command line ask here. Not here: what users are told (remarks.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.values import EXACT_INTEGERS

_MIN_ROWS = 20  # with fewer rows, no column is taken for an ID or a row number
_ID_SHARE = 0.9  # of the values of an ID are distinct
_CODES_BELOW = frozenset(1.0 - 10.0**digits for digits in range(1, 10))  # -9, -99, ...
_HIGHEST_BELOW = -9.0
_CODES_ABOVE = frozenset(10.0**digits - 1.0 for digits in range(3, 10))  # 999, 9999, ...
_FEWEST_OF_CODE, _SHARE_OF_CODE = 10, 0.01  # rows
_MOST_CODES = 12  # of a column
_GAP_OF_CODES = 2  # several codes have a gap among them or above them that is more than so many times another
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PADDED = re.compile(r"[+-]?0[0-9]+")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_UNIT = re.compile(r"(?<![^+-])[$€£¥] ?| ?[%$€£¥]$")  # before a number, or after it
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_COMMA = re.compile(r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]*),[0-9]+")
_NUMBER_SHARE = 0.8  # of the distinct texts are numbers
_TIME = r"(?:[T ][0-9]{1,2}:[0-9]{2}.*)?"
_DATE = re.compile(
    rf"[0-9]{{4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,2}}{_TIME}|[0-9]{{1,2}}([-/.])[0-9]{{1,2}}\2[0-9]{{2,4}}{_TIME}"
)


def parse_number(text: str) -> float | None:
    """The number that a text represents, or None."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def plain_number(text: str) -> str | None:
    """A number with a percent or currency sign or commas in plain notation; None if it is no such number."""
    bare = _UNIT.sub("", text)
    if _THOUSANDS.fullmatch(bare):
        bare = bare.replace(",", "")
    elif _COMMA.fullmatch(bare):
        bare = bare.replace(".", "").replace(",", ".")
    return bare if bare != text and parse_number(bare) is not None else None


def is_code(text: str) -> bool:
    """Whether digits are a code: with leading zeros, such as 02134, or too large for an exact float64."""
    return _PADDED.fullmatch(text) is not None or (
        _WHOLE.fullmatch(text) is not None and abs(int(text[:400])) >= EXACT_INTEGERS
    )


def like_numbers(texts: Collection[str]) -> bool:
    """Whether distinct texts are numbers, up to a few that may mean missing, and none of them is a code."""
    bare = [text.strip() for text in texts]
    n_numbers = sum(parse_number(text) is not None or plain_number(text) is not None for text in bare)
    return 0 < n_numbers >= _NUMBER_SHARE * len(bare) and not any(map(is_code, bare))


def is_date(text: str) -> bool:
    """Whether a text is a date, with or without a time."""
    return _DATE.fullmatch(text) is not None


def like_id(n_distinct: int, n_present: float) -> bool:
    """Whether so many distinct texts in so many rows (or their total weight) are like an ID."""
    return n_present >= _MIN_ROWS and n_distinct > _ID_SHARE * n_present


def like_row_number(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the numbers [..., n] of a column are consecutive integers, one per row, none missing."""
    n_rows = numbers.shape[-1]
    if n_rows < _MIN_ROWS:
        return np.zeros(numbers.shape[:-1], bool)
    possible = np.asarray(np.ptp(numbers, axis=-1) == n_rows - 1)  # NaN differs from any number
    if possible.any():
        possible &= (numbers == np.rint(numbers)).all(axis=-1)
        possible &= (np.diff(np.sort(numbers, axis=-1)) != 0).all(axis=-1)
    return possible


class LikeCodes(NamedTuple):
    """Numbers of a column that may be codes, ascending, and the number of rows with any of them."""

    numbers: tuple[int, ...]
    n_rows: int


def like_codes(numbers: NDArray[Any], counts: NDArray[np.float64] | None = None) -> LikeCodes | None:
    """Numbers that may be codes, such as for missing, and the number of their rows; else None.

    They repeat. They are all numbers below 0, one of which consists of nines; or the one number, of nines,
    that is far above all others. `counts` are the rows of each of the numbers [n], which may be NaN; None:
    one.
    """
    is_present = ~np.isnan(numbers)
    present = numbers[is_present]
    if not len(present):
        return None
    counts = counts if counts is None else counts[is_present]
    low, high = float(present.min()), float(present.max())
    if low <= _HIGHEST_BELOW and low.is_integer() and (found := _codes_below(present, counts)):
        return found
    if high not in _CODES_ABOVE:
        return None
    is_code = present == high
    others, n_rows = present[~is_code], _rows(is_code, counts)
    if not len(others) or n_rows < _fewest(present, counts):
        return None
    is_far = high - others.max() > max(np.ptp(others), 1.0)
    return LikeCodes((int(high),), round(n_rows)) if is_far else None


def _codes_below(present: NDArray[Any], counts: NDArray[np.float64] | None) -> LikeCodes | None:
    """All numbers below 0, if they may be codes: no part of a scale that the other numbers go on with."""
    is_below = present < 0
    below = np.unique(present[is_below]).tolist()
    if is_below.all() or len(below) > _MOST_CODES or _CODES_BELOW.isdisjoint(below):
        return None
    fewest = _fewest(present, counts)
    if any(code != round(code) or _rows(present == code, counts) < fewest for code in below):
        return None
    steps = np.diff([*below, present[~is_below].min()])
    if len(below) > 1 and steps.max() <= _GAP_OF_CODES * steps.min():  # such as temperatures
        return None
    return LikeCodes(tuple(map(int, below)), round(_rows(is_below, counts)))


def _rows(chosen: NDArray[np.bool_], counts: NDArray[np.float64] | None) -> float:
    return float(chosen.sum() if counts is None else counts[chosen].sum())


def _fewest(present: NDArray[Any], counts: NDArray[np.float64] | None) -> float:
    """The rows that a code has at least."""
    total = len(present) if counts is None else float(counts.sum())
    return max(_FEWEST_OF_CODE, _SHARE_OF_CODE * total)
