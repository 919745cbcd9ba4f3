"""What tells two sets of rules apart, in words."""

import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

FEW = Booleanizer().fit(pd.DataFrame({"age": [54, 55, 60], "b": [True, False, True]}))
MORE = Booleanizer().fit(pd.DataFrame({"b": [True, False, True, True], "age": [50, 54, 55, 60]}))


def rules(booleanizer, *described, constants=None, classes=("well", "sick")):
    """Each rule as points and the texts of its literals."""
    known = {
        column.text(negated): Literal(column, place, negated)
        for place, column in enumerate(booleanizer.columns_)
        for negated in (False, True)
    }
    made = [Rule(tuple(known[text] for text in texts), points, "") for points, *texts in described]
    return RuleSet(made, booleanizer, classes, constants)


def test_rules_are_told_apart_by_what_they_say():
    here = rules(FEW, (12, "age > 54"), (-7, "b", "age <= 55"), (3, "not b"), constants=[-2])
    there = rules(MORE, (-5, "age <= 55", "b"), (3, "not b"), (-4, "age <= 50"), (1, "b"), constants=[4])
    found = here.diff(there)
    assert found
    assert [str(rule) for rule in found.only_here] == ["age > 54"]
    assert [str(rule) for rule in found.only_there] == ["age <= 50", "b"]
    assert [(a.points, b.points) for a, b in found.changed] == [(-7, -5)]
    assert found.constants == (("sick", -2, 4),)
    assert str(found).splitlines() == [
        "Points are for sick.",
        "Start of sick: -2 here, 4 there",
        "Only here:",
        "  +12  if age > 54",
        "Only there:",
        "  -4  if age <= 50",
        "  +1  if b",
        "Other points:",
        "  -7 here, -5 there  if b and age <= 55",
    ]


def test_a_rule_set_does_not_differ_from_itself():
    one = rules(FEW, (12, "age > 54"), (-7, "b"))
    assert not one.diff(one)
    assert str(one.diff(one)) == "No difference."
    assert not one.diff(rules(FEW, (-7, "b"), (12, "age > 54")))


def test_points_may_change_sides():
    found = rules(FEW, (2, "b")).diff(rules(FEW, (-2, "b")))
    assert str(found).splitlines()[1:] == ["Other points:", "  +2 here, -2 there  if b"]


def test_rules_that_stand_twice_are_told_apart_by_number():
    found = rules(FEW, (2, "b"), (3, "b")).diff(rules(FEW, (2, "b")))
    assert [rule.points for rule in found.only_here] == [3]
    assert not found.changed


def test_banks_of_more_classes_are_kept_apart():
    column = FEW.columns_[-1]
    here, there = (
        RuleSet([Rule((Literal(column, 2, False),), 1, "", bank)], FEW, ["a", "b", "c"], [0, bank, 0])
        for bank in (1, 2)
    )
    found = here.diff(there)
    assert [rule.speaks_for for rule in (*found.only_here, *found.only_there)] == ["b", "c"]
    assert found.constants == (("b", 1, 2),)
    assert str(found).splitlines()[1:3] == ["Only here:", "  +1 for b  if b"]
    other = here.with_rules([Rule(here[0].literals, -4, "", 1)])
    assert str(here.diff(other)).splitlines() == ["Other points:", "  +1 here, -4 there for b  if b"]


def test_other_classes_cannot_be_compared():
    with pytest.raises(
        ValueError, match="in the same order to be compared, here .'well', 'sick'.. Got .'a', 'b'.."
    ):
        rules(FEW).diff(rules(FEW, classes=("a", "b")))


def test_another_policy_is_a_difference():
    here = rules(FEW, (12, "age > 54"))
    found = here.diff(here.with_encoding(here.encoding.with_policy(handle_unknown="error")))
    assert found.policy == (("handle_unknown", "no_rule", "error"),)
    assert str(found).splitlines()[1:] == ["handle_unknown: 'no_rule' here, 'error' there"]
    assert not here.diff(here)
