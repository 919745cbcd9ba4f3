"""The classifier as a scikit-learn citizen: its checks, routing, composition, containers, labels, threads."""

import copy
import pickle
import threading

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import estimator_checks, get_tags

from clausal import Booleanizer, TsetlinClassifier, load
from tests.support.small_data import bits, quick, same_model, table

X, Y = table()
X3, Y3 = table(n_classes=3)
N = len(Y)
FRAME = pd.DataFrame(X, columns=["age", "dose", "score"])

# --- scikit-learn's own checks ---

SMALL = {"n_clauses": 20, "threshold": 20, "specificity": 2.0, "n_epochs": 15}
VARIANTS = [
    {},  # the defaults
    {**SMALL, "weighting": "none", "n_clauses": 40, "threshold": 10},
    {**SMALL, "weighting": "real"},
    {**SMALL, "sharing": "clauses"},
    {**SMALL, "n_jobs": 2},
    {**SMALL, "booleanizer": "paper"},
    {**SMALL, "booleanizer": Booleanizer(handle_missing="as_false")},
    {**SMALL, "early_stopping": True, "validation_fraction": 0.3},
]
NO_EPOCHS = "partial_fit refuses early_stopping=True, as scikit-learn's own estimators do"
REFUSED_BY_PARTIAL_FIT = {
    "check_fit_score_takes_y": NO_EPOCHS,
    "check_n_features_in_after_fitting": NO_EPOCHS,
    "check_estimators_partial_fit_n_features": NO_EPOCHS,
}


@pytest.mark.parametrize("params", VARIANTS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass(params):
    expected = REFUSED_BY_PARTIAL_FIT if params.get("early_stopping") else {}
    clf = TsetlinClassifier(**params)
    results = estimator_checks.check_estimator(
        clf, expected_failed_checks=expected, on_skip=None, on_fail=None
    )
    by_status = {status: {} for status in ("passed", "skipped", "xfail", "failed")}
    for result in results:
        by_status[result["status"]][result["check_name"]] = result["exception"]
    assert by_status["failed"] == {}
    assert set(by_status["xfail"]) == set(expected)
    assert set(by_status["skipped"]) <= {
        "check_array_api_input"
    }  # it wants SCIPY_ARRAY_API in the environment
    assert len(by_status["passed"]) > 50


@pytest.mark.parametrize(
    "check",
    [
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
        "check_set_output_transform_pandas",
        "check_set_output_transform_polars",
        "check_global_output_transform_pandas",
        "check_global_set_output_transform_polars",
    ],
)
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names:UserWarning")
def test_checks_that_scikit_learn_keeps_for_its_own_estimators(check):
    getattr(estimator_checks, check)("TsetlinClassifier", quick())


@pytest.mark.parametrize(
    ("booleanizer", "anything"),
    [("auto", True), ("paper", True), (Booleanizer(), True), (None, False), (Booleanizer("boolean"), False)],
)
def test_tags(booleanizer, anything):
    tags = get_tags(quick(booleanizer=booleanizer))
    assert tags.estimator_type == "classifier"
    assert tags.target_tags.required
    assert tags.classifier_tags.multi_class
    assert (tags.input_tags.allow_nan, tags.input_tags.string) == (anything, anything)


# --- parameters ---


def test_parameters_go_round():
    params = {"n_clauses": 12, "specificity": (1.5, 3.0), "booleanizer": Booleanizer(max_columns=3)}
    clf = quick(**params)
    assert clf.get_params(deep=False).items() >= params.items()
    assert clf.get_params()["booleanizer__max_columns"] == 3
    again = TsetlinClassifier().set_params(**clf.get_params(deep=False))
    assert again.get_params() == clf.get_params()
    clf.set_params(booleanizer__max_columns=5, threshold=9)
    assert (clf.booleanizer.max_columns, clf.threshold) == (5, 9)
    with pytest.raises(ValueError, match="Invalid parameter 'clauses'"):
        clf.set_params(clauses=3)


def test_clone_takes_the_parameters_and_nothing_learned():
    fitted = quick(booleanizer=Booleanizer(max_columns=3)).fit(X, Y)
    twin = clone(fitted)
    assert set(vars(twin)) == set(twin.get_params(deep=False))
    assert same_model(twin.fit(X, Y), fitted)


def test_fit_does_not_touch_its_parameters():
    booleanizer, class_weight = Booleanizer(max_columns=3), {0: 2.0}
    quick(booleanizer=booleanizer, class_weight=class_weight).fit(X, Y)
    assert not hasattr(booleanizer, "columns_")
    assert class_weight == {0: 2.0}


# --- copies ---


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda c: pickle.loads(pickle.dumps(c))])
@pytest.mark.parametrize("params", [{}, {"weighting": "real"}])
def test_copies_predict_and_go_on_alike(copied, params):
    fitted = quick(**params).fit(FRAME, Y)
    fitted.predict(FRAME)  # fills what the model caches
    twin = copied(fitted)
    np.testing.assert_array_equal(twin.votes(FRAME), fitted.votes(FRAME))
    assert not twin.model_.states.flags.writeable
    assert str(twin.rules_) == str(fitted.rules_)
    assert same_model(twin.partial_fit(FRAME, Y), fitted.partial_fit(FRAME, Y))


