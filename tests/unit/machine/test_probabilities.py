"""Votes to probabilities: the formulas' landmarks, and that more votes are never less probable."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.machine.probabilities import binary_probabilities, multiclass_probabilities


def test_two_classes_at_the_landmarks():
    votes = np.array([-1000, -11, -10, -1, 0, 10, 11, 1000])
    positive = binary_probabilities(votes, 10)[:, 1]
    expected = [0, 0, (1 - 9.5 / 10.5) / 2, (1 - 0.5 / 10.5) / 2, (1 + 0.5 / 10.5) / 2, 1, 1, 1]
    np.testing.assert_allclose(positive, expected)


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=20), st.integers(1, 2**46))
def test_two_classes_sum_to_one_rise_and_agree_with_the_sign(votes, threshold):
    votes = np.sort(np.array(votes, np.int64))
    probabilities = binary_probabilities(votes, threshold)
    assert probabilities.shape == (len(votes), 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert (np.diff(probabilities[:, 1]) >= 0).all()
    assert np.array_equal(probabilities[:, 1] > 0.5, votes >= 0)


@pytest.mark.parametrize(("n_classes", "r"), [(3, 1 / 3), (3, 0.8), (5, 0.2), (5, 0.5), (10, 0.05)])
def test_more_classes_undo_what_a_uniform_negative_does(n_classes, r):
    q = r / (r + (1 - r) / (n_classes - 1))  # where a bank settles for true probability r
    others = (1 - r) / (n_classes - 1)
    q_other = others / (others + (1 - others) / (n_classes - 1))
    threshold = 10**9  # so large that rounding votes to whole numbers does not show
    votes = np.rint(threshold * (2 * np.array([[q] + [q_other] * (n_classes - 1)]) - 1)).astype(np.int64)
    probabilities = multiclass_probabilities(votes, threshold, 1)
    np.testing.assert_allclose(probabilities[0], [r] + [others] * (n_classes - 1), rtol=1e-6)


@given(
    st.lists(st.lists(st.integers(-(10**6), 10**6), min_size=4, max_size=4), min_size=1, max_size=9),
    st.integers(1, 10**6),
)
def test_more_classes_sum_to_one_and_keep_the_order_of_votes(rows, threshold):
    votes = np.array(rows, np.int64)
    probabilities = multiclass_probabilities(votes, threshold, 1)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (probabilities > 0).all()
    for vote, probability in zip(votes, probabilities, strict=True):
        for i in range(4):
            for j in range(4):
                assert (vote[i] < vote[j]) == (probability[i] < probability[j])


def test_the_scale_of_real_weights_cancels():
    votes = np.array([[5, -3, 0], [100, 7, -20]])
    np.testing.assert_allclose(
        multiclass_probabilities(votes * 65536, 8 * 65536, 65536), multiclass_probabilities(votes, 8, 1)
    )
