"""Rules as text and as tests, and how they are read off a model's arrays."""

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.model.clause_model import ClauseModel
from clausal.rules.extract import extract_rules
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

BOOLEANIZER = Booleanizer().fit(
    pd.DataFrame({"age": [54.0, 55.0, 54.0, 54.0], "dose": [0.25, 0.25, 0.75, None]})
)
AGE, DOSE, _ = BOOLEANIZER.columns_
BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8)
CLASSES = ["well", "sick"]


def rule_set(*rules):
    return RuleSet(rules, BOOLEANIZER, CLASSES)


def rule(points=1, *literals):
    return Rule(tuple(Literal(*literal) for literal in literals), points, "sick" if points > 0 else "well")


def test_a_literal_is_both_text_and_test():
    literal, negated = Literal(DOSE, 1, False), Literal(DOSE, 1, True)
    assert (str(literal), str(negated)) == ("dose <= 0.5", "dose > 0.5 or missing")
    assert literal.holds(BITS).tolist() == [False, True, False, True]
    assert negated.holds(BITS).tolist() == [True, False, True, False]
    assert literal.holds(BITS.astype(bool)).tolist() == [False, True, False, True]


def test_a_rule_is_the_and_of_its_literals():
    both = rule(3, (AGE, 0, False), (DOSE, 1, True))
    assert str(both) == "age <= 54 and (dose > 0.5 or missing)"
    assert str(rule(3, (DOSE, 1, True))) == "dose > 0.5 or missing"
    assert both.holds(BITS).tolist() == [False, False, True, False]
    assert both.holds(BITS).dtype == bool


def test_a_rule_without_conditions_holds_everywhere():
    assert rule(1).holds(BITS).tolist() == [True] * 4
    assert rule(1).holds(BITS[:0]).shape == (0,)


def test_a_rule_set_is_a_sequence():
    first, second, third = rule(3, (AGE, 0, False)), rule(-2, (DOSE, 1, False)), rule(1, (AGE, 0, True))
    rules = rule_set(first, second, third)
    assert len(rules) == 3
    assert list(rules) == [first, second, third]
    assert rules[0] is first
    assert rules[-1] is third
    assert isinstance(rules[1:], RuleSet)
    assert list(rules[1:]) == [second, third]
    assert second in rules
    assert rules.n_literals == 3
    assert repr(rules) == "RuleSet of 3 rules, 3 literals"
    with pytest.raises(IndexError):
        rules[3]


def test_text():
    rules = rule_set(rule(12, (AGE, 0, False)), rule(-3, (DOSE, 1, True), (AGE, 0, True)))
    assert str(rules).splitlines() == [
        "+12  sick  if age <= 54",
        "+ 3  well  if (dose > 0.5 or missing) and age > 54",
    ]
    assert str(rule_set()) == "(no rules)"


def test_whole_points_are_printed_in_full():
    assert str(rule_set(rule(123_456_789, (AGE, 0, False)))).startswith("+123456789  sick")
    assert str(rule_set(rule(-1.2345678, (AGE, 0, False)))).startswith("+1.235  well")


def model(include, points, scale=1):
    """A model of one bank with N = 2 whose clauses include these literals (of age and dose, both signs)."""
    wide = np.insert(include, [2, 4], 0, axis=1)  # `dose is missing` and its negation
    states = np.where(wide[None], 3, 0).astype(np.uint8)
    points = np.array([points], np.int32)
    return ClauseModel(states, points, points, n_states=2, threshold=5, scale=scale, seed=0, step=0)


def test_rules_are_the_clauses_that_can_vote():
    include = [
        [1, 0, 0, 0],  # age <= 54, for
        [0, 0, 1, 1],  # both negated, against
        [0, 0, 0, 0],  # empty
        [1, 1, 0, 0],  # weight 0
        [0, 1, 0, 1],  # a contradiction: never holds, yet it is a clause
        [0, 1, 0, 0],
    ]
    rules = extract_rules(model(include, [2, 7, 9, 0, 1, 2]), BOOLEANIZER, CLASSES)
    assert [(r.points, r.speaks_for, str(r)) for r in rules] == [
        (-7, "well", "age > 54 and (dose > 0.5 or missing)"),
        (2, "sick", "age <= 54"),
        (-2, "well", "dose <= 0.5"),
        (1, "sick", "dose <= 0.5 and (dose > 0.5 or missing)"),
    ]
    assert all(type(r.points) is int for r in rules)
    assert not rules[3].holds(BITS).any()


def test_points_of_real_weights_are_weights():
    rules = extract_rules(model([[1, 0, 0, 0], [0, 1, 0, 0]], [3, 8], scale=4), BOOLEANIZER, CLASSES)
    assert [r.points for r in rules] == [-2.0, 0.75]
