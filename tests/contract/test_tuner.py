"""`clausal.tune`: what it returns, that it repeats itself, and its word about defaults, folds and time."""

from __future__ import annotations

import runpy
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest

import clausal
from clausal import RuleClassifier, RuleRegressor, TsetlinClassifier, TuneResult, tune
from tests.support.small_data import same_model, table

X, Y = table()
Y = Y ^ (np.arange(len(Y)) % 9 == 0)
X3, Y3 = table(n_classes=3)
LABELS = np.array(["ill", "well"])[Y]
EXAMPLE = Path(__file__).parents[2] / "examples" / "tune_a_model.py"
QUICK = {"n_candidates": 4, "cv": 2, "random_state": 0, "verbose": 0}


@pytest.fixture(scope="module")
def result() -> TuneResult:
    return tune(X, LABELS, **QUICK)


def scores_by_round(result: TuneResult, number: int) -> dict[int, float]:
    frame = result.results_
    rows = frame[frame["round"] == number]
    return dict(zip(rows["setting"], rows["score"], strict=True))


def test_a_machine_fitted_on_all_rows(result: TuneResult) -> None:
    clf = result.best_estimator_
    assert isinstance(clf, TsetlinClassifier)
    assert clf.classes_.tolist() == ["ill", "well"]
    again = TsetlinClassifier(**result.best_params_).fit(X, LABELS)
    assert same_model(again, clf)


def test_the_frame_has_everything_tried(result: TuneResult) -> None:
    frame = result.results_
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == [
        *("setting", "round", "n_rows", "n_clauses", "threshold", "specificity", "n_epochs", "max_columns"),
        *("score", "error", "seconds"),
    ]
    assert len(frame) == 4 + 2
    assert (frame["seconds"] > 0).all()
    assert frame["score"].between(0, 1).all()
    assert result.complete


def test_the_winner_is_the_best_of_the_last_round_and_the_default_was_in_it(result: TuneResult) -> None:
    last = scores_by_round(result, 1)
    assert 0 in last
    assert result.best_score_ == max(last.values()) >= last[0]
    assert np.isfinite(result.best_error_)


def test_its_text_says_how_good_and_how_found(result: TuneResult) -> None:
    text = repr(result)
    assert f"f1 {result.best_score_:.3f}" in text
    assert "optimistic" in text
    assert "best of 4 settings" in text
    gain = result.best_score_ - scores_by_round(result, 1)[0]
    assert f"{gain:.3f} above the default setting" in text
    assert "TsetlinClassifier(" in text


def test_the_same_seed_gives_the_same_result_with_any_number_of_jobs(result: TuneResult) -> None:
    for n_jobs in (None, 2):
        with joblib.parallel_config(backend="threading"):
            again = tune(X, LABELS, **QUICK, n_jobs=n_jobs)
        assert same_model(again.best_estimator_, result.best_estimator_)
        columns = [name for name in result.results_.columns if name != "seconds"]
        pd.testing.assert_frame_equal(again.results_[columns], result.results_[columns])
    other = tune(X, LABELS, **{**QUICK, "random_state": np.random.RandomState(5)})
    assert not same_model(other.best_estimator_, result.best_estimator_)


def test_the_order_of_rows_does_not_matter(result: TuneResult) -> None:
    order = np.random.default_rng(0).permutation(len(Y))
    assert same_model(tune(X[order], LABELS[order], **QUICK).best_estimator_, result.best_estimator_)


