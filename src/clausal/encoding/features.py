"""One class per kind of feature: what is learned from its values, and how a value becomes bits.

Each class is a frozen dataclass of plain values. `columns` is the meaning of its columns, `numbers` is one
number per row, and `comparison` compares that number with `marks`, one per column. `to_dict` and `from_dict`
are for model files. `encode_feature` computes the bits in NumPy. Not here: reading tables (table.py), and
choosing the kind (fitting.py), the list of all kinds (encoding.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category, Column
from clausal.encoding.values import (
    USUAL_MISSING,
    FeatureValues,
    Policy,
    category_codes,
    mark_missing,
    read_categories,
    refuse_other_kinds,
)
from clausal.untrusted import (
    check_ascending,
    read_bool,
    read_indices,
    read_list,
    read_numbers,
    read_record,
    read_text,
    wrong,
)

Bits: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[np.float64]

_MISSING = frozenset(text.casefold() for text in USUAL_MISSING)


class Comparison(IntEnum):
    """When a column is true, given the number of the row; the compiled encoder uses the same values."""

    AT_MOST = 0  # number <= mark of the column
    EQUAL = 1  # number == mark of the column
    TRUTH = 2  # number == 1; only 0, 1 and missing are valid


class Feature(Protocol):
    """The interface of all kinds of features."""

    kind: ClassVar[str]
    comparison: ClassVar[Comparison]

    @property
    def nullable(self) -> bool:
        """Whether the feature had missing values in training."""

    @property
    def ordered(self) -> bool:
        """Whether its values can grow, so that a vote can grow with them."""

    @property
    def n_columns(self) -> int:
        """Number of columns of the feature, including the one for missing values."""

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""

    @property
    def marks(self) -> tuple[float, ...]:
        """The numbers to compare with, ascending: one per column, except the column for missing values."""

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """One number per row, shape (n,): NaN if missing, UNSEEN if the value satisfies no condition.

        Raises ValueError for values that the policy refuses.
        """

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""


@dataclass(frozen=True)
class NumericFeature:
    """Numbers, compared as float64: one column `value <= t` for each cut point t."""

    cuts: tuple[float, ...]
    nullable: bool
    kind: ClassVar[str] = "numeric"
    ordered: ClassVar[bool] = True
    comparison: ClassVar[Comparison] = Comparison.AT_MOST

    @property
    def n_columns(self) -> int:
        """Number of columns of the feature, including the one for missing values."""
        return len(self.cuts) + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        columns = (Column(name, index, "le", cut, self.nullable) for cut in self.cuts)
        return (*columns, *missing_column(name, index, self.nullable))

    @property
    def marks(self) -> tuple[float, ...]:
        """The cut points."""
        return self.cuts

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """The values themselves."""
        refuse_other_kinds(values, ("number", "bool"), "numeric")
        return mark_missing(values.name, values.numbers(), values.missing, self.nullable, policy)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""
        return {"kind": self.kind, "cuts": list(self.cuts), "nullable": self.nullable}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        record = read_record(data, where, ("kind", "cuts", "nullable"))
        return cls(read_numbers(record["cuts"], f"{where}.cuts"), _read_nullable(record, where))


@dataclass(frozen=True)
class NominalFeature:
    """Categories without order: one column `value is c` for each category whose index is in `own`.

    If not `complete`, only categories with a column are kept, and any other value matches no column. Of the
    others, `not_missing` keeps those whose text would mean a missing value in a file without types.
    """

    categories: tuple[Category, ...]
    own: tuple[int, ...]
    nullable: bool
    complete: bool = True
    not_missing: tuple[str, ...] = ()
    kind: ClassVar[str] = "nominal"
    ordered: ClassVar[bool] = False
    comparison: ClassVar[Comparison] = Comparison.EQUAL

    @property
    def n_columns(self) -> int:
        """Number of columns of the feature, including the one for missing values."""
        return len(self.own) + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        columns = (Column(name, index, "is", self.categories[code], self.nullable) for code in self.own)
        return (*columns, *missing_column(name, index, self.nullable))

    @property
    def marks(self) -> tuple[float, ...]:
        """The codes of the categories that have a column."""
        return self.own

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """The code of each category, -1 if it is unknown."""
        if not self.complete:
            policy = replace(policy, handle_unknown="no_match")
        return category_codes(values, self.categories, self.nullable, policy)

    def reduced(self) -> NominalFeature:
        """Without the categories that have no column."""
        if not self.own or len(self.own) == len(self.categories):
            return self
        kept = tuple(self.categories[code] for code in self.own)
        others = (item for item in self.categories if isinstance(item, str) and item not in kept)
        not_missing = tuple(text for text in others if text.strip().casefold() in _MISSING)
        return NominalFeature(kept, tuple(range(len(kept))), self.nullable, False, not_missing)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""
        lists = {"categories": list(self.categories), "own": list(self.own)}
        added: dict[str, Any] = {} if self.complete else {"complete": False}
        if self.not_missing:
            added["not_missing"] = list(self.not_missing)
        return {"kind": self.kind, **lists, "nullable": self.nullable, **added}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        added = {"complete": True, "not_missing": None, **data} if isinstance(data, dict) else data
        names = ("kind", "categories", "own", "nullable", "complete", "not_missing")
        record = read_record(added, where, names)
        categories = read_categories(record["categories"], f"{where}.categories", ascending=True)
        own = read_indices(record["own"], f"{where}.own", len(categories))
        complete = read_bool(record["complete"], f"{where}.complete")
        if not complete and len(own) < len(categories):
            raise wrong(f"{where}.own", "all categories, as 'complete' is false", f"{len(own)} of them")
        not_missing = _read_not_missing(record["not_missing"], f"{where}.not_missing", categories, complete)
        return cls(categories, own, _read_nullable(record, where), complete, not_missing)


@dataclass(frozen=True)
class RankedFeature:
    """Categories in an order: one column "at most this category" for each index in `cuts`.

    If `ordered`, the order is the user's, and `categories` contains all declared categories, including those
    not seen in training. Otherwise the categories are in sorted order, as in mode "paper".
    """

    categories: tuple[Category, ...]
    cuts: tuple[int, ...]
    ordered: bool
    nullable: bool
    kind: ClassVar[str] = "ranked"
    comparison: ClassVar[Comparison] = Comparison.AT_MOST

    @property
    def n_columns(self) -> int:
        """Number of columns of the feature, including the one for missing values."""
        return len(self.cuts) + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        columns = (
            Column(name, index, "upto", self.categories[: cut + 1], self.nullable, self.ordered)
            for cut in self.cuts
        )
        return (*columns, *missing_column(name, index, self.nullable))

    @property
    def marks(self) -> tuple[float, ...]:
        """For each column, the code of the last category that matches."""
        return self.cuts

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """The position of each category in the order; unknown ones come last, so that no column matches."""
        codes = category_codes(values, self.categories, self.nullable, policy)
        codes[codes < 0] = len(self.categories)
        return codes

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""
        lists = {"categories": list(self.categories), "cuts": list(self.cuts)}
        return {"kind": self.kind, **lists, "ordered": self.ordered, "nullable": self.nullable}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        record = read_record(data, where, ("kind", "categories", "cuts", "ordered", "nullable"))
        ordered = read_bool(record["ordered"], f"{where}.ordered")
        categories = read_categories(record["categories"], f"{where}.categories", ascending=not ordered)
        cuts = read_indices(record["cuts"], f"{where}.cuts", len(categories))
        return cls(categories, cuts, ordered, _read_nullable(record, where))


@dataclass(frozen=True)
class BooleanFeature:
    """Booleans: one column, or none (`shown` is False) if the feature had only one value in training."""

    shown: bool
    nullable: bool
    kind: ClassVar[str] = "boolean"
    ordered: ClassVar[bool] = True
    comparison: ClassVar[Comparison] = Comparison.TRUTH

    @property
    def n_columns(self) -> int:
        """Number of columns of the feature, including the one for missing values."""
        return self.shown + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        columns = (Column(name, index, "true", None, self.nullable),) if self.shown else ()
        return (*columns, *missing_column(name, index, self.nullable))

    @property
    def marks(self) -> tuple[float, ...]:
        """The number 1, or nothing if there is no column."""
        return (1.0,) if self.shown else ()

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """0 and 1."""
        refuse_other_kinds(values, ("bool", "number"), "boolean")
        numbers = values.numbers()
        other = ~(values.missing | (numbers == 0) | (numbers == 1))
        if other.any():
            raise ValueError(
                f"Feature {values.name!r} must hold booleans or 0 and 1, as it is boolean. "
                f"Got {numbers[other][0]:g}."
            )
        return mark_missing(values.name, numbers, values.missing, self.nullable, policy)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""
        return {"kind": self.kind, "shown": self.shown, "nullable": self.nullable}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        record = read_record(data, where, ("kind", "shown", "nullable"))
        return cls(read_bool(record["shown"], f"{where}.shown"), _read_nullable(record, where))


@dataclass(frozen=True)
class EmptyFeature:
    """A feature without columns, which is not read.

    In training it had no values, dates, or text like an ID; or no rule tests it.
    """

    kind: ClassVar[str] = "empty"
    ordered: ClassVar[bool] = True
    comparison: ClassVar[Comparison] = Comparison.AT_MOST
    nullable: ClassVar[bool] = True
    n_columns: ClassVar[int] = 0
    marks: ClassVar[tuple[float, ...]] = ()

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """No columns."""
        return ()

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """All missing, whatever the values."""
        return np.full(len(values.missing), np.nan)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""
        return {"kind": self.kind}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        read_record(data, where, ("kind",))
        return cls()


NEITHER = 2
"""The bit of a column that does not hold, and whose negation does not hold either."""


def encode_feature(feature: Feature, values: FeatureValues, bits: Bits, policy: Policy) -> None:
    """Write the columns of a feature into `bits`, shape (n, n_columns): 0, 1 or NEITHER."""
    numbers, marks = feature.numbers(values, policy), np.array(feature.marks, dtype=np.float64)
    compare = np.less_equal if feature.comparison is Comparison.AT_MOST else np.equal
    compare(numbers[:, None], marks, out=bits[:, : len(marks)].view(np.bool_))  # NaN compares as False
    if feature.n_columns > len(marks):
        bits[:, -1] = np.isnan(numbers)
    bits[np.isinf(numbers)] = NEITHER  # UNSEEN


def missing_column(name: str, index: int, nullable: bool) -> tuple[Column, ...]:
    """The column for missing values, the last one of a feature that had any in training."""
    return (Column(name, index, "missing", None, nullable),) if nullable else ()


def _read_not_missing(
    data: object, where: str, categories: tuple[Category, ...], complete: bool
) -> tuple[str, ...]:
    """Texts in ascending order that are not among these categories, of which some were left out; or None."""
    if data is None:
        return ()
    texts = tuple(read_text(item, where) for item in read_list(data, where))
    check_ascending(texts, where)
    if not texts or complete or set(texts) & set(categories):
        raise wrong(where, "one or more categories that were left out", data)
    return texts


def _read_nullable(record: dict[str, object], where: str) -> bool:
    return read_bool(record["nullable"], f"{where}.nullable")