# --- composition ---


def test_pipeline_with_a_booleanizer():
    pipeline = make_pipeline(Booleanizer("paper"), quick(booleanizer=None)).fit(FRAME, Y)
    direct = quick(booleanizer="paper").fit(FRAME, Y)
    np.testing.assert_array_equal(pipeline.decision_function(FRAME), direct.decision_function(FRAME))


def test_column_transformer():
    frame = FRAME.assign(town=np.array(["Oslo", "Bergen", "Grimstad"])[Y3])
    parts = ColumnTransformer(
        [("paper", Booleanizer("paper"), ["age"]), ("auto", Booleanizer(max_columns=4), ["dose", "town"])]
    ).set_output(transform="pandas")
    pipeline = make_pipeline(parts, quick(booleanizer=None)).fit(frame, Y)
    assert pipeline.score(frame, Y) > 0.5
    assert any("paper__age <= " in str(rule) for rule in pipeline[-1].rules_)


def test_grid_search():
    grid = {"specificity": [2.0, 3.0, (1.5, 5.0)], "weighting": np.array(["integer", "none"])}
    search = GridSearchCV(quick(), grid, cv=3).fit(X, Y)
    assert len(search.cv_results_["params"]) == 6
    assert search.best_score_ > 0.5
    assert search.predict(X).shape == (N,)
    nested = GridSearchCV(quick(booleanizer=Booleanizer()), {"booleanizer__max_columns": [2, 9]}, cv=3).fit(
        X, Y
    )
    assert nested.best_estimator_.encoding_.choice.max_columns in (2, 9)


@pytest.mark.parametrize(("data", "shape"), [((X, Y), (N, 2)), ((X3, Y3), (N, 3))])
def test_cross_val_predict_calibration_voting_and_one_vs_rest(data, shape):
    rows, labels = data
    probabilities = cross_val_predict(quick(), rows, labels, cv=3, method="predict_proba")
    assert probabilities.shape == shape
    for combined in (
        CalibratedClassifierCV(quick(), cv=3),
        VotingClassifier([("a", quick()), ("b", quick(random_state=1))], voting="soft"),
        OneVsRestClassifier(quick()),
    ):
        combined.fit(rows, labels)
        np.testing.assert_allclose(combined.predict_proba(rows).sum(axis=1), 1)
        assert combined.score(rows, labels) > 0.6


# --- metadata routing ---


def test_requests_exist():
    clf = quick()
    with sklearn.config_context(enable_metadata_routing=True):
        clf.set_fit_request(sample_weight=True, eval_set=False, callbacks=False, checkpoint=False)
        clf.set_partial_fit_request(sample_weight=True, classes=True)
        clf.set_score_request(sample_weight=True)
        requests = clf.get_metadata_routing()
    assert set(requests.fit.requests) == {"sample_weight", "eval_set", "callbacks", "checkpoint"}
    assert set(requests.partial_fit.requests) == {"sample_weight", "classes"}
    assert set(requests.score.requests) == {"sample_weight"}


def test_sample_weights_are_routed():
    weights = np.where(np.arange(N) % 3, 1.0, 3.0)
    expected = quick().fit(X, Y, sample_weight=weights)
    assert not same_model(expected, quick().fit(X, Y))  # else nothing would be shown below
    with sklearn.config_context(enable_metadata_routing=True):
        clf = quick().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = Pipeline([("clf", clone(clf))]).fit(X, Y, sample_weight=weights)
        search = GridSearchCV(clf, {"specificity": [3.0]}, cv=3).fit(X, Y, sample_weight=weights)
        params = {"sample_weight": weights}
        routed = cross_validate(clf, X, Y, cv=3, params=params, return_estimator=True, return_indices=True)
    assert same_model(pipeline[-1], expected)
    assert same_model(search.best_estimator_, expected)
    for fitted, train, test, score in zip(
        routed["estimator"],
        routed["indices"]["train"],
        routed["indices"]["test"],
        routed["test_score"],
        strict=True,
    ):
        assert same_model(fitted, quick().fit(X[train], Y[train], sample_weight=weights[train]))
        assert score == pytest.approx(fitted.score(X[test], Y[test], sample_weight=weights[test]))


# --- containers in and out ---


