"""Candidates: what is tried, and what is the same as something shorter."""

import numpy as np
import pandas as pd

from clausal import Booleanizer
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.candidates import distinct, outputs, rules_of, single_literals

BOOLEANIZER = Booleanizer().fit(pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 1]}))
COLUMNS = BOOLEANIZER.columns_
LITERALS = [Literal(column, k, negated) for negated in (False, True) for k, column in enumerate(COLUMNS)]


def test_every_rule_and_every_rule_less_one_literal_once():
    rules = [Rule((LITERALS[0], LITERALS[2]), 3, "1"), Rule((LITERALS[2], LITERALS[0]), -1, "0")]
    found = rules_of([RuleSet(rules, BOOLEANIZER, [0, 1])] * 2)
    assert {frozenset(literals) for literals in found} == {
        frozenset(LITERALS[k] for k in (0, 2)),
        frozenset([LITERALS[0]]),
        frozenset([LITERALS[2]]),
    }
    assert len(found) == 3


def test_single_literals_are_all_columns_and_their_negations():
    assert [one for (one,) in single_literals(COLUMNS)] == LITERALS


def test_outputs_are_the_rules_own():
    bits = BOOLEANIZER.transform(pd.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2]}))
    candidates = [(LITERALS[0],), (LITERALS[3], LITERALS[2])]
    fires = outputs(candidates, bits)
    for place, literals in enumerate(candidates):
        assert fires[:, place].tolist() == Rule(literals, 1, "").holds(bits).tolist()


def test_of_equals_and_negations_the_shortest_stays():
    fires = np.array([[1, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 0, 1]], bool)
    kept, twins = distinct(fires, np.array([3, 1, 1, 1, 1, 2]))
    assert kept.tolist() == [1, 5]
    assert twins == [(2, 1, True), (0, 1, False)]
