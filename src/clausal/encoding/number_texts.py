"""Which texts are numbers, and which only look like numbers. Not here: dates (remarks.py)."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PADDED = re.compile(r"[+-]?0[0-9]+")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_EXACT = 2**53  # integers from here on are codes, because float64 is not exact for them
_NUMBER_SHARE = 0.8  # of the distinct texts are numbers


def parse_number(text: str) -> float | None:
    """The number that a text represents, or None."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def is_code(text: str) -> bool:
    """Whether digits are a code: with leading zeros, such as 02134, or too large for an exact float64."""
    return _PADDED.fullmatch(text) is not None or (
        _WHOLE.fullmatch(text) is not None and abs(int(text[:400])) >= _EXACT
    )


def like_numbers(texts: Collection[str]) -> bool:
    """Whether distinct texts are numbers, up to a few that may mean missing, and none of them is a code."""
    bare = [text.strip() for text in texts]
    n_numbers = sum(parse_number(text) is not None for text in bare)
    return 0 < n_numbers >= _NUMBER_SHARE * len(bare) and not any(map(is_code, bare))
