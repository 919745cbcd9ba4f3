"""Constraints: the vote never moves the wrong way, forbidden features never appear, mistakes are named."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import clausal
from clausal import Booleanizer, RuleClassifier, RuleRegressor, TableWarning, TsetlinClassifier
from clausal.machine import constraints
from clausal.machine.clause_model import extract_rules
from clausal.machine.constraints import allowed_signs, monotonic_signs
from clausal.rules.rule import Literal, Rule

RNG = np.random.RandomState(3)
N = 600
DOMAIN = {
    "age": [20, 30, 40, 50, 60],
    "dose": [0.1, 0.2, 0.3, 0.4, None],
    "stage": ["I", "II", "III"],
    "smoker": [False, True],
    "city": ["Bergen", "Oslo", "Rome"],
}
TABLE = pd.DataFrame(
    {name: [values[i] for i in RNG.randint(len(values), size=N)] for name, values in DOMAIN.items()}
)
TABLE["stage"] = pd.Categorical(TABLE["stage"], DOMAIN["stage"], ordered=True)
# Every feature matters both ways: without a constraint the vote rises and falls with each of them.
BUMPS = np.c_[
    TABLE["age"] == 40, TABLE["dose"] == 0.2, TABLE["stage"] == "II", TABLE["smoker"] == (TABLE["age"] < 40)
]
Y = (BUMPS.sum(axis=1) + RNG.rand(N) > 2).astype(int)
GRID = pd.DataFrame(list(itertools.product(*DOMAIN.values())), columns=list(DOMAIN))
GRID["stage"] = pd.Categorical(GRID["stage"], DOMAIN["stage"], ordered=True)
ORDERED = ["age", "dose", "stage", "smoker"]
WEIGHTINGS = ["integer", "none", "real"]


def classifier(**parameters):
    threshold = 10 if parameters.get("weighting") == "none" else 60
    settings = {
        "n_clauses": 40,
        "threshold": threshold,
        "n_epochs": 20,
        "specificity": 3.0,
        "random_state": 0,
    }
    return TsetlinClassifier(**{**settings, **parameters})


def steps_up(clf, name):
    """What each step up of one feature, all else equal, does to the vote; over the whole domain."""
    votes = clf.rules_.votes(GRID)
    np.testing.assert_array_equal(votes, clf.votes(GRID))
    shape = [len(values) for values in DOMAIN.values()]
    by_value = np.moveaxis(votes.reshape(shape), list(DOMAIN).index(name), 0)
    return np.diff(by_value[: len(DOMAIN[name]) - (None in DOMAIN[name])], axis=0)


def falls(clf, name):
    return int((steps_up(clf, name) < 0).sum())


def rises(clf, name):
    return int((steps_up(clf, name) > 0).sum())


def breaches(clf):
    """Clauses and printed rules whose sign a constraint does not allow."""
    signs = monotonic_signs(clf.monotonic_cst, clf.encoding_)
    raw = extract_rules(clf.model_, clf.encoding_, clf.classes_)
    return [rule for rule in (*raw, *clf.rules_) if np.sign(rule.points) not in allowed_signs(rule, signs)]


# --- monotone constraints ---


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("booleanizer", ["auto", "paper"])
def test_no_vote_moves_the_wrong_way(weighting, booleanizer):
    free = classifier(weighting=weighting, booleanizer=booleanizer).fit(TABLE, Y)
    assert all(falls(free, name) and rises(free, name) for name in ORDERED), "the test would show nothing"
    for name in ORDERED:
        rising, falling = (
            clone(free).set_params(monotonic_cst={name: sign}).fit(TABLE, Y) for sign in (1, -1)
        )
        assert (falls(rising, name), breaches(rising)) == (0, [])
        assert (rises(falling, name), breaches(falling)) == (0, [])
        assert rises(rising, name) or falls(falling, name), "the test would show nothing"


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_all_features_at_once_as_a_list(weighting):
    clf = classifier(weighting=weighting, monotonic_cst=[1, -1, 1, -1, 0]).fit(TABLE, Y)
    assert [falls(clf, "age"), rises(clf, "dose"), falls(clf, "stage"), rises(clf, "smoker")] == [0] * 4
    assert not breaches(clf)


def test_a_wrong_mask_is_caught_by_the_same_checks(monkeypatch):
    right = constraints.literal_mask
    monkeypatch.setattr(constraints, "literal_mask", lambda *given: right(*given)[::-1])
    clf = classifier(monotonic_cst={"age": 1}).fit(TABLE, Y)
    assert falls(clf, "age") > 0
    assert breaches(clf)


def test_a_missing_value_is_free_to_speak_either_way():
    y = TABLE["dose"].isna().to_numpy().astype(int)
    for sign in (1, -1):
        clf = classifier(monotonic_cst={"dose": sign}).fit(TABLE, y)
        assert clf.score(TABLE, y) == 1
        assert not breaches(clf)


def test_a_feature_that_may_go_missing_later_is_monotone_where_it_is_there():
    X = TABLE.assign(dose=TABLE["dose"].fillna(0.1))
    clf = classifier(booleanizer=Booleanizer(handle_missing="as_false"), monotonic_cst={"dose": 1}).fit(X, Y)
    assert falls(clf, "dose") == 0


def test_columns_that_are_boolean_already():
    X = np.array(list(itertools.product([0, 1], repeat=4)) * 10)
    y = X[:, 0] ^ X[:, 1] ^ (RNG.rand(len(X)) < 0.2)
    for sign in (1, -1):
        clf = classifier(booleanizer=None, monotonic_cst=[sign, 0, 0, 0]).fit(X, y)
        votes = clf.votes(np.array(list(itertools.product([0, 1], repeat=4)))).reshape(2, 8)
        assert (sign * (votes[1] - votes[0]) >= 0).all()
        assert (votes[1] != votes[0]).any()


def test_a_rule_may_have_the_signs_that_keep_the_vote_monotone():
    booleanizer = Booleanizer().fit(TABLE)
    signs = monotonic_signs({"age": 1, "dose": -1, "smoker": 1}, booleanizer.encoding_)
    literals = {
        column.text(negated): Literal(column, place, negated)
        for place, column in enumerate(booleanizer.columns_)
        for negated in (False, True)
    }

    def allowed(*texts):
        return allowed_signs(Rule(tuple(literals[text] for text in texts), 1, ""), signs)

    assert allowed("age > 30") == {1}
    assert allowed("age <= 30") == {-1}
    assert allowed("age > 30", "age <= 40") == set()
    assert allowed("dose <= 0.25") == {1}
    assert allowed("dose > 0.25 or missing") == {-1}
    assert allowed("dose is missing") == allowed("dose is not missing") == {1, -1}
    assert allowed("smoker") == {1}
    assert allowed("not smoker") == {-1}
    assert allowed("stage <= I") == {1, -1}
    assert allowed("age > 30", "smoker", "dose <= 0.15") == {1}
    assert allowed("age > 30", "not smoker") == set()


@pytest.mark.parametrize(
    ("cst", "words"),
    [
        ([1, 0], "must have one entry per feature (5). Got 2."),
        ([1, 0, 0, 0, 2], "must hold only -1, 0 and 1. Got 2."),
        ([1, 0, 0, 0, 0.5], "must hold only -1, 0 and 1. Got 0.5."),
        ([1, 0, 0, 0, "1"], "must hold only -1, 0 and 1. Got '1'."),
        ([True, 0, 0, 0, 0], "must hold only -1, 0 and 1. Got True."),
        ({"age": None}, "must hold only -1, 0 and 1. Got None."),
        (np.ones((5, 1)), "must be one-dimensional. Got an array of shape (5, 1)."),
        ({"weight": 1}, "must list names of columns of X. Got 'weight'."),
        ({0: 1}, "must, as a dict, have names of features as keys. Got 0."),
        ({"city": -1}, "must be 0 for feature 'city', whose categories have no order. Got -1."),
        ([0, 0, 0, 0, 1], "must be 0 for feature 'city', whose categories have no order. Got 1."),
    ],
    ids=str,
)
def test_constraints_that_mean_nothing_are_refused(cst, words):
    for learn in (lambda clf: clf.fit(TABLE, Y), lambda clf: clf.partial_fit(TABLE, Y, classes=[0, 1])):
        clf = classifier(monotonic_cst=cst)
        with pytest.raises(
            ValueError, match="^The 'monotonic_cst' parameter of TsetlinClassifier must"
        ) as caught:
            learn(clf)
        assert str(caught.value).endswith(words)
        assert not hasattr(clf, "model_")


def test_categories_in_codes_have_no_order_either():
    with pytest.raises(ValueError, match="must be 0 for feature 'city', whose categories have no order"):
        classifier(booleanizer="paper", monotonic_cst={"city": 1}).fit(TABLE, Y)
    with pytest.raises(ValueError, match="must be 0 for feature 1, whose categories have no order"):
        classifier(categorical_features=[1], monotonic_cst=[0, 1]).fit(np.c_[TABLE["age"], Y], Y)


def test_names_need_a_table_with_names():
    with pytest.raises(ValueError, match="must list positions, not names, when X has no column names"):
        classifier(monotonic_cst={"age": 1}).fit(TABLE[["age"]].to_numpy(), Y)


def test_more_than_two_classes_have_no_monotone_vote():
    words = r"The 'monotonic_cst' parameter .* must be None for more than two classes.* Got \[1, .* 3 classes"
    with pytest.raises(ValueError, match=words):
        classifier(monotonic_cst=[1, 0, 0, 0, 0]).fit(TABLE, np.arange(N) % 3)


def test_arrays_of_any_number_type_are_fine():
    expected = classifier(monotonic_cst=[1, 0, 0, 0, 0]).fit(TABLE, Y)
    for cst in (np.eye(5)[0], np.eye(5, dtype=np.int8)[0], (1, 0, 0, 0, 0), {"age": np.int64(1)}):
        clf = clone(classifier(monotonic_cst=cst)).fit(TABLE, Y)
        np.testing.assert_array_equal(clf.model_.states, expected.model_.states)


# --- forbidden features ---


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("given", [["age", "dose"], [0, 1], [True, True, False, False, False]], ids=str)
def test_forbidden_features_are_in_no_rule(weighting, n_classes, given):
    y = Y + (np.arange(N) % 2 if n_classes == 3 else 0)
    clf = classifier(weighting=weighting, forbidden_features=given).fit(TABLE, y)
    used = {column.feature for rule in clf.rules_ for column in (literal.column for literal in rule.literals)}
    assert used == {"stage", "smoker", "city"}
    assert clf.feature_importances_[:2].tolist() == [0, 0]
    masked = np.array([column.feature in ("age", "dose") for column in clf.columns_] * 2)
    assert (clf.model_.states[..., masked] == clf.model_.n_states - 1).all()  # they never moved
    assert (clf.model_.states[..., ~masked] != clf.model_.n_states - 1).any()


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_every_engine_obeys(backend):
    parameters = {"monotonic_cst": {"age": 1}, "forbidden_features": ["dose"], "n_epochs": 2, "n_clauses": 10}
    clf = classifier(backend=backend, **parameters).fit(TABLE, Y)
    assert falls(clf, "age") == 0
    assert not breaches(clf)
    assert "dose" not in str(clf.rules_)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["weight"], "must list names of columns of X. Got 'weight'."),
        ([5], "must list positions from 0 to 4. Got 5."),
        ([True], "must, as a boolean mask, have one entry per feature (5). Got 1."),
        ([0, "age"], "must list only names, only positions or only booleans. Got ['int', 'str']."),
        ([0, 1, 2, 3, 4], "must leave at least one feature that varies. Got [0, 1, 2, 3, 4]."),
    ],
    ids=str,
)
def test_forbidden_features_that_mean_nothing_are_refused(given, words):
    with pytest.raises(
        ValueError, match="^The 'forbidden_features' parameter of TsetlinClassifier must"
    ) as caught:
        classifier(forbidden_features=given).fit(TABLE, Y)
    assert str(caught.value).endswith(words)


def test_an_empty_constraint_changes_nothing():
    expected = classifier().fit(TABLE, Y)
    for empty in ({"monotonic_cst": {}}, {"monotonic_cst": [0] * 5}, {"forbidden_features": []}):
        clf = classifier(**empty).fit(TABLE, Y)
        np.testing.assert_array_equal(clf.model_.states, expected.model_.states)


# --- going on ---


@pytest.mark.parametrize("change", [{"monotonic_cst": {"age": 1}}, {"forbidden_features": ["age"]}], ids=str)
def test_going_on_from_a_model_that_breaks_a_new_constraint_is_refused(change):
    clf = classifier(warm_start=True).fit(TABLE, Y)
    states = clf.model_.states
    clf.set_params(**change)
    words = r"must allow what the present model includes, .* Got a clause (for|against) with `age .*`\.$"
    for learn in (clf.fit, clf.partial_fit):
        with pytest.raises(ValueError, match=words):
            learn(TABLE, Y)
        assert clf.model_.states is states
    clf.set_params(warm_start=False).fit(TABLE, Y)  # a new model is fine


def test_going_on_keeps_the_constraint():
    parameters = {"monotonic_cst": {"age": 1}, "forbidden_features": ["dose"]}
    clf = (
        classifier(warm_start=True, n_epochs=3, **parameters)
        .fit(TABLE, Y)
        .fit(TABLE, Y)
        .partial_fit(TABLE, Y)
    )
    assert falls(clf, "age") == 0
    assert "dose" not in str(clf.rules_)
    clf.set_params(monotonic_cst=None, forbidden_features=None).partial_fit(TABLE, Y)  # fewer are fine


# --- the model file ---


@pytest.mark.parametrize(
    ("name", "given", "read"),
    [
        ("monotonic_cst", {"age": 1, "dose": -1}, {"age": 1, "dose": -1}),
        ("monotonic_cst", np.array([1.0, 0, 0, -1, 0]), [1, 0, 0, -1, 0]),
        ("forbidden_features", ("age", "city"), ["age", "city"]),
        ("forbidden_features", np.array([0, 4]), [0, 4]),
        ("forbidden_features", [True, False, False, False, True], [True, False, False, False, True]),
    ],
    ids=str,
)
def test_constraints_are_kept_in_the_model_file(tmp_path, name, given, read):
    clf = classifier(**{name: given}).fit(TABLE, Y)
    clf.save(tmp_path / "model.json")
    loaded = clausal.load(tmp_path / "model.json")
    assert getattr(loaded, name) == read
    clf.partial_fit(TABLE, Y)
    loaded.partial_fit(TABLE, Y)
    np.testing.assert_array_equal(clf.model_.states, loaded.model_.states)


def test_a_constraint_that_no_file_can_hold_is_not_written(tmp_path):
    for name, value, words in (
        ("monotonic_cst", [1, 3], "parameters.monotonic_cst[1] must be -1, 0 or 1. Got 3."),
        ("monotonic_cst", {0: 1}, "parameters.monotonic_cst must be a string. Got 0."),
        ("forbidden_features", [object()], "forbidden_features must be made of numbers and strings"),
    ):
        clf = classifier(n_epochs=1).fit(TABLE, Y).set_params(**{name: value})
        with pytest.raises(ValueError, match=re.escape(words)):
            clf.save(tmp_path / "model.json")


@pytest.mark.parametrize("estimator", [RuleRegressor, RuleClassifier])
def test_a_scorecard_without_rules_names_its_constraints(estimator):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(100, 2))
    y = np.round(rows[:, 0] * 2) if estimator is RuleRegressor else rows[:, 0] > 0
    given = {"max_literals": 2, "cv": 2, "random_state": 0, "monotonic_cst": [-1, -1], "max_features": 1}
    with pytest.warns(TableWarning) as caught:
        assert estimator(**given).fit(rows, y).n_literals_ == 0
    said = "The constraints may also be the reason: 'monotonic_cst', 'max_features'."
    assert [str(one.message).endswith(said) for one in caught] == [True]
