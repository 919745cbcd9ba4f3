"""Calibration bins hold every row once and keep equal probabilities together."""

from itertools import pairwise

import numpy as np
import pytest

from clausal.evaluation.metrics import calibrate, wilson
from tests.support.evaluations import evaluation, random_evaluation


@pytest.mark.parametrize("n_classes", [2, 3])
def test_bins_hold_every_row_once_by_rising_probability(n_classes):
    e = random_evaluation(500, n_classes)
    bins = calibrate(e)
    assert 5 <= len(bins) <= 10
    assert sum(b.count for b in bins) == 500
    for b, after in pairwise(bins):
        assert b.high < after.low
    for b in bins:
        assert b.low <= b.predicted <= b.high
        assert (b.observed_low, b.observed_high) == wilson(b.observed * b.count, b.count)
    right = e.codes == 1 if n_classes == 2 else e.codes == e.decided
    assert sum(b.observed * b.count for b in bins) == pytest.approx(right.sum())


def test_rows_of_one_probability_stay_together():
    (only,) = calibrate(evaluation([0, 1, 1, 1], [2, 2, 2, 2]))
    assert (only.count, only.observed, only.low) == (4, 0.75, only.high)


def test_few_scores_make_as_many_bins():
    bins = calibrate(evaluation(np.arange(90) % 2, np.repeat([-4, 0, 4], 30)))
    assert [b.count for b in bins] == [30, 30, 30]
    assert [round(b.predicted, 3) for b in bins] == [0.269, 0.5, 0.731]
