"""Balance scale: generated rows equal UCI's without class B."""

from __future__ import annotations

import csv

import numpy as np

from clausal.datasets import load_balance_scale


def test_rows_equal_the_file_without_class_b(shared_data):
    with (shared_data / "balance_scale.csv").open() as stream:
        header, *rows = csv.reader(stream)
    rows = [row for row in rows if row[0] != "B"]
    bunch = load_balance_scale()
    assert bunch.feature_names == header[1:]
    assert bunch.data.dtype == np.float64
    np.testing.assert_array_equal(bunch.data, [[float(cell) for cell in row[1:]] for row in rows])
    assert bunch.target.tolist() == [int(row[0] == "R") for row in rows]


def test_target_is_the_side_of_the_larger_torque():
    X, y = load_balance_scale(return_X_y=True)
    left, right = X[:, 0] * X[:, 1], X[:, 2] * X[:, 3]
    assert (left != right).all()
    np.testing.assert_array_equal(y, right > left)
    assert np.bincount(y).tolist() == [288, 288]


def test_paper_counts_20_unique_values():
    frame = load_balance_scale(as_frame=True).data
    assert frame.nunique().tolist() == [5, 5, 5, 5]
    assert {str(dtype) for dtype in frame.dtypes} == {"int64"}
    np.testing.assert_array_equal(frame.to_numpy(float), load_balance_scale().data)
