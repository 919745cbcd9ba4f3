"""Sparse input: 0 and 1 or counts, passed through as CSR, exchangeable with dense booleans."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from clausal.encoding import Booleanizer
from clausal.encoding.sparse_table import SparseTable

DENSE = np.array([[0, 1, 0, 0], [1, 1, 0, 0], [0, 1, 0, 1]])


@pytest.mark.parametrize("mode", ["auto", "paper"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("container", [sparse.coo_array, sparse.coo_matrix])
@pytest.mark.parametrize("dtype", [bool, np.int8, float])
def test_a_binary_matrix_passes_through(mode: str, form: str, container: Any, dtype: type) -> None:
    matrix = container(DENSE.astype(dtype)).asformat(form)
    booleanizer = Booleanizer(mode)
    bits = booleanizer.fit_transform(matrix)
    assert (bits.format, bits.dtype, bits.shape) == ("csr", np.uint8, DENSE.shape)
    assert isinstance(bits, sparse.sparray) == isinstance(matrix, sparse.sparray)
    np.testing.assert_array_equal(bits.toarray(), DENSE)
    assert [str(column) for column in booleanizer.columns_] == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32])
def test_counts_say_what_is_present(dtype: type) -> None:
    counts = sparse.csr_array(np.array([[0, 3, 1], [200, 0, 1]], dtype))
    bits = Booleanizer().fit_transform(counts)
    assert bits.toarray().tolist() == [[0, 1, 1], [1, 0, 1]]
    assert counts.data.max() == 200


def sparse_frame(matrix: Any, names: list[str]) -> pd.DataFrame:
    return pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(matrix), columns=names)


def test_a_frame_of_sparse_columns_is_a_sparse_matrix_with_names() -> None:
    names = ["bad", "good", "film", "plot"]
    frame = sparse_frame(DENSE * 3, names)
    booleanizer = Booleanizer().fit(frame)
    assert booleanizer.feature_names_in_.tolist() == names
    assert [str(column) for column in booleanizer.columns_] == names
    bits = booleanizer.transform(frame)
    assert sparse.issparse(bits)
    np.testing.assert_array_equal(bits.toarray(), DENSE)
    with pytest.raises(ValueError, match="feature names should match"):
        booleanizer.transform(frame.rename(columns={"bad": "worse"}))
    with pytest.raises(ValueError, match=r"Got the value -1"):
        booleanizer.transform(sparse_frame(-DENSE, names))
    around_one = pd.DataFrame({"a": pd.arrays.SparseArray([1, 1, 0], fill_value=1)})
    assert Booleanizer().fit_transform(around_one).tolist() == [[0], [0], [1]], "a numeric feature: a <= 0.5"


def test_rules_find_the_columns_of_a_sparse_frame_by_name() -> None:
    frame = sparse_frame(DENSE * 2, ["bad", "good", "film", "plot"])
    encoding = Booleanizer().fit(frame).encoding_
    other = frame[["plot", "good", "bad"]]
    bits = encoding.read_by_name(other, frozenset({0, 1, 3})).matrix
    np.testing.assert_array_equal(bits.toarray(), DENSE * [1, 1, 0, 1])
    with pytest.raises(ValueError, match="Got no column 'film'"):
        encoding.read_by_name(other, frozenset({2}))


@pytest.mark.parametrize("value", [-1, 0.5, -0.5, float("nan"), float("inf")])
def test_other_values_are_refused(value: float) -> None:
    matrix = sparse.csr_array(np.array([[0, value], [1, 0]]))
    with pytest.raises(
        ValueError, match=f"Sparse input must hold 0 and 1, or whole counts. Got the value {value}.*feature 1"
    ):
        Booleanizer().fit(matrix)
    with pytest.raises(ValueError, match="Sparse"):
        Booleanizer().fit(sparse.csr_array(np.eye(2))).transform(matrix)


def test_stored_zeros_are_zeros_and_the_input_is_not_changed() -> None:
    matrix = sparse.csr_array((np.array([1, 0], dtype=np.uint8), ([0, 1], [1, 0])), shape=(2, 2))
    bits = Booleanizer().fit_transform(matrix)
    assert (bits.nnz, SparseTable(matrix).matrix.nnz, matrix.nnz) == (1, 1, 2)
    assert bits.toarray().tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("form", ["coo", "csr"])
@pytest.mark.parametrize(("dtype", "copies"), [(float, 2), (np.uint8, 257), (np.int8, 2)])
def test_duplicates_are_summed(form: str, dtype: type, copies: int) -> None:
    data, rows = np.ones(copies, dtype=dtype), np.zeros(copies, dtype=int)
    if form == "coo":
        matrix = sparse.coo_array((data, (rows, rows)), shape=(2, 2))
    else:
        matrix = sparse.csr_array((data, rows, [0, copies, copies]), shape=(2, 2))
    with pytest.raises(ValueError, match=f"Sparse.*Got the value {-copies}"):
        Booleanizer().fit(-matrix.astype(np.int64))
    assert Booleanizer().fit_transform(matrix).toarray().tolist()[0] == [1, 0]
    assert matrix.nnz == copies


def test_duplicates_that_cancel_are_fine() -> None:
    matrix = sparse.coo_array(([1, 1, -1], ([0, 0, 0], [0, 1, 1])), shape=(1, 2))
    assert Booleanizer().fit_transform(matrix).toarray().tolist() == [[1, 0]]


def test_complex_and_empty_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match="Complex data not supported"):
        Booleanizer().fit(sparse.csr_array(np.eye(2) * 1j))
    with pytest.raises(ValueError, match="0 sample"):
        Booleanizer().fit(sparse.csr_array((0, 2)))


def test_fitted_on_sparse_it_takes_dense() -> None:
    booleanizer = Booleanizer().fit(sparse.csr_array(DENSE))
    for dense in (DENSE, DENSE.astype(bool), DENSE.astype(float), DENSE.astype(object)):
        bits = booleanizer.transform(dense)
        assert isinstance(bits, np.ndarray)
        np.testing.assert_array_equal(bits, DENSE)
    with pytest.raises(ValueError, match="'x0' must hold booleans"):
        booleanizer.transform(DENSE * 2)


def test_fitted_on_dense_booleans_it_takes_sparse() -> None:
    frame = pd.DataFrame({"a": [True, False, None], "b": [True] * 3, "c": [False, True, True]})
    booleanizer = Booleanizer().fit(frame)
    with pytest.warns(UserWarning, match="valid feature names"):
        bits = booleanizer.transform(sparse.csr_array([[1, 0, 1], [0, 1, 0]]))
    assert [str(column) for column in booleanizer.columns_] == ["a", "a is missing", "c"]
    assert bits.toarray().tolist() == [[1, 0, 1], [0, 0, 0]]
    assert bits.dtype == np.uint8


def test_fitted_on_numbers_it_refuses_sparse() -> None:
    booleanizer = Booleanizer().fit(DENSE)
    with pytest.raises(
        ValueError, match=r"Sparse input must have boolean features only.*'x0', which was numeric"
    ):
        booleanizer.transform(sparse.csr_array(DENSE))


def test_a_wide_matrix_is_never_made_dense() -> None:
    n_rows, n_features = 200_000, 100_000  # dense: 20 GB
    rows = np.arange(n_rows)
    matrix = sparse.csr_array((np.ones(n_rows), (rows, rows % n_features)), shape=(n_rows, n_features))
    bits = Booleanizer().fit_transform(matrix)
    assert bits.nnz == n_rows
    assert (bits != matrix.astype(np.uint8)).nnz == 0
