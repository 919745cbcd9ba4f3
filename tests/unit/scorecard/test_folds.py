"""Folds that depend only on the content of the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from clausal.scorecard.folds import stratified_folds, user_folds
from clausal.scorecard.rows import DistinctRows


def test_classes_are_spread_and_every_row_is_held_out_once():
    codes, weights = np.repeat([0, 1], [70, 30]), np.ones(100)
    splits = stratified_folds(codes, weights, 5, seed=0)
    for split in splits:
        assert np.bincount(codes[split.validation > 0]).tolist() == [14, 6]
        np.testing.assert_array_equal(split.train, weights - split.validation)
    np.testing.assert_array_equal(sum(split.validation for split in splits), weights)
    other = stratified_folds(codes, weights, 5, seed=1)
    assert not np.array_equal(splits[0].validation, other[0].validation)


@given(st.integers(0, 10**6), st.integers(2, 7))
def test_no_training_part_lacks_a_class(seed, n_folds):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, 12)
    weights = rng.choice([0.5, 1.0, 1.0, 2.0, 2.5, 7.0], 12)
    splits = stratified_folds(codes, weights, n_folds, seed)
    assert len(splits) >= 2
    for split in splits:
        assert (split.validation >= 0).all()
        assert (split.train >= 0).all()
        assert set(codes[split.train > 0]) == set(codes)
    total = sum(split.validation for split in splits)
    alone = np.bincount(codes, minlength=3)[codes] == 1
    np.testing.assert_allclose(total[~alone], weights[~alone])


def test_copies_are_dealt_one_by_one():
    codes, weights = np.zeros(21, np.intp), np.full(21, 2.0)
    splits = stratified_folds(codes, weights, 3, seed=0)
    assert [split.validation.sum() for split in splits] == [14, 14, 14]
    assert {value for split in splits for value in split.validation.tolist()} == {0.0, 1.0, 2.0}
    few = stratified_folds(np.array([0, 0, 1, 1]), np.array([30.0, 7.0, 4.5, 0.5]), 3, seed=0)
    validation = np.array([split.validation for split in few])
    assert validation.sum(axis=0).tolist() == [30, 7, 4.5, 0.5]
    assert validation[:, 0].min() >= 5  # about ten copies in each fold


def test_the_only_row_of_a_class_is_never_held_out():
    splits = stratified_folds(np.array([0, 0, 0, 0, 0, 1]), np.ones(6), 2, seed=0)
    assert [split.validation[5] for split in splits] == [0, 0]
    with pytest.raises(ValueError, match=r"at least two rows of one class.* Got 2 row\(s\) in 2 classes"):
        stratified_folds(np.array([0, 1]), np.ones(2), 2, seed=0)
    with pytest.raises(ValueError, match=r"at least 4 rows of weight above 0 to predict a number.* Got 2\."):
        stratified_folds(np.array([0, 1]), np.ones(2), 2, seed=0, of_numbers=True)


def test_user_folds_count_the_weights_of_the_rows_they_name():
    codes, weights = np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 3.0, 0.0])
    rows = DistinctRows.of([[5], [5], [6], [7]], codes, weights)
    splits = user_folds([([0, 2, 3], [1]), ([1], [0, 2])], codes, weights, rows.number, "Tester")
    assert [split.train.tolist() for split in splits] == [[1, 3], [2, 0]]
    assert [split.validation.tolist() for split in splits] == [[2, 0], [1, 3]]
    by_splitter = user_folds(KFold(2), codes, weights, rows.number, "Tester")
    assert [split.validation.tolist() for split in by_splitter] == [[3, 0], [0, 3]]
