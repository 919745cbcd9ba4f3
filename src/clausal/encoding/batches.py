"""A table as compiled code takes it: per feature one array of numbers and what they are compared with.

Numbers and booleans go as they lie in the table, without a copy; categories go as their codes. Features come
in batches, so that few copies are alive at a time. A table that holds boolean columns already is passed on as
it is. Not here: bits, and errors about numbers, which the plain way (features.py) words when the compiled
encoder declines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from clausal.encoding.features import BooleanFeature, Feature, NumericFeature
from clausal.encoding.table import Header, Table, check_header
from clausal.encoding.values import Policy

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


Numbers = Sequence[NDArray[Any] | None]
"""The numbers of each feature that are known already, shape (n,); None where they lie in the table."""


def table_batches(
    table: Table, features: Sequence[Feature], names: Sequence[str], policy: Policy, numbers: Numbers = ()
) -> Batches:
    """Read a table feature by feature; features whose numbers are known need no reading."""
    n_columns = sum(feature.n_columns for feature in features)
    known = numbers or [None] * len(features)
    columns = zip(features, names, known, strict=True)
    return Batches(table.n_rows, n_columns, _read(table, columns, policy))


def _read(
    table: Table, columns: Iterable[tuple[Feature, str, NDArray[Any] | None]], policy: Policy
) -> Iterator[Batch]:
    batch, column, copied = Batch(0, [], [], []), 0, 0
    allowed = policy.handle_missing == "as_false"
    for index, (feature, name, known) in enumerate(columns):
        plain = None
        if known is None and isinstance(feature, (NumericFeature, BooleanFeature)):
            plain = table.plain(index)
        values = known if plain is None else plain
        if values is None:
            values = feature.numbers(table.feature(index, name), policy)
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


@dataclass(frozen=True, eq=False)
class DenseRows:
    """Bytes [n, columns]; that they are 0 and 1 is still to be checked."""

    bits: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The indices of each row's true columns, int32 or int64; row i begins at `starts[i]`."""

    starts: NDArray[np.integer]
    columns: NDArray[np.integer]


def boolean_rows(X: Any, header: Header, owner: str) -> DenseRows | SparseRows | None:
    """The rows of a table of booleans, its shape and names checked; None where they must be read."""
    if type(X) is np.ndarray:
        plain = X.ndim == 2 and X.dtype in (np.uint8, np.bool_) and X.flags.c_contiguous
        return DenseRows(check_header(X, header, owner).view(np.uint8)) if plain else None
    if isinstance(X, (sparse.csr_matrix, sparse.csr_array)) and _all_ones(X):
        checked = check_header(X, header, owner, accept_sparse="csr")
        return SparseRows(checked.indptr, checked.indices)
    return None


def _all_ones(matrix: Any) -> bool:
    """Whether each stored value is 1 and the only one in its place: nothing to sum, drop or refuse."""
    return bool(matrix.ndim == 2 and matrix.has_canonical_format and np.all(matrix.data == 1))
