"""A Scorecard that a user owns: it predicts as the classifier does, cannot be changed, and can be loaded."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier
from sklearn.inspection import permutation_importance
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_val_score

import clausal
from clausal import LogEntry, RuleClassifier, Scorecard, load
from clausal.datasets import load_heart_disease
from tests.support.command_line import done
from tests.support.scorecards import scorecard
from tests.support.spoiled_documents import replaced

ENTRY = LogEntry(
    "2026-11-18T22:15:00+00:00",
    "Ada",
    "too old",
    "drop rule 3",
    {"f1 before": 0.8, "note": "ok", "loss": None},
)


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, np.ndarray]:
    return load_heart_disease(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def clf(data: Any) -> RuleClassifier:
    return scorecard().fit(*data)


@pytest.fixture(scope="module")
def card(clf: RuleClassifier) -> Scorecard:
    return clf.to_scorecard(about={"owner": "cardiology"})


@pytest.fixture(scope="module")
def three() -> tuple[pd.DataFrame, np.ndarray, RuleClassifier]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 10, (300, 3)), columns=["a", "b", "c"])
    y = np.array(["x", "y", "z"])[(X["a"] > 5) + (X["b"] > 6) * 1]
    return X, y, scorecard().fit(X, y)


def same_predictions(one: Any, other: Any, X: Any) -> bool:
    return all(
        np.array_equal(getattr(one, name)(X), getattr(other, name)(X))
        for name in ("votes", "predict", "predict_proba", "decision_function", "feature_effects")
    )


def test_it_predicts_like_the_classifier(card: Scorecard, clf: RuleClassifier, data: Any):
    X, y = data
    assert same_predictions(card, clf, X)
    assert card.score(X, y) == clf.score(X, y)
    assert np.array_equal(card.predict_risk_interval(X), clf.predict_risk_interval(X))
    assert np.array_equal(card.classes_, clf.classes_)
    assert [str(e) for e in card.explain(X[:3])] == [str(e) for e in clf.explain(X[:3])]
    for to in ("python", "c", "sql", "json"):
        assert card.export(to) == clf.export(to)


def test_with_several_classes_too(three: Any, tmp_path: Path):
    X, _, clf = three
    card = clf.to_scorecard()
    assert same_predictions(card, clf, X)
    card.save(tmp_path / "card.json")
    assert same_predictions(load(tmp_path / "card.json"), clf, X)
    with pytest.raises(ValueError, match="'offset' parameter of Scorecard must be 0 with more than two"):
        card.replace(offset=1.0)


def test_it_does_not_change_with_the_classifier(data: Any):
    X, y = data
    fitted = scorecard().fit(X, y)
    card = fitted.to_scorecard()
    before = card.rules_
    fitted.set_policy(handle_missing="as_false")
    assert card.rules_ is before
    assert card.with_policy(handle_missing="as_false").rules_ == fitted.rules_
    with pytest.raises(AttributeError, match="A Scorecard cannot be changed"):
        card.slope_ = 3.0
    with pytest.raises(AttributeError, match="cannot be changed"):
        del card.rules_
    card.about_["owner"] = "me"
    assert card.about_ == {}


def test_saved_and_loaded(card: Scorecard, data: Any, tmp_path: Path):
    path = tmp_path / "card.json"
    logged = card.replace(log=[ENTRY])
    logged.save(path)
    back = load(path)
    assert isinstance(back, Scorecard)
    assert same_predictions(back, card, data[0])
    assert (back.about_, back.log_) == ({"owner": "cardiology"}, (ENTRY,))
    assert str(back.risk_table_) == str(card.risk_table_)
    back.save(tmp_path / "again.json")
    assert path.read_bytes() == (tmp_path / "again.json").read_bytes()


def test_copies_and_pickle(card: Scorecard, data: Any):
    logged = card.replace(log=[ENTRY])
    for other in (pickle.loads(pickle.dumps(logged)), copy.deepcopy(logged), clone(logged)):
        assert same_predictions(other, card, data[0])
        assert other.log_ == (ENTRY,)


def test_replaced_parts_drop_the_risk_table(card: Scorecard):
    assert hasattr(card.replace(log=[ENTRY]), "risk_table_")
    assert not hasattr(card.replace(slope=2 * card.slope_), "risk_table_")
    with pytest.raises(ValueError, match="'risk_table' parameter of Scorecard must have the slope"):
        card.replace(slope=2 * card.slope_, risk_table=card.risk_table_)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"rules": 3}, "'rules' parameter of Scorecard must be a RuleSet. Got 3"),
        ({"slope": 0}, "'slope' parameter of Scorecard must be a number > 0"),
        ({"slope": float("nan")}, "'slope' parameter"),
        ({"offset": "a"}, "'offset' parameter"),
        ({"about": {"a": 1}}, "must be a str. Got 1"),
        ({"about": ["a"]}, "about must be a dict of texts. Got list"),
        ({"log": [3]}, "'log' parameter of Scorecard must be a list of LogEntry. Got 3"),
        ({"log": [LogEntry("today", "a", "b", "c")]}, r"log\[0\].when must be a time in ISO 8601"),
        ({"log": [LogEntry("2026-01-01", "\x1b[2J", "b", "c")]}, r"log\[0\].who must be plain text"),
        ({"log": [LogEntry("2026-01-01", "a", " ", "c")]}, r"log\[0\].why must not be blank"),
        ({"log": [LogEntry("2026-01-01", "a", "b", "c", {"x": float("nan")})]}, "effect.* must be a finite"),
        ({"risk_table": 3}, "'risk_table' parameter of Scorecard must be a RiskTable"),
    ],
)
def test_wrong_parts_are_refused(card: Scorecard, parts: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        card.replace(**parts)


@pytest.mark.parametrize("convert", [lambda X: X, pl.from_pandas, pa.Table.from_pandas])
def test_a_data_frame_is_read_by_name(card: Scorecard, data: Any, tmp_path: Path, convert: Any):
    X, y = data
    tested = {card.feature_names_in_[index] for index in card.rules_.used_features}
    untested = [name for name in X.columns if name not in tested]
    other = convert(X.assign(id=range(len(X)))[["id", *reversed(X.columns)]].drop(columns=untested[:2]))
    for name in ("predict", "predict_proba", "decision_function", "votes", "predict_risk_interval"):
        np.testing.assert_array_equal(getattr(card, name)(other), getattr(card, name)(X))
    assert card.score(other, y) == card.score(X, y)
    assert len(card.predict(other[:0])) == 0
    assert str(card.explain(other[:2])) == str(card.explain(X[:2]))
    clausal.report(card, other, y, tmp_path / "page.html")
    with pytest.raises(ValueError, match="must have the columns that the rules test. Got no column"):
        card.predict(convert(X.drop(columns=sorted(tested)[:1])))


def test_scikit_learn_takes_it_for_a_fitted_classifier(card: Scorecard, data: Any):
    X, y = data
    assert is_classifier(card)
    assert get_scorer("roc_auc")(card, X, y) > 0.7
    found = permutation_importance(card, X[:60], y[:60], n_repeats=1, random_state=0)
    assert found.importances_mean.shape == (X.shape[1],)
    with pytest.raises(TypeError, match="A Scorecard cannot be fitted"):
        cross_val_score(card, X, y, error_score="raise")


def test_a_card_of_rules_and_a_calibration(card: Scorecard, data: Any):
    own = Scorecard(card.rules_, card.slope_, card.offset_)
    assert same_predictions(own, card, data[0])
    with pytest.raises(AttributeError, match="has no risk table"):
        _ = own.risk_table_
    with pytest.raises(AttributeError, match="has no risk table"):
        own.predict_risk_interval(data[0])


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        ("slope", 0, "slope must be above 0"),
        ("offset", 1e300, "offset must be from"),
        ("offset", 3.5, "risk_table.offset must be offset = 3.5"),
        ("about", [], "about must be a dictionary"),
        ("about", {"a": "\x1b[2J"}, "must be plain text"),
        ("log", {}, "log must be a list"),
        ("log", [{}], r"log\[0\] must be a dictionary with the keys"),
        ("rules", {}, "rules must be a dictionary with the keys"),
        ("estimator", "Other", "estimator must be one of .'RuleClassifier', 'RuleRegressor', 'Scorecard'"),
    ],
)
def test_spoiled_files_are_refused(card: Scorecard, tmp_path: Path, where: str, value: Any, message: str):
    from clausal.files.model_file import write_document
    from clausal.files.scorecard import plain_card

    path = tmp_path / "card.json"
    write_document(path, replaced(plain_card(card), where, value))
    with pytest.raises(ValueError, match=message):
        load(path)


def test_report_and_command_line(card: Scorecard, data: Any, tmp_path: Path):
    X, y = data
    logged = card.replace(log=[LogEntry("2026-01-01", "<b>Ada</b>", "why", "what", {"f1": 0.5})])
    page, model, table = (tmp_path / name for name in ("page.html", "card.json", "table.csv"))
    clausal.report(logged, X, y, page)
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;Ada" in text
    assert "cardiology" in text
    logged.save(model)
    X.assign(target=y).to_csv(table, index=False)
    for arguments in (["info", model], ["rules", model], ["export", model, "--to", "sql"]):
        done(*arguments)
    assert "Ada" in done("rules", model).stdout
    for command in ("predict", "explain"):
        done(command, model, table)


def test_text(card: Scorecard):
    assert str(card) == str(card.rules_)
    assert repr(card) == f"Scorecard of {len(card.rules_)} rules, {card.n_literals_} literals"
    assert json.loads(card.export("json"))["format"] == "clausal rules"
    assert "Ada: drop rule 3 (too old); f1 before: 0.8" in str(ENTRY)
