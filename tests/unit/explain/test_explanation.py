"""One row's explanation: sums, near misses, reasons, and how it reads."""

import json

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal import Booleanizer
from clausal.explain import explain_rows
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.toy_rules import ROWS, frame, model, rule_sets

ROW = {"n": 5, "m": 2, "c": "a", "o": "x", "b": True}


@settings(max_examples=50)
@given(rule_sets(), st.sampled_from(ROWS))
def test_constants_and_points_add_up_to_the_votes(rules, row):
    (explained,) = explain_rows(rules, frame(row), counterfactuals=False)
    votes = list(explained.constants)
    for rule in explained.fired:
        votes[rule.bank] += rule.points
    np.testing.assert_array_equal(np.squeeze(votes), rules.votes(frame(row))[0])
    assert tuple(votes) == explained.votes
    assert explained.label == rules.predict(frame(row))[0]
    tested = {list(row)[place] for rule in rules for place in rule.features}
    assert explained.values == {name: value for name, value in row.items() if name in tested}
    assert len(explained.fired) == rules.fires(frame(row)).sum()
    sizes = [abs(rule.points) for rule in explained.fired]
    assert sizes == sorted(sizes, reverse=True)


@settings(max_examples=50)
@given(rule_sets(), st.sampled_from(ROWS))
def test_near_misses_fail_in_just_what_they_say(rules, row):
    (explained,) = explain_rows(rules, frame(row), counterfactuals=False, n_near_misses=100)
    assert len(explained.near_misses) + len(explained.fired) == len(rules)
    bits = rules.encoding.bits(frame(row))
    for miss in explained.near_misses:
        assert miss.failed == tuple(literal for literal in miss.rule.literals if not literal.holds(bits)[0])
        assert miss.failed
    order = [(len(miss.failed), -abs(miss.rule.points)) for miss in explained.near_misses]
    assert order == sorted(order)
    (few,) = explain_rows(rules, frame(row), counterfactuals=False, n_near_misses=2)
    assert few.near_misses == explained.near_misses[:2]


@settings(max_examples=50)
@given(rule_sets(), st.sampled_from(ROWS))
def test_reasons_are_the_effects_towards_the_decision(rules, row):
    (explained,) = explain_rows(rules, frame(row), counterfactuals=False, n_reasons=5)
    decided, votes = rules.classes.tolist().index(explained.label), np.array(explained.votes, float)
    rival = int(np.where(np.arange(len(votes)) == decided, -np.inf, votes).argmax()) if len(votes) > 1 else 0
    pushes = {}
    for rule in explained.fired:
        sign = (rule.bank == decided) - (rule.bank == rival) if len(votes) > 1 else 2 * decided - 1
        for place in rule.features:
            name = list(row)[place]
            pushes[name] = pushes.get(name, 0) + sign * rule.points / len(rule.features)
    shown = 2 * decided - 1 if len(votes) == 1 else 1  # points of two classes are for the positive class
    expected = {name: shown * push for name, push in pushes.items() if push > 1e-9}
    if not expected:  # the reasons are then others: rules that do not hold, or the constant
        assert all(not reason.held or reason.feature is None for reason in explained.reasons)
        assert explained.reasons
        assert not any(set(reason.rules) & set(explained.fired) for reason in explained.reasons)
        return
    found = {reason.feature: reason.points for reason in explained.reasons if abs(reason.points) > 1e-9}
    assert found.keys() == expected.keys()
    np.testing.assert_allclose([found[name] for name in found], [expected[name] for name in found])
    points = [shown * reason.points for reason in explained.reasons]
    assert points == sorted(points, reverse=True)
    assert all(reason.rules and set(reason.rules) <= set(explained.fired) for reason in explained.reasons)
    assert all(reason.value == row[reason.feature] for reason in explained.reasons)


@settings(max_examples=50)
@given(rule_sets(), st.sampled_from(ROWS))
def test_everything_is_plain_values_and_text(rules, row):
    (explained,) = explain_rows(rules, frame(row))
    plain = explained.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["label"] == explained.label
    text = str(explained)
    assert all(f"if {rule}" in text for rule in explained.fired)
    assert explained._repr_html_().count("<div") == 1


def test_the_text_of_two_classes():
    rules = model((5, "n > 4", "c is a"), (-2, "m <= 2"), (-9, "b", "n <= 3"), (1, "not b"), constants=(-1,))
    (explained,) = explain_rows(rules, frame(ROW))
    assert str(explained).splitlines() == [
        "Decided for yes with vote +2 = -1 (constant) + 5 (rules for yes) - 2 (rules against it)",
        "Values: n = 5, m = 2, c = a, b = True",
        "Rules that hold, with points for yes:",
        "  +5  if n > 4 and c is a",
        "  -2  if m <= 2",
        "Closest rules that do not hold:",
        "  -9  if b and n <= 3; fails: n <= 3",
        "  +1  if not b; fails: not b",
        "Decided for no instead with n: 5 -> 4",
        "Main reasons:",
        "  1. n = 5 (+2.5 points, towards yes): n > 4 and c is a",
        "  2. c = a (+2.5 points, towards yes): n > 4 and c is a",
    ]


