"""Rows of any kind of table, and equal rows that are counted together."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from clausal.scorecard.rows import DistinctRows, number_rows, sample_rows, take_rows

ROWS = np.array([2, 0])
RNG = np.random.default_rng(4)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_stay_frames(make):
    table = make({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    taken = take_rows(table, ROWS)
    assert type(taken) is type(table)
    assert make({"a": [3, 1], "b": ["z", "x"]}).equals(
        taken.reset_index(drop=True) if isinstance(taken, pd.DataFrame) else taken
    )


def test_pandas_rows_are_taken_by_position_whatever_the_index():
    taken = take_rows(pd.DataFrame({"a": [1, 2, 3]}, index=[2, 1, 0]), ROWS)
    assert taken["a"].tolist() == [3, 1]


def test_arrays_lists_and_sparse_matrices():
    assert take_rows(np.array([[1], [2], [3]]), ROWS).tolist() == [[3], [1]]
    assert take_rows([[1, "a"], [2, "b"], [3, "c"]], ROWS) == [[3, "c"], [1, "a"]]
    for make in (sparse.csr_matrix, sparse.coo_array):
        assert take_rows(make([[1], [0], [1]]), ROWS).toarray().tolist() == [[1], [1]]


# --- distinct rows ---

MIXED = pd.DataFrame({"n": [2.0, np.nan, 1.0, 2.0, 1.0], "t": ["b", "a", "a", "b", "a"]})


def test_equal_rows_of_a_class_share_a_number_that_follows_their_content():
    assert number_rows(MIXED, np.array([0, 0, 0, 0, 1])).tolist() == [2, 0, 1, 2, 3]


@given(st.integers(0, 10**6))
def test_numbers_do_not_depend_on_order_or_repetition(seed):
    rng = np.random.default_rng(seed)
    X, codes = rng.integers(0, 3, (20, 2)), rng.integers(0, 2, 20)
    numbers = number_rows(X, codes)
    order = rng.permutation(20)
    np.testing.assert_array_equal(number_rows(X[order], codes[order]), numbers[order])
    again = np.append(order, order[:7])
    np.testing.assert_array_equal(number_rows(X[again], codes[again]), numbers[again])
    rows = np.column_stack([codes, X])  # as NumPy sorts whole rows
    np.testing.assert_array_equal(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1), numbers)


def test_numbers_are_the_same_in_every_container():
    bits, codes = RNG.integers(0, 2, (30, 11)), RNG.integers(0, 2, 30)
    expected = number_rows(bits, codes)
    for rows in (bits.astype(bool), bits.tolist(), sparse.csr_array(bits), sparse.coo_matrix(bits)):
        np.testing.assert_array_equal(number_rows(rows, codes), expected)
    for rows in (pl.from_pandas(MIXED), pa.Table.from_pandas(MIXED), MIXED.astype(object).to_numpy()):
        np.testing.assert_array_equal(number_rows(rows, codes[:5]), number_rows(MIXED, codes[:5]))


def test_weights_of_equal_rows_are_added_and_rows_of_weight_0_left_out():
    rows = DistinctRows.of(MIXED, np.array([0, 1, 0, 0, 0]), np.array([1.0, 0.0, 2.0, 0.5, 3.0]))
    assert rows.X.to_dict("list") == {"n": [1.0, 2.0], "t": ["a", "b"]}
    assert rows.weights.tolist() == [5.0, 1.5]
    assert rows.codes.tolist() == [0, 0]
    assert rows.number.tolist() == [1, 0, 0, 1, 0]


# --- the sample for machines ---

KEYS = RNG.integers(0, 2**63, 3000).astype(np.uint64)
CLASSES = RNG.choice(3, 3000, p=[0.9, 0.09, 0.01])


def test_few_rows_are_all_in_the_sample():
    assert sample_rows(KEYS, CLASSES, 3000).tolist() == list(range(3000))


def test_a_sample_is_at_most_as_large_as_said_and_has_every_class():
    rows = sample_rows(KEYS, CLASSES, 600)
    assert (np.diff(rows) > 0).all()
    counts, found = np.bincount(CLASSES), np.bincount(CLASSES[rows])
    assert found.sum() <= 600
    assert found[2] == counts[2]  # fewer than its share of the half that is dealt out equally
    assert found[0] == 100 + 300 * counts[0] // 3000


def test_a_sample_depends_on_content_only():
    expected = set(KEYS[sample_rows(KEYS, CLASSES, 600)].tolist())
    order = RNG.permutation(3000)
    assert set(KEYS[order][sample_rows(KEYS[order], CLASSES[order], 600)].tolist()) == expected
    parts = [part[sample_rows(KEYS[part], CLASSES[part], 600)] for part in np.split(order, [700, 1900])]
    assert expected <= set(KEYS[np.concatenate(parts)].tolist())
