"""RuleClassifier as a scikit-learn citizen: routing, composition, containers, labels, parameters."""

import copy
import pickle
from contextlib import contextmanager

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from sklearn.utils import get_tags
from threadpoolctl import threadpool_info, threadpool_limits

import clausal
from clausal import Booleanizer, RuleClassifier, compact
from clausal.scorecard import parameters
from clausal.scorecard.search_space import SEARCHES
from tests.support.scorecards import machine, same_scorecard, scorecard
from tests.support.small_data import table

X, Y = table()
Y = Y ^ (np.arange(len(Y)) % 9 == 0)  # some noise, so that folds and weights matter
X3, Y3 = table(n_classes=3)
N = len(Y)
FRAME = pd.DataFrame(X, columns=["age", "dose", "score"])

# --- what it says of itself ---


@pytest.mark.parametrize(
    ("booleanizer", "anything"), [("auto", True), ("paper", True), (None, False), (Booleanizer(), True)]
)
def test_tags(booleanizer, anything):
    for clf in (RuleClassifier(booleanizer=booleanizer), RuleClassifier(machine(booleanizer=booleanizer))):
        tags = get_tags(clf)
        assert tags.estimator_type == "classifier"
        assert tags.target_tags.required
        assert tags.classifier_tags.multi_class
        assert (tags.input_tags.allow_nan, tags.input_tags.string) == (anything, anything)


