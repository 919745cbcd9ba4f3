"""The positive one of two classes: `pos_label` says which, whatever the alphabet says.

A model with `pos_label` is the model of the same data with labels renamed so that the positive one is last.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.metrics import f1_score, get_scorer

import clausal
from clausal import (
    RuleClassifier,
    RuleSet,
    TableWarning,
    TsetlinClassifier,
    VoteDisplay,
    compact,
    load,
    report,
    tune,
)
from tests.support.report_page import Page
from tests.support.scorecards import machine, scorecard
from tests.support.small_data import quick
from tests.support.sql_scoring import score_in_sql

RENAMED = {"bad": "z bad", "good": "a good"}  # the positive class sorts last


def loans(n_rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A table whose debts make loans bad, nine times out of ten."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 8, (n_rows, 3)).astype(float), columns=["debt", "age", "term"])
    bad = (X["debt"] + X["term"] > 8) ^ (rng.random(n_rows) < 0.1)
    return X, np.where(bad, "bad", "good")


X, Y = loans()
RENAMED_Y = np.vectorize(RENAMED.get)(Y)


def pairs() -> list[Any]:
    """Unfitted models of each kind without and with a positive class, to be fitted on RENAMED_Y and Y."""
    weights = {"class_weight": {"bad": 2.0, "good": 1.0}}
    renamed = {"class_weight": {RENAMED[label]: weight for label, weight in weights["class_weight"].items()}}
    return [
        (quick(), quick(pos_label="bad")),
        (quick(early_stopping=True, **renamed), quick(early_stopping=True, pos_label="bad", **weights)),
        (quick(monotonic_cst={"debt": 1}), quick(monotonic_cst={"debt": 1}, pos_label="bad")),
        (small_scorecard(), small_scorecard(pos_label="bad")),
        (scorecard(**renamed), scorecard(machine(pos_label="bad"), **weights)),
        (
            quick_scorecard(monotonic_cst={"debt": 1}),
            quick_scorecard(monotonic_cst={"debt": 1}, pos_label="bad"),
        ),
    ]


def quick_scorecard(**params: Any) -> RuleClassifier:
    """A scorecard of the default machines."""
    return RuleClassifier(max_literals=3, cv=2, random_state=0, **params)


def small_scorecard(**params: Any) -> RuleClassifier:
    """A scorecard of one small machine, which has these parameters."""
    return scorecard(machine(**params))


# --- what the model learns ---


@pytest.mark.parametrize(("plain", "chosen"), pairs())
def test_a_positive_class_is_worth_another_name(plain: Any, chosen: Any) -> None:
    plain.fit(X, RENAMED_Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", TableWarning)  # of weighted classes
        chosen.fit(X, Y)
    assert chosen.classes_.tolist() == ["bad", "good"]
    assert (plain.pos_label_, chosen.pos_label_) == ("z bad", "bad")
    np.testing.assert_array_equal(chosen.votes(X), plain.votes(X))
    np.testing.assert_array_equal(np.vectorize(RENAMED.get)(chosen.predict(X)), plain.predict(X))
    np.testing.assert_array_equal(chosen.predict_proba(X)[:, 0], plain.predict_proba(X)[:, 1])
    assert [(rule.points, str(rule)) for rule in chosen.rules_] == [
        (rule.points, str(rule)) for rule in plain.rules_
    ]
    assert chosen.rules_.to_text() == plain.rules_.to_text().replace("'z bad'", "bad").replace(
        "'a good'", "good"
    )


@pytest.mark.parametrize("clf", [quick(pos_label="bad"), small_scorecard(pos_label="bad")])
def test_scikit_learn_finds_its_own_order(clf: Any) -> None:
    clf.fit(X, Y)
    scores, probabilities = clf.decision_function(X), clf.predict_proba(X)
    assert clf.classes_.tolist() == ["bad", "good"]
    np.testing.assert_array_equal(clf.classes_[(scores > 0).astype(int)], clf.predict(X))
    np.testing.assert_array_equal(clf.predict(X) == "bad", clf.votes(X) >= 0)
    assert np.corrcoef(scores, probabilities[:, 1])[0, 1] > 0.5
    assert get_scorer("roc_auc")(clf, X, Y) > 0.7
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_votes_rules_and_sql_are_about_the_positive_class() -> None:
    clf = small_scorecard(pos_label="bad").fit(X, Y)
    rules = clf.rules_
    assert rules.classes.tolist() == ["good", "bad"]
    assert rules.to_text().startswith("Points are for bad. ")
    assert "Predicts bad if the total is 0 or more, else good." in rules.to_text()
    columns = {name: ("DOUBLE", X[name].tolist()) for name in X}
    expected = list(zip(clf.votes(X).tolist(), clf.predict(X).tolist(), strict=True))
    assert score_in_sql(rules, "duckdb", columns) == expected
    assert RuleSet.from_json(rules.to_json()) == rules


def test_risks_are_about_the_positive_class() -> None:
    clf = small_scorecard(pos_label="bad").fit(X, Y)
    table, votes = clf.risk_table_, clf.votes(X)
    assert (table.pos_label, table.positives.sum()) == ("bad", (Y == "bad").sum())
    np.testing.assert_allclose(table.probability(votes), clf.predict_proba(X)[:, 0])
    assert "  risk of bad  " in str(table).splitlines()[0]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("positive", ["bad", "good"])
def test_constraints_are_about_the_positive_class(positive: str, sign: int) -> None:
    constraint = {"debt": sign, "term": sign}
    made = [
        quick(pos_label=positive, monotonic_cst=constraint),
        small_scorecard(pos_label=positive, monotonic_cst=constraint),
    ]
    for clf in made:
        clf.fit(X, Y)
        votes = [clf.votes(X.assign(debt=float(debt))) for debt in range(8)]
        assert (sign * np.diff(votes, axis=0) >= 0).all()
        place = clf.classes_.tolist().index(positive)
        risks = [clf.predict_proba(X.assign(debt=float(debt)))[:, place] for debt in range(8)]
        assert (sign * np.diff(risks, axis=0) >= 0).all()


@pytest.mark.parametrize(("labels", "positive"), [((0, 1), 0), ((False, True), False), ((1.0, 2.0), 1)])
def test_labels_may_be_numbers_or_booleans(labels: tuple[Any, Any], positive: Any) -> None:
    y = np.where(Y == "bad", *labels)
    clf = quick(pos_label=positive).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X) == labels[0], clf.votes(X) >= 0)
    assert f"Points are for class {labels[0]}. " in str(clf.rules_)


# --- machines that go on, and scorecards of machines ---


def test_a_machine_goes_on_for_the_same_class_only(tmp_path: Path) -> None:
    plain, chosen = quick(), quick(pos_label="bad")
    for _ in range(2):
        plain.partial_fit(X, RENAMED_Y, classes=list(RENAMED.values()))
        chosen.partial_fit(X, Y, classes=["good", "bad"])
    np.testing.assert_array_equal(chosen.votes(X), plain.votes(X))
    chosen.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json").partial_fit(X, Y)
    np.testing.assert_array_equal(again.votes(X), plain.partial_fit(X, RENAMED_Y).votes(X))
    for other in (None, "good"):
        with pytest.raises(ValueError, match="must be 'bad', which the votes of the present model are for"):
            again.set_params(pos_label=other).partial_fit(X, Y)
    again.set_params(warm_start=True)
    with pytest.raises(
        ValueError, match="'pos_label' parameter of TsetlinClassifier must be 'bad'.*Got 'good'"
    ):
        again.fit(X, Y)


def test_a_scorecard_of_a_machine_is_about_its_positive_class() -> None:
    card = compact(quick(pos_label="bad").fit(X, Y), X, Y, 3, cv=2, random_state=0)
    same = compact(quick().fit(X, RENAMED_Y), X, RENAMED_Y, 3, cv=2, random_state=0)
    assert card.pos_label_ == "bad"
    np.testing.assert_array_equal(card.votes(X), same.votes(X))
    with pytest.raises(
        ValueError, match="'pos_label' parameter of RuleClassifier must be None if 'estimator'"
    ):
        scorecard(machine(), pos_label="bad").fit(X, Y)


def test_tuning_is_about_the_positive_class() -> None:
    options: dict[str, Any] = {"n_candidates": 2, "cv": 2, "random_state": 0, "verbose": 0}
    for max_literals in (None, 3):
        chosen = tune(X, Y, pos_label="bad", max_literals=max_literals, **options)
        same = tune(X, RENAMED_Y, max_literals=max_literals, **options)
        assert chosen.best_score_ == same.best_score_
        assert chosen.best_estimator_.pos_label_ == "bad"
        np.testing.assert_array_equal(chosen.best_estimator_.votes(X), same.best_estimator_.votes(X))
    with pytest.raises(ValueError, match="'pos_label' parameter of tune must be None or one of the classes"):
        tune(X, Y, pos_label="ugly", **options)


# --- what is refused ---


@pytest.mark.parametrize("clf", [TsetlinClassifier(), RuleClassifier()])
@pytest.mark.parametrize(
    ("pos_label", "message"),
    [
        ("ugly", r"must be None or one of the classes \['bad', 'good'\]. Got 'ugly'"),
        (1, r"must be None or one of the classes \['bad', 'good'\]. Got 1"),
        (["bad"], r"must be None or a class label. Got \['bad'\]"),
    ],
)
def test_another_label_is_refused(clf: Any, pos_label: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"The 'pos_label' parameter of {type(clf).__name__} {message}"):
        clf.set_params(pos_label=pos_label).fit(X, Y)


def test_an_error_names_the_estimator_that_has_the_label() -> None:
    with pytest.raises(ValueError, match="'pos_label' parameter of TsetlinClassifier must be None or one of"):
        small_scorecard(pos_label="ugly").fit(X, Y)


def test_more_than_two_classes_have_no_positive_one() -> None:
    y = np.arange(len(X)) % 3
    for clf in (quick(pos_label=1), quick_scorecard(pos_label=1)):
        with pytest.raises(ValueError, match="must be None for more than two classes. Got 1 for 3 classes"):
            clf.fit(X, y)
    assert quick().fit(X, y).pos_label_ is None


# --- files ---


@pytest.mark.parametrize(
    ("make", "name"),
    [(quick, "pos_label"), (quick_scorecard, "pos_label"), (small_scorecard, "estimator__pos_label")],
)
def test_a_file_holds_what_was_fitted(make: Any, name: str, tmp_path: Path) -> None:
    clf = make(pos_label="bad").fit(X, Y)
    clf.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert again.get_params()[name] == "bad"
    assert again.pos_label_ == "bad"
    assert again.classes_.tolist() == ["bad", "good"]
    for method in ("votes", "predict", "predict_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(again, method)(X), getattr(clf, method)(X))
    clf.set_params(**{name: None})  # for the next fit: this one stays what it is
    clf.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert again.get_params()[name] is None
    assert again.pos_label_ == "bad"
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))


@pytest.mark.parametrize("make", [quick, small_scorecard])
def test_a_file_without_a_positive_class_is_as_before(make: Any, tmp_path: Path) -> None:
    make().fit(X, Y).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["content"]
    assert "pos_label" not in content["parameters"]
    assert load(tmp_path / "m.json").pos_label_ == "good"


# --- reports, plots, explanations ---


def test_the_report_is_about_the_positive_class(tmp_path: Path) -> None:
    clf = small_scorecard(pos_label="bad").fit(X, Y)
    test, truth = loans(60, seed=1)
    report(clf, test, truth, tmp_path / "r.html", X, Y)
    page = Page(tmp_path / "r.html")
    text = " ".join(page.text.split())
    for words in (
        "F1 is that of bad.",
        "“Positive” means bad",
        "Points are for bad",
        "Risk of bad",
        "total, points for bad",
    ):
        assert words in text
    assert f"{f1_score(truth, clf.predict(test), pos_label='bad'):.3f}" in text
    model = json.loads(page.scripts["model"])
    assert model["classes"] == ["good", "bad"]
    same = small_scorecard().fit(X, RENAMED_Y)
    report(same, test, np.vectorize(RENAMED.get)(truth), tmp_path / "s.html", X, RENAMED_Y)
    other = json.loads(Page(tmp_path / "s.html").scripts["model"])
    assert other.pop("classes") == ["'a good'", "'z bad'"]
    assert other == {name: value for name, value in model.items() if name != "classes"}


def test_votes_are_drawn_by_the_positive_class() -> None:
    clf = quick(pos_label="bad").fit(X, Y)
    display = VoteDisplay.from_estimator(clf, X, Y)
    assert display.class_names == ["good", "bad"]
    assert display.ax_.get_xlabel() == "vote for bad"
    sides = [text.get_text().strip() for text in display.ax_.texts]
    assert sides == ["← good", "bad →"]
    plt.close(display.figure_)


def test_explanations_are_about_the_positive_class() -> None:
    clf = small_scorecard(pos_label="bad").fit(X, Y)
    for explained, label in zip(clf.explain(X[:20]), clf.predict(X[:20]), strict=True):
        assert explained.label == label
        assert (explained.votes[0] >= 0) == (label == "bad")
        held = [reason for reason in explained.reasons if reason.held and reason.feature is not None]
        assert all((reason.points > 0) == (label == "bad") for reason in held)
    assert (clausal.RuleDisplay.from_estimator(clf)).ax_.get_xlabel() == "points for bad"
