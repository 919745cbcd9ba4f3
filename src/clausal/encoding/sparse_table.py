"""Sparse input: 0/1 matrices only, passed through without ever being made dense.

Here: the check of the contents and the choice of output columns. Not here: dense input (table.py), which
features accept sparse input (booleanizer.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


class SparseTable:
    """A checked CSR matrix or array of 0 and 1, shape (n, d), uint8, without stored zeros or duplicates."""

    def __init__(self, matrix: Any) -> None:
        self.n_rows, self.n_features = matrix.shape
        self.matrix = _binary(matrix)

    def select(self, features: NDArray[np.intp], columns: NDArray[np.intp], n_columns: int) -> Any:
        """CSR of shape (n, n_columns), uint8: column `columns[i]` is feature `features[i]`, others are 0."""
        container = sparse.csr_array if isinstance(self.matrix, sparse.sparray) else sparse.csr_matrix
        ones = np.ones(len(features), dtype=np.uint8)
        selection = container((ones, (features, columns)), shape=(self.n_features, n_columns))
        selected = self.matrix @ selection
        selected.sort_indices()
        return selected


def summable(matrix: Any) -> Any:
    """The matrix, integers widened if it holds duplicates: their sum must not wrap around."""
    if matrix.dtype.kind in "iu" and not getattr(matrix, "has_canonical_format", True):
        return matrix.astype(np.int64)
    return matrix


def _binary(matrix: Any) -> Any:
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    wrong = np.flatnonzero((matrix.data != 0) & (matrix.data != 1))
    if len(wrong):
        raise ValueError(
            "Sparse input must hold only 0 and 1. Got the value "
            f"{matrix.data[wrong[0]].item()!r} in feature {int(matrix.indices[wrong[0]])}; give other "
            "values as a dense array."
        )
    binary = matrix.astype(np.uint8)
    binary.eliminate_zeros()
    return binary
