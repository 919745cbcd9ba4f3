"""One class per kind of feature: what is learned from its values, and how a value becomes bits.

Each is a frozen dataclass of plain values with `fit`, `columns` (their meaning), `encode` and a strict
`to_dict` / `from_dict` for the model file. Not here: reading tables, choosing the kind (fitting.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category, Column
from clausal.encoding.matching import TransformRules, category_codes, missing_rows, refuse_other_kinds
from clausal.encoding.state import read_categories, read_indices, read_numbers
from clausal.encoding.values import FeatureValues
from clausal.untrusted import read_bool, read_record

Bits: TypeAlias = NDArray[np.uint8]


class Feature(Protocol):
    """What every kind of feature can do."""

    kind: ClassVar[str]

    @property
    def nullable(self) -> bool:
        """Whether training data had missing values here."""

    @property
    def n_columns(self) -> int:
        """How many columns the feature makes, the one for missing values included."""

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""

    def encode(self, values: FeatureValues, bits: Bits, rules: TransformRules) -> None:
        """Write the columns of `values` into `bits`, shape (n, n_columns), which holds zeros."""

    def to_dict(self) -> dict[str, Any]:
        """The fitted state in plain values."""

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""


@dataclass(frozen=True)
class NumericFeature:
    """Numbers, compared as float64: one column `value <= t` for each cut point t."""

    cuts: tuple[float, ...]
    nullable: bool
    kind: ClassVar[str] = "numeric"

    @property
    def n_columns(self) -> int:
        """How many columns the feature makes, the one for missing values included."""
        return len(self.cuts) + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        own = (Column(name, index, "le", cut, self.nullable) for cut in self.cuts)
        return (*own, *_missing_column(name, index, self.nullable))

    def encode(self, values: FeatureValues, bits: Bits, rules: TransformRules) -> None:
        """Write the columns of `values` into `bits`, shape (n, n_columns), which holds zeros."""
        refuse_other_kinds(values, ("number", "bool"), "numeric")
        missing = missing_rows(values, values.missing, self.nullable, rules)
        own = bits[:, : len(self.cuts)].view(np.bool_)
        np.less_equal(values.numbers()[:, None], np.array(self.cuts), out=own)  # NaN compares as False
        _write_missing(bits, missing, self.nullable)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state in plain values."""
        return {"kind": self.kind, "cuts": list(self.cuts), "nullable": self.nullable}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        record = read_record(data, where, ("kind", "cuts", "nullable"))
        return cls(read_numbers(record["cuts"], f"{where}.cuts"), _read_nullable(record, where))


