"""How a value given to `transform` meets what was seen in training.

Here: category codes, the policies for unseen categories and new missing values, and a change of type.
Not here: which bits follow (features.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category
from clausal.encoding.values import KIND_WORDS, FeatureValues, Mask, plain_category

_SHOWN_CATEGORIES = 10


@dataclass(frozen=True)
class TransformRules:
    """The Booleanizer's parameters of the same names."""

    handle_unknown: str
    handle_missing: str


def refuse_other_kinds(values: FeatureValues, accepted: tuple[str, ...], word: str) -> None:
    """Refuse values of another type than in training; a feature that is missing throughout has no type."""
    if values.kind in accepted or values.missing.all():
        return
    example = values.values[~values.missing][0]
    raise ValueError(
        f"Feature {values.name!r} was {word} in training and must stay so. "
        f"Got {KIND_WORDS[values.kind]}, such as {example if values.kind != 'text' else repr(example)}."
    )


def check_missing(values: FeatureValues, missing: Mask, nullable: bool, rules: TransformRules) -> None:
    """Refuse rows that count as missing where training data had none, unless the rules say otherwise."""
    count = int(missing.sum())
    if count and not nullable and rules.handle_missing == "error":
        raise ValueError(
            f"Feature {values.name!r} must not be missing, as it never was in training. Got {count} missing "
            f"of {len(missing)} rows; a Booleanizer with handle_missing='as_false' accepts them."
        )


def category_codes(
    values: FeatureValues, categories: tuple[Category, ...], nullable: bool, rules: TransformRules
) -> NDArray[np.float64]:
    """Each row's position in `categories`, -1 for unknown, NaN for missing; shape (n,)."""
    if isinstance(categories[0], str):
        refuse_other_kinds(values, ("text",), "categorical, of text,")
    else:
        refuse_other_kinds(values, ("number", "bool"), "categorical, of numbers,")
    codes = find_codes(values, categories)
    unknown = (codes < 0) & ~values.missing
    missing = values.missing
    if unknown.any() and rules.handle_unknown == "error":
        raise _unknown_category(values, unknown, categories)
    if rules.handle_unknown == "missing":
        missing = missing | unknown
    check_missing(values, missing, nullable, rules)
    numbers = codes.astype(np.float64)
    numbers[missing] = np.nan
    return numbers


def find_codes(values: FeatureValues, categories: Sequence[Category]) -> NDArray[np.intp]:
    """Each row's position in `categories`, -1 where missing or not among them; shape (n,)."""
    if values.missing.all():
        return np.full(len(values.missing), -1, dtype=np.intp)
    if values.kind == "text":
        position: dict[Any, int] = {category: code for code, category in enumerate(categories)}
        items = values.values.tolist()
        return np.fromiter((position.get(item, -1) for item in items), dtype=np.intp, count=len(items))
    numbers = values.numbers()
    known = np.array(categories, dtype=np.float64)
    order = np.argsort(known)
    place = np.minimum(np.searchsorted(known, numbers, sorter=order), len(known) - 1)
    codes = order[place].astype(np.intp)
    codes[known[codes] != numbers] = -1
    return codes


def _unknown_category(values: FeatureValues, unknown: Mask, categories: tuple[Category, ...]) -> ValueError:
    example = values.values[unknown][0]
    if values.kind != "text":
        example = plain_category(float(example))
    known = ", ".join(repr(category) for category in categories[:_SHOWN_CATEGORIES])
    more = len(categories) - _SHOWN_CATEGORIES
    known += f" and {more} more" if more > 0 else ""
    return ValueError(
        f"Feature {values.name!r} must be one of the categories seen in training: {known}. Got {example!r}; "
        "a Booleanizer with handle_unknown='no_match' or 'missing' accepts others."
    )
