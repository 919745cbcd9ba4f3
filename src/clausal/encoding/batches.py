"""A table as a compiled encoder takes it: per feature one array of numbers, and what they are compared with.

Numbers and booleans go as they lie in the table, without a copy; categories go as their codes. Features come
in batches, so that few copies are alive at a time. Not here: bits, and errors about numbers, which the plain
way (features.py) words when the encoder declines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from clausal.encoding.features import BooleanFeature, Feature, NumericFeature
from clausal.encoding.matching import TransformRules
from clausal.encoding.table import Table

_MOST_COPIED_BYTES = 2**26  # in the arrays of one batch that are not views of the table


@dataclass(frozen=True, eq=False)
class Batch:
    """Features side by side.

    Attributes
    ----------
    first_column : position of the first feature's first column
    features : what the numbers are compared with, and how
    values : for each feature its numbers, of any width, NaN where missing, shape (n,)
    missing_allowed : for each feature, whether missing values are valid
    """

    first_column: int
    features: list[Feature]
    values: list[NDArray[Any]]
    missing_allowed: list[bool]


@dataclass(frozen=True, eq=False)
class Batches:
    """All features of a table, to be gone through once."""

    n_rows: int
    n_columns: int
    batches: Iterator[Batch]


def table_batches(
    table: Table, features: Sequence[Feature], names: Sequence[str], rules: TransformRules
) -> Batches:
    """Read a table feature by feature, as it is gone through."""
    n_columns = sum(feature.n_columns for feature in features)
    return Batches(table.n_rows, n_columns, _read(table, features, names, rules))


def _read(
    table: Table, features: Sequence[Feature], names: Sequence[str], rules: TransformRules
) -> Iterator[Batch]:
    batch, column, copied = Batch(0, [], [], []), 0, 0
    allowed = rules.handle_missing == "as_false"
    for index, (feature, name) in enumerate(zip(features, names, strict=True)):
        plain = table.plain(index) if isinstance(feature, (NumericFeature, BooleanFeature)) else None
        values = feature.numbers(table.feature(index, name), rules) if plain is None else plain
        batch.features.append(feature)
        batch.values.append(values)
        batch.missing_allowed.append(plain is None or allowed or feature.nullable)
        column += feature.n_columns
        copied += values.nbytes if values.flags.owndata else 0
        if copied > _MOST_COPIED_BYTES:
            yield batch
            batch, copied = Batch(column, [], [], []), 0
    if batch.features:
        yield batch
