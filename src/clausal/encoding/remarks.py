"""What a user should know about a table: columns and labels that may be a mistake, and unseen values.

The former are about a training table: Python's `fit` and the command line say the same of the same table,
because both ask here. The latter were not seen in training and satisfy no condition. Not here: what values
look like (likeness.py), reading them (table.py, and clausal.tables for files), which of them are unseen
(values.py, features.py), a column that decides the class of every row alone (machine/read.py).
"""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category, name_text
from clausal.encoding.likeness import LikeCodes
from clausal.encoding.values import FeatureValues, Mask, UnseenValueWarning, plain_category

# --- columns of a training table ---

ReadAs = Literal["number", "category", "boolean", "date", "other", "empty"]

_MAX_SHOWN = 12
_MANY_CLASSES = 20
_MANY_UNSEEN = 0.1  # of new rows
_CONVERT = (
    "unless they are IDs or codes, convert them: pandas.to_numeric(column, errors='coerce') makes any text "
    "that is not a plain number, such as 5% or 1,234, a missing value"
)


class TableWarning(UserWarning):
    """A column of a training table is ignored or may be a mistake, or a model is suspiciously good or bad."""


class ColumnFacts(NamedTuple):
    """What remarks about a column depend on.

    Attributes
    ----------
    name : str
    read_as : the type of its values; "empty" if all are missing
    varies : whether there are two different values, or missing ones and others
    like_id, like_row_number : what the functions with these names say; False if the user has decided
    like_numbers : whether text that is like an ID, or has many categories, looks like numbers
    most_frequent : the number of its categories that have a column, if others have none; else 0
    share_unseen : the share of new rows that may have a category not seen in training, if others have none
    near : given cut points and special values that are not numbers of its type, though the nearest occurs
    codes : what `like_codes` says, None if the user has decided
    ungrouped : a number in no group, of a column of numbers with groups; None if there is none, or if the
        user has said that the numbers are categories
    with_booleans : whether some of its numbers were booleans of Python
    """

    name: str
    read_as: ReadAs
    varies: bool = True
    like_id: bool = False
    like_row_number: bool = False
    like_numbers: bool = False
    most_frequent: int = 0
    share_unseen: float = 0.0
    near: tuple[float, ...] = ()
    codes: LikeCodes | None = None
    ungrouped: Category | None = None
    with_booleans: bool = False

    @property
    def reason_ignored(self) -> str | None:
        """What the column has that it cannot be used as a feature, or None."""
        if self.read_as == "date":
            return "dates or times; to use them, make numbers of them, such as the days since a date"
        if self.read_as == "other":
            return "values that are neither numbers nor text"
        if self.read_as == "empty":
            return "no values"
        if not self.varies:
            return "the same value in every row"
        if not self.like_id:
            return None
        if self.like_numbers:
            return f"numbers stored as text; {_CONVERT}"
        return "text that differs from row to row, like an ID or free text"


def remarks(columns: Iterable[ColumnFacts]) -> list[str]:
    """A sentence for each reason to ignore columns, then about row numbers, numbers, categories, codes."""
    listed = list(columns)
    return [*_column_remarks(listed), *_category_remarks(listed), *_number_remarks(listed)]


def _column_remarks(columns: Sequence[ColumnFacts]) -> list[str]:
    """About columns that are ignored, or may be of another kind than they look like."""
    ignored: dict[str, list[str]] = {}
    numbered, numbers = [], []
    for column in columns:
        if (reason := column.reason_ignored) is not None:
            ignored.setdefault(reason, []).append(column.name)
        elif column.like_row_number:
            numbered.append(column.name)
        elif column.like_numbers:
            numbers.append(column.name)
    said = [f"{_columns(names, 'is', 'are')} ignored: {reason}." for reason, names in ignored.items()]
    if numbered:
        verb = _columns(numbered, "looks like a row number", "look like row numbers")
        said.append(f"{verb}; leave out what only counts the rows.")
    if numbers:
        said.append(f"{_columns(numbers, 'has', 'have')} numbers stored as text; {_CONVERT}.")
    if mixed := [column.name for column in columns if column.with_booleans]:
        verb = _columns(mixed, "has", "have")
        said.append(f"{verb} booleans among numbers; True counts as 1, False as 0. Convert one to the other.")
    return said


