"""Bands are of about equal size and hold every score once."""

import numpy as np
import pytest

from clausal.evaluation.metrics import bands


@pytest.mark.parametrize("n_scores", [1, 3, 10, 56, 1000])
def test_there_are_ten_bands_at_most_and_every_score_is_in_one(n_scores):
    found = list(bands(np.random.RandomState(n_scores).randint(1, 9, n_scores)))
    assert len(found) <= 10
    assert np.concatenate(found).tolist() == list(range(n_scores))


def test_bands_have_about_equal_numbers_of_rows():
    counts = np.random.RandomState(0).randint(1, 9, 500)
    sizes = [counts[band].sum() for band in bands(counts)]
    assert len(sizes) == 10
    assert max(sizes) - min(sizes) <= 16


def test_many_rows_of_one_score_make_a_band_of_their_own():
    assert [band.tolist() for band in bands(np.array([1, 1, 98, 1, 1]))] == [[0, 1], [2], [3, 4]]


def test_a_break_divides_a_band():
    breaks = np.array([False, True, False, False, False])
    assert [band.tolist() for band in bands(np.array([1, 1, 98, 1, 1]), breaks)] == [[0], [1], [2], [3, 4]]


def test_scores_without_rows_are_in_a_band_too():
    assert [band.tolist() for band in bands(np.array([0.0, 5.0, 0.0, 5.0, 0.0]))] == [[0], [1], [2], [3], [4]]
