"""One class per kind of feature: what is learned from its values, and how a value becomes bits.

Each class is a frozen dataclass of plain values. `columns` is the meaning of its columns, `numbers` is one
number per row, and `comparison` compares that number with `marks`, one per column. `to_dict` and `from_dict`
are for model files. `encode_feature` computes the bits in NumPy. Not here: categories
(category_features.py), reading tables (table.py), choosing the kind (fitting.py), the list of all kinds
(encoding.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column
from clausal.encoding.values import FeatureValues, Policy, mark_missing, plain_category, refuse_other_kinds
from clausal.untrusted import read_bool, read_numbers, read_record, wrong

Bits: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[np.float64]


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
    """Numbers, compared as float64: one column `value <= t` for each cut point t.

    Special values, which are no cut points, are categories of their own: one column `value is s` for each s,
    for which no `value <= t` holds.
    """

    cuts: tuple[float, ...]
    nullable: bool
    special: tuple[float, ...] = ()
    kind: ClassVar[str] = "numeric"
    ordered: ClassVar[bool] = True
    comparison: ClassVar[Comparison] = Comparison.AT_MOST

    @property
    def n_columns(self) -> int:
        """Number of columns of the feature, including the one for missing values."""
        return len(self.cuts) + len(self.special) + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        special = tuple(map(plain_category, self.special))
        columns = (Column(name, index, "le", cut, self.nullable, special=special) for cut in self.cuts)
        others = (Column(name, index, "is", value, self.nullable) for value in special)
        return (*columns, *others, *missing_column(name, index, self.nullable))

    @property
    def marks(self) -> tuple[float, ...]:
        """The cut points, then the special values."""
        return (*self.cuts, *self.special)

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """The values themselves."""
        refuse_other_kinds(values, ("number", "bool"), "numeric")
        return mark_missing(values.name, values.numbers(), values.missing, self.nullable, policy)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""
        added = {"special": list(self.special)} if self.special else {}
        return {"kind": self.kind, "cuts": list(self.cuts), "nullable": self.nullable, **added}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        added = {"special": [], **data} if isinstance(data, dict) else data
        record = read_record(added, where, ("kind", "cuts", "nullable", "special"))
        cuts, special = (read_numbers(record[name], f"{where}.{name}") for name in ("cuts", "special"))
        if set(cuts) & set(special):
            raise wrong(f"{where}.special", "numbers that are no cut points", min(set(cuts) & set(special)))
        return cls(cuts, read_nullable(record, where), special)


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
        return cls(read_bool(record["shown"], f"{where}.shown"), read_nullable(record, where))


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


@dataclass(frozen=True)
class Part:
    """Some columns of a feature, which compare one number per row with their marks."""

    comparison: Comparison
    marks: tuple[float, ...]
    nullable: bool

    @property
    def n_columns(self) -> int:
        """Number of columns, including the one for missing values."""
        return len(self.marks) + self.nullable


def parts_of(feature: Feature, numbers: NDArray[Any]) -> list[tuple[Feature | Part, NDArray[Any]]]:
    """The columns of a feature in order, with the number of each row that they compare.

    One part, but for numbers with special values two: for the cut points, a special value is a missing one.
    """
    if not isinstance(feature, NumericFeature) or not feature.special:
        return [(feature, numbers)]
    ordinary = np.where(np.isin(numbers, feature.special), np.nan, numbers)
    return [
        (Part(Comparison.AT_MOST, feature.cuts, nullable=False), ordinary),
        (Part(Comparison.EQUAL, feature.special, feature.nullable), numbers),
    ]


def encode_feature(feature: Feature, values: FeatureValues, bits: Bits, policy: Policy) -> None:
    """Write the columns of a feature into `bits`, shape (n, n_columns): 0, 1 or NEITHER."""
    numbers, first = feature.numbers(values, policy), 0
    for part, own in parts_of(feature, numbers):
        marks = np.array(part.marks, dtype=np.float64)
        compare = np.less_equal if part.comparison is Comparison.AT_MOST else np.equal
        # NaN compares as False
        compare(own[:, None], marks, out=bits[:, first : first + len(marks)].view(np.bool_))
        first += part.n_columns
        if part.n_columns > len(marks):
            bits[:, first - 1] = np.isnan(own)
    bits[np.isinf(numbers)] = NEITHER  # UNSEEN


def missing_column(name: str, index: int, nullable: bool) -> tuple[Column, ...]:
    """The column for missing values, the last one of a feature that had any in training."""
    return (Column(name, index, "missing", None, nullable),) if nullable else ()


def read_nullable(record: dict[str, object], where: str) -> bool:
    """Whether a feature in a model file had missing values in training."""
    return read_bool(record["nullable"], f"{where}.nullable")
