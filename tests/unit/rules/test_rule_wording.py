"""The wording of rules: literals on one feature read as one condition, and every text is true."""

from itertools import combinations

import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.rules.rule import Rule, conditions_text
from tests.support.rule_models import POLICIES, TABLE, assert_text_is_true, literals, setting

WIDE = pd.DataFrame(
    {
        "x": [1.0, 2, 40, 50, None],
        "age": [54.0, 61, 70, 54, 54],
        "thal": ["fixed", "normal", "reversible", "normal", "fixed"],
        "pain": ["mild", "nil", None, "severe", "mild"],
        "grade": pd.Categorical(["low", "mid", "top", "low", "mid"], ["low", "mid", "top"], ordered=True),
        "smoker": [True, False, True, False, True],
        "retired": pd.array([True, False, None, False, True], "boolean"),
        "due date": [1.0, 2, 3, 2, 2],
    }
)
AUTO = Booleanizer(handle_unknown="no_match").fit(WIDE)
PAPER = Booleanizer("paper").fit(WIDE)


def text(fitted, *literals):
    """The text of the literals with these texts."""
    known = {
        column.text(negated): (column, negated) for column in fitted.columns_ for negated in (False, True)
    }
    return conditions_text(known[each] for each in literals)


@pytest.mark.parametrize("feature", TABLE.columns)
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_every_set_of_literals_on_one_feature_has_a_true_text(policy, feature):
    given = setting(feature, *policy)
    n_literals = 2 * given.n_columns
    for size in range(n_literals + 1):
        for chosen in combinations(range(n_literals), size):
            assert_text_is_true(Rule(literals(given.booleanizer, chosen), 1, "yes"), given)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_conditions_on_two_features_are_true_together(policy):
    given = setting("md", *policy)
    for chosen in combinations(range(2 * given.n_columns), 3):
        assert_text_is_true(Rule(literals(given.booleanizer, chosen), 1, "yes"), given)


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        (["x > 1 or missing", "x <= 40"], "1 < x <= 40"),
        (["x <= 40", "x > 1 or missing"], "1 < x <= 40"),
        (["x > 1 or missing", "x > 2 or missing"], "x > 2 or missing"),
        (["x > 1 or missing", "x is not missing"], "x > 1"),
        (["x > 1 or missing", "x is missing"], "x is missing"),
        (["x is not missing"], "x is not missing"),
        (["x is not missing", "x <= 40"], "x <= 40"),
        (["x <= 40", "x <= 1"], "x <= 1"),
        (["age > 54", "age <= 61"], "54 < age <= 61"),
        (["due date > 1", "due date <= 2"], "1 < due date <= 2"),
        (["thal is not fixed"], "thal is not fixed"),
        (["thal is not fixed", "thal is not reversible"], "thal not in {fixed, reversible}"),
        (["thal is normal", "thal is not fixed"], "thal is normal"),
        (
            ["pain is not mild or missing", "pain is not nil or missing"],
            "pain not in {mild, nil} or missing",
        ),
        (["pain is not mild or missing", "pain is not missing"], "pain is not mild"),
        (["grade > low", "grade <= mid"], "low < grade <= mid"),
        (["grade > low"], "grade > low"),
        (["smoker"], "smoker"),
        (["not smoker"], "not smoker"),
        (["not retired or missing"], "not retired or missing"),
        (["not retired or missing", "retired is not missing"], "not retired"),
    ],
)
def test_literals_on_one_feature_are_one_condition(literals, expected):
    assert text(AUTO, *literals) == expected


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        (["thal in {fixed, normal}"], "thal in {fixed, normal}"),
        (["thal is not fixed", "thal in {fixed, normal}"], "thal is normal"),
        (["thal is not fixed", "thal in {fixed, normal, reversible}"], "thal in {normal, reversible}"),
        (["pain is not mild or missing", "pain in {mild, nil}"], "pain is nil"),
        (["pain not in {mild, nil} or missing"], "pain not in {mild, nil} or missing"),
        (["pain not in {mild, nil} or missing", "pain is not missing"], "pain not in {mild, nil}"),
        (["grade > low", "grade <= top"], "low < grade <= top"),
    ],
)
def test_coded_categories_are_listed(literals, expected):
    assert text(PAPER, *literals) == expected


def test_brackets_only_where_something_follows_or_missing():
    assert text(AUTO, "x > 1 or missing", "smoker") == "(x > 1 or missing) and smoker"
    assert text(AUTO, "x > 1 or missing", "smoker", "x <= 40") == "1 < x <= 40 and smoker"
    assert text(AUTO, "smoker", "not retired or missing") == "smoker and (not retired or missing)"
    assert text(AUTO, "smoker", "grade > low", "grade <= mid") == "smoker and low < grade <= mid"


def test_contradictions_are_said_as_they_are():
    assert text(AUTO, "x <= 1", "x > 2 or missing") == "x <= 1 and (x > 2 or missing)"
    assert text(AUTO, "x <= 1", "x is missing") == "x <= 1 and x is missing"
    assert text(AUTO, "thal is fixed", "thal is normal") == "thal is fixed and thal is normal"
    assert text(AUTO, "smoker", "not smoker") == "smoker and not smoker"


def test_no_condition_at_all():
    assert conditions_text([]) == "always"


def test_odd_names_are_quoted_in_intervals_too():
    fitted = Booleanizer().fit(pd.DataFrame({" a\n": [1, 2, 3]}))
    low, high = fitted.columns_
    assert conditions_text([(low, True), (high, False)]) == r"1 < ' a\n' <= 2"