def test_nothing_is_predicted_before_a_fit():
    clf = RuleClassifier()
    for method in ("votes", "predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(clf, method)(X)
    with pytest.raises(NotFittedError):
        _ = clf.n_literals_
    with pytest.raises(NotFittedError):
        clf.save("model.json")


# --- the same data, the same scorecard ---


def test_the_same_seed_gives_the_same_scorecard():
    first = scorecard(random_state=3).fit(X, Y)
    assert same_scorecard(first, scorecard(random_state=3).fit(X, Y))
    again = scorecard(random_state=np.random.RandomState(3)).fit(X, Y)
    assert again.rules_.n_literals <= 5


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(1).permutation(N)
    assert same_scorecard(scorecard().fit(X, Y), scorecard().fit(X[order], Y[order]))
    assert same_scorecard(
        scorecard().fit(FRAME, Y), scorecard().fit(FRAME.iloc[order].reset_index(drop=True), Y[order])
    )


def test_a_whole_weight_is_a_repetition_and_weight_0_an_absence():
    weights = np.random.default_rng(2).integers(0, 4, N)
    expected = scorecard().fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    assert same_scorecard(expected, scorecard().fit(X, Y, sample_weight=weights))
    assert not same_scorecard(expected, scorecard().fit(X, Y))


def test_weights_of_any_scale():
    weights = np.random.default_rng(2).gamma(2.0, 0.5, N)
    expected = scorecard().fit(X, Y, sample_weight=10 * weights / weights.mean())
    with pytest.warns(UserWarning, match=r"average .*e\+06: they are scaled down to average 10") as caught:
        clf = scorecard().fit(X, Y, sample_weight=1e6 * weights)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(clf.votes(X), expected.votes(X))


def test_equal_rows_are_never_scaled_down():
    few = np.repeat(np.array([[0.0], [1.0], [2.0], [3.0]]), 100, axis=0)
    labels = np.tile([0, 1, 1, 0, 1], 80) | (few[:, 0] > 1)
    counts = scorecard().fit(few, labels).risk_table_.counts
    assert counts.sum() == len(few)


def test_class_weights():
    rare = (np.arange(N) % 6 == 0).astype(int) | (X[:, 0] > np.quantile(X[:, 0], 0.9))
    n_rare = int(rare.sum())
    fits = {
        name: scorecard(class_weight=value, scoring="accuracy").fit(X, rare)
        for name, value in {
            "none": None,
            "equal": {0: 7.0, 1: 7.0},
            "balanced": "balanced",
            "dict": {0: N / (2 * (N - n_rare)), 1: N / (2 * n_rare)},
        }.items()
    }
    assert same_scorecard(fits["none"], fits["equal"])
    assert fits["balanced"].risk_table_.counts.sum() == pytest.approx(N)
    assert fits["balanced"].risk_table_.positives.sum() == pytest.approx(N / 2)
    np.testing.assert_array_equal(fits["balanced"].votes(X), fits["dict"].votes(X))
    found, found_without = (fits[name].predict(X)[rare == 1].mean() for name in ("balanced", "none"))
    assert found > found_without
    with pytest.raises(ValueError, match="'class_weight' parameter of RuleClassifier must name only classes"):
        scorecard(class_weight={5: 1}).fit(X, Y)
    with pytest.raises(ValueError, match="'class_weight' parameter of RuleClassifier must be 'balanced'"):
        scorecard(class_weight="even").fit(X, Y)
    with pytest.raises(ValueError, match="must be above 0 in at least 2 classes"):
        scorecard(class_weight={1: 0}).fit(X, Y)
    without = X3[Y3 != 1], Y3[Y3 != 1]
    with pytest.warns(UserWarning, match="No row of class 1 is ever held out"):
        dropped = scorecard(class_weight={1: 0}).fit(X3, Y3)
    assert (dropped.predict(without[0]) == without[1]).mean() > 0.8


def test_what_is_not_used_of_the_estimator_is_said():
    balanced = machine(class_weight="balanced")
    words = "The 'class_weight' parameter of the 'estimator' of RuleClassifier must be None.* Got 'balanced'"
    with pytest.raises(ValueError, match=words):
        scorecard(balanced).fit(X, Y)
    trained = clone(balanced).fit(X, Y)
    with pytest.raises(ValueError, match=words):
        compact(trained, X, Y, cv=2)
    own = scorecard(class_weight="balanced").fit(X, Y)
    assert same_scorecard(scorecard(balanced, class_weight="balanced").fit(X, Y), own)
    with pytest.warns(clausal.TableWarning, match="The 'random_state' of the 'estimator' is not used"):
        scorecard(machine(random_state=3), random_state=None).fit(X, Y)
    with pytest.warns(clausal.TableWarning, match="The 'warm_start' of the 'estimator' is not used"):
        assert same_scorecard(scorecard(machine(warm_start=True)).fit(X, Y), scorecard().fit(X, Y))


def test_class_weights_are_stored_only_if_given(tmp_path):
    for value in (None, "balanced", {0: 1.0, 1: 2.0}):
        clf = scorecard(class_weight=value).fit(X, Y)
        clf.save(tmp_path / "model.json")
        assert (
            '"class_weight"' in (tmp_path / "model.json").read_text().split('"rules"')[0]
        ) or value is None
        assert clausal.load(tmp_path / "model.json").class_weight == value


def test_folds_worked_on_at_a_time_do_not_change_the_scorecard():
    assert same_scorecard(scorecard().fit(X, Y), scorecard(n_jobs=2).fit(X, Y))


def test_a_fit_uses_one_blas_thread_per_fold_and_gives_them_back():
    seen = set()

    def scorer(estimator, X, y):
        seen.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return float((estimator.predict(X) == y).mean())

    with threadpool_limits(2, "blas"):
        scorecard(scoring=scorer).fit(X, Y)
        after = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
    assert seen == {1}
    assert after == {2}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_counts_machines_and_searches(monkeypatch, n_jobs):
    told = []

    @contextmanager
    def recorded(n_steps, shown, work, unit):
        told.append(n_steps)
        yield lambda note: told.append(1)

    monkeypatch.setattr(parameters, "progress", recorded)
    scorecard(n_jobs=n_jobs).fit(X, Y)
    assert told[0] == sum(told[1:]) == 2 * (1 + len(SEARCHES)) + 1 + 1  # of 2 folds, and of all rows
    told.clear()
    compact(machine().fit(X, Y), X, Y, 3, cv=2, random_state=0)
    assert told[0] == sum(told[1:])


def test_a_further_fit_forgets_the_former_one():
    clf = scorecard().fit(FRAME, Y)
    assert clf.feature_names_in_.tolist() == ["age", "dose", "score"]
    clf.fit(X3, Y3)
    assert not hasattr(clf, "feature_names_in_")
    assert not hasattr(clf, "risk_table_")
    assert same_scorecard(clf, scorecard().fit(X3, Y3))


def test_a_fit_that_fails_leaves_the_former_one():
    clf = scorecard().fit(X, Y)
    before = clf.predict_proba(X)
    with pytest.raises(ValueError, match="at least 2 classes"):
        clf.fit(X, np.zeros(N))
    np.testing.assert_array_equal(clf.predict_proba(X), before)


def test_fit_does_not_touch_its_parameters():
    estimator = machine()
    scorecard(estimator).fit(X, Y)
    assert not hasattr(estimator, "model_")
    assert estimator.random_state is None


# --- fitted parts ---


def test_fitted_parts_cannot_be_taken_apart(tmp_path):
    clf, other = (scorecard(max_literals=size).fit(FRAME, Y) for size in (5, 2))
    expected = clf.predict_proba(FRAME)
    clf.save(tmp_path / "model.json")
    for twin in (clf, clausal.load(tmp_path / "model.json"), copy.copy(clf), pickle.loads(pickle.dumps(clf))):
        for name in ("rules_", "risk_table_", "slope_", "path_", "classes_"):
            words = f"{name} of RuleClassifier must not be replaced: rules_, .* belong together.*with_rules"
            with pytest.raises(AttributeError, match=words):
                setattr(twin, name, getattr(other, name))
        np.testing.assert_array_equal(twin.predict_proba(FRAME), expected)
    edited = clf.rules_.with_rules(clf.rules_[:1], clf.rules_.constants)
    assert len(edited.votes(FRAME)) == N
    clf.set_policy(handle_missing="as_false").set_params(max_literals=2).fit(FRAME, Y)
    assert same_scorecard(clf, other)


def test_the_parts_of_a_machine_cannot_be_taken_apart(tmp_path):
    clf, other = (machine(n_epochs=n, random_state=0).fit(FRAME, Y) for n in (4, 2))
    expected = clf.votes(FRAME)
    clf.save(tmp_path / "model.json")
    for twin in (clf, clausal.load(tmp_path / "model.json"), copy.copy(clf), pickle.loads(pickle.dumps(clf))):
        for name in ("model_", "encoding_", "classes_"):
            words = f"{name} of TsetlinClassifier must not be replaced: model_, .* `fit` and `partial_fit`"
            with pytest.raises(AttributeError, match=words):
                setattr(twin, name, getattr(other, name))
        np.testing.assert_array_equal(twin.votes(FRAME), expected)
    clf.set_policy(handle_missing="as_false").set_params(n_epochs=2).fit(FRAME, Y)
    np.testing.assert_array_equal(clf.votes(FRAME), other.votes(FRAME))


# --- copies and parameters ---


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda c: pickle.loads(pickle.dumps(c))])
def test_copies_are_equal(copied):
    for data in ((FRAME, Y), (X3, Y3)):
        fitted = scorecard().fit(*data)
        twin = copied(fitted)
        assert same_scorecard(twin, fitted)
        np.testing.assert_array_equal(twin.predict_proba(data[0]), fitted.predict_proba(data[0]))
        assert str(twin.rules_) == str(fitted.rules_)


