"""RuleRegressor as users rely on it: what it predicts, its limits, its file, its explanations."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.metrics import d2_absolute_error_score, d2_pinball_score, r2_score
from sklearn.model_selection import GroupKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import clausal
from clausal import RuleRegressor, TsetlinRegressor

LOSSES = ("squared_error", "absolute_error", "quantile")
SCORES = {"squared_error": "r2", "absolute_error": "d2_absolute_error", "quantile": "d2_pinball"}


def steps(n_rows: int = 240, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A step function of a number, a category and their conjunction, with a missing value here and there."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 70, n_rows).astype(float),
            "state": rng.choice(["north", "south", "west"], n_rows),
            "noise": rng.normal(size=n_rows),
        }
    )
    old, north = X["age"] > 44, X["state"] == "north"
    y = 100.0 + 30.0 * old + 20.0 * north + 50.0 * (old & north) + rng.normal(size=n_rows)
    X.loc[rng.random(n_rows) < 0.05, "noise"] = np.nan
    return X, np.asarray(y)


X, Y = steps()


def quick(**parameters: Any) -> RuleRegressor:
    return RuleRegressor(**{"max_literals": 6, "cv": 3, "random_state": 0} | parameters)


def of_loss(loss: str, quantile: float = 0.5) -> dict[str, Any]:
    return {"loss": loss, "quantile": quantile if loss == "quantile" else None}


FITTED = {loss: quick(**of_loss(loss, 0.8)).fit(X, Y) for loss in LOSSES}


@parametrize_with_checks(
    [RuleRegressor(max_literals=4, cv=3), RuleRegressor(loss="quantile", quantile=0.5, max_literals=4)]
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_total_times_a_unit_plus_a_constant_is_predicted(loss: str) -> None:
    reg = FITTED[loss]
    total = reg.votes(X)
    assert total.dtype == np.int64
    np.testing.assert_array_equal(reg.predict(X), reg.constant_ + reg.unit_ * total)
    np.testing.assert_array_equal(reg.predict(X), reg.rules_.predict(X))
    assert all(isinstance(rule.points, int) and 0 < abs(rule.points) <= 10 for rule in reg.rules_)
    assert reg.n_literals_ <= 6
    assert f"{reg.constant_:g}" in str(reg.rules_)


def test_what_the_data_were_made_from_is_found() -> None:
    truth = 100.0 + 30.0 * (X["age"] > 44) + 20.0 * (X["state"] == "north")
    truth = truth + 50.0 * ((X["age"] > 44) & (X["state"] == "north"))
    reg = FITTED["squared_error"]
    assert np.abs(reg.predict(X) - truth).max() < 4.0
    assert "age > 44 and state is north" in str(reg.rules_)
    assert 0.75 < np.mean(FITTED["quantile"].predict(X) >= Y) < 0.85


@pytest.mark.parametrize("loss", LOSSES)
def test_the_path_has_the_share_of_the_loss_that_is_explained(loss: str) -> None:
    reg = FITTED[loss]
    assert reg.path_.scoring == SCORES[loss]
    at = reg.path_.n_literals.tolist().index(reg.path_.chosen)
    share = {
        "squared_error": r2_score(Y, reg.predict(X)),
        "absolute_error": d2_absolute_error_score(Y, reg.predict(X)),
        "quantile": d2_pinball_score(Y, reg.predict(X), alpha=0.8),
    }[loss]
    assert share - 0.2 < reg.path_.scores[at] <= share + 0.02
    assert reg.path_.losses[at] < reg.path_.losses[0]
    assert loss in reg.path_.to_frame("pandas").columns


@pytest.mark.parametrize("loss", LOSSES)
def test_neither_threads_nor_the_order_of_rows_matter(loss: str) -> None:
    reg = FITTED[loss]
    order = np.random.default_rng(1).permutation(len(Y))
    other = clone(reg).set_params(n_jobs=2).fit(X.iloc[order], Y[order])
    assert other.rules_ == reg.rules_
    np.testing.assert_array_equal(other.residual_quantiles_, reg.residual_quantiles_)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_row_of_weight_two_is_two_rows(loss: str) -> None:
    weights = np.random.default_rng(2).integers(0, 3, len(Y))
    rows = np.repeat(np.arange(len(Y)), weights)
    weighted = quick(**of_loss(loss)).fit(X, Y, sample_weight=weights)
    assert quick(**of_loss(loss)).fit(X.iloc[rows], Y[rows]).rules_ == weighted.rules_


@pytest.mark.parametrize("loss", LOSSES)
def test_other_units_of_the_target_give_the_same_rules(loss: str) -> None:
    reg, scaled = FITTED[loss], clone(FITTED[loss]).fit(X, 1024.0 * Y)
    assert [(str(r), r.points) for r in scaled.rules_] == [(str(r), r.points) for r in reg.rules_]
    np.testing.assert_allclose(scaled.predict(X), 1024.0 * reg.predict(X), rtol=2e-2)


def test_constraints_hold() -> None:
    reg = quick(
        max_literals=8,
        max_rules=3,
        max_features=2,
        monotonic_cst={"age": 1},
        fixed_rules=[("age > 60", 2), "state is west"],
        points_bounds={"state": (-5, 5)},
        max_points=7,
    ).fit(X, Y)
    assert len(reg.rules_) <= 3
    assert {str(rule): rule.points for rule in reg.rules_}["age > 60"] == 2
    assert "state is west" in {str(rule) for rule in reg.rules_}
    assert all(abs(rule.points) <= 7 for rule in reg.rules_)
    older = X.assign(age=X["age"] + 10)
    assert (reg.predict(older) >= reg.predict(X)).all()
    assert not quick(forbidden_features=["age"]).fit(X, Y).rules_.used_features & {0}


def test_a_falling_feature_is_refused_to_rise() -> None:
    reg = quick(monotonic_cst={"age": -1}).fit(X, Y)
    older = X.assign(age=X["age"] + 10)
    assert (reg.predict(older) <= reg.predict(X)).all()


@pytest.mark.parametrize("confidence", [0.5, 0.9])
def test_intervals_hold_about_as_many_new_numbers_as_they_say(confidence: float) -> None:
    A, b = make_friedman1(1200, noise=1.0, random_state=0)
    reg = RuleRegressor(max_literals=12, random_state=0).fit(A[:400], b[:400])
    low, high = reg.predict_interval(A[400:], confidence).T
    assert abs(np.mean((low <= b[400:]) & (b[400:] <= high)) - confidence) < 0.06


@pytest.mark.filterwarnings("ignore::clausal.TableWarning")
def test_without_a_relation_the_constant_is_predicted() -> None:
    rng = np.random.default_rng(3)
    A, b = rng.normal(size=(60, 2)), rng.exponential(size=60)
    for loss, best in (("squared_error", b.mean()), ("absolute_error", np.median(b))):
        reg = RuleRegressor(loss=loss, random_state=0, max_literals=4).fit(A, b)
        if not len(reg.rules_):
            np.testing.assert_allclose(reg.predict(A), best, rtol=0.1)
    with pytest.warns(clausal.TableWarning, match="do not predict"):
        reg = RuleRegressor(random_state=0, max_literals=4).fit(np.tile([[0.0], [1.0]], (30, 1)), b)
    assert len(reg.predict(A[:, :1])) == 60


@pytest.mark.parametrize(
    ("values", "rows"),
    [([0, 1], 20), ([1e-300, 2e-300], 20), ([-1e100, 1e100], 20), ([5, 5 + 1e-9], 20), ([0, 0, 1e9], 30)],
)
@pytest.mark.filterwarnings("ignore::clausal.TableWarning")
def test_few_and_extreme_numbers(values: list[float], rows: int) -> None:
    column = np.tile(np.arange(len(values)), rows)
    y = np.array(values, float)[column]
    for loss in LOSSES:
        reg = quick(**of_loss(loss), max_literals=2).fit(column[:, None], y)
        assert np.isfinite(reg.predict(column[:, None])).all()
        if loss == "squared_error":
            np.testing.assert_allclose(reg.predict(column[:, None]), y, atol=2e-2 * np.ptp(y))


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.full(len(Y), 3.0), "at least 2 different numbers.* Got only 3 in 240 rows"),
        (np.where(np.arange(len(Y)) == 7, np.nan, Y), "Got nan at row 7"),
        (np.where(np.arange(len(Y)) == 7, np.inf, Y), "Got inf at row 7"),
        (np.full(len(Y), "much"), "y must hold numbers. Got .*'much'.* at row 0"),
        (Y[:-1], "one number for each of the 240 rows of X. Got 239"),
    ],
)
def test_bad_targets_leave_the_estimator_as_it_was(y: Any, words: str) -> None:
    reg = quick()
    with pytest.raises(ValueError, match=words):
        reg.fit(X, y)
    assert not hasattr(reg, "rules_")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"loss": "huber"}, "'loss' parameter of RuleRegressor must be .*'squared_error'.* Got 'huber'"),
        ({"quantile": 1.0}, "'quantile' parameter of RuleRegressor must be .* Got 1.0"),
        ({"quantile": 0.1}, "'quantile' .* must be None when loss='squared_error'. Got 0.1"),
        (
            {"loss": "absolute_error", "quantile": 0.5},
            "'quantile' parameter of RuleRegressor must be None when loss='absolute_error'. Got 0.5",
        ),
        ({"loss": "quantile"}, "must be a number between 0 and 1 when loss='quantile'. Got None"),
        ({"max_points": 0}, "'max_points' parameter of RuleRegressor"),
        ({"fixed_rules": [("age > 30", 2, "ill")]}, "RuleRegressor: A rule for a number must have no class"),
        ({"points_bounds": {"agee": (0, 1)}}, "'points_bounds' parameter of RuleRegressor"),
        ({"monotonic_cst": {"agee": 1}}, "'monotonic_cst' parameter of RuleRegressor"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        quick(**parameters).fit(X, Y)


@pytest.mark.parametrize("cv", [None, 2])
@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_too_few_rows_are_refused_without_a_word_of_classes(n_rows: int, cv: int | None) -> None:
    words = "at least 2 different numbers" if n_rows == 1 else rf"at least 4 rows .* number.* Got {n_rows}\."
    with pytest.raises(ValueError, match=words) as refused:
        quick(cv=cv).fit(X[:n_rows], np.arange(n_rows))
    assert "class" not in str(refused.value)
    assert quick(cv=cv).fit(X[:4], np.arange(4)).predict(X[:4]).shape == (4,)


def test_an_edit_measured_on_too_few_rows_is_refused_likewise() -> None:
    edit = FITTED["squared_error"].to_scorecard().edit(X.iloc[[0, 120, 239]], np.array([100.0, 200.0, 300.0]))
    with pytest.raises(ValueError, match=r"at least 4 rows .* number.* Got 3\."):
        str(edit.refit())


def test_training_parts_of_similar_numbers_are_refused_without_a_word_of_classes() -> None:
    order = np.argsort(Y)
    parts = [(order[:60], order[60:120]), (order[120:180], order[:60])]
    with pytest.raises(ValueError, match="'cv' parameter of RuleRegressor must leave numbers of") as refused:
        quick(cv=parts).fit(X, Y)
    assert "class" not in str(refused.value)


def test_fixed_rules_that_tell_nothing_are_remarked_without_a_word_of_classes() -> None:
    column = np.tile([[0.0], [1.0]], (30, 1))
    words = "do not predict the number at all.* no rules but the fixed ones"
    with pytest.warns(clausal.TableWarning, match=words) as said:
        quick(fixed_rules=["x0 > 0.5"]).fit(column, np.repeat(np.arange(30.0), 2))
    assert not any("class" in str(each.message) for each in said)


def test_a_splitter_that_needs_groups_is_refused_without_a_word_of_classes() -> None:
    with pytest.raises(ValueError, match="must be a splitter that needs nothing but y, or a list of pairs"):
        quick(cv=GroupKFold(3)).fit(X, Y)


def test_tables_of_other_libraries_are_read_alike() -> None:
    reg = FITTED["squared_error"]
    other = clone(reg).fit(pl.from_pandas(X), pl.Series(Y))
    assert other.rules_ == reg.rules_
    assert other.feature_names_in_.tolist() == ["age", "state", "noise"]
    np.testing.assert_array_equal(other.predict(pl.from_pandas(X)), reg.predict(X))
    with_target = pl.from_pandas(X).with_columns(pl.Series("y", Y)).lazy()
    streamed = clone(reg).fit(with_target, "y")
    assert str(streamed.rules_) == str(reg.rules_)


# --- files ---


@pytest.mark.parametrize("loss", LOSSES)
def test_a_loaded_scorecard_is_the_saved_one(tmp_path, loss: str) -> None:
    reg = FITTED[loss]
    reg.save(tmp_path / "model.json")
    for read in (clausal.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(reg))):
        assert read.rules_ == reg.rules_
        assert read.get_params() == reg.get_params()
        assert str(read.stability_) == str(reg.stability_)
        assert repr(read.path_) == repr(reg.path_)
        np.testing.assert_array_equal(read.predict_interval(X), reg.predict_interval(X))
    assert clausal.RuleSet.from_json(reg.rules_.to_json()) == reg.rules_


def test_a_quantile_without_a_meaning_in_a_file_of_an_earlier_version_is_dropped(tmp_path) -> None:
    from clausal.files.model_file import write_document

    for loss, quantile, expected in (("squared_error", 0.5, None), ("quantile", 0.8, 0.8)):
        reg = FITTED[loss]
        reg.save(tmp_path / "model.json")
        content = json.loads((tmp_path / "model.json").read_text())["content"]
        assert content["parameters"]["quantile"] == expected
        content["parameters"]["quantile"] = quantile
        write_document(tmp_path / "old.json", content)
        read = clausal.load(tmp_path / "old.json")
        assert read.quantile == expected
        assert clone(read).fit(X, Y).rules_ == reg.rules_


def test_rules_of_classes_are_refused_in_the_file_of_a_regressor(tmp_path) -> None:
    card = clausal.RuleClassifier(max_literals=2, cv=2, random_state=0).fit(X, Y > 120)
    from clausal.files.model_file import write_document
    from clausal.files.rule_classifier import read_regressor

    FITTED["squared_error"].save(tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())["content"]
    content["rules"] = card.rules_.to_dict()
    write_document(tmp_path / "other.json", content)
    with pytest.raises(ValueError, match="rules must be of a number. Got"):
        clausal.load(tmp_path / "other.json")
    with pytest.raises(ValueError, match="must"):
        read_regressor({"estimator": "RuleRegressor"})


# --- explanations ---


def test_explanations_add_up_and_counterfactuals_reach_the_target() -> None:
    reg = FITTED["squared_error"]
    for target in (105.0, 190.0):
        for row, each in enumerate(reg.explain(X[:12], target=target)):
            predicted = float(reg.predict(X[row : row + 1])[0])
            assert each.label == predicted
            assert each.votes[0] == each.constants[0] + sum(rule.points for rule in each.fired)
            assert str(each).startswith("Predicts ")
            if each.counterfactual is None:
                assert abs(predicted - target) < 1e-9 or "no values" in (each.no_counterfactual or "")
                continue
            reached = each.counterfactual.label
            assert reached >= target if predicted < target else reached <= target
            json.dumps(each.to_dict())
    assert reg.explain(X[:1])[0].no_counterfactual == "no target was given that the number should reach"
    assert "no values" in str(reg.explain(X[:1], target=1e9)[0])
    np.testing.assert_allclose(reg.feature_effects(X).sum(axis=1), reg.votes(X))
    assert reg.feature_importances_.sum() == pytest.approx(1.0)


def test_reasons_of_a_number_are_what_moved_it_most() -> None:
    (each,) = FITTED["squared_error"].explain(
        pd.DataFrame({"age": [60.0], "state": ["north"], "noise": [0.0]})
    )
    sizes = [abs(reason.points) for reason in each.reasons]
    assert sizes == sorted(sizes, reverse=True)
    assert {reason.feature for reason in each.reasons} <= {"age", "state", "noise"}
    assert all(reason.towards == ("higher" if reason.points > 0 else "lower") for reason in each.reasons)


def test_what_only_classes_have_says_so() -> None:
    reg = FITTED["squared_error"]
    assert not hasattr(reg, "predict_proba")
    with pytest.raises(ValueError, match="is for models that predict one class per row"):
        _ = reg.rules_.classes


def numbers_refused(regressor: Any) -> list[tuple[str, type[Exception], Any]]:
    """What is for classes only: the words of its error, its kind, and the call."""
    from clausal.service import make_app

    new, classes_only = clone(regressor), "is for models that predict one class per row"
    return [
        ("compare " + classes_only, ValueError, lambda: clausal.compare([regressor, regressor], X, Y)),
        ("monitor " + classes_only, ValueError, lambda: clausal.monitor(regressor, X, X)),
        ("fairness " + classes_only, ValueError, lambda: clausal.fairness(regressor, X, Y, X["state"])),
        ("service " + classes_only, ValueError, lambda: make_app(regressor)),
        ("must be a fitted TsetlinClassifier", TypeError, lambda: clausal.compact(regressor, X, Y)),
        ("must be None or a TsetlinCl", TypeError, lambda: clausal.compaction_path(regressor, X, Y)),
        ("list of fitted TsetlinClassifiers", TypeError, lambda: clausal.merge([regressor, regressor])),
        (
            "n_shards must be None unless",
            TypeError,
            lambda: clausal.cluster.fit(new, [X.assign(y=Y)], "y", n_shards=2),
        ),
    ]


@pytest.mark.parametrize("kind", [RuleRegressor, TsetlinRegressor])
def test_what_is_for_classes_refuses_numbers(kind: Any) -> None:
    regressor = FITTED["squared_error"]
    if kind is TsetlinRegressor:
        regressor = TsetlinRegressor(n_clauses=10, threshold=100, n_epochs=2, random_state=0).fit(X, Y)
    for words, error, call in numbers_refused(regressor):
        with pytest.raises(error, match=words):
            call()


def test_a_fixed_rule_below_a_number_keeps_its_words() -> None:
    reg = quick(fixed_rules=["age < 40", ("-0.5 <= noise < 0.25", 2)]).fit(X, Y)
    assert {"age < 40", "-0.5 <= noise < 0.25"} <= set(map(str, reg.rules_))
    (rule,) = (rule for rule in reg.rules_ if str(rule) == "age < 40")
    ages = X[:2].assign(age=[np.nextafter(40, 0), 40.0])
    assert rule.holds(reg.rules_.encoding.bits(ages)).tolist() == [True, False]
