"""What a fitted machine says: votes, decisions, probabilities, clause outputs, rules; all of them agree."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.machine.clause_model import extract_rules
from clausal.rules.rule_set import RuleSet
from tests.support.small_data import quick, table

N_ROWS = 60
WEIGHTINGS = ["integer", "none", "real", "rwtla", "cpl_ats"]
PARAMS = {"n_clauses": 20, "threshold": 6, "n_epochs": 8}


def frame(n_classes):
    """Numbers with missing values, text and booleans, and labels of `n_classes` kinds."""
    X, y = table(n_classes, N_ROWS)
    dose = np.where(np.arange(N_ROWS) % 7 == 0, np.nan, X[:, 1])
    town = np.array(["Bergen", "Grimstad", "Oslo"])[np.arange(N_ROWS) % 3]
    columns = {"age": X[:, 0], "dose": dose, "town": town, "smoker": X[:, 2] > 0.5}
    return pd.DataFrame(columns), np.array(["low", "mid", "top"])[y]


def fitted(n_classes, weighting, **params):
    X, y = frame(n_classes)
    return quick(**PARAMS, weighting=weighting, **params).fit(X, y), X


every_machine = pytest.mark.parametrize(
    ("n_classes", "weighting"), [(k, weighting) for k in (2, 3) for weighting in WEIGHTINGS]
)


def raw_votes(clf, X):
    """Votes [n, banks] in the machine's own whole units."""
    votes = clf.votes(X).reshape(len(X), -1) * clf.model_.scale
    assert np.array_equal(votes, np.rint(votes))
    return votes


# --- votes ---


@every_machine
def test_votes_are_clause_outputs_times_signed_weights(n_classes, weighting):
    clf, X = fitted(n_classes, weighting)
    outputs, model = clf.transform(X), clf.model_
    assert outputs.dtype == np.uint8
    assert set(np.unique(outputs)) == {0, 1}
    assert outputs.shape == (N_ROWS, model.n_banks * 20)
    fired = outputs.reshape(N_ROWS, model.n_banks, 20)
    votes = np.einsum("nbc,bc->nb", fired, model.weights * model.polarity)
    expected = votes[:, 0] if n_classes == 2 else votes
    assert clf.votes(X).dtype == (np.float64 if weighting == "real" else np.int64)
    assert clf.votes(X).shape == ((N_ROWS,) if n_classes == 2 else (N_ROWS, 3))
    np.testing.assert_array_equal(clf.votes(X), expected)


@every_machine
def test_clauses_are_the_and_of_their_literals_and_empty_ones_never_fire(n_classes, weighting):
    clf, X = fitted(n_classes, weighting, drop_clause=0.5)  # half of the clauses never learn
    bits = clf.encoding_.bits(X).astype(bool)
    literals = np.c_[bits, ~bits]
    include = clf.model_.include.reshape(-1, literals.shape[1])
    expected = [clause.any() and row[clause].all() for row in literals for clause in include]
    np.testing.assert_array_equal(clf.transform(X).ravel(), np.array(expected))
    assert any(not clause.any() for clause in include), "no clause is empty: the test would show nothing"


def test_weights_of_zero_neither_vote_nor_count():
    clf, X = fitted(3, "integer")
    model = clf.model_
    off = model.weights == 0
    assert model.include[off].any(), "no clause of weight 0 has literals: the test would show nothing"
    assert clf.transform(X)[:, off.ravel()].any()
    assert clf.n_literals_ == model.include[~off].sum() < model.include.sum()
    raw = extract_rules(model, clf.encoding_, clf.classes_)
    assert len(raw) == (~off & model.include.any(axis=2)).sum()
    assert raw.n_literals == clf.n_literals_ > clf.rules_.n_literals


def test_weight_floor_and_max_weight_bound_the_weights():
    clf, _ = fitted(3, "integer", weight_floor=1, max_weight=3)
    assert clf.model_.weights.min() == 1
    assert clf.model_.weights.max() == 3
    assert (fitted(3, "none")[0].model_.weights == 1).all()
    assert (fitted(3, "real", max_weight=1.5)[0].model_.weights <= 1.5).all()


# --- decisions and probabilities ---