def test_containers_give_the_same_model_bit_for_bit():
    expected = quick().fit(X, Y)
    for rows in (FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME), X.tolist(), np.asfortranarray(X)):
        assert same_model(quick().fit(rows, Y), expected)
    assert same_model(quick().fit(np.repeat(X, 2, axis=0)[::2], Y), expected)  # a view with strides
    boolean = quick(booleanizer=None).fit(bits(), Y)
    for rows in (bits().astype(bool), bits().astype(float), sp.csr_matrix(bits()), sp.coo_array(bits())):
        assert same_model(quick(booleanizer=None).fit(rows, Y), boolean)


def test_names_and_counts_of_features():
    clf = quick().fit(FRAME, Y)
    assert clf.feature_names_in_.tolist() == ["age", "dose", "score"]
    assert clf.n_features_in_ == 3
    clf.fit(X[:, :2], Y)  # a further fit forgets the names
    assert not hasattr(clf, "feature_names_in_")
    assert clf.n_features_in_ == 2
    assert {column.feature for column in clf.columns_} <= {"x0", "x1"}


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"])[Y],
        np.array(["no", "yes"], dtype=object)[Y],
        ["b" if label else "a" for label in Y],
        Y.astype(bool),
        [bool(label) for label in Y],
        Y * 7 - 3,
        Y.astype(np.uint8),
        Y.astype(float),
        pd.Series(Y, dtype="Int64"),
        pd.Series(Y == 1, dtype="boolean"),
        pd.Series(np.array(["no", "yes"])[Y], dtype="category"),
        pl.Series(np.array(["no", "yes"])[Y].tolist()),
        pa.array(np.array(["no", "yes"])[Y].tolist()),
    ],
    ids=lambda labels: f"{type(labels).__module__}-{getattr(labels, 'dtype', 'list')}",
)
def test_labels_of_any_kind_come_back_as_they_were(labels):
    clf = quick(n_epochs=10).fit(X, labels)
    assert same_model(clf, quick(n_epochs=10).fit(X, Y))
    plain = np.asarray(labels).tolist()
    assert clf.classes_.tolist() == sorted(set(plain))
    predicted = clf.predict(X).tolist()
    assert {type(label) for label in predicted} == {type(label) for label in plain}
    assert clf.score(X, labels) == np.mean([a == b for a, b in zip(predicted, plain, strict=True)])


def test_numbers_kept_as_objects_are_numbers():
    clf = quick().fit(X, Y.astype(object))  # scikit-learn's own metrics refuse such labels, so no score
    assert clf.classes_.dtype == np.int64
    assert clf.predict(X).dtype == np.int64


@pytest.mark.parametrize(("library", "frame_type"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(library, frame_type):
    clf = quick().set_output(transform=library).fit(FRAME, Y)
    out = clf.transform(FRAME)
    assert isinstance(out, frame_type)
    assert list(out.columns) == [f"clause{j}" for j in range(10)] == clf.get_feature_names_out().tolist()
    np.testing.assert_array_equal(out.to_numpy(), clf.set_output(transform="default").transform(FRAME))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_settings_do_not_reach_the_machine(library, tmp_path):
    own = quick(booleanizer=Booleanizer("boolean").set_output(transform=library)).fit(
        sp.csr_matrix(bits()), Y
    )
    plain = quick(booleanizer=None).fit(bits(), Y)
    plain.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    with sklearn.config_context(transform_output=library):
        anywhere = quick(booleanizer=None).fit(sp.csr_matrix(bits()), Y)
        for clf in (own, anywhere, plain, loaded):
            np.testing.assert_array_equal(clf.votes(sp.csr_matrix(bits())), clf.votes(bits()))
    assert same_model(own, plain)
    assert same_model(anywhere, plain)


def test_names_of_clauses():
    names = quick().fit(X3, np.array(["a", "b", "c"])[Y3]).get_feature_names_out()
    assert names.tolist() == [f"{label}_clause{j}" for label in "abc" for j in range(10)]
    with pytest.raises(ValueError, match=r"input_features should have length equal .*3.* Got 1"):
        quick().fit(X, Y).get_feature_names_out(["one"])


# --- threads ---


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_predicting_from_many_threads(n_jobs):
    clf = quick(n_clauses=40, n_jobs=n_jobs).fit(X3, Y3)
    rows = np.tile(X3, (20, 1))
    expected = clone(clf).fit(X3, Y3).votes(rows)
    barrier = threading.Barrier(8)

    def predict():
        barrier.wait(timeout=30)  # all at once, while nothing is cached yet
        return clf.votes(rows)

    results = joblib.Parallel(n_jobs=8, backend="threading")(joblib.delayed(predict)() for _ in range(8))
    assert all(np.array_equal(votes, expected) for votes in results)


def test_fitting_in_many_threads():
    seeds = range(8)
    fits = joblib.Parallel(n_jobs=8, backend="threading")(
        joblib.delayed(quick(random_state=seed).fit)(X3, Y3) for seed in seeds
    )
    assert all(
        same_model(clf, quick(random_state=seed).fit(X3, Y3)) for clf, seed in zip(fits, seeds, strict=True)
    )