def test_scores_are_those_of_cross_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine is scored on rows it saw, and its booleanizer saw no others than the machine."""
    rows = np.column_stack([np.arange(60), X[:, 0]])  # the first value names the row
    plain_fit, plain_predict = TsetlinClassifier.fit, TsetlinClassifier.predict
    n_scored = 0

    def fit(self: Any, X: Any, y: Any, **others: Any) -> Any:
        self.seen = set(X[:, 0].tolist())
        return plain_fit(self, X, y, **others)

    def predict(self: Any, X: Any) -> Any:
        nonlocal n_scored
        n_scored += 1
        assert not self.seen & set(X[:, 0].tolist())
        assert len(self.seen) + len(X) == 60
        return plain_predict(self, X)

    monkeypatch.setattr(TsetlinClassifier, "fit", fit)
    monkeypatch.setattr(TsetlinClassifier, "predict", predict)
    found = tune(rows, Y, **QUICK)
    assert n_scored == 2 * (4 + 2)
    assert len(found.best_estimator_.seen) == 60


def test_a_scorecard_within_its_limit() -> None:
    found = tune(X, LABELS, max_literals=3, scoring="accuracy", **{**QUICK, "n_candidates": 3})
    clf = found.best_estimator_
    assert isinstance(clf, RuleClassifier)
    assert clf.n_literals_ <= 3
    assert clf.scoring == found.scoring == "accuracy"
    again = RuleClassifier(**found.best_params_).fit(X, LABELS)
    assert again.rules_ == clf.rules_
    assert found.best_score_ >= scores_by_round(found, 0)[0]


@pytest.mark.parametrize("scoring", ["f1", "roc_auc", "neg_log_loss"])
def test_three_classes_and_any_scorer(scoring: str) -> None:
    found = tune(X3, Y3, scoring=scoring, n_candidates=2, cv=2, random_state=0, verbose=0)
    assert found.scoring == {"f1": "f1_macro", "roc_auc": "roc_auc_ovr"}.get(scoring, scoring)
    assert found.best_estimator_.score(X3, Y3) > 0.6


def test_tables_with_categories_that_a_fold_may_lack() -> None:
    frame = pd.DataFrame({"x": X[:, 0], "town": [f"town {i % 20}" for i in range(60)]})
    frame.loc[3, "x"] = None
    for given in (frame, pl.from_pandas(frame)):
        assert tune(given, LABELS, n_candidates=2, cv=5, random_state=0, verbose=0).best_score_ > 0.5


# --- time ---


def test_a_budget_of_no_time_gives_the_default_settings() -> None:
    found = tune(X, Y, time_budget=1e-6, random_state=0, verbose=0)
    assert not found.complete
    assert "stopped because the time was over" in repr(found)
    assert len(found.results_) == 1
    assert same_model(found.best_estimator_, TsetlinClassifier(random_state=0).fit(X, Y))


def test_a_budget_ends_the_search() -> None:
    begun = time.time()
    found = tune(X, Y, time_budget=8.0, n_candidates=1000, random_state=0, verbose=0)
    assert not found.complete
    assert 1 < len(found.results_) < 1000
    assert time.time() - begun < 30  # a fit takes a fraction of a second, a whole search minutes


def test_progress_is_shown_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    tune(X, Y, n_candidates=1, cv=2, random_state=0)
    shown = capsys.readouterr()
    assert "tuning" in shown.err
    assert "1/1 settings" in shown.err
    assert shown.out == ""
    tune(X, Y, n_candidates=1, cv=2, random_state=0, verbose=0)
    assert capsys.readouterr().err == ""


# --- arguments ---


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"scoring": "good"}, "The 'scoring' parameter of tune must be the name of a scikit-learn scorer"),
        ({"max_literals": 0}, "The 'max_literals' parameter of tune must be None or an int from 1"),
        (
            {"time_budget": 0},
            "The 'time_budget' parameter of tune must be None or a finite number > 0. Got 0",
        ),
        ({"time_budget": "long"}, "The 'time_budget' parameter of tune .* Got 'long'"),
        ({"n_candidates": 0}, "The 'n_candidates' parameter of tune must be None or an int from 1"),
        ({"cv": 1}, "The 'cv' parameter of tune must be None or an int from 2"),
        ({"n_jobs": 0}, "The 'n_jobs' parameter of tune"),
        ({"random_state": -1}, "The 'random_state' parameter of tune"),
        ({"verbose": "yes"}, "The 'verbose' parameter of tune"),
    ],
    ids=str,
)
def test_bad_arguments_are_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tune(X, Y, **arguments)


def test_an_unknown_argument_is_named() -> None:
    with pytest.raises(TypeError, match="tune has no argument 'budget'"):
        tune(X, Y, budget=3)  # type: ignore[call-arg]


def test_data_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 classes"):
        tune(X, np.zeros(60), **QUICK)
    with pytest.raises(ValueError, match="at least two rows of one class"):
        tune([[0], [1]], [0, 1], **QUICK)
    with pytest.raises(ValueError, match="must hold classes, as tune finds settings of classifiers"):
        tune(X, np.linspace(0, 1, 60), **QUICK)
    with pytest.raises(TypeError, match="X must be a table; tune makes .* Got RuleRegressor"):
        tune(RuleRegressor(), np.linspace(0, 1, 60), **QUICK)


def test_the_names_are_public() -> None:
    assert {"tune", "TuneResult"} <= set(clausal.__all__)


# --- the example ---


@pytest.mark.filterwarnings("ignore")
def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_path(str(EXAMPLE), run_name="__main__")
    shown = capsys.readouterr().out
    assert "clausal.tune" in shown
    assert "GridSearchCV" in shown
    assert len(names["study"].trials) == 5
