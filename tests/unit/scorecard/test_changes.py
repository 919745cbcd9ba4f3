"""Changes of a scorecard by hand: what is in words becomes the rules that it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer, RuleSet, Scorecard, parse_rule
from clausal.scorecard import changes
from clausal.scorecard.changes import find_rule, key_of
from tests.support.lending import card, loans

X, _ = loans()


def words(one: Scorecard) -> list[str]:
    return [f"{rule.points:+} {rule}" for rule in one.rules_]


def test_a_rule_is_found_by_its_words_in_any_order():
    own = card()
    rule = own.rules_[-2]
    assert str(rule) == "not owner and age <= 40"
    assert find_rule(own, "AGE <= 40 and not owner".replace("AGE", "age")) is rule
    assert find_rule(own, rule) is rule
    with pytest.raises(ValueError, match="must be one of the scorecard: .*income <= 20.* Got 'age > 51'"):
        find_rule(own, "age > 51")
    with pytest.raises(TypeError, match="must be given in words. Got int"):
        find_rule(own, 3)  # type: ignore[arg-type]


def test_rules_of_several_classes_need_a_class():
    table = pd.DataFrame({"a": [1.0, 2, 3]})
    rules = RuleSet((), Booleanizer().fit(table).encoding_, ["x", "y", "z"])
    rules = rules.with_rules([parse_rule("a <= 1", rules, 3, name) for name in "xy"])
    own = Scorecard(rules, 1.0)
    with pytest.raises(ValueError, match="class of a rule that several classes have must be given"):
        find_rule(own, "a <= 1")
    assert find_rule(own, "a <= 1", "y").bank == 1
    changed = changes.with_points(own, key_of(own.rules_[1]), 7)
    assert [(rule.points, rule.bank) for rule in changed.rules_] == [(7, 1), (3, 0)]


def test_a_rule_is_dropped_changed_and_added():
    own = card()
    without = changes.without_rule(own, key_of(find_rule(own, "age <= 30")))
    assert set(words(without)) == set(words(own)) - {"+4 age <= 30"}
    np.testing.assert_array_equal(without.votes(X), own.votes(X) - 4 * (X["age"] <= 30))
    assert not hasattr(without, "risk_table_")
    more = changes.with_points(own, key_of(find_rule(own, "age <= 30")), 9)
    np.testing.assert_array_equal(more.votes(X), own.votes(X) + 5 * (X["age"] <= 30))
    assert words(more)[0] == "+9 age <= 30"
    added, key = changes.with_rule(own, "age > 33.25 and state is not south", -2)
    holds = (X["age"] > 33.25) & (X["state"] != "south")
    np.testing.assert_array_equal(added.votes(X), own.votes(X) - 2 * holds)
    assert key_of(find_rule(added, "age > 33.25 and state is not south")) == key


@pytest.mark.parametrize(
    ("conditions", "points", "message"),
    [
        ("age <= 30", 2, "must have other conditions than the others. Got 'age <= 30'"),
        ("age > 40 and age <= 30", 2, "must hold for some value. Got 'age > 40 and age <= 30'"),
        ("income > 40 and income <= 30", 2, "for some value. Got 'income > 40 and income <= 30'"),
        ("age > 40", 0, "must be an int from .* other than 0. Got 0"),
        ("age > 40", 1.5, "other than 0. Got 1.5"),
        ("weight > 40", 2, "must test features of the table. Got 'weight'"),
        ("state is nord", 2, "must name known categories of state. Got nord. Did you mean north"),
    ],
)
def test_a_wrong_rule_is_refused(conditions: str, points: Any, message: str):
    with pytest.raises(ValueError, match=message):
        changes.with_rule(card(), conditions, points)


def test_a_cut_point_moves_everywhere():
    own = card(overrides=True)
    moved = changes.with_cut(own, "income", 20, 25)
    assert "+5 income <= 25" in words(moved)
    moved = changes.with_cut(moved, 1, 10, 15)
    assert str(moved.rules_.overrides[0]) == "age <= 20 and income <= 15"
    low = X["income"] <= 20
    np.testing.assert_array_equal(
        changes.with_cut(own, "income", 20, 35).votes(X), own.votes(X) + 5 * ((X["income"] <= 35) & ~low)
    )
    below = changes.with_cut(changes.with_rule(own, "20 <= age < 22.5", 4)[0], "age", 22.5, 23)
    assert "+4 20 <= age < 23" in words(below)
    assert below.votes(pd.DataFrame(X[:1]).assign(age=22.9)) == own.votes(X[:1].assign(age=22.9)) + 4
    with pytest.raises(ValueError, match="must be one of age, 20, 20, 23, 30, 40, 50. Got 21"):
        changes.with_cut(below, "age", 21, 22)
    negated = changes.with_cut(own, "age", 50, 55)
    assert "-3 age > 55" in words(negated)


@pytest.mark.parametrize(
    ("feature", "old", "new", "message"),
    [
        ("age", 31, 33, "must be one of age, 20, 30, 40, 50. Got 31"),
        ("state", "north", "south", "must be one of state, none"),
        ("agee", 30, 31, "move_cut"),
        ("age", 30, "x", "must compare age with a number. Got x"),
        ("age", 30, float("inf"), "must compare age with a finite number"),
    ],
)
def test_a_wrong_cut_point_is_refused(feature: Any, old: Any, new: Any, message: str):
    with pytest.raises(ValueError, match=message):
        changes.with_cut(card(overrides=True), feature, old, new)


def test_cut_points_do_not_make_rules_equal_or_impossible():
    own, _ = changes.with_rule(card(), "age > 60 and age <= 70", 1)
    own, _ = changes.with_rule(own, "age <= 35", 1)
    with pytest.raises(ValueError, match="must hold for some value. Got"):
        changes.with_cut(own, "age", 60, 75)
    with pytest.raises(ValueError, match="must not make two rules equal. Got 35 for age"):
        changes.with_cut(own, "age", 30, 35)


def test_ordered_categories_have_cut_points_too():
    grades = pd.Categorical(list("ABCDABCD"), list("ABCD"), ordered=True)
    table = pd.DataFrame({"grade": grades})
    rules = RuleSet((), Booleanizer().fit(table).encoding_, ["good", "bad"])
    own = Scorecard(rules.with_rules([parse_rule("grade > B", rules, 3)]), 1.0)
    moved = changes.with_cut(own, "grade", "B", "C")
    assert str(moved.rules_[0]) == "grade > C"
    assert moved.votes(table).tolist() == [0, 0, 0, 3] * 2


def test_overrides_and_cut_offs_keep_votes_and_risks():
    own = card()
    for changed in (
        changes.with_override(own, "age <= 19.5", "bad"),
        changes.with_override(own, "age <= 19.5", "good"),
        changes.with_cut_off(own, -3),
    ):
        np.testing.assert_array_equal(changed.votes(X), own.votes(X))
        assert changed.risk_table_ is own.risk_table_
    young = changes.with_override(own, "age <= 19.5", "bad")
    assert set(young.predict(X[X["age"] <= 19])) == {"bad"}
    assert changes.without_override(young, "age <= 19.5").rules_.overrides == ()
    assert (changes.with_cut_off(own, -3).predict(X) == np.where(own.votes(X) >= -3, "bad", "good")).all()
    with pytest.raises(ValueError, match="An override to be dropped must be one of the scorecard: none"):
        changes.without_override(own, "age <= 19.5")
    with pytest.raises(ValueError, match="class of an override must be one of good, bad. Got 'ugly'"):
        changes.with_override(own, "age <= 19.5", "ugly")
    with pytest.raises(ValueError, match="new override must have other conditions"):
        changes.with_override(young, "age <= 19.5", "good")
    with pytest.raises(ValueError, match="'cut_off' parameter of set_cut_off must be an int"):
        changes.with_cut_off(own, 0.5)
