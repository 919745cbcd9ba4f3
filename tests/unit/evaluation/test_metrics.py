"""Measures equal scikit-learn's; intervals behave."""

from importlib import import_module

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn import metrics as sk

from clausal.evaluation.metrics import BOOTSTRAP, WILSON, measure, wilson
from tests.support.evaluations import evaluation, random_evaluation


def test_wilsons_interval_is_the_published_one():
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson(10, 10)[1] == 1


def test_the_share_of_no_rows_is_not_defined():
    assert np.isnan(wilson(0, 0)).all()


@pytest.mark.parametrize("seed", range(3))
def test_measures_of_two_classes_are_scikit_learns(seed):
    e = random_evaluation(80, seed=seed)
    y, d, p = e.codes, e.decided, e.probabilities[:, 1]
    got = {m.name: m.value for m in measure(e).items}
    assert got == pytest.approx(
        {
            "Accuracy": sk.accuracy_score(y, d),
            "F1": sk.f1_score(y, d),
            "Precision": sk.precision_score(y, d),
            "Recall": sk.recall_score(y, d),
            "Specificity": sk.recall_score(y, d, pos_label=0),
            "Balanced accuracy": sk.balanced_accuracy_score(y, d),
            "ROC AUC": sk.roc_auc_score(y, e.votes),
            "Gini": 2 * sk.roc_auc_score(y, e.votes) - 1,
            "KS": ks_2samp(e.votes[y == 0], e.votes[y == 1]).statistic,
            "Brier score": sk.brier_score_loss(y, p),
            "Log loss": sk.log_loss(y, p),
        }
    )


@pytest.mark.parametrize("seed", range(3))
def test_measures_of_several_classes_are_scikit_learns(seed):
    e = random_evaluation(90, n_classes=4, seed=seed)
    y, d, p = e.codes, e.decided, e.probabilities
    got = {m.name: m.value for m in measure(e).items}
    truth = np.eye(4)[y]
    specificities = [sk.recall_score(y == k, d == k, pos_label=False) for k in range(4)]
    assert got == pytest.approx(
        {
            "Accuracy": sk.accuracy_score(y, d),
            "Balanced accuracy": sk.balanced_accuracy_score(y, d),
            "F1 (mean)": sk.f1_score(y, d, average="macro"),
            "Precision (mean)": sk.precision_score(y, d, average="macro"),
            "Specificity (mean)": np.mean(specificities),
            "ROC AUC (mean)": sk.roc_auc_score(y, p, multi_class="ovr"),
            "Brier score": ((p - truth) ** 2).sum(axis=1).mean(),
            "Log loss": sk.log_loss(y, p),
        }
    )


def test_a_probability_of_zero_for_the_truth_costs_what_it_costs_in_scikit_learn():
    e = evaluation([0, 1], np.array([-1000.0, -10000.0]))
    expected = sk.log_loss([0, 1], e.probabilities[:, 1])
    assert expected > 10
    assert measure(e)["Log loss"].value == pytest.approx(expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_intervals_hold_the_measure_and_narrow_with_more_rows(n_classes):
    few, many = (measure(random_evaluation(n, n_classes)) for n in (60, 3000))
    for metric in (*few.items, *many.items):
        assert metric.low <= metric.value <= metric.high, metric
    for less, more in zip(few.items, many.items, strict=True):
        assert more.high - more.low < (less.high - less.low) / 2


def test_a_bootstrapped_interval_is_about_as_wide_as_wilsons():
    e = random_evaluation(400)
    recalls = sk.recall_score(e.codes, e.decided), sk.recall_score(e.codes, e.decided, pos_label=0)
    spread = np.sqrt(sum(r * (1 - r) / n for r, n in zip(recalls, np.bincount(e.codes)[::-1], strict=True)))
    balanced = measure(e)["Balanced accuracy"]
    assert balanced.high - balanced.low == pytest.approx(2 * 1.96 * spread / 2, rel=0.1)


def test_shares_have_wilsons_interval_and_the_rest_says_bootstrap():
    methods = {m.name: m.method for m in measure(random_evaluation(50)).items}
    assert {name for name, method in methods.items() if method == WILSON} == {
        "Accuracy",
        "Precision",
        "Recall",
        "Specificity",
    }
    assert {m.method for m in measure(random_evaluation(50, 3)).items[1:]} == {BOOTSTRAP}


def test_a_ranking_by_chance_has_a_gini_around_0_and_a_ks_within_its_interval():
    random = np.random.RandomState(0)
    got = measure(evaluation(random.randint(2, size=2000), random.randn(2000)))
    assert got["Gini"].low < 0 < got["Gini"].high
    assert 0 <= got["KS"].low < got["KS"].value < got["KS"].high < 0.12


def test_a_model_that_ranks_the_wrong_way_round_has_the_same_ks():
    e = random_evaluation(200)
    assert measure(evaluation(e.codes, -e.votes))["KS"].value == pytest.approx(measure(e)["KS"].value)
    assert measure(evaluation(e.codes, -e.votes))["Gini"].value == pytest.approx(-measure(e)["Gini"].value)


def test_the_same_rows_have_the_same_intervals():
    assert measure(random_evaluation(70)) == measure(random_evaluation(70))


def test_what_the_data_do_not_allow_is_not_defined():
    all_negative = {m.name: m for m in measure(evaluation([0, 0, 0], [-1, -2, -1])).items}
    undefined = {name for name, metric in all_negative.items() if not metric.defined}
    assert undefined == {"Precision", "Recall", "F1", "ROC AUC", "Gini", "KS"}
    assert all_negative["Balanced accuracy"].value == 1  # of the classes there are


def test_a_class_that_is_absent_does_not_count_in_means():
    got = measure(evaluation([0, 1, 0, 1], [[3, 0, 0], [0, 3, 0], [3, 0, 0], [3, 0, 0]]))
    assert got["Balanced accuracy"].value == 0.75
    assert got["ROC AUC (mean)"].defined
    never_said = measure(evaluation([0, 1], [[3, 0, 0], [3, 0, 0]]))
    assert never_said["Precision (mean)"].value == 0.25  # of class b none is called so, which counts as 0


def test_many_distinct_votes_are_resampled_less_often_and_say_so(monkeypatch):
    assert measure(random_evaluation(50)).n_resamples == 1000
    monkeypatch.setattr(import_module("clausal.evaluation.metrics"), "_MAX_WORK", 10_000)
    assert measure(random_evaluation(50)).n_resamples == 200
