"""The values of one feature as one typed array, and their comparison with those seen in training.

Here: converting a NumPy column of any type, including objects, to numbers, text or booleans with a mask of
missing values; category codes; the policies for unknown categories and new missing values.
Not here: tables (table.py), what is learned from the values (features.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from types import NoneType
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category
from clausal.encoding.texts import CodedTexts
from clausal.untrusted import check_ascending, read_list, read_number, read_text, wrong

ValueKind: TypeAlias = Literal["number", "text", "bool", "date", "other"]
Mask: TypeAlias = NDArray[np.bool_]

_DATES = (date, time, timedelta, np.datetime64, np.timedelta64)  # pandas has subclasses of them
EXACT_INTEGERS = 2**53  # float64 represents integers of smaller absolute value exactly
USUAL_MISSING = ("?", "NA", "N/A", "nan", "null")  # in files without types; in a table, texts like others
KIND_WORDS = {"number": "numbers", "text": "text", "bool": "booleans", "date": "dates or times"}
KIND_WORDS |= {"other": "values that are neither numbers nor text"}
NOT_READ = ("date", "other")  # the kinds of features without values that a model can use


@dataclass(frozen=True, eq=False)
class FeatureValues:
    """The values of one feature.

    Attributes
    ----------
    values : shape (n,); float64 for numbers, NaN if missing; str objects for text, None if missing; bool for
        booleans, False if missing; None for what is not read
    missing : shape (n,); True for what is not read
    categorical : whether the data type of the feature is categorical
    declared : the categories that the data type declares, in their order if `ordered`
    single : whether the numbers were float32, so that fewer digits tell them apart
    coded : the same texts as indices, where the table has them so
    with_booleans : whether some of the numbers were Python booleans, which count as 1 and 0
    """

    name: str
    kind: ValueKind
    values: NDArray[Any]
    missing: Mask
    categorical: bool = False
    declared: tuple[Category, ...] = ()
    ordered: bool = False
    single: bool = False
    coded: CodedTexts | None = None
    with_booleans: bool = False

    def take(self, rows: Mask) -> FeatureValues:
        """The values of these rows only."""
        coded = None if self.coded is None else self.coded.take(rows)
        return replace(self, values=self.values[rows], missing=self.missing[rows], coded=coded)

    def texts(self) -> CodedTexts:
        """Texts as indices of distinct ones."""
        return CodedTexts.of(self.values) if self.coded is None else self.coded

    def numbers(self) -> NDArray[np.float64]:
        """Numbers or booleans as float64, NaN if missing; shape (n,)."""
        if self.kind == "number":
            return self.values
        numbers: NDArray[np.float64] = self.values.astype(np.float64)
        numbers[self.missing] = np.nan
        return numbers


def values_from_array(name: str, column: NDArray[Any], missing: Mask | None = None) -> FeatureValues:
    """Read a NumPy column of shape (n,); entries marked in `missing` are missing whatever they contain."""
    if missing is None:
        missing = np.zeros(len(column), dtype=bool)
    match column.dtype.kind:
        case "b":
            return FeatureValues(name, "bool", column & ~missing, missing)
        case "i" | "u":
            _check_exact(name, column[~missing])
            return _numbers(name, column.astype(np.float64), missing)
        case "f":
            numbers = _numbers(name, column.astype(np.float64), missing)
            return replace(numbers, single=True) if column.dtype.itemsize <= 4 else numbers
        case "O" | "U" | "T":
            return _values_from_objects(name, column.astype(object), missing)
        case "M" | "m":
            return not_read(name, "date", len(column))
        case "c":
            raise ValueError(f"Complex data not supported: feature {name!r} has type {column.dtype}.")
        case _:
            raise unsupported_type(name, str(column.dtype))


def values_from_texts(
    name: str, texts: NDArray[Any], missing: Mask, coded: CodedTexts | None = None
) -> FeatureValues:
    """Read an object column of shape (n,) whose entries are known to be str unless `missing`."""
    texts = texts.astype(object)
    texts[missing] = None
    return FeatureValues(name, "text", texts, missing, coded=coded)


def not_read(name: str, kind: Literal["date", "other"], n_rows: int) -> FeatureValues:
    """A feature of dates, durations or times, or of lists or bytes: no values that a model can use."""
    return FeatureValues(name, kind, np.full(n_rows, None), np.ones(n_rows, dtype=bool))


def unsupported_type(name: str, type_name: str) -> ValueError:
    """The error for a feature that does not consist of numbers, text or booleans."""
    return ValueError(
        f"Feature {name!r} must hold numbers, text or booleans. Got type {type_name}; "
        "convert it to a number or to text first."
    )


def check_integer_range(name: str, low: int, high: int) -> None:
    """Refuse integers that float64 cannot represent exactly."""
    for number in (low, high):
        if abs(number) >= EXACT_INTEGERS:
            raise ValueError(
                f"Feature {name!r} must hold integers smaller than 2**53 in size, as numbers are compared as "
                f"float64. Got {number}; convert it to float, or to text if it is a code."
            )


def categories_from_objects(name: str, categories: Sequence[object]) -> tuple[Category, ...]:
    """Declared categories as Python str, int or float, in their order."""
    column = np.empty(len(categories), dtype=object)
    column[:] = list(categories)
    read = values_from_array(name, column)
    if read.missing.any():
        raise ValueError(f"The categories of feature {name!r} must not include a missing value.")
    return plain_categories(read.numbers() if read.kind == "bool" else read.values)


def plain_categories(values: NDArray[Any]) -> tuple[Category, ...]:
    """Categories as Python str, int (whole numbers that float64 represents exactly) or float."""
    return tuple(plain_category(value) for value in values.tolist())


def plain_category(value: str | float) -> Category:
    """A category as a Python str, int (a whole number that float64 represents exactly) or float."""
    if isinstance(value, str):
        return str(value)
    return int(value) if float(value).is_integer() and abs(value) < EXACT_INTEGERS else float(value)


def read_categories(data: object, where: str, ascending: bool) -> tuple[Category, ...]:
    """One or more different categories from a model file, all text or all numbers; sorted if `ascending`."""
    items = read_list(data, where)
    categories: tuple[Category, ...]
    if items and all(isinstance(item, str) for item in items):
        categories = tuple(read_text(item, where) for item in items)
    elif items and not any(isinstance(item, str) for item in items):
        categories = tuple(plain_category(read_number(item, where)) for item in items)
    else:
        raise wrong(where, "a list of strings or of numbers, at least one", data)
    if len(set(categories)) != len(categories):
        raise wrong(where, "a list of different categories", data)
    if ascending:
        check_ascending(categories, where)
    return categories


def _check_exact(name: str, integers: NDArray[Any]) -> None:
    if len(integers):
        check_integer_range(name, int(integers.min()), int(integers.max()))


def _numbers(name: str, numbers: NDArray[np.float64], missing: Mask) -> FeatureValues:
    """Overwrites `numbers`: missing values become NaN, -0.0 becomes 0.0. Infinity is refused."""
    numbers[missing] = np.nan
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ValueError(
            f"Feature {name!r} must hold finite numbers. Got infinity (inf) in {int(infinite.sum())} of "
            f"{len(numbers)} rows."
        )
    numbers += 0.0
    return FeatureValues(name, "number", numbers, np.isnan(numbers))


def _values_from_objects(name: str, column: NDArray[np.object_], missing: Mask) -> FeatureValues:
    items = [None if hide else item for item, hide in zip(column.tolist(), missing.tolist(), strict=True)]
    groups = {kind: _group(name, kind) for kind in set(map(type, items))}
    missing = np.array([_is_missing(item, groups[type(item)]) for item in items], dtype=bool)
    present = [item for item, hide in zip(items, missing.tolist(), strict=True) if not hide]
    found = {groups[kind] for kind in set(map(type, present))}
    if found == {"text"}:
        texts = np.full(len(items), None, dtype=object)
        texts[~missing] = [str(item) for item in present]
        return FeatureValues(name, "text", texts, missing)
    if found == {"date"}:
        return not_read(name, "date", len(items))
    if "text" in found or "date" in found:
        raise _mixed_types(name, present, groups)
    numbers = np.full(len(items), np.nan)
    numbers[~missing] = _floats(name, present)
    if found == {"bool"}:
        return FeatureValues(name, "bool", numbers == 1.0, missing)
    return replace(_numbers(name, numbers, missing), with_booleans="bool" in found)


def _group(name: str, kind: type) -> str:
    if kind is NoneType or (kind.__name__ in {"NAType", "NaTType"} and kind.__module__.startswith("pandas")):
        return "missing"
    if issubclass(kind, (bool, np.bool_)):
        return "bool"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, (complex, np.complexfloating)):
        raise ValueError(f"Complex data not supported: feature {name!r} has values of type {kind.__name__}.")
    is_period = kind.__name__ == "Period" and kind.__module__.startswith("pandas")
    if is_period or issubclass(kind, _DATES):  # before numbers, of which NumPy's durations are a subclass
        return "date"
    if issubclass(kind, (Real, Decimal)):
        return "number"
    raise unsupported_type(name, kind.__name__)


def _is_missing(item: Any, group: str) -> bool:
    if group != "number":
        return group == "missing"
    return item.is_nan() if isinstance(item, Decimal) else bool(item != item)


def _floats(name: str, items: list[Any]) -> list[float]:
    integers = [int(item) for item in items if isinstance(item, Integral)]
    if integers:
        check_integer_range(name, min(integers), max(integers))
    try:
        return [float(item) for item in items]
    except OverflowError:
        raise ValueError(f"Feature {name!r} must hold numbers within the range of float64.") from None


def _mixed_types(name: str, present: list[Any], groups: dict[type, str]) -> ValueError:
    # Of numbers and booleans, which may be mixed, either comes last.
    first = max(present, key=lambda item: {"text": 2, "date": 1}.get(groups[type(item)], 0))
    other = next(item for item in present if groups[type(item)] != groups[type(first)])
    kinds = (
        "dates or other values" if "date" in (groups[type(first)], groups[type(other)]) else "text or numbers"
    )
    return ValueError(
        f"Feature {name!r} must hold either {kinds}, not both. Got {first!r} and {other!r}; convert one to "
        "the other."
    )


_MAX_SHOWN_CATEGORIES = 10


UNSEEN = np.inf
"""The number of a value that satisfies no condition, negated ones included; tables hold finite numbers."""


class UnseenValueError(ValueError):
    """A value that was not seen in training, where the policy is to refuse it."""


class UnseenValueWarning(UserWarning):
    """Some rows have values that were not seen in training, or float32 numbers near a special value."""


@dataclass(frozen=True)
class Policy:
    """How to treat values not seen in training: the parameters of the Booleanizer with the same names."""

    handle_unknown: str = "no_rule"
    handle_missing: str = "no_rule"

    @property
    def strict(self) -> Policy:
        """The same policy, but it refuses values that satisfy no condition."""
        return self._with_no_rule("error", "error")

    @property
    def matching_no_column(self) -> Policy:
        """The same policy, but negated conditions hold for values that satisfy no condition."""
        return self._with_no_rule("no_match", "as_false")

    @property
    def accepting(self) -> Policy:
        """The same policy, but values that it would refuse satisfy no condition."""
        return Policy(
            "no_rule" if self.handle_unknown == "error" else self.handle_unknown,
            "no_rule" if self.handle_missing == "error" else self.handle_missing,
        )

    def _with_no_rule(self, unknown: str, missing: str) -> Policy:
        return Policy(
            unknown if self.handle_unknown == "no_rule" else self.handle_unknown,
            missing if self.handle_missing == "no_rule" else self.handle_missing,
        )


NO_RULE = Policy()
"""Accepts values that were not seen in training; they satisfy no condition."""

STRICT = Policy("error", "error")
"""Refuses values that were not seen in training."""

LENIENT = Policy("no_match", "as_false")
"""Accepts values that were not seen in training; they match no column, so that negations hold."""


def refuse_other_kinds(values: FeatureValues, accepted: tuple[str, ...], word: str) -> None:
    """Refuse values of another type than in training; a feature with only missing values is accepted."""
    if values.kind in NOT_READ:
        got = KIND_WORDS[values.kind]
        raise ValueError(f"Feature {values.name!r} was {word} in training and must stay so. Got {got}.")
    if values.kind in accepted or values.missing.all():
        return
    example = values.values[~values.missing][0]
    raise ValueError(
        f"Feature {values.name!r} was {word} in training and must stay so. "
        f"Got {KIND_WORDS[values.kind]}, such as {example if values.kind != 'text' else repr(example)}."
    )


def mark_missing(
    name: str, numbers: NDArray[np.float64], missing: Mask, nullable: bool, policy: Policy
) -> NDArray[np.float64]:
    """The numbers with NaN for missing values, or UNSEEN if training had none; checks the policy."""
    count = int(missing.sum())
    if not count:
        return numbers
    unseen = not nullable and policy.handle_missing != "as_false"
    if unseen and policy.handle_missing == "error":
        raise UnseenValueError(
            f"Feature {name!r} must not be missing, as it never was in training. Got a missing value in "
            f"{count} of {len(missing)} rows; handle_missing='no_rule' or 'as_false' of the Booleanizer "
            "accepts them."
        )
    return np.where(missing, UNSEEN if unseen else np.nan, numbers)


def category_codes(
    values: FeatureValues, categories: tuple[Category, ...], nullable: bool, policy: Policy
) -> NDArray[np.float64]:
    """The index of each value in `categories`, -1 if unknown, NaN if missing, or UNSEEN; shape (n,)."""
    if isinstance(categories[0], str):
        refuse_other_kinds(values, ("text",), "categorical, of text,")
    else:
        refuse_other_kinds(values, ("number", "bool"), "categorical, of numbers,")
    codes = find_codes(values, categories)
    unknown = (codes < 0) & ~values.missing
    missing = values.missing
    if unknown.any() and policy.handle_unknown == "error":
        raise _unknown_category(values, unknown, categories)
    numbers = codes.astype(np.float64)
    if policy.handle_unknown == "missing":
        missing = missing | unknown
    elif policy.handle_unknown == "no_rule":
        numbers[unknown] = UNSEEN
    return mark_missing(values.name, numbers, missing, nullable, policy)


def find_codes(values: FeatureValues, categories: Sequence[Category]) -> NDArray[np.intp]:
    """The index of each value in `categories`, -1 if it is missing or unknown; shape (n,)."""
    if values.missing.all():
        return np.full(len(values.missing), -1, dtype=np.intp)
    if values.kind == "text":
        index: dict[Any, int] = {category: code for code, category in enumerate(categories)}
        texts = values.texts()
        of_text = np.array([index.get(text, -1) for text in texts.distinct.tolist()], np.intp)
        return np.where(values.missing, -1, of_text[texts.codes])
    numbers = values.numbers()
    known = np.array(categories, dtype=np.float64)
    order = np.argsort(known)
    nearest = np.minimum(np.searchsorted(known, numbers, sorter=order), len(known) - 1)
    codes = order[nearest].astype(np.intp)
    codes[known[codes] != numbers] = -1
    return codes


def _unknown_category(values: FeatureValues, unknown: Mask, categories: tuple[Category, ...]) -> ValueError:
    example = values.values[unknown][0]
    if values.kind != "text":
        example = plain_category(float(example))
    known = ", ".join(repr(category) for category in categories[:_MAX_SHOWN_CATEGORIES])
    more = len(categories) - _MAX_SHOWN_CATEGORIES
    known += f" and {more} more" if more > 0 else ""
    return UnseenValueError(
        f"Feature {values.name!r} must be one of the categories seen in training: {known}. Got {example!r}; "
        "handle_unknown='no_rule', 'no_match' or 'missing' of the Booleanizer accepts others."
    )