def test_clone_takes_the_parameters_and_nothing_learned():
    fitted = scorecard().fit(X, Y)
    twin = clone(fitted)
    assert set(vars(twin)) == set(twin.get_params(deep=False))
    assert same_scorecard(twin.fit(X, Y), fitted)


def test_parameters_of_the_machine_are_reached_by_their_names():
    clf = scorecard().set_params(estimator__specificity=5.0, max_literals=3)
    assert clf.estimator.specificity == 5.0
    assert clf.get_params()["estimator__booleanizer__max_columns"] == 6
    assert clf.fit(X, Y).n_literals_ <= 3


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (
            {"estimator": 3},
            "The 'estimator' parameter of RuleClassifier must be None or a TsetlinClassifier",
        ),
        ({"max_literals": 0}, "The 'max_literals' parameter of RuleClassifier must be None or an int from 1"),
        ({"max_rules": 1.5}, "The 'max_rules' parameter .* Got 1.5"),
        ({"max_points": 0}, "The 'max_points' parameter .* int from 1 to 100. Got 0"),
        (
            {"scoring": "accurate"},
            "The 'scoring' parameter .* scorer or a callable. Got 'accurate'",
        ),
        ({"scoring": None}, "The 'scoring' parameter .* Got None"),
        ({"cv": 1}, "The 'cv' parameter .* int from 2 to 1000 or a scikit-learn splitter or a list .* Got 1"),
        ({"cv": "three"}, "The 'cv' parameter .* Got 'three'"),
        ({"booleanizer": "paper"}, "'booleanizer' .* must be 'auto' if 'estimator' is given.* Got 'paper'"),
        ({"monotonic_cst": [1, 0, 0]}, "'monotonic_cst' .* must be None if 'estimator' is given"),
        ({"forbidden_features": [0]}, "'forbidden_features' .* must be None if 'estimator' is given"),
        ({"n_jobs": 0}, "The 'n_jobs' parameter of RuleClassifier"),
        ({"random_state": -1}, "The 'random_state' parameter of RuleClassifier"),
        ({"verbose": -1}, "The 'verbose' parameter of RuleClassifier"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(params, words):
    with pytest.raises(ValueError, match=words):
        clone(scorecard()).set_params(**params).fit(X, Y)


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ([([0, 1], [2])], "must have at least two splits with test rows of weight above 0. Got 1"),
        ([([0, 1], [1]), ([0], [1])], "must have disjoint train and test rows. Got row 1 in both"),
        ([([0, 1], [N]), ([0], [1])], f"must list row positions from 0 to {N - 1}. Got {N}"),
        ([([-1, 1], [2]), ([0], [1])], "must list row positions from 0 .* Got -1"),
        ([([0.5, 1], [2]), ([0], [1])], "must list row positions, at least one per side. Got an array"),
        ([([], [2]), ([0], [1])], "must list row positions, at least one per side"),
        ([(1, 2, 3)], "must contain pairs"),
    ],
    ids=str,
)
def test_bad_splits_are_named(cv, words):
    with pytest.raises(ValueError, match=words):
        scorecard(cv=cv).fit(X, Y)


