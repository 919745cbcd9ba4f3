"""Rows of every kind of table: read in plain values, changed within the same kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from clausal import Booleanizer
from clausal.encoding.remarks import TableWarning
from clausal.encoding.sparse_table import SparseTable
from clausal.explain.cells import GivenRows

DATA = {"n": [1, 2, 3], "x": [0.5, None, 2.0], "c": ["a", None, "b"], "b": [True, False, True]}
ARROW = pa.table(DATA)
FRAMES = {
    "pandas": pd.DataFrame(DATA, index=[7, 8, 9]),
    "pandas, arrow types": ARROW.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, categories": pd.DataFrame(DATA).assign(c=pd.Categorical(DATA["c"])),
    "polars": pl.DataFrame(DATA),
    "polars, categories": pl.DataFrame(DATA).with_columns(pl.col("c").cast(pl.Categorical)),
    "pyarrow": ARROW,
}
CHANGES = [{0: 2.5}, {0: 4}, {1: None}, {2: "a"}, {2: None}, {3: False}, {0: 9, 1: 0.25, 2: "b", 3: True}]


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_frames(kind, changes):
    X = FRAMES[kind]
    rows = GivenRows(X, Booleanizer().fit(X).encoding_, range(X.shape[1]))
    assert rows.names == list(DATA)
    plain = [{name: values[i] for name, values in DATA.items()} for i in range(3)]
    assert [rows.values(i) for i in range(3)] == plain
    changed = rows.changed(2, changes)
    assert type(changed) is type(X)
    expected = plain[2] | {list(DATA)[index]: value for index, value in changes.items()}
    again = GivenRows(changed, Booleanizer().fit(X).encoding_, range(X.shape[1]))
    assert again.n_rows == 1
    assert again.values(0) == expected


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_arrays_and_lists(changes):
    objects = np.array([[values[i] for values in DATA.values()] for i in range(3)], dtype=object)
    booleanizer = Booleanizer().fit(objects)
    for X in (objects, objects.tolist()):
        rows = GivenRows(X, booleanizer.encoding_, range(4))
        assert rows.values(1) == {"x0": 2, "x1": None, "x2": None, "x3": False}
        changed = GivenRows(rows.changed(1, changes), booleanizer.encoding_, range(4))
        expected = [2, None, None, False]
        for index, value in changes.items():
            expected[index] = value
        assert list(changed.values(0).values()) == expected
    np.testing.assert_array_equal(objects[1], [2, None, None, False])


def test_numbers_are_whole_where_they_can_be():
    X = np.array([[1.0, 2.5], [np.nan, 3.0]], np.float32)
    rows = GivenRows(X, Booleanizer().fit(X).encoding_, range(X.shape[1]))
    assert [repr(value) for value in rows.values(0).values()] == ["1", "2.5"]
    assert rows.values(1) == {"x0": None, "x1": 3}
    assert rows.changed(0, {1: 0.1})[0, 1] == 0.1


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_a_sparse_row_has_the_values_that_rules_use(make):
    X = make(np.array([[0, 1, 1, 0], [1, 0, 0, 0]], np.uint8))
    rows = GivenRows(X, Booleanizer("boolean").fit(X).encoding_, [2, 0])
    assert rows.values(0) == {"x0": 0, "x2": 1}
    assert rows.value(1, 0) == 1
    changed = rows.changed(0, {0: 1, 2: 0})
    assert isinstance(changed, SparseTable)
    assert changed.matrix.toarray().tolist() == [[1, 1, 0, 0]]


def test_what_kind_of_values_a_column_holds():
    X = pd.DataFrame({"n": [1, 2], "c": ["a", "b"], "b": [True, False], "gone": [None, None]})
    assert GivenRows(X, Booleanizer().fit(X).encoding_, range(X.shape[1])).kinds == {
        0: "number",
        1: "text",
        2: "bool",
        3: "unknown",
    }


def test_names_need_not_be_text():
    X = pd.DataFrame(np.arange(6.0).reshape(3, 2), columns=[10, 20])
    rows = GivenRows(X, Booleanizer().fit(X).encoding_, range(X.shape[1]))
    assert rows.names == ["x0", "x1"]
    assert rows.changed(1, {1: 9.5}).to_numpy().tolist() == [[2, 9.5]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda columns: columns["x"][:, None]])
def test_float32_has_no_more_digits_than_it_was_given(make):
    X = make({"x": np.array([0.1, 0.2, np.nan, 1e-8, 3.0], dtype=np.float32)})
    rows = GivenRows(X, Booleanizer().fit(X).encoding_, range(X.shape[1]))
    assert [next(iter(rows.values(i).values())) for i in range(5)] == [0.1, 0.2, None, 1e-8, 3]


def test_only_the_values_that_rules_use_are_read():
    X = pd.DataFrame({"n": [1, 2], "c": ["a", "b"], "when": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    with pytest.warns(TableWarning, match="'when'"):
        encoding = Booleanizer().fit(X).encoding_
    assert GivenRows(X, encoding, [0]).values(1) == {"n": 2}
