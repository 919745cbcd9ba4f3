"""Noisy XOR: the labels, the noise, the seed and the errors."""

from __future__ import annotations

import re

import numpy as np
import pytest

from clausal.datasets import make_noisy_xor


def test_defaults():
    X, y = make_noisy_xor()
    assert X.shape == (5000, 12)
    assert X.dtype == np.uint8
    assert y.shape == (5000,)
    assert y.dtype == np.int64
    assert set(np.unique(X)) == set(np.unique(y)) == {0, 1}


def test_without_noise_the_label_is_the_xor_of_the_first_two():
    X, y = make_noisy_xor(500, n_features=2, noise=0, random_state=1)
    np.testing.assert_array_equal(y, X[:, 0] != X[:, 1])


def test_with_noise_1_every_label_is_flipped():
    X, y = make_noisy_xor(500, noise=1.0, random_state=1)
    np.testing.assert_array_equal(y, X[:, 0] == X[:, 1])


@pytest.mark.parametrize("noise", [0.1, 0.4])
def test_share_of_flipped_labels(noise):
    X, y = make_noisy_xor(20_000, noise=noise, random_state=2)
    flipped = y != (X[:, 0] ^ X[:, 1])
    assert abs(flipped.mean() - noise) < 0.02  # more than five standard errors
    for column in range(12):  # the flips depend on no feature
        assert abs(flipped[X[:, column] == 1].mean() - noise) < 0.03


def test_bits_are_fair_and_independent():
    X, _ = make_noisy_xor(20_000, random_state=3)
    assert np.abs(X.mean(axis=0) - 0.5).max() < 0.02
    correlations = np.corrcoef(X.T) - np.eye(12)
    assert np.abs(correlations).max() < 0.05


def test_seed():
    X, y = make_noisy_xor(50, random_state=7)
    same_X, same_y = make_noisy_xor(50, random_state=np.random.RandomState(7))
    np.testing.assert_array_equal(X, same_X)
    np.testing.assert_array_equal(y, same_y)
    assert (make_noisy_xor(50, random_state=8)[0] != X).any()
    np.testing.assert_array_equal(make_noisy_xor(50, random_state=np.int64(7))[0], X)


def test_noise_does_not_change_the_features():
    np.testing.assert_array_equal(
        make_noisy_xor(50, noise=0, random_state=7)[0], make_noisy_xor(50, random_state=7)[0]
    )


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"n_samples": 0}, "an int >= 1. Got 0."),
        ({"n_samples": 10.0}, "an int >= 1. Got 10.0."),
        ({"n_features": 1}, "an int >= 2. Got 1."),
        ({"n_features": True}, "an int >= 2. Got True."),
        ({"noise": -0.1}, "a number >= 0 and <= 1. Got -0.1."),
        ({"noise": 1.5}, "a number >= 0 and <= 1. Got 1.5."),
        ({"noise": float("nan")}, "a number >= 0 and <= 1. Got nan."),
        ({"random_state": "x"}, "an int from 0 to 4294967295 or a RandomState or None. Got 'x'."),
        ({"random_state": -1}, "an int from 0 to 4294967295 or a RandomState or None. Got -1."),
    ],
)
def test_bad_arguments(arguments, rule):
    (name,) = arguments
    expected = f"The '{name}' parameter of make_noisy_xor must be {rule}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        make_noisy_xor(**arguments)
