"""Sparse matrices as tables of what is present, such as words; checks before anything reads them.

SciPy and compiled code trust index arrays, but one that was set by hand or comes from a file may point
outside the matrix. Also here: pandas frames whose columns are all sparse. Not here: dense tables (table.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_AXES = {"csr": ("row", "column"), "bsr": ("row of blocks", "column of blocks"), "csc": ("column", "row")}


class SparseTable:
    """A checked CSR matrix or array, shape (n, d), uint8, of 0 and 1 without explicit zeros or duplicates."""

    def __init__(self, matrix: Any) -> None:
        self.n_rows, self.n_features = matrix.shape
        self.matrix = _presence(matrix)

    def select(self, features: NDArray[np.intp], columns: NDArray[np.intp], n_columns: int) -> Any:
        """CSR of shape (n, n_columns), uint8: column `columns[i]` is feature `features[i]`; others are 0."""
        container = sparse.csr_array if isinstance(self.matrix, sparse.sparray) else sparse.csr_matrix
        ones = np.ones(len(features), dtype=np.uint8)
        selection = container((ones, (features, columns)), shape=(self.n_features, n_columns))
        selected = self.matrix @ selection
        selected.sort_indices()
        return selected


def summable(matrix: Any) -> Any:
    """The matrix, as int64 if it contains duplicate integers, so that their sum does not overflow."""
    if matrix.dtype.kind in "iu" and not getattr(matrix, "has_canonical_format", True):
        return matrix.astype(np.int64)
    return matrix


def _presence(matrix: Any) -> Any:
    """Where a matrix of counts is above 0."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    invalid = np.flatnonzero(~are_counts(matrix.data))
    if len(invalid):
        raise ValueError(
            "Sparse input must hold 0 and 1, or whole counts. Got the value "
            f"{matrix.data[invalid[0]].item()!r} in feature {int(matrix.indices[invalid[0]])}; pass X > 0 if "
            "only that matters, or other values as a dense array."
        )
    present = type(matrix)((matrix.data > 0, matrix.indices, matrix.indptr), shape=matrix.shape, copy=True)
    present.eliminate_zeros()
    return present.astype(np.uint8)


def are_counts(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value is a finite whole number of at least 0."""
    whole: NDArray[np.bool_] = values >= 0
    return whole & (values < np.inf) & (np.floor(values) == values) if values.dtype.kind == "f" else whole


def is_sparse_frame(X: Any) -> bool:
    """Whether X is a pandas frame of sparse whole numbers around 0, as `from_spmatrix` makes of counts."""
    if not nw.dependencies.is_pandas_dataframe(X) or not len(X.columns):
        return False
    return all(
        type(dtype).__name__ == "SparseDtype" and dtype.subtype.kind in "biu" and dtype.fill_value == 0
        for dtype in set(X.dtypes)
    )


def matrix_of_frame(X: Any) -> Any:
    """The CSR matrix of such a frame."""
    return X.sparse.to_coo().tocsr()


def sparse_by_name(X: Any, names: Sequence[str], used: Collection[int]) -> SparseTable:
    """Such a frame with columns of these names, in any order, of which only those `used` must be there."""
    at = {name: index for index, name in enumerate(X.columns)}
    absent = [names[index] for index in sorted(used) if names[index] not in at]
    if absent:
        raise ValueError(f"X must have the columns that the rules test. Got no column {absent[0]!r:.60}.")
    found = [(at[name], index) for index, name in enumerate(names) if name in at]
    positions, indices = np.array(found, np.intp).reshape(-1, 2).T
    return SparseTable(SparseTable(matrix_of_frame(X)).select(positions, indices, len(names)))


def check_sparse(matrix: Any) -> None:
    """Refuse a matrix whose index arrays do not fit its shape; one pass over them."""
    if matrix.ndim != 2:
        return  # scikit-learn refuses it, by its shape
    if matrix.format in _AXES:
        _check_compressed(matrix)
    elif matrix.format == "coo":
        for axis, name, indices in zip((0, 1), ("row", "column"), (matrix.row, matrix.col), strict=True):
            _check_index_array(name, indices, matrix.nnz)
            entry = _first_outside(indices, matrix.shape[axis])
            if entry is not None:
                raise _outside(name, matrix.shape[axis], indices[entry], f"entry {entry}")


def _check_compressed(matrix: Any) -> None:
    along, across = _AXES[matrix.format]
    shape = [length // block for length, block in zip(matrix.shape, _block_shape(matrix), strict=True)]
    n_along, n_across = shape[::-1] if matrix.format == "csc" else shape
    starts, indices = matrix.indptr, matrix.indices
    _check_index_array("indptr", starts, n_along + 1)
    _check_index_array("indices", indices, len(matrix.data))
    if starts[0] != 0:
        raise ValueError(f"Sparse input must have an 'indptr' that starts with 0. Got {starts[0]}.")
    decreasing = np.flatnonzero(starts[1:] < starts[:-1])
    if len(decreasing):
        index = int(decreasing[0])
        raise ValueError(
            "Sparse input must have an 'indptr' that never decreases. "
            f"Got {starts[index]} and then {starts[index + 1]} at {along} {index}."
        )
    if starts[-1] > len(indices):
        raise ValueError(
            f"Sparse input must have an 'indptr' that ends at most at {len(indices)}, the number of stored "
            f"values. Got {starts[-1]}."
        )
    entry = _first_outside(indices[: int(starts[-1])], n_across)
    if entry is not None:
        index = int(np.searchsorted(starts, entry, side="right")) - 1
        raise _outside(across, n_across, indices[entry], f"{along} {index}")


def _block_shape(matrix: Any) -> tuple[int, int]:
    if matrix.format != "bsr":
        return 1, 1
    n_rows, n_columns = matrix.data.shape[1:] if matrix.data.ndim == 3 else (0, 0)
    if not (n_rows and n_columns) or matrix.shape[0] % n_rows or matrix.shape[1] % n_columns:
        raise ValueError(
            f"Sparse input must have blocks that fill its shape {matrix.shape}. Got blocks of shape "
            f"{matrix.data.shape[1:]}."
        )
    return n_rows, n_columns


def _check_index_array(name: str, indices: Any, length: int) -> None:
    if not isinstance(indices, np.ndarray) or indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise ValueError(
            f"Sparse input must have a one-dimensional array of integers as {name!r}. "
            f"Got {getattr(indices, 'dtype', type(indices).__name__)} of shape {np.shape(indices)}."
        )
    if len(indices) != length:
        raise ValueError(f"Sparse input must have {length} values in {name!r}. Got {len(indices)}.")


def _first_outside(indices: NDArray[Any], length: int) -> int | None:
    """The first index that is negative or not below the length."""
    if not len(indices):
        return None
    unsigned = indices.view(f"{indices.dtype.byteorder}u{indices.dtype.itemsize}")  # negative: very large
    if int(unsigned.max()) < length:
        return None
    return int(np.argmax(unsigned >= length))


def _outside(name: str, length: int, index: Any, where: str) -> ValueError:
    return ValueError(
        f"Sparse input must have {name} indices from 0 to {length - 1}. Got {int(index)} in {where}."
    )
