"""The machine that predicts numbers: same bits everywhere, its law, its losses, files, scikit-learn."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from clausal import (
    Booleanizer,
    Checkpoint,
    TableWarning,
    TsetlinClassifier,
    TsetlinRegressor,
    load,
    monitor,
)
from tests.support.small_data import same_model

X, Y = make_friedman1(300, noise=0.5, random_state=1)
SMALL = {"n_clauses": 21, "threshold": 300, "n_epochs": 4, "random_state": 3}
VARIANTS = [
    {},
    {"weighting": "real", "loss": "quantile", "quantile": 0.8},
    {"weighting": "none", "threshold": 15, "loss": "absolute_error"},
    {"drop_clause": 0.3, "max_clause_literals": 2, "weight_floor": 1, "max_weight": 30},
    {"forbidden_features": [0], "monotonic_cst": [0, 1, 0, 0, 0, -1, 0, 0, 0, 0], "specificity": (2.0, 8.0)},
]


def small(**params):
    return TsetlinRegressor(**{**SMALL, **params})


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass():
    results = estimator_checks.check_estimator(TsetlinRegressor(), on_skip=None, on_fail=None)
    failed = {each["check_name"]: each["exception"] for each in results if each["status"] == "failed"}
    assert failed == {}
    assert sum(each["status"] == "passed" for each in results) > 40


# --- the same bits ---


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_backends_and_threads_agree_and_rules_are_the_model(variant):
    few, y = X[:60], Y[:60]
    expected = small(**variant, backend="reference").fit(few, y)
    for n_jobs in (1, 3):
        fitted = small(**variant, n_jobs=n_jobs).fit(few, y)
        assert same_model(expected, fitted)
        assert np.array_equal(expected.predict(X), fitted.predict(X))
    assert np.all(fitted.model_.polarity == 1)
    assert np.array_equal(fitted.rules_.votes(X), fitted.votes(X))
    assert np.array_equal(fitted.rules_.predict(X), fitted.predict(X))
    if fitted.model_.scale == 1:
        fires = fitted.transform(X).astype(np.int64)
        assert np.array_equal(fires @ fitted.model_.weights[0] + fitted.model_.constants, fitted.votes(X))


def test_a_clause_without_literals_votes_as_it_does_in_training():
    reg = small(n_epochs=60, n_clauses=60).fit(X, Y)
    empty = ~reg.model_.include[0].any(axis=1)
    assert reg.model_.weights[0, empty].sum() == reg.model_.constants[0] > 0
    assert reg.rules_.constants[0] >= reg.model_.constants[0]


@pytest.mark.parametrize("weighted", [False, True])
def test_chunks_do_not_matter(weighted):
    weights = np.linspace(0.1, 2.5, len(Y)) if weighted else None

    def parts(n):
        reg = small(target_range=(0, 30), booleanizer=None)
        bits = (X > 0.5).astype(np.uint8)
        for rows in np.array_split(np.arange(len(Y)), n):
            reg.partial_fit(bits[rows], Y[rows], None if weights is None else weights[rows])
        return reg

    assert same_model(parts(1), parts(len(Y)))


def test_row_order_does_not_matter_and_weights_are_repetitions():
    order = np.random.RandomState(0).permutation(len(Y))
    assert same_model(small().fit(X, Y), small().fit(X[order], Y[order]))
    counts = np.arange(len(Y)) % 3
    booleanizer = Booleanizer(max_columns=4).fit(X)
    bits = booleanizer.transform(X)
    assert same_model(
        small(booleanizer=None).fit(bits, Y, counts),
        small(booleanizer=None).fit(np.repeat(bits, counts, axis=0), np.repeat(Y, counts)),
    )


@pytest.mark.parametrize("way", ["file", "pickle"])
@pytest.mark.parametrize("variant", VARIANTS[:3], ids=str)
def test_what_is_stored_predicts_and_goes_on_the_same(tmp_path: Path, way, variant):
    reg = small(**variant, warm_start=True).fit(X, Y)
    if way == "file":
        reg.save(tmp_path / "model.json")
        copy = load(tmp_path / "model.json")
        assert isinstance(copy, TsetlinRegressor)
        assert copy.get_params() == reg.get_params()
    else:
        copy = pickle.loads(pickle.dumps(reg))
    assert np.array_equal(copy.predict(X), reg.predict(X))
    assert copy.rules_ == reg.rules_
    assert same_model(copy.fit(X, Y), reg.fit(X, Y))
    assert same_model(copy.partial_fit(X, Y), reg.partial_fit(X, Y))
    whole = small(**variant, n_epochs=8).fit(X, Y)
    assert same_model(whole, small(**variant, warm_start=True).fit(X, Y).fit(X, Y))


@pytest.mark.parametrize("early_stopping", [False, True])
def test_an_interrupted_fit_goes_on_from_its_checkpoint(tmp_path: Path, early_stopping):
    path, params = tmp_path / "run", {"n_epochs": 9, "early_stopping": early_stopping, "tol": 0.0}

    def stop(event):
        if event.epoch == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        small(**params).fit(X, Y, callbacks=stop, checkpoint=Checkpoint(path, every_epochs=2))
    resumed, whole = small(**params).fit(X, Y, checkpoint=path), small(**params).fit(X, Y)
    assert same_model(resumed, whole)
    assert resumed.history_ == whole.history_
    with pytest.raises(ValueError, match="Got one with other training rows"):
        small(**params).fit(X, np.r_[Y[1], Y[0], Y[2:]], checkpoint=path)


# --- the law ---


def test_sums_of_conditions_are_learned_from_every_seed():
    bits = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 10, np.uint8)
    y = 3.0 * bits[:, 0] - 2.0 * bits[:, 1] + 4.0 * (bits[:, 0] & bits[:, 2])
    for seed in range(20):
        reg = TsetlinRegressor(60, n_epochs=200, booleanizer=None, random_state=seed).fit(bits, y)
        assert reg.score(bits, y) > 0.97, seed


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({}, np.mean),
        ({"loss": "absolute_error"}, np.median),
        ({"loss": "quantile", "quantile": 0.9}, lambda part: np.quantile(part, 0.9)),
        ({"loss": "quantile", "quantile": 0.25}, lambda part: np.quantile(part, 0.25)),
    ],
    ids=["mean", "median", "0.9 quantile", "0.25 quantile"],
)
def test_each_loss_predicts_what_it_says(params, wanted):
    """Skewed numbers in two groups, as seen by the means of 20 machines: one state alone is noisy."""
    random = np.random.RandomState(0)
    bits = np.tile([[0], [1]], (400, 1)).astype(np.uint8)
    y = np.where(bits[:, 0], 5.0, 2.0) + np.clip(random.exponential(1.5, len(bits)), None, 6)
    made = [
        TsetlinRegressor(100, threshold=6400, n_epochs=60, booleanizer=None, random_state=seed, **params)
        for seed in range(20)
    ]
    found = np.mean([reg.fit(bits, y).predict([[0], [1]]) for reg in made], axis=0)
    for group in (0, 1):
        assert abs(found[group] - wanted(y[bits[:, 0] == group])) < 0.25


def test_predictions_stay_within_the_range_and_follow_constraints():
    constraints = {"monotonic_cst": [0, 0, 0, 1, -1, 0, 0, 0, 0, 0], "forbidden_features": [0]}
    reg = small(n_clauses=100, threshold=1600, n_epochs=50, **constraints).fit(X, Y)
    found = reg.predict(X)
    assert Y.min() <= found.min() < found.max() <= Y.max()
    assert reg.feature_importances_[0] == 0
    for feature, sign in ((3, 1), (4, -1)):
        grid = np.repeat(X[:20], 9, axis=0)
        grid[:, feature] = np.tile(np.linspace(0, 1, 9), 20)
        steps = np.diff(reg.predict(grid).reshape(20, 9), axis=1)
        assert np.all(sign * steps >= 0)
        assert np.any(steps != 0) == (sign > 0)  # y rises with both features, so nothing falls


# --- what users do with it ---


def test_held_out_scores_early_stopping_and_callbacks():
    reg = small(n_epochs=40, early_stopping=True, n_iter_no_change=4)
    seen = []
    held_out = [(X[200:], Y[200:])]
    reg.fit(X[:200], Y[:200], eval_set=held_out, callbacks=lambda event: seen.append(event.scores))
    assert len(seen) == reg.n_iter_ == len(reg.history_["eval_0"])
    assert max(reg.history_["eval_0"]) == reg.score(X[200:], Y[200:])
    assert small(n_epochs=40, early_stopping=True).fit(X, Y).history_["validation"]


def test_it_is_a_scikit_learn_regressor():
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(10)])
    reg = clone(small()).fit(frame, pd.Series(Y))
    assert np.array_equal(reg.predict(pl.from_pandas(frame)), reg.predict(frame))
    assert list(reg.feature_names_in_) == list(frame.columns)
    pipeline = make_pipeline(Booleanizer(max_columns=4), small(n_epochs=50, booleanizer=None))
    assert pipeline.fit(frame, Y).score(frame, Y) > 0.5
    assert len(cross_val_score(small(), frame, Y, cv=3)) == 3


# --- what is refused ---


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"quantile": 0.5},
            "'quantile' parameter of TsetlinRegressor must be None when loss='squared_error'",
        ),
        ({"loss": "quantile"}, "must be a number between 0 and 1 when loss='quantile'. Got None"),
        ({"loss": "quantile", "quantile": 1.0}, "must be None or a number > 0 and < 1. Got 1.0"),
        ({"loss": "huber"}, "must be 'squared_error' or 'absolute_error' or 'quantile'. Got 'huber'"),
        ({"weighting": "rwtla"}, "'weighting' parameter of TsetlinRegressor must be"),
        ({"target_range": (1, 1)}, "'target_range' .* must be a pair of different numbers"),
        ({"target_range": (2, 1)}, "'target_range' parameter of TsetlinRegressor must be"),
        ({"n_clauses": 0}, "'n_clauses' .* an int from 1"),
    ],
    ids=str,
)
def test_wrong_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        small(**params).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full(len(Y), 2.5), "y must hold at least 2 different numbers .* Got only 2.5"),
        (np.r_[np.nan, Y[1:]], "y must hold finite numbers .* Got nan at row 0"),
        (np.r_[Y[:-1], np.inf], "y must hold finite numbers .* Got inf at row 299"),
        (np.full(len(Y), "high"), "y must hold numbers. Got .*high"),
        (Y[:-1], "y must have one number for each of the 300 rows of X. Got 299"),
    ],
    ids=["constant", "nan", "inf", "text", "short"],
)
def test_wrong_targets(y, message):
    with pytest.raises(ValueError, match=message):
        small().fit(X, y)
    if "2 different" not in message:  # held-out rows may all have the same number
        with pytest.raises(ValueError, match=f"In eval_set: {message}"):
            small().fit(X, Y, eval_set=(X, y))


def test_what_would_change_the_scale_of_a_model_is_refused():
    reg = small(warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="'threshold' parameter .* must stay 300 to go on .* Got 301"):
        reg.set_params(threshold=301).fit(X, Y)
    with pytest.raises(ValueError, match="'target_range' parameter .* must stay .* to go on"):
        reg.set_params(threshold=300, target_range=(0, 1)).fit(X, Y)
    reg.set_params(target_range=None)
    with pytest.warns(TableWarning, match="1 of 300 numbers in y, such as 99, are not in the range"):
        reg.fit(X, np.r_[99.0, Y[1:]])
    with pytest.raises(ValueError, match="'validation_fraction' parameter .* at least 2 different rows"):
        small(early_stopping=True).fit(X[:4], Y[:4])


def test_a_classifier_is_no_regressor(tmp_path: Path):
    small().fit(X, Y).save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    assert '"TsetlinRegressor"' in text
    assert not hasattr(TsetlinRegressor, "predict_proba")
    assert TsetlinClassifier().get_params().keys() - TsetlinRegressor().get_params().keys() == {
        "class_weight",
        "negative_sampling",
        "pos_label",
        "sharing",
    }


def test_explanations_exports_and_effects_are_of_the_number():
    reg = small(n_clauses=60, threshold=960, n_epochs=40).fit(X, Y)
    explained = reg.explain(X[:3], target=20.0)[0]
    assert explained.label == reg.predict(X[:1])[0]
    assert "Predicts" in str(explained)
    assert explained.counterfactual is None or explained.counterfactual.label >= 20.0
    assert np.allclose(reg.feature_effects(X).sum(axis=1) + reg.rules_.constants[0], reg.votes(X))
    assert '"prediction"' in reg.export("sql")
    with pytest.raises(ValueError, match="monitor is for models that predict one class per row"):
        monitor(reg, X, X)