@dataclass(frozen=True)
class NominalFeature:
    """Categories without order: one column `value is c` for each position in `own`."""

    categories: tuple[Category, ...]
    own: tuple[int, ...]
    nullable: bool
    kind: ClassVar[str] = "nominal"

    @property
    def n_columns(self) -> int:
        """How many columns the feature makes, the one for missing values included."""
        return len(self.own) + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        own = (Column(name, index, "is", self.categories[code], self.nullable) for code in self.own)
        return (*own, *_missing_column(name, index, self.nullable))

    def encode(self, values: FeatureValues, bits: Bits, rules: TransformRules) -> None:
        """Write the columns of `values` into `bits`, shape (n, n_columns), which holds zeros."""
        codes, missing = category_codes(values, self.categories, self.nullable, rules)
        position = np.full(len(self.categories) + 1, -1)  # the last entry serves code -1
        position[list(self.own)] = np.arange(len(self.own))
        columns = position[codes]
        rows = np.flatnonzero(columns >= 0)
        bits[rows, columns[rows]] = 1
        _write_missing(bits, missing, self.nullable)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state in plain values."""
        own = list(self.own)
        return {"kind": self.kind, "categories": list(self.categories), "own": own, "nullable": self.nullable}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        record = read_record(data, where, ("kind", "categories", "own", "nullable"))
        categories = read_categories(record["categories"], f"{where}.categories", ascending=True)
        own = read_indices(record["own"], f"{where}.own", len(categories))
        return cls(categories, own, _read_nullable(record, where))


@dataclass(frozen=True)
class RankedFeature:
    """Categories in an order: one column "at most this one" for each position in `cuts`.

    `ordered`: the order is the user's own, and `categories` holds all that were declared, also unseen ones.
    Otherwise the categories were coded in sorted order, as mode "paper" does.
    """

    categories: tuple[Category, ...]
    cuts: tuple[int, ...]
    ordered: bool
    nullable: bool
    kind: ClassVar[str] = "ranked"

    @property
    def n_columns(self) -> int:
        """How many columns the feature makes, the one for missing values included."""
        return len(self.cuts) + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        own = (
            Column(name, index, "upto", self.categories[: cut + 1], self.nullable, self.ordered)
            for cut in self.cuts
        )
        return (*own, *_missing_column(name, index, self.nullable))

    def encode(self, values: FeatureValues, bits: Bits, rules: TransformRules) -> None:
        """Write the columns of `values` into `bits`, shape (n, n_columns), which holds zeros."""
        codes, missing = category_codes(values, self.categories, self.nullable, rules)
        codes[codes < 0] = len(self.categories)  # above every cut: no column matches
        own = bits[:, : len(self.cuts)].view(np.bool_)
        np.less_equal(codes[:, None], np.array(self.cuts, dtype=codes.dtype), out=own)
        _write_missing(bits, missing, self.nullable)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state in plain values."""
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
    """Booleans: one column, itself, left out (`shown` is False) when training data had one value only."""

    shown: bool
    nullable: bool
    kind: ClassVar[str] = "boolean"

    @property
    def n_columns(self) -> int:
        """How many columns the feature makes, the one for missing values included."""
        return self.shown + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        own = (Column(name, index, "true", None, self.nullable),) if self.shown else ()
        return (*own, *_missing_column(name, index, self.nullable))

    def encode(self, values: FeatureValues, bits: Bits, rules: TransformRules) -> None:
        """Write the columns of `values` into `bits`, shape (n, n_columns), which holds zeros."""
        refuse_other_kinds(values, ("bool", "number"), "boolean")
        missing = missing_rows(values, values.missing, self.nullable, rules)
        numbers = values.numbers()
        other = ~(missing | (numbers == 0) | (numbers == 1))
        if other.any():
            raise ValueError(
                f"Feature {values.name!r} must hold booleans or 0 and 1, as a boolean feature. "
                f"Got {numbers[other][0]:g}."
            )
        if self.shown:
            bits[:, 0] = numbers == 1
        _write_missing(bits, missing, self.nullable)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state in plain values."""
        return {"kind": self.kind, "shown": self.shown, "nullable": self.nullable}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        record = read_record(data, where, ("kind", "shown", "nullable"))
        return cls(read_bool(record["shown"], f"{where}.shown"), _read_nullable(record, where))


@dataclass(frozen=True)
class EmptyFeature:
    """A feature without a single value in training: nothing is known of it, it makes no column."""

    kind: ClassVar[str] = "empty"
    nullable: ClassVar[bool] = True
    n_columns: ClassVar[int] = 0

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column: there is none."""
        return ()

    def encode(self, values: FeatureValues, bits: Bits, rules: TransformRules) -> None:
        """Write nothing, whatever the values."""

    def to_dict(self) -> dict[str, Any]:
        """The fitted state in plain values."""
        return {"kind": self.kind}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        read_record(data, where, ("kind",))
        return cls()


FEATURE_KINDS: dict[str, type[Feature]] = {
    "numeric": NumericFeature,
    "nominal": NominalFeature,
    "ranked": RankedFeature,
    "boolean": BooleanFeature,
    "empty": EmptyFeature,
}


def feature_from_dict(data: object, where: str) -> Feature:
    """Read the dictionary of any kind of feature; raises ValueError, naming `where`, if it is none."""
    kind = data.get("kind") if isinstance(data, dict) else None
    kind = kind if isinstance(kind, str) else type(kind).__name__
    if kind not in FEATURE_KINDS:
        raise ValueError(
            f"{where} must be a dictionary whose 'kind' is one of {sorted(FEATURE_KINDS)}. Got {kind[:60]!r}."
        )
    return FEATURE_KINDS[kind].from_dict(data, where)


def _missing_column(name: str, index: int, nullable: bool) -> tuple[Column, ...]:
    return (Column(name, index, "missing", None, nullable),) if nullable else ()


def _write_missing(bits: Bits, missing: NDArray[np.bool_], nullable: bool) -> None:
    if nullable:
        bits[:, -1] = missing


def _read_nullable(record: dict[str, object], where: str) -> bool:
    return read_bool(record["nullable"], f"{where}.nullable")