def test_the_decision_at_a_vote_of_zero():
    X = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (10, 1))
    clf = quick(booleanizer=None, n_clauses=2, max_weight=1, n_epochs=1).fit(X, X[:, 0])
    votes = clf.votes(X)
    assert (votes == 0).any(), "no vote is 0: the test would show nothing"
    assert (clf.predict(X)[votes == 0] == clf.classes_[1]).all()
    assert (clf.decision_function(X)[votes == 0] == 0.5).all()
    assert (clf.predict_proba(X)[votes == 0, 1] > 0.5).all()


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_two_classes(weighting):
    clf, X = fitted(2, weighting)
    raw, scale, threshold = raw_votes(clf, X)[:, 0], clf.model_.scale, clf.model_.threshold
    assert threshold == 6 * scale
    np.testing.assert_allclose(clf.decision_function(X), (raw + 0.5) / scale, rtol=1e-15)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[(raw >= 0).astype(int)])
    np.testing.assert_array_equal(clf.decision_function(X) > 0, clf.predict(X) == clf.classes_[1])
    positive = np.clip((1 + (raw + 0.5) / (threshold + 0.5)) / 2, 0, 1)
    np.testing.assert_allclose(clf.predict_proba(X), np.c_[1 - positive, positive], rtol=1e-12)
    np.testing.assert_array_equal(clf.classes_[clf.predict_proba(X).argmax(axis=1)], clf.predict(X))


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_more_classes(weighting):
    clf, X = fitted(3, weighting)
    votes, threshold = clf.votes(X), 6
    np.testing.assert_array_equal(clf.decision_function(X), votes)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[votes.argmax(axis=1)])
    q = (1 + votes / (np.maximum(np.abs(votes), threshold) + 1)) / 2
    r = q / (q + 2 * (1 - q))
    np.testing.assert_allclose(clf.predict_proba(X), r / r.sum(axis=1, keepdims=True), rtol=1e-12)
    np.testing.assert_array_equal(clf.classes_[clf.predict_proba(X).argmax(axis=1)], clf.predict(X))


def test_ties_go_to_the_first_class():
    clf, X = fitted(3, "integer")
    nothing = np.zeros_like(clf.model_.points)
    vars(clf)["model_"] = replace(clf.model_, points=nothing, levels=nothing)
    assert (clf.votes(X) == 0).all()
    assert (clf.predict(X) == clf.classes_[0]).all()
    np.testing.assert_allclose(clf.predict_proba(X), 1 / 3)


# --- rules ---


@every_machine
def test_the_rules_are_the_model(n_classes, weighting):
    clf, X = fitted(n_classes, weighting)
    bits = clf.encoding_.bits(X)
    rules = clf.rules_
    assert isinstance(rules, RuleSet)
    assert len(rules) > 0
    votes = np.tile(np.array(rules.constants, float), (N_ROWS, 1))
    for rule in rules:
        assert rule.holds(bits).shape == (N_ROWS,)
        votes[:, rule.bank] += rule.points * rule.holds(bits)
    np.testing.assert_array_equal(votes * clf.model_.scale, raw_votes(clf, X))
    np.testing.assert_array_equal(rules.votes(X), clf.votes(X))
    np.testing.assert_array_equal(rules.predict(X), clf.predict(X))
    sizes = [abs(rule.points) for rule in rules]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) > 0


def test_rules_speak_for_classes_in_the_features_names():
    clf, _ = fitted(2, "integer")
    assert {rule.speaks_for for rule in clf.rules_} == {"low", "mid"}
    assert all((rule.points > 0) == (rule.speaks_for == "mid") for rule in clf.rules_)
    several, _ = fitted(3, "integer")
    for rule in several.rules_:
        name = several.classes_[rule.bank]
        assert rule.speaks_for == (name if rule.points > 0 else f"not {name}")
    text = str(several.rules_)
    first, *lines = text.splitlines()  # how to decide, the rules, footnotes
    assert "Predicts" in first
    assert len([line for line in lines if line.startswith(("+", "-"))]) == len(several.rules_)
    assert "age" in text
    assert "x0" not in text
    meanings = {column.text(negated) for column in several.columns_ for negated in (False, True)}
    assert all(str(literal) in meanings for rule in several.rules_ for literal in rule.literals)


def test_rules_of_a_table_without_names():
    X, y = table()
    clf = quick(**PARAMS).fit(X, y)
    assert all(
        str(literal).startswith(("x0 ", "x1 ", "x2 ")) for rule in clf.rules_ for literal in rule.literals
    )


def test_columns_are_the_booleanizers():
    clf, X = fitted(2, "integer", booleanizer=Booleanizer(max_columns=3))
    assert clf.columns_ == clf.encoding_.columns
    assert clf.model_.include.shape == (1, 20, 2 * len(clf.columns_))
    assert clf.encoding_.bits(X).shape == (N_ROWS, len(clf.columns_))
