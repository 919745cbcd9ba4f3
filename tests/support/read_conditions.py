"""A reader of printed conditions: what the text of a rule means to a person, on plain values.

It knows the words only, nothing of columns or bits. None stands for a missing value, UNSEEN for one that was
not seen in training and satisfies no condition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Orders = Mapping[str, Sequence[Any]]

UNSEEN = object()
INTERVAL = re.compile(r"(\S+) < (\w+) <= (\S+)")
BOUND = re.compile(r"(\w+) (<=|>) (\S+)")
LISTED = re.compile(r"(\w+) (in|not in) \{(.*)\}")
SINGLE = re.compile(r"(\w+) (is not|is) (.+)")
OR_SPECIAL = re.compile(r" or (?:in \{(.*)\}|is (?!missing)(\S+))$")
TRUTH = re.compile(r"(not )?(\w+)")


def text_holds(text: str, row: Row, orders: Orders) -> bool:
    """Whether the text is true of a row; `orders` lists the categories of ordered features."""
    return text == "always" or all(condition_holds(part, row, orders) for part in text.split(" and "))


def condition_holds(text: str, row: Row, orders: Orders) -> bool:
    """One condition, or one in brackets that ends in `or missing` or in special values."""
    if text.startswith("("):
        assert " or " in text, text
        assert text.endswith(")"), text
        text = text[1:-1]
    special = OR_SPECIAL.search(text.removesuffix(" or missing"))
    text = text.replace(special[0], "") if special else text
    value = row[feature_of(text.removesuffix(" or missing"))]
    if value is UNSEEN:
        return False
    if special and str(value) in (special[1] or special[2]).split(", "):
        return True
    if found := SINGLE.fullmatch(text):
        name, word, value = found.groups()
        if value == "missing":
            return (row[name] is None) == (word == "is")
    or_missing = text.endswith(" or missing")
    name, holds = present_holds(text.removesuffix(" or missing"), row, orders)
    return or_missing if row[name] is None else holds


def feature_of(text: str) -> str:
    """The feature that a condition is on."""
    if found := INTERVAL.fullmatch(text) or TRUTH.fullmatch(text):
        return found[2]
    found = BOUND.fullmatch(text) or LISTED.fullmatch(text) or SINGLE.fullmatch(text)
    assert found, text
    return found[1]


def present_holds(text: str, row: Row, orders: Orders) -> tuple[str, bool]:
    """The feature of a condition, and whether its value, if present, meets the condition."""
    if found := INTERVAL.fullmatch(text):
        low, name, high = found.groups()
        value, order = row[name], orders.get(name)
        return name, not at_most(value, low, order) and at_most(value, high, order)
    if found := BOUND.fullmatch(text):
        name, sign, bound = found.groups()
        if isinstance(row[name], str) and name not in orders:  # a special value is on no side of a bound
            return name, False
        return name, at_most(row[name], bound, orders.get(name)) == (sign == "<=")
    if found := LISTED.fullmatch(text):
        name, word, listed = found.groups()
        return name, (str(row[name]) in listed.split(", ")) == (word == "in")
    if found := SINGLE.fullmatch(text):
        name, word, value = found.groups()
        return name, (str(row[name]) == value) == (word == "is")
    found = TRUTH.fullmatch(text)
    assert found, text
    return found[2], bool(row[found[2]]) != bool(found[1])


def at_most(value: Any, bound: str, order: Sequence[Any] | None) -> bool:
    """Compare numbers, or positions in the order; a value that is not in the order is above it."""
    if value is None:
        return False
    if order is None:
        return float(value) <= float(bound)
    return value in order and order.index(value) <= order.index(bound)
