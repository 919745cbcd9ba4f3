"""Monitoring says stable of the same rows, and finds what has changed."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import clausal
from clausal import Scorecard, monitor
from tests.support.periods import groups, labels, period, scorecard

CARD = scorecard()
REFERENCE, CURRENT = period(1500, seed=1), period(1200, seed=2)


def of_part(result, part):
    return [check for check in result.checks if check.part == part]


def test_rows_of_the_same_kind_are_stable():
    result = monitor(CARD, REFERENCE, CURRENT, labels(CARD, REFERENCE, 3), labels(CARD, CURRENT, 4))
    assert result.verdict == "stable"
    assert {check.verdict for check in result.checks} == {"stable"}
    assert {check.part for check in result.checks} == {
        *("feature", "rule", "score", "decision", "class", "calibration", "discrimination")
    }
    assert "with 1,500 and 1,200 rows, a psi of" in str(result).lower()


def test_alarms_without_a_change_are_rare():
    alarms = 0
    for seed in range(30):
        one, two = period(300, seed=10 + seed), period(300, seed=50 + seed)
        result = monitor(CARD, one, two, labels(CARD, one, seed), labels(CARD, two, 100 + seed))
        alarms += any(check.p_adjusted <= 0.05 for check in result.checks)
    assert alarms <= 4


def test_a_shift_of_a_feature_is_found_where_it_matters():
    result = monitor(CARD, REFERENCE, period(1200, seed=2, older=12))
    assert result.verdict == "act"
    (age,) = (check for check in of_part(result, "feature") if check.name == "age")
    assert age.verdict == "act"
    assert age.low > 0.25
    (rule,) = (check for check in of_part(result, "rule") if check.name == "age <= 40")
    assert rule.verdict == "act"
    assert rule.reference > rule.current
    assert [c.verdict for c in of_part(result, "feature") if c.name in ("own", "state")] == ["stable"] * 2


def test_a_risk_that_has_doubled_is_found_by_calibration_alone():
    y = labels(CARD, CURRENT, 4, shift=1.0)
    result = monitor(CARD, REFERENCE, CURRENT, None, y)
    (check,) = of_part(result, "calibration")
    assert (check.verdict, math.isnan(check.reference)) == ("act", True)
    assert check.value == pytest.approx((y == "yes").sum() / CARD.predict_proba(CURRENT)[:, 1].sum())
    assert all(c.verdict == "stable" for part in ("feature", "rule", "score") for c in of_part(result, part))
    assert [c.verdict for c in of_part(result, "discrimination")] == [None] * 3


def test_a_model_that_was_never_calibrated_is_compared_with_its_reference():
    poor = Scorecard(CARD.rules_, slope=0.5, offset=1.0)
    y = labels(CARD, REFERENCE, 3), labels(CARD, CURRENT, 4)
    (alone,) = of_part(monitor(poor, REFERENCE, CURRENT, None, y[1]), "calibration")
    (compared,) = of_part(monitor(poor, REFERENCE, CURRENT, *y), "calibration")
    assert (alone.verdict, compared.verdict) == ("act", "stable")
    assert compared.reference < 0.8


def test_lost_discrimination_is_found():
    random = np.random.RandomState(0)
    y = labels(CARD, CURRENT, 4)
    result = monitor(CARD, REFERENCE, CURRENT, labels(CARD, REFERENCE, 3), random.permutation(y))
    area, loss, brier = of_part(result, "discrimination")
    assert (area.verdict, area.value < -0.1) == ("act", True)
    assert loss.verdict in ("watch", "act")
    assert brier.value > 0


def test_classes_that_are_not_known_yet_count_for_the_rows_alone():
    y = pd.Series(labels(CARD, CURRENT, 4)).where(np.arange(len(CURRENT)) < 400)
    result = monitor(CARD, REFERENCE, CURRENT, labels(CARD, REFERENCE, 3), y)
    assert {figure.rows for figure in result.figures if figure.of == "current"} == {400}
    assert sum(band.rows for band in result.bands) == 400
    assert result.n_current == 1200
    none = monitor(CARD, REFERENCE, CURRENT, None, [None] * 1200)
    assert none.figures == ()
    assert all(math.isnan(band.observed.value) for band in none.bands)


def test_new_and_missing_values_have_checks_of_their_own():
    X = CURRENT.copy()
    X.loc[:99, "state"] = "moon"
    X.loc[:149, "age"] = np.nan
    result = monitor(CARD, REFERENCE, X)
    assert [(c.name, c.verdict) for c in of_part(result, "new values")] == [("state", "act")]
    assert [(c.name, c.verdict) for c in of_part(result, "missing")] == [("age", "act")]
    assert "new values of state: moon (100)" in str(result)


def test_three_classes_and_bands_of_probabilities():
    card = scorecard(("a", "b", "c"))
    y = labels(card, REFERENCE, 3), labels(card, CURRENT, 4)
    result = monitor(card, REFERENCE, CURRENT, *y)
    assert result.verdict == "stable"
    assert [check.name for check in of_part(result, "calibration")] == ["a", "b", "c"]
    assert result.bands[0].name.endswith("% or less")
    assert sum(band.current.value for band in result.bands) == pytest.approx(1)


def test_results_are_the_same_again_and_make_frames():
    first, second = (monitor(CARD, REFERENCE, CURRENT, bins="values") for _ in range(2))
    assert str(first) == str(second)
    frame = first.to_frame("pandas")
    assert len(frame) == len(first.checks)
    assert list(frame.columns[:3]) == ["part", "name", "measure"]
    bins = first.bins_to_frame("polars")
    assert bins.filter(bins["part"] == "score")["current"].sum() == 1200


def test_a_protected_column_gives_the_figures_of_groups():
    result = monitor(CARD, REFERENCE, CURRENT, None, labels(CARD, CURRENT, 4), protected=groups(1200))
    assert result.fairness is not None
    assert list(result.fairness.groups) == ["f", "m"] or list(result.fairness.groups) == ["m", "f"]


def test_machines_and_sparse_tables_are_monitored():
    random = np.random.RandomState(0)
    X = sparse.csr_matrix(random.rand(200, 6) < 0.3)
    y = np.asarray(X[:, 0].todense()).ravel().astype(int)
    clf = clausal.TsetlinClassifier(10, threshold=5, specificity=3.0, n_epochs=5, random_state=0).fit(X, y)
    result = monitor(clf, X[:100], X[100:], y[:100], y[100:], bins="values")
    assert result.verdict == "stable"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bins": "deciles"}, "The 'bins' parameter of monitor must be 'rules' or 'values'. Got 'deciles'."),
        ({"current": CURRENT[:0]}, "0 sample|at least one row"),
        ({"y_current": ["no"]}, "y_current must have one label for each of the 1200 rows of X. Got 1."),
        ({"reference": REFERENCE.drop(columns="age")}, "reference must have the columns that the rules test"),
        ({"model": CARD.rules_}, "The model of monitor must be"),
        (
            {"protected": "age"},
            "protected must be a column that no rule tests. Got 'age', which the model uses.",
        ),
        ({"protected": ["f"]}, "protected must have one group for each of the 1200 rows. Got 1."),
    ],
)
def test_wrong_arguments_are_named(change, message):
    given = {"model": CARD, "reference": REFERENCE, "current": CURRENT, **change}
    with pytest.raises((ValueError, TypeError), match=message):
        monitor(**given)
