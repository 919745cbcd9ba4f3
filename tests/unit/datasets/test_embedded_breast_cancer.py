"""Breast cancer: ordered ranges, missing values and the complete rows."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from clausal.datasets import load_breast_cancer

ORDERED = ("age", "tumor_size", "inv_nodes")


def test_array_is_the_text_of_the_file_with_none_for_missing(shared_data):
    with (shared_data / "breast_cancer.csv").open() as stream:
        rows = list(csv.reader(stream))
    bunch = load_breast_cancer()
    assert bunch.feature_names == rows[0][1:]
    assert bunch.data.dtype == object
    assert bunch.data.tolist() == [[None if c == "?" else c for c in row[1:]] for row in rows[1:]]
    assert bunch.target.tolist() == [int(row[0] == "recurrence-events") for row in rows[1:]]


def test_first_row():
    X, y = load_breast_cancer(return_X_y=True)
    assert X[0].tolist() == ["30-39", "premeno", "30-34", "0-2", "no", "3", "left", "left_low", "no"]
    assert y[0] == 0


def test_nine_rows_have_a_missing_value():
    bunch = load_breast_cancer()
    missing = np.array([[cell is None for cell in row] for row in bunch.data])
    assert missing.any(axis=1).sum() == 9
    counts = dict(zip(bunch.feature_names, missing.sum(axis=0).tolist(), strict=True))
    assert {name: count for name, count in counts.items() if count} == {"node_caps": 8, "breast_quad": 1}
    frame = load_breast_cancer(as_frame=True).data
    np.testing.assert_array_equal(frame.isna().to_numpy(), missing)


def test_drop_missing_keeps_the_277_complete_rows_in_order():
    X, y = load_breast_cancer(return_X_y=True)
    complete = [None not in row for row in X.tolist()]
    X_complete, y_complete = load_breast_cancer(return_X_y=True, drop_missing=True)
    assert X_complete.tolist() == X[complete].tolist()
    np.testing.assert_array_equal(y_complete, y[complete])
    assert np.bincount(y_complete).tolist() == [196, 81]


@pytest.mark.parametrize("name", ORDERED)
def test_ranges_are_ordered_by_their_numbers(name):
    column = load_breast_cancer(as_frame=True).data[name]
    assert column.cat.ordered
    low = [int(category.split("-")[0]) for category in column.cat.categories]
    assert low == sorted(low)
    assert int(column.max().split("-")[0]) == max(low)


def test_other_columns_are_nominal_and_deg_malig_is_a_number():
    frame = load_breast_cancer(as_frame=True).data
    assert frame["deg_malig"].dtype == np.int64
    assert set(frame["deg_malig"]) == {1, 2, 3}
    nominal = set(frame.columns) - {*ORDERED, "deg_malig"}
    assert {name for name in nominal if frame[name].cat.ordered} == set()
    assert len(nominal) == 5


@pytest.mark.parametrize("drop_missing", [False, True])
def test_frame_has_the_array_s_values_and_no_unused_category(drop_missing):
    bunch = load_breast_cancer(as_frame=True, drop_missing=drop_missing)
    array = load_breast_cancer(drop_missing=drop_missing).data
    for position, name in enumerate(bunch.feature_names):
        cells = [None if cell != cell else str(cell) for cell in bunch.data[name].tolist()]
        assert cells == array[:, position].tolist()
        if name in bunch.category_names:
            assert set(bunch.category_names[name]) == set(cells) - {None}


def test_paper_counts_41_unique_values_on_complete_rows():
    assert load_breast_cancer(as_frame=True, drop_missing=True).data.nunique().sum() == 41


def test_drop_missing_must_be_a_boolean():
    expected = "The 'drop_missing' parameter of load_breast_cancer must be True or False. Got 'yes'."
    with pytest.raises(ValueError, match=f"^{expected}$"):
        load_breast_cancer(drop_missing="yes")
