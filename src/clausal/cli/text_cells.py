"""What a cell of text means: missing, a number, a boolean, a date, a code.

Not here: what a whole column is (file_columns.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

USUAL_MISSING = ("?", "NA", "N/A", "nan", "null")

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PADDED = re.compile(r"[+-]?0[0-9]+")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_TIME = r"(?:[T ][0-9]{1,2}:[0-9]{2}.*)?"
_DATE = re.compile(
    rf"[0-9]{{4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,2}}{_TIME}|[0-9]{{1,2}}([-/.])[0-9]{{1,2}}\2[0-9]{{2,4}}{_TIME}"
)
_BOOLEANS = {"true": True, "false": False}
_BITS = {**_BOOLEANS, "1": True, "0": False}
_EXACT = 2**53  # whole numbers from here on are codes: float64 cannot tell them apart


class MissingTexts:
    """The texts that stand for a missing value, in any case; the empty one always does.

    Parameters
    ----------
    texts : iterable of str
        In place of the usual ones; none given stands for these.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = {text.strip().casefold() for text in (tuple(texts) or USUAL_MISSING)} | {""}

    def __contains__(self, text: str) -> bool:
        return text.casefold() in self._texts


def parse_number(text: str) -> float | None:
    """The number that a text spells in full, or None."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def parse_boolean(text: str) -> bool | None:
    """True or False where a text spells one of them or is 1 or 0, or None."""
    return _BITS.get(text.casefold())


def spells_boolean(text: str) -> bool:
    """Whether a text is `true` or `false`, in any case."""
    return text.casefold() in _BOOLEANS


def is_code(text: str) -> bool:
    """Whether digits are a code: padded with zeros, such as 02134, or too many for an exact number."""
    return _PADDED.fullmatch(text) is not None or (
        _WHOLE.fullmatch(text) is not None and abs(int(text[:400])) >= _EXACT
    )


def is_date(text: str) -> bool:
    """Whether a text is a date, with or without a time."""
    return _DATE.fullmatch(text) is not None
