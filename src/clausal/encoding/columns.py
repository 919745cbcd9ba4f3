"""The meaning of one boolean column, and its text.

Here: `Column`, its text with and without negation, and unique names for several columns.
Not here: how columns are chosen (fitting.py) or computed from data (features.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Category: TypeAlias = str | int | float
ColumnKind: TypeAlias = Literal["le", "upto", "is", "true", "missing"]

_INTEGER_LIKE = 1e16  # below this an integral float prints as an integer; above, as Python prints floats


@dataclass(frozen=True)
class Column:
    """The meaning of one boolean column.

    Parameters
    ----------
    feature : str
        Name of the feature that the column is computed from.
    feature_index : int
        Position of that feature in the user's table.
    kind : {"le", "upto", "is", "true", "missing"}
        `le`: the number is at most `value`. `upto`: the category is one of `value`. `is`: the category is
        `value`. `true`: the boolean is true. `missing`: the value is missing.
    value : float, tuple, str, int or None
        What the feature is compared with; None for `true` and `missing`.
    nullable : bool
        The feature had missing values in training, so that the negation includes missing values.
    ordered : bool
        For `upto`: the categories are ordered, and `value` lists all categories up to its last entry.
    """

    feature: str
    feature_index: int
    kind: ColumnKind
    value: float | Category | tuple[Category, ...] | None = None
    nullable: bool = False
    ordered: bool = False

    def text(self, negated: bool = False) -> str:
        """The condition, such as `age <= 54`, or its negation, such as `age > 54`."""
        name = name_text(self.feature)
        if self.kind == "missing":
            return f"{name} is not missing" if negated else f"{name} is missing"
        if self.kind == "true":
            condition = f"not {name}" if negated else name
        else:
            condition = f"{name} {self._comparison(negated)}"
        return f"{condition} or missing" if negated and self.nullable else condition

    def _comparison(self, negated: bool) -> str:
        value = self.value
        if isinstance(value, tuple) and self.ordered:
            return f"{'>' if negated else '<='} {category_text(value[-1])}"
        if isinstance(value, tuple) and len(value) > 1:
            listed = ", ".join(category_text(category) for category in value)
            return f"{'not in' if negated else 'in'} {{{listed}}}"
        single = value[0] if isinstance(value, tuple) else value
        assert single is not None
        if self.kind == "le":
            return f"{'>' if negated else '<='} {category_text(single)}"
        return f"{'is not' if negated else 'is'} {category_text(single)}"

    def __str__(self) -> str:
        return self.text()


def number_text(number: float) -> str:
    """The shortest text that reads back as the same float64; whole numbers without `.0`."""
    number = float(number)
    if number.is_integer() and abs(number) < _INTEGER_LIKE:
        return str(int(number))
    return repr(number)


def category_text(category: Category) -> str:
    """A category as printed: in quotes only if it could be misread without them."""
    if not isinstance(category, str):
        return number_text(category)
    reserved = category == "missing" or category.startswith("not ") or category.endswith(" or missing")
    plain = _is_plain(category) and not reserved and not any(mark in category for mark in "{},'\"")
    return category if plain else repr(category)


def name_text(name: str) -> str:
    """The name of a feature as printed: in quotes if it is empty, padded or has unprintable characters."""
    return name if _is_plain(name) else repr(name)


def _is_plain(text: str) -> bool:
    return text != "" and text == text.strip() and text.isprintable()


def unique_names(columns: Iterable[Column]) -> tuple[str, ...]:
    """The texts of the columns; a repeated text gets the index of its feature appended."""
    taken: dict[str, None] = {}
    for column in columns:
        name = column.text()
        while name in taken:
            name = f"{name} [x{column.feature_index}]"
        taken[name] = None
    return tuple(taken)
