"""The meaning of one boolean column, and its text.

Here: `Column`, its text with and without negation, unique names for several columns, and the selection of
features by name, position or mask. Not here: how columns are chosen (fitting.py) or computed from data
(features.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Category: TypeAlias = str | int | float
ColumnKind: TypeAlias = Literal["le", "upto", "is", "true", "missing"]

_PLAIN_WORD = re.compile(r"[^\W\d_][\w-]*")
_SENTENCE_WORDS = {"always", "and", "class", "else", "for", "if", "in", "is", "missing", "not", "or"}
_VALUE_WORDS = {"false", "inf", "nan", "none", "null", "true"}
_PARTS_OF_CONDITIONS = re.compile(
    r"""^["'(]|^(?:not|always)(?!\w)|\s(?:and|is)(?!\w)|\sor\s+missing(?!\w)|\s[<>]=?\s|[{\u2264\u2265]""",
    re.IGNORECASE,
)
TYPED_DIGITS = 15  # of a number that a person types; float64 tells any two of them apart
_NEGATED = {"<=": ">", "<": ">="}
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
        `le`: the number is at most `value`. `upto`: the category is one of `value`. `is`: the category, or
        the name of its group, or a special number is `value`. `true`: the boolean is true. `missing`: the
        value is missing.
    value : float, tuple, str, int or None
        What the feature is compared with; None for `true` and `missing`.
    nullable : bool
        The feature had missing values in training, so that the negation includes missing values.
    ordered : bool
        For `upto`: the categories are ordered, and `value` lists all categories up to its last entry.
    special : tuple of numbers
        For `le`: the special values of the feature, for which the negation holds, whatever `value` is.
    """

    feature: str
    feature_index: int
    kind: ColumnKind
    value: float | Category | tuple[Category, ...] | None = None
    nullable: bool = False
    ordered: bool = False
    special: tuple[Category, ...] = ()

    @property
    def direction(self) -> int:
        """Whether the column becomes true (1) or false (-1) as its feature grows; 0 where it does neither."""
        return {"true": 1, "le": -1, "upto": -1, "is": 0, "missing": 0}[self.kind]

    @property
    def below(self) -> float | None:
        """The number written as `age < 20` if `value` is the next one below it and longer; else None."""
        if self.kind != "le":
            return None
        cut = float(self.value)  # type: ignore[arg-type]
        above = math.nextafter(cut, math.inf)
        shorter = above == 0 or (math.isfinite(above) and is_typed(above) and not is_typed(cut))
        return above if shorter else None

    @property
    def bound(self) -> tuple[str, str]:
        """For `le` and ordered `upto`: the comparison and its value, `<=` and `54`, or `<` and `20`."""
        if self.below is not None:
            return "<", number_text(self.below)
        value = self.value[-1] if isinstance(self.value, tuple) else self.value
        assert value is not None
        return "<=", category_text(value)

    def text(self, negated: bool = False) -> str:
        """The condition, such as `age <= 54`, or its negation, such as `age > 54`."""
        name = condition_name(self.feature)
        if self.kind == "missing":
            return f"{name} is not missing" if negated else f"{name} is missing"
        if self.kind == "true":
            condition = f"not {name}" if negated else name
        else:
            condition = f"{name} {self._comparison(negated)}"
        return condition + or_others(self.special, self.nullable) if negated else condition

    def _comparison(self, negated: bool) -> str:
        value = self.value
        if self.kind == "le" or (isinstance(value, tuple) and self.ordered):
            sign, end = self.bound
            return f"{_NEGATED[sign] if negated else sign} {end}"
        if isinstance(value, tuple) and len(value) > 1:
            listed = ", ".join(category_text(category) for category in value)
            return f"{'not in' if negated else 'in'} {{{listed}}}"
        single = value[0] if isinstance(value, tuple) else value
        assert single is not None
        return f"{'is not' if negated else 'is'} {category_text(single)}"

    def __str__(self) -> str:
        return self.text()


def or_others(special: Sequence[Category], missing: bool) -> str:
    """What a condition also holds for: ` or is -1 or missing`, ` or in {-1, -2}`, or nothing."""
    listed = ", ".join(map(category_text, special))
    values = f" or in {{{listed}}}" if len(special) > 1 else f" or is {listed}" if special else ""
    return values + (" or missing" if missing else "")


def is_typed(number: float) -> bool:
    """Whether a number has at most 15 digits."""
    return float(f"{number:.{TYPED_DIGITS}g}") == number


def number_text(number: float) -> str:
    """The shortest text that reads back as the same float64; whole numbers without `.0`."""
    number = float(number)
    if number.is_integer() and abs(number) < _INTEGER_LIKE:
        return str(int(number))
    return repr(number)


def category_text(category: Category) -> str:
    """A category as printed: a text in quotes, unless it is a single plain word.

    A plain word begins with a letter and goes on with letters, digits, `_` and `-`, so that it is no number.
    Words that sentences about rules are made of, or that stand for special values, are in quotes, too.
    """
    if not isinstance(category, str):
        return number_text(category)
    plain = _PLAIN_WORD.fullmatch(category) and category.casefold() not in _SENTENCE_WORDS | _VALUE_WORDS
    return category if plain else repr(category)


def name_text(name: str) -> str:
    """The name of a feature as printed: in quotes if it is empty, padded or has unprintable characters."""
    return name if name != "" and name == name.strip() and name.isprintable() else repr(name)


def condition_name(name: str) -> str:
    """The name of a feature as printed in a condition, which can then be read in one way only.

    Also in quotes if it holds what conditions are made of, such as `a and b`, `not a`, `a is b` or `a <= 5`;
    but not because of brackets, as in `width (cm)`.
    """
    parts = _PARTS_OF_CONDITIONS.search(name) is not None or not _has_closed_brackets(name)
    return repr(name) if parts else name_text(name)


def _has_closed_brackets(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def unique_names(columns: Iterable[Column]) -> tuple[str, ...]:
    """The texts of the columns; a repeated text gets the index of its feature appended."""
    taken: dict[str, None] = {}
    for column in columns:
        name = column.text()
        while name in taken:
            name = f"{name} [x{column.feature_index}]"
        taken[name] = None
    return tuple(taken)


_OWNER = "The 'categorical_features' parameter of Booleanizer"


def categorical_mask(
    parameter: Any, names: Sequence[str] | None, n_features: int, owner: str = _OWNER
) -> NDArray[np.bool_] | None:
    """Which features are categorical, shape (n_features,); None if their types decide ("from_dtype")."""
    if isinstance(parameter, str):
        return None
    mask = np.zeros(n_features, dtype=bool)
    for index in selected_indices(plain_selection(parameter, owner), names, n_features, owner):
        mask[index] = True
    return mask


def plain_selection(parameter: Any, owner: str = _OWNER) -> Any:
    """The parameter as plain values: "from_dtype", None or a list of str, int or bool."""
    if parameter is None or isinstance(parameter, str):
        return parameter
    if hasattr(parameter, "__array__"):
        parameter = np.asarray(parameter)
        if parameter.ndim != 1:
            raise ValueError(f"{owner} must be one-dimensional. Got an array of shape {parameter.shape}.")
    return [item.item() if isinstance(item, np.generic) else item for item in parameter]


def selected_indices(
    selection: list[Any] | None, names: Sequence[str] | None, n_features: int, owner: str = _OWNER
) -> list[int]:
    """The indices selected by a plain list of names, of positions or of booleans; errors name `owner`."""
    if not selection:
        return []
    types = {type(item) for item in selection}
    if types == {bool}:
        if len(selection) != n_features:
            raise ValueError(
                f"{owner} must, as a boolean mask, have one entry per feature ({n_features}). "
                f"Got {len(selection)}."
            )
        return [index for index, chosen in enumerate(selection) if chosen]
    if types == {int}:
        return _checked_positions(selection, n_features, owner)
    if types == {str}:
        return _positions_of_names(selection, names, owner)
    found = sorted(kind.__name__ for kind in types)
    raise ValueError(f"{owner} must list only names, only positions or only booleans. Got {found}.")


def _checked_positions(selection: list[int], n_features: int, owner: str) -> list[int]:
    for index in selection:
        if not 0 <= index < n_features:
            raise ValueError(f"{owner} must list positions from 0 to {n_features - 1}. Got {index!r:.60}.")
    return selection


def _positions_of_names(selection: list[str], names: Sequence[str] | None, owner: str) -> list[int]:
    if names is None:
        raise ValueError(
            f"{owner} must list positions, not names, when X has no column names. Got {selection[0]!r:.60}."
        )
    positions = {name: index for index, name in enumerate(names)}
    for name in selection:
        if name not in positions:
            close = get_close_matches(name, positions, n=1)
            hint = f" Did you mean {close[0]!r:.60}?" if close else ""
            raise ValueError(f"{owner} must list names of columns of X. Got {name!r:.60}.{hint}")
    return [positions[name] for name in selection]
