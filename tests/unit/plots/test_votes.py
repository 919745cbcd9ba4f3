"""VoteDisplay: the histograms count every row once, on its side of the decision."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from clausal import VoteDisplay
from clausal.plots.votes import vote_edges
from tests.support.small_data import quick, table


def heights(display):
    return np.array([[bar.get_height() for bar in bars] for bars in display.bars_])


def test_rows_stand_on_the_side_of_their_decision():
    votes = np.array([-3, -1, 0, 0, 2, 5])
    display = VoteDisplay.from_predictions(["n", "y", "n", "y", "y", "y"], votes)
    right = display.edges_[:-1] >= 0
    assert heights(display)[:, right].sum(axis=1).tolist() == [1, 3]
    assert heights(display)[:, ~right].sum(axis=1).tolist() == [1, 1]
    assert display.decision_line_.get_xdata()[0] == 0
    assert [text.get_text() for text in display.legend_.get_texts()] == ["n", "y"]
    display.figure_.canvas.draw()


def test_from_estimator_counts_every_row_of_every_class():
    X, y = table()
    clf = quick().fit(X, y)
    _, ax = plt.subplots()
    display = VoteDisplay.from_estimator(clf, X, pd.Series(y), ax=ax, alpha=0.5)
    assert display.ax_ is ax
    assert heights(display).sum(axis=1).tolist() == np.bincount(y).tolist()
    votes = clf.votes(X)
    assert heights(display)[1][display.edges_[:-1] >= 0].sum() == ((votes >= 0) & (y == 1)).sum()


def test_with_several_classes_the_margin_of_the_true_class_is_drawn():
    votes = np.array([[5, 1, 0], [5, 1, 0], [0, 0, -2], [2, 3, 9]])
    display = VoteDisplay.from_predictions([0, 1, 1, 2], votes)
    assert display._margins().tolist() == [4, -4, 0, 6]
    assert heights(display).sum() == 4
    assert "true class minus" in display.ax_.get_xlabel()
    bottoms = [[bar.get_y() for bar in bars] for bars in display.bars_]
    np.testing.assert_array_equal(bottoms[1], heights(display)[0])  # stacked, so that none hides another
    display.figure_.canvas.draw()


def test_a_class_without_rows_is_drawn_empty():
    display = VoteDisplay.from_predictions([1, 1], np.array([0, 3]), classes=[0, 1])
    assert heights(display).sum(axis=1).tolist() == [0, 2]


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@settings(max_examples=60, deadline=None)
@given(values=st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=20), bins=st.integers(1, 50))
def test_zero_is_always_an_edge_and_no_vote_is_left_out(dtype, values, bins):
    votes = np.array(values).astype(dtype) / (1 if dtype is np.int64 else 7)
    votes = votes.astype(dtype)
    edges = vote_edges(votes, bins)
    assert 0 in edges
    assert np.histogram(votes, edges)[0].sum() == len(votes)
    assert np.histogram(votes[votes < 0], edges)[0][edges[:-1] >= 0].sum() == 0


def test_the_lowest_vote_is_drawn_where_its_edge_is_rounded():
    votes = np.array([-1511 / 7])  # a third of it, three times, is a little more
    assert np.histogram(votes, vote_edges(votes, 3))[0].sum() == 1


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(ValueError, match="one label for each of the 3 rows. Got 2"):
        VoteDisplay.from_predictions([0, 1], np.zeros(3))
    with pytest.raises(ValueError, match="must contain only the classes \\[0, 1\\]. Got 7"):
        VoteDisplay.from_predictions([0, 7], np.zeros(2), classes=[0, 1])
    with pytest.raises(ValueError, match="one column for each of the 2 classes. Got 3"):
        VoteDisplay.from_predictions([0, 1], np.zeros((2, 3)))
    with pytest.raises(ValueError, match="'bins' parameter of VoteDisplay must be an int >= 1. Got 0"):
        VoteDisplay.from_predictions([0, 1], np.zeros(2), bins=0)
