"""RuleClassifier with scikit-learn: scorers, pipelines, searches, tables of every library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline

import clausal
from clausal import Booleanizer
from clausal.datasets import load_breast_cancer
from tests.support.scorecards import machine, same_scorecard, scorecard
from tests.support.small_data import bits, table

X, Y = table()
Y = Y ^ (np.arange(len(Y)) % 9 == 0)  # some noise, so that folds and weights matter
X3, Y3 = table(n_classes=3)
N = len(Y)
FRAME = pd.DataFrame(X, columns=["age", "dose", "score"])


@pytest.mark.parametrize("scoring", ["f1", "accuracy", "balanced_accuracy", "roc_auc", "neg_log_loss"])
def test_any_scorer_chooses(scoring):
    of_three = {"f1": "f1_macro", "roc_auc": "roc_auc_ovr"}.get(scoring, scoring)
    for rows, labels, name in ((X, Y, scoring), (X3, Y3, of_three)):
        clf = scorecard(scoring=scoring).fit(rows, labels)
        assert clf.path_.scoring == name
        assert clf.score(rows, labels) > 0.6


def test_a_scorer_of_ones_own():
    def careful(estimator, X, y, sample_weight=None):
        wrong = estimator.predict(X) != y
        return -float(np.sum(sample_weight * wrong * np.where(y == 1, 50, 1)))

    clf, plain = (scorecard(scoring=scoring).fit(X, Y) for scoring in (careful, "accuracy"))
    assert clf.path_.scoring == "careful"
    missed, missed_by_plain = ((Y == 1) & (one.predict(X) == 0) for one in (clf, plain))
    assert missed.sum() < missed_by_plain.sum()


def test_a_class_too_rare_for_every_fold():
    labels = np.where(np.arange(N) < 3, "rare", "common")
    for scoring in ("f1", "roc_auc"):
        assert np.isfinite(scorecard(cv=5, scoring=scoring).fit(X, labels).path_.scores).all()


# --- composition ---


def test_pipeline_grid_search_and_calibration():
    pipeline = make_pipeline(Booleanizer(max_columns=4), scorecard(machine(booleanizer=None)))
    pipeline.fit(FRAME, Y)
    assert pipeline.score(FRAME, Y) > 0.7
    search = GridSearchCV(scorecard(), {"max_literals": [1, 3], "estimator__specificity": [2.0]}, cv=2)
    search.fit(X, Y)
    assert search.best_params_["max_literals"] in (1, 3)
    assert search.best_estimator_.n_literals_ <= search.best_params_["max_literals"]
    assert cross_val_predict(scorecard(), X, Y, cv=2, method="predict_proba").shape == (N, 2)
    assert CalibratedClassifierCV(scorecard(), cv=2).fit(X, Y).score(X, Y) > 0.7


def test_sample_weights_are_routed():
    weights = np.where(np.arange(N) % 3, 1.0, 3.0)
    expected = scorecard().fit(X, Y, sample_weight=weights)
    assert not same_scorecard(expected, scorecard().fit(X, Y))  # else nothing would be shown below
    with sklearn.config_context(enable_metadata_routing=True):
        clf = scorecard().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        assert set(clf.get_metadata_routing().fit.requests) == {"sample_weight"}
        pipeline = Pipeline([("clf", clone(clf))]).fit(X, Y, sample_weight=weights)
        params = {"sample_weight": weights}
        routed = cross_validate(clf, X, Y, cv=2, params=params, return_estimator=True, return_indices=True)
    assert same_scorecard(pipeline[-1], expected)
    for fitted, train in zip(routed["estimator"], routed["indices"]["train"], strict=True):
        assert same_scorecard(fitted, scorecard().fit(X[train], Y[train], sample_weight=weights[train]))


# --- containers and labels ---


def test_containers_give_the_same_scorecard():
    expected = scorecard().fit(X, Y)
    for rows in (X.tolist(), np.asfortranarray(X), X.astype(object)):
        assert same_scorecard(scorecard().fit(rows, Y), expected)
    named = scorecard().fit(FRAME, Y)
    np.testing.assert_array_equal(named.predict_proba(FRAME), expected.predict_proba(X))
    for rows in (pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)):
        twin = scorecard().fit(rows, Y)
        assert same_scorecard(twin, named)
        np.testing.assert_array_equal(twin.votes(rows), named.votes(FRAME))


def test_sparse_bits_are_bits():
    def boolean():
        return scorecard(machine(booleanizer=None))

    expected = boolean().fit(bits(), Y)
    for rows in (bits().astype(bool), sp.csr_matrix(bits()), sp.coo_array(bits()), sp.csc_array(bits())):
        assert same_scorecard(boolean().fit(rows, Y), expected)
        np.testing.assert_array_equal(boolean().fit(rows, Y).votes(rows), expected.votes(bits()))


def test_mixed_types_and_missing_values_in_any_library():
    frame, labels = load_breast_cancer(as_frame=True, return_X_y=True)
    frame = frame.iloc[100:220].reset_index(drop=True).astype(str).assign(age=np.arange(120) % 7)
    frame, labels = frame.where(frame != "nan", None), labels[100:220]
    assert frame.isna().any().any()
    expected = scorecard().fit(frame, labels)
    for rows in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert same_scorecard(scorecard().fit(rows, labels), expected)


def test_output_settings_do_not_reach_the_scorecard():
    expected = scorecard().fit(FRAME, Y)
    with sklearn.config_context(transform_output="pandas"):
        twin = scorecard().fit(FRAME, Y)
        np.testing.assert_array_equal(twin.votes(FRAME), expected.votes(FRAME))
    assert same_scorecard(twin, expected)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"])[Y],
        ["b" if label else "a" for label in Y],
        Y.astype(bool),
        Y * 7 - 3,
        Y.astype(float),
        pd.Series(Y == 1, dtype="boolean"),
        pd.Series(np.array(["no", "yes"])[Y], dtype="category"),
        pl.Series(np.array(["no", "yes"])[Y].tolist()),
    ],
    ids=lambda labels: f"{type(labels).__module__}-{getattr(labels, 'dtype', 'list')}",
)
def test_labels_of_any_kind_come_back_as_they_were(labels):
    clf = scorecard().fit(X, labels)
    np.testing.assert_array_equal(clf.votes(X), scorecard().fit(X, Y).votes(X))
    plain = np.asarray(labels).tolist()
    assert clf.classes_.tolist() == sorted(set(plain))
    assert {type(label) for label in clf.predict(X).tolist()} == {type(label) for label in plain}


def test_the_names_are_public():
    for name in ("RuleClassifier", "compact", "compaction_path", "CompactionPath", "RiskTable", "load"):
        assert name in clausal.__all__
