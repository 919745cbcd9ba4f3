"""Intervals and tests equal the published ones, or hold what they promise on drawn samples."""

import math

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact
from sklearn.metrics import mean_pinball_loss, roc_auc_score

from clausal.evaluation import intervals
from clausal.evaluation.intervals import (
    area,
    area_interval,
    calibration_ratio,
    equal_shares_p,
    holm,
    ratio_of,
    share_difference,
    share_ratio,
    sign_test,
    smallest_index,
    stability_index,
)


def counts(*numbers):
    return np.array(numbers, np.int64)


def test_holms_method_is_the_published_one():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, math.nan, 0.9])[::2] == [1.0, 1.0]
    assert math.isnan(holm([0.9, math.nan])[1])


def test_newcombes_interval_is_the_published_one():
    found = share_difference(56, 70, 48, 80)
    assert found.interval == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


def test_a_ratio_of_shares_has_an_interval_even_without_a_case():
    ratio, low, high = share_ratio(0, 50, 10, 50)
    assert (ratio, low) == (0, 0)
    assert 0 < high < 1
    assert math.isnan(share_ratio(5, 50, 0, 50).value)


def test_the_stability_index_is_its_formula():
    p, q = np.array([200.5, 300.5]) / 501, np.array([100.5, 400.5]) / 501
    found = stability_index(counts(200, 300), counts(100, 400))
    assert found.value == pytest.approx(((q - p) * np.log(q / p)).sum())
    assert found.low < found.value < found.high
    assert found.p < 1e-6
    assert math.isnan(stability_index(counts(0, 0), counts(1, 2)).value)


@pytest.mark.parametrize("effect", [0.0, 0.3, 0.8])
def test_the_interval_of_the_index_covers_the_true_one(effect):
    random = np.random.RandomState(0)
    p = np.full(5, 0.2)
    q = p * np.exp(effect * np.linspace(-1, 1, 5))
    q /= q.sum()
    true = float(((q - p) * np.log(q / p)).sum())
    covered = 0
    for _ in range(200):
        found = stability_index(random.multinomial(800, p), random.multinomial(400, q))
        covered += found.low <= true <= found.high
    assert covered >= 182  # 91 %


def test_equal_shares_are_tested_as_scipy_does():
    table = counts(30, 40, 50), counts(60, 30, 40)
    assert equal_shares_p(*table) == pytest.approx(chi2_contingency(np.array(table), correction=False).pvalue)
    rare = counts(1, 99), counts(6, 54)
    assert equal_shares_p(*rare) == pytest.approx(fisher_exact(np.array(rare)).pvalue)
    assert equal_shares_p(counts(5, 0), counts(9, 0)) == 1.0


def test_rare_bins_are_put_together_before_they_are_tested():
    many = np.array([500, *[1] * 40]), np.array([500, *[1] * 40])
    assert equal_shares_p(*many) > 0.9
    assert equal_shares_p(counts(0, 0, 90, 10), counts(1, 1, 88, 10)) > 0.05


def test_the_smallest_index_is_found_in_four_of_five_cases():
    n, m, level = 900, 600, 0.01
    index = smallest_index(n, m, 2, level)
    q = 0.5 + math.sqrt(index) / 2  # the index of 0.5 and 0.5 + d is nearly 4 d squared
    random, found = np.random.RandomState(1), 0
    for _ in range(400):
        a, b = random.binomial(n, 0.5), random.binomial(m, q)
        found += equal_shares_p(counts(a, n - a), counts(b, m - b)) <= level
    assert 0.72 < found / 400 < 0.88


def test_the_area_is_scikit_learns_and_its_error_that_of_samples():
    random = np.random.RandomState(0)
    true = random.rand(300) < 0.4
    scores = np.round(random.randn(300) + true, 1)
    value, error = area(scores, true)
    assert value == pytest.approx(roc_auc_score(true, scores))
    drawn = [roc_auc_score(true[rows], scores[rows]) for rows in random.randint(300, size=(200, 300))]
    assert error == pytest.approx(np.std(drawn), rel=0.2)
    low, high = area_interval(value, error)[1:]
    assert 0 < low < value < high < 1
    assert math.isnan(area(scores, np.zeros(300, bool))[0])


def test_calibration_divides_observed_by_expected_rows():
    p = np.full(400, 0.25)
    true = np.arange(400) < 130
    found = calibration_ratio(p, true)
    assert found.value == pytest.approx(1.3)
    assert found.low > 1.05
    assert found.p < 0.001
    same = ratio_of(found, found)
    assert same.value == 1.0
    assert same.low < 1 < same.high
    assert same.p == 1.0
    assert math.isnan(calibration_ratio(p[:0], true[:0]).value)


def test_the_sign_test_is_exact():
    assert sign_test(1, 9) == pytest.approx(0.021484375)
    assert math.isnan(sign_test(0, 0))


def test_the_mean_of_one_value_has_no_error():
    value, error = intervals.mean(np.array([2.0]))
    assert (value, math.isnan(error)) == (2.0, True)
    assert math.isnan(intervals.difference((1.0, 0.1), (math.nan, math.nan)).p)


def test_measures_of_numbers_are_those_of_scikit_learn_and_within_their_intervals():
    from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

    rng = np.random.default_rng(0)
    y, predicted = rng.normal(size=80), rng.normal(size=80)
    found = intervals.number_measures(y, predicted)
    values = {name: numbers[0] for name, numbers in found.items()}
    assert values == {
        "R²": pytest.approx(r2_score(y, predicted)),
        "RMSE": pytest.approx(root_mean_squared_error(y, predicted)),
        "MAE": pytest.approx(mean_absolute_error(y, predicted)),
    }
    assert all(low < value < high for value, low, high in found.values())
    assert "R²" not in intervals.number_measures(np.ones(3), np.arange(3.0))


def test_measures_of_a_quantile():
    y, predicted = np.arange(10.0), np.full(10, 7.0)
    found = intervals.number_measures(y, predicted, 0.9)
    assert list(found) == ["Share not above", "Quantile loss"]
    assert found["Share not above"] == intervals.share(8, 10)
    assert found["Quantile loss"][0] == pytest.approx(mean_pinball_loss(y, predicted, alpha=0.9))
    assert found["Quantile loss"][1] < found["Quantile loss"][0] < found["Quantile loss"][2]
