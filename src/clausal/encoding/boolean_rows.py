"""Rows that are boolean columns as they are: seen without a copy.

Here: whether a table is such, for a fitted booleanizer whose columns are its features. Not here: any other
table (booleanizer.py); whether bytes are 0 and 1, which whoever reads them must check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.features import BooleanFeature

_SHOWN = BooleanFeature(shown=True, nullable=False)


@dataclass(frozen=True, eq=False)
class DenseRows:
    """Bytes [n, columns]; that they are 0 and 1 is still to be checked."""

    bits: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The indices of each row's true columns, int32 or int64; row i begins at `starts[i]`."""

    starts: NDArray[np.integer]
    columns: NDArray[np.integer]


def boolean_rows(booleanizer: Booleanizer, X: Any) -> DenseRows | SparseRows | None:
    """The rows of `X`, its shape and names checked, or None where `booleanizer.transform` must read them."""
    if not _passes_through(booleanizer):
        return None
    if type(X) is np.ndarray:
        plain = X.ndim == 2 and X.dtype in (np.uint8, np.bool_) and X.flags.c_contiguous
        return DenseRows(_checked(booleanizer, X).view(np.uint8)) if plain else None
    if isinstance(X, (sparse.csr_matrix, sparse.csr_array)) and _all_ones(X):
        checked = _checked(booleanizer, X, accept_sparse="csr")
        return SparseRows(checked.indptr, checked.indices)
    return None


def _all_ones(matrix: Any) -> bool:
    """Whether each stored value is 1 and the only one in its place: nothing to sum, drop or refuse."""
    return bool(matrix.ndim == 2 and matrix.has_canonical_format and np.all(matrix.data == 1))


def _passes_through(booleanizer: Booleanizer) -> bool:
    """Whether every column is a boolean feature and every feature a column."""
    features = booleanizer.features_
    return features[0] == _SHOWN and features.count(features[0]) == len(features)


def _checked(booleanizer: Booleanizer, X: Any, **options: Any) -> Any:
    return validate_data(booleanizer, X, reset=False, dtype=None, ensure_all_finite=False, **options)
