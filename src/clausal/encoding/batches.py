"""A table in the form that the compiled encoder reads: one array of numbers per feature, in batches.

Numbers and booleans are views of the table, not copies; categories are replaced by their codes. Batches limit
the memory for copies. A table of boolean columns is passed on unchanged. Not here: computing bits, and errors
about numbers: if the compiled encoder refuses a table, the NumPy encoder (features.py) raises the error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from clausal.encoding.features import BooleanFeature, Feature, NumericFeature, Part, parts_of
from clausal.encoding.sparse_table import are_counts, check_sparse
from clausal.encoding.table import Header, Table, check_header
from clausal.encoding.values import Policy

_MAX_COPIED_BYTES = 2**26  # in the arrays of one batch that are not views of the table


@dataclass(frozen=True, eq=False)
class Batch:
    """Some consecutive features of a table.

    Attributes
    ----------
    first_column : index of the first column of the first feature
    features : the features, or parts of them
    values : the numbers of each, of any numeric type, NaN if missing, shape (n,)
    missing_allowed : whether missing values are valid, for each
    """

    first_column: int
    features: list[Feature | Part]
    values: list[NDArray[Any]]
    missing_allowed: list[bool]


@dataclass(frozen=True, eq=False)
class Batches:
    """All features of a table; `batches` can be iterated over once."""

    n_rows: int
    n_columns: int
    batches: Iterator[Batch]


KnownNumbers = Sequence[NDArray[Any] | None]
"""The numbers of each feature, shape (n,); None for features that are still to be read."""


def table_batches(
    table: Table,
    features: Sequence[Feature],
    names: Sequence[str],
    policy: Policy,
    read: Collection[int],
    numbers: KnownNumbers = (),
) -> Batches:
    """Read some features of a table; those with known numbers are not read again.

    The literals of the other features are all 0.
    """
    n_columns = sum(feature.n_columns for feature in features)
    known = numbers or [None] * len(features)
    columns = zip(features, names, known, strict=True)
    return Batches(table.n_rows, n_columns, _read(table, columns, policy, read))


def _read(
    table: Table,
    columns: Iterable[tuple[Feature, str, NDArray[Any] | None]],
    policy: Policy,
    read: Collection[int],
) -> Iterator[Batch]:
    batch, column, copied = Batch(0, [], [], []), 0, 0
    allowed = policy.handle_missing == "as_false"
    for index, (feature, name, known) in enumerate(columns):
        if index not in read:
            column += feature.n_columns
            if feature.n_columns:
                if batch.features:
                    yield batch
                batch, copied = Batch(column, [], [], []), 0
            continue
        plain = None
        if known is None and isinstance(feature, (NumericFeature, BooleanFeature)) and not _is_split(feature):
            plain = table.plain(index)
        values = known if plain is None else plain
        if values is None:
            values = feature.numbers(table.feature(index, name), policy)
        whole = ((feature, values),)
        for part, own in whole if plain is not None else parts_of(feature, values):
            batch.features.append(part)
            batch.values.append(own)
            batch.missing_allowed.append(plain is None or allowed or feature.nullable)
            copied += own.nbytes if own.base is None else 0
        column += feature.n_columns
        if copied > _MAX_COPIED_BYTES:
            yield batch
            batch, copied = Batch(column, [], [], []), 0
    if batch.features:
        yield batch


def _is_split(feature: Feature) -> bool:
    """Whether a feature has several parts, of which one is a copy of its numbers."""
    return isinstance(feature, NumericFeature) and bool(feature.special)


@dataclass(frozen=True, eq=False)
class DenseRows:
    """Bytes [n, columns], not yet checked to be 0 or 1."""

    bits: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The indices of the true columns of each row, int32 or int64; row i begins at `starts[i]`."""

    starts: NDArray[np.integer]
    columns: NDArray[np.integer]


def boolean_rows(X: Any, header: Header, owner: str) -> DenseRows | SparseRows | None:
    """The rows of a boolean table, with shape and names checked; None if it must be read by feature."""
    if type(X) is np.ndarray:
        plain = X.ndim == 2 and X.dtype in (np.uint8, np.bool_) and X.flags.c_contiguous
        return DenseRows(check_header(X, header, owner).view(np.uint8)) if plain else None
    if isinstance(X, (sparse.csr_matrix, sparse.csr_array)):
        check_sparse(X)
        if _all_present(X):
            checked = check_header(X, header, owner, accept_sparse="csr")
            return SparseRows(checked.indptr, checked.indices)
    return None


def _all_present(matrix: Any) -> bool:
    """Whether every stored value is a count above 0, without duplicates: nothing to sum, drop or refuse."""
    if matrix.ndim != 2 or not matrix.has_canonical_format or matrix.data.dtype.kind not in "biuf":
        return False
    return bool(np.all(are_counts(matrix.data)) and np.all(matrix.data))