def test_splits_of_ones_own():
    splitter = KFold(3, shuffle=True, random_state=0)
    by_splitter = scorecard(cv=splitter).fit(X, Y)
    listed = list(splitter.split(X))
    assert same_scorecard(by_splitter, scorecard(cv=listed).fit(X, Y))
    masks = [tuple(np.isin(np.arange(N), side) for side in pair) for pair in listed]
    assert same_scorecard(by_splitter, scorecard(cv=masks).fit(X, Y))
    assert not same_scorecard(by_splitter, scorecard(cv=3).fit(X, Y))


def test_data_that_cannot_be_used_is_refused():
    with pytest.raises(ValueError, match="sample_weight must be above zero in at least one row"):
        scorecard().fit(X, Y, sample_weight=np.zeros(N))
    with pytest.raises(ValueError, match="must be above 0 in at least 2 classes"):
        scorecard().fit(X, Y, sample_weight=Y)
    with pytest.raises(ValueError, match="at least two rows of one class.* Got 2 row"):
        scorecard().fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="y must be the name of a column of X if X is read in batches"):
        scorecard().fit(pl.from_pandas(FRAME).lazy(), Y, sample_weight=np.arange(N) % 3)
    with pytest.raises(ValueError, match="one label for each of the 60 rows"):
        scorecard().fit(X, Y[:-1])
    with pytest.raises(ValueError, match="more than two classes"):
        scorecard(machine(monotonic_cst=[1, 0, 0])).fit(X3, Y3)