def test_a_number_as_a_label_is_called_a_class():
    (explained,) = explain_rows(model((5, "n > 4"), (-7, "b"), classes=(0, 1)), frame(ROW))
    lines = str(explained).splitlines()
    total = "vote -2 = +0 (constant) + 5 (rules for class 1) - 7 (rules against it)"
    assert lines[0] == f"Decided for class 0 with {total}"
    assert lines[-3] == "Decided for class 1 instead with b: True -> False"
    assert lines[-1] == "  1. b = True (-7 points, towards class 0): b"
    assert explained.reasons[0].points == -7


def test_the_text_of_more_classes():
    rules = model(
        (2, "b", 0), (1, "n > 4", 0), (-1, "n > 1", 1), classes=("low", "mid", "top"), constants=(1, 0, 2)
    )
    (explained,) = explain_rows(rules, frame(ROW), target="top")
    assert str(explained).splitlines() == [
        "Decided for low with votes +4 for low, -1 for mid, +2 for top",
        "Values: n = 5, b = True",
        "Rules that hold, besides the constants +1 for low, +0 for mid, +2 for top:",
        "  +2 for low  if b",
        "  +1 for low  if n > 4",
        "  -1 for mid  if n > 1",
        "Decided for top instead with n: 5 -> 4, b: True -> False",
        "Main reasons:",
        "  1. b = True (+2 points, towards low over top): b",
        "  2. n = 5 (+1 point, towards low over top): n > 4",
    ]


def test_the_text_without_rules():
    (explained,) = explain_rows(model(constants=(-3,)), frame(ROW))
    assert str(explained).splitlines()[1:] == [
        "Rules that hold, with points for yes:",
        "  none",
        "Counterfactual: no known values of the features that may change lead to another decision",
        "Main reasons:",
        "  1. the constant decides (-3 points, towards no)",
    ]
    assert explained.reasons[0].to_dict() == {
        "feature": None,
        "value": None,
        "points": -3.0,
        "towards": "no",
        "rules": [],
        "held": True,
        "text": "the constant decides (-3 points, towards no)",
    }


def reasons(row, *rules, **options):
    (explained,) = explain_rows(model(*rules, **options), frame(row), counterfactuals=False)
    return [str(reason) for reason in explained.reasons]


def test_where_the_constant_decides_the_points_that_the_other_side_did_not_get_are_the_reasons():
    rules = [(3, "n > 4"), (4, "not b", "m <= 2"), (2, "not b"), (1, "c is a")]
    assert reasons(ROW | {"n": 4}, *rules, constants=(-2,)) == [
        "b = True (+6 points, towards yes, not given): not b and m <= 2 does not hold; and 1 more rule",
        "n = 4 (+3 points, towards yes, not given): n > 4 does not hold",
    ]
    assert reasons(ROW, (1, "c is a"), (-9, "not b"), constants=(-5,)) == [
        "the constant decides (-5 points, towards no)"
    ]
    assert reasons(ROW, (1, "c is b", 2), classes=("low", "mid", "top"), constants=(1, 0, 0)) == [
        "the constant decides (+1 point, towards low over mid)"
    ]
    assert reasons(ROW, (1, "c is b", 2), classes=("low", "mid", "top"), constants=(1, 0, 0.5)) == [
        "c = a (+1 point, towards top over low, not given): c is b does not hold"
    ]


def test_a_rule_without_conditions_counts_as_constant():
    rules = RuleSet([Rule((), 3, "yes")], model().encoding, np.array(["no", "yes"]), (-1,))
    (explained,) = explain_rows(rules, frame(ROW))
    assert [str(reason) for reason in explained.reasons] == ["the constant decides (+2 points, towards yes)"]


def test_rules_in_plain_values_have_the_points_that_they_add():
    (explained,) = explain_rows(model((-2, "b"), (-3, "not b")), frame(ROW))
    plain = explained.to_dict()
    assert plain["fired"] == [{"rule": "b", "points": -2, "speaks_for": "no", "bank": 0}]
    assert plain["near_misses"][0]["points"] == -3


def test_points_that_are_not_whole_have_four_digits():
    (explained,) = explain_rows(model((0.123456, "b"), constants=(-1.5,)), frame(ROW))
    assert "+0.1235  if b" in str(explained)
    assert explained.votes == (-1.5 + 0.123456,)


def test_names_and_values_are_escaped_in_html():
    table = pd.DataFrame({"<script>": ["<b>", "&", "<b>"]})
    booleanizer = Booleanizer().fit(table)
    (column,) = booleanizer.columns_
    rules = RuleSet(
        [Rule((Literal(column, 0, False),), 3, "<i>")], booleanizer, np.array(["<i>", "<u>"]), (-1,)
    )
    (explained, *_) = explain_rows(rules, table)
    html = explained._repr_html_()
    assert "&lt;script&gt;" in html
    for raw in ("<script>", "<b>", "<i>", "<u>"):
        assert raw not in html
    assert "<script>" in str(explained)