def _category_remarks(columns: Sequence[ColumnFacts]) -> list[str]:
    """About categories that can be in no rule, and numbers that groups make categories of."""
    said, cut = [], [column for column in columns if column.most_frequent]
    if cut:
        n_columns = cut[0].most_frequent
        verb = _columns([column.name for column in cut], "has", "have")
        said.append(
            f"{verb} more than {n_columns} categories; only the {n_columns} most frequent can be in a rule. "
            "Merge rare ones, or, in Python, raise max_columns of the Booleanizer."
        )
    said += [
        f"Column {column.name!r} has numbers in no group, such as {column.ungrouped}. With groups, each of "
        "them is a category of its own, without an order. Add them to groups, or give cut_points instead; if "
        "they are codes, list the column in categorical_features (clausal fit: --categorical, and groups of "
        "texts)."
        for column in columns
        if column.ungrouped is not None
    ]
    return said + [
        f"About {column.share_unseen * 100:.0f} % of new rows may have a category of {column.name!r} that "
        "was not seen in training, since so many occur once. No rule that tests it holds there; leave it "
        "out, or merge rare categories."
        for column in cut
        if column.share_unseen >= _MANY_UNSEEN
    ]


def _number_remarks(columns: Sequence[ColumnFacts]) -> list[str]:
    """About given numbers that float32 cannot equal, and numbers that may be codes."""
    said = [near_remark(column.name, column.near) for column in columns if column.near]
    return said + [_codes_remark(column.name, column.codes) for column in columns if column.codes is not None]


def near_remark(name: str, near: Sequence[float]) -> str:
    """About given numbers that float32 numbers of a column are near to, but cannot equal."""
    return (
        f"Column {name!r} holds float32 numbers. Some are nearly, but not exactly, the cut point or "
        f"special value {', '.join(map(str, near[:_MAX_SHOWN]))}. Convert the column to float64 and "
        "round it, so that they are equal."
    )


def _codes_remark(name: str, codes: LikeCodes) -> str:
    *others, last = map(str, codes.numbers)
    found = f"{', '.join(others)} and {last}" if others else last
    condition = "If those are codes" if others else "If that is a code"
    return (
        f"Column {name!r} has {found} in {_rows(codes.n_rows)}. {condition}, such as for missing, say so: "
        f"Booleanizer(special_values={{{name!r}: {list(codes.numbers)}}}), or clausal fit --special "
        f"{name}={','.join(map(str, codes.numbers))}."
    )


def threshold_remarks(thresholds: Sequence[float], low: float, high: float) -> list[str]:
    """A sentence if no threshold parts values from `low` to `high`; else nothing."""
    if any(low <= threshold < high for threshold in thresholds):
        return []
    listed = ", ".join(f"{threshold:g}" for threshold in thresholds[:_MAX_SHOWN])
    return [
        f"No threshold of the PatchEncoder ({listed}) is within the values of X, which are from {low:g} to "
        f"{high:g}, so that no rule can tell pixels apart."
    ]


def name_remarks(names: Any) -> list[str]:
    """A sentence if the columns of a pandas frame have names that are neither text nor numbers; else nothing.

    scikit-learn does not read such names. It refuses a mix of text and others, and says nothing of numbers.
    """
    if names is None or not len(names) or all(isinstance(name, (str, Real)) for name in names):
        return []
    remedy = "X.columns = X.columns.astype(str)"
    if all(isinstance(name, tuple) for name in names):
        of_texts = all(isinstance(part, str) for name in names for part in name)
        join = '"_".join' if of_texts else 'lambda name: "_".join(map(str, name))'
        remedy = f"X.columns = X.columns.map({join})"
    return [
        f"The columns of X have names that are not text, such as {names[0]!r:.60}. They are called x0, x1, "
        f"... and found by their position, in predictions, too; {remedy} makes text of the names."
    ]


def label_remarks(X: Any, y: Any, sample_weight: Any, classes: NDArray[Any], n_rows: int) -> list[str]:
    """Sentences about the order of labels and weights as given to a fit, and about the number of classes."""
    return order_remarks(X, y=y, sample_weight=sample_weight) + _class_remarks(classes, n_rows)


def _class_remarks(classes: NDArray[Any], n_rows: int) -> list[str]:
    """A sentence if there are so many classes that they may be a quantity or an ID; else nothing."""
    numbers = classes.dtype.kind in "iuf"
    if len(classes) <= _MANY_CLASSES or not (numbers or 2 * len(classes) > n_rows):
        return []
    first, last = classes[0], classes[-1]
    found = f"the numbers from {first} to {last}" if numbers else f"in {n_rows:,} rows"
    other = "predict the quantity with RuleRegressor (clausal fit --task numbers), " if numbers else ""
    return [
        f"There are {len(classes):,} classes, {found}. If they are a quantity or an ID, {other}make a few "
        "classes of them, such as below and above a limit, or choose another target."
    ]


def order_remarks(X: Any, table: str = "X", **others: Any) -> list[str]:
    """A sentence for each pandas object that has the index of X, named `table`, in another order."""
    index = getattr(X, "index", None)
    return [
        f"{name} has the index of {table} in another order. Rows are matched by position, not by index; "
        f"{name}.loc[{table}.index] has the order of {table}."
        for name, other in others.items()
        if _in_other_order(index, getattr(other, "index", None))
    ]


def _in_other_order(one: Any, other: Any) -> bool:
    """Whether two pandas indices, or what else an object has under this name, differ in their order only."""
    if not hasattr(one, "equals") or not hasattr(other, "equals") or len(one) != len(other):
        return False
    same = one.equals(other) or not (one.is_unique and other.is_unique)
    return not same and bool(one.isin(other).all())


def warn_of_table(said: Iterable[str]) -> None:
    """Warn the user who has given the table."""
    for sentence in said:
        warnings.warn(sentence, TableWarning, stacklevel=level_of_user())


def _columns(names: list[str], singular: str, plural: str) -> str:
    listed = ", ".join(map(repr, names[:_MAX_SHOWN]))
    more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    return f"Column {listed} {singular}" if len(names) == 1 else f"Columns {listed}{more} {plural}"


# --- values that were not seen in training ---

_MAX_SHOWN_FEATURES = 5
_MAX_SHOWN_VALUES = 3
_MAX_SHOWN_CHARACTERS = 40


@dataclass(frozen=True, eq=False)
class Unseen:
    """The rows in which one feature has a value that was not seen in training.

    Attributes
    ----------
    feature : index of the feature
    name : its name
    rows : int [k], ascending
    values : the values in these rows, None if missing
    """

    feature: int
    name: str
    rows: NDArray[np.intp]
    values: tuple[object, ...]

    @classmethod
    def of(cls, feature: int, values: FeatureValues, unseen: Mask) -> Unseen:
        """Those rows of a feature that are marked in `unseen`."""
        taken = values.take(unseen)
        items = zip(taken.values.tolist(), taken.missing.tolist(), strict=True)
        plain = tuple(None if missing else plain_category(item) for item, missing in items)
        return cls(feature, values.name, np.flatnonzero(unseen), plain)

    def __str__(self) -> str:
        counts = Counter(self.values)
        shown = [f"{_text(value)} ({_rows(count)})" for value, count in counts.most_common(_MAX_SHOWN_VALUES)]
        if len(counts) > len(shown):
            shown.append(f"{len(counts) - len(shown)} more")
        return f"{name_text(self.name)} {', '.join(shown)}"


def rows_of(unseen: Sequence[Unseen]) -> NDArray[np.intp]:
    """The rows with any unseen value, ascending."""
    return np.unique(np.concatenate([np.empty(0, np.intp), *(each.rows for each in unseen)]))


def unseen_in_parts(parts: Iterable[tuple[int, Sequence[Unseen]]]) -> tuple[Unseen, ...]:
    """What is unseen in the rows of all parts, from the number of rows of each and what is unseen there."""
    found: dict[int, Unseen] = {}
    start = 0
    for n_rows, unseen in parts:
        for each in unseen:
            before = found.get(each.feature)
            rows, values = each.rows + start, each.values
            if before is not None:
                rows, values = np.concatenate([before.rows, rows]), before.values + values
            found[each.feature] = Unseen(each.feature, each.name, rows, values)
        start += n_rows
    return tuple(found[feature] for feature in sorted(found))


def warn_of_unseen(unseen: Sequence[Unseen]) -> None:
    """One warning that names the features, their values and the number of rows; none if nothing is unseen."""
    if not unseen:
        return
    shown = [str(each) for each in unseen[:_MAX_SHOWN_FEATURES]]
    if len(unseen) > len(shown):
        shown.append(f"{len(unseen) - len(shown)} more features")
    warnings.warn(
        f"Values in {_rows(len(rows_of(unseen)))} were not seen in training, so no rule that tests their "
        f"feature holds there: {'; '.join(shown)}.",
        UnseenValueWarning,
        stacklevel=level_of_user(),
    )


def level_of_user() -> int:
    """The `stacklevel`, for the calling function, of the first caller outside clausal and scikit-learn."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("clausal.", "sklearn.")):
        level, frame = level + 1, frame.f_back
    return level - 1


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count != 1 else ''}"


def _text(value: object) -> str:
    return "missing" if value is None else repr(value)[:_MAX_SHOWN_CHARACTERS]
