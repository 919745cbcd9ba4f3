"""The table that the searches share: sizes, signs and rules."""

import numpy as np
import pytest

from clausal import TsetlinClassifier
from clausal.engine.native import pack
from clausal.outcome import make_outcome
from clausal.scorecard.bins import BinnedPart
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.search_space import SEARCHES, Limits, SearchSpace, clauses_of

RNG = np.random.default_rng(0)
X = RNG.integers(0, 5, (120, 3)).astype(float)
CODES = ((X[:, 0] >= 2) ^ (X[:, 1] >= 3)).astype(np.intp)
LIMITS = Limits(12, None, None, 10)


def space(**parameters):
    machine = TsetlinClassifier(20, threshold=20, n_epochs=5, random_state=0, **parameters).fit(X, CODES)
    bits = machine.encoding_.plain_bits(X, machine.encoding_.training_policy)
    outcome = make_outcome(np.arange(2))
    rows, number = SearchRows.of(
        [BinnedPart.of(machine.encoding_, pack(bits))], CODES, np.ones(120), machine.encoding_, outcome
    )
    return SearchSpace(machine, rows), clauses_of(machine.model_), number


def test_the_sizes_end_with_the_limit():
    assert Limits(5, None, None, 10).sizes == (1, 2, 3, 4, 5)
    assert Limits(13, None, None, 10).sizes[-2:] == (12, 13)
    assert Limits(None, None, None, 10).sizes[-1] == 40


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
def test_the_rules_of_a_card_give_its_scores(search):
    table, clauses, number = space()
    cards = table.find_cards(search, table.rows.weights, clauses, LIMITS, LIMITS.sizes)
    scores = table.table.scores(cards, number)
    bits = table.rows.encoding.plain_bits(X, table.rows.encoding.training_policy)
    for card, size in enumerate(LIMITS.sizes):
        rules = table.rules(cards, card)
        assert sum(len(rule.literals) for rule in rules) <= size
        expected = np.full(120, cards.offsets[card, 0])
        for rule in rules:
            expected += rule.holds(bits) * rule.points * cards.values[card]
        np.testing.assert_array_equal(scores[card, 0], expected)
    largest = table.rules(cards, len(LIMITS.sizes) - 1)
    assert search.conjunctions == any(len(rule.literals) > 1 for rule in largest)


def test_larger_cards_have_lower_objectives():
    table, clauses, _ = space()
    for search in SEARCHES:
        cards = table.find_cards(search, table.rows.weights, clauses, LIMITS, LIMITS.sizes)
        assert cards.objectives[-1] < cards.objectives[0]


def test_constraints_are_kept():
    table, clauses, _ = space(monotonic_cst=[1, 0, 0], forbidden_features=[2])
    for search in SEARCHES:
        cards = table.find_cards(search, table.rows.weights, clauses, LIMITS, LIMITS.sizes)
        for rule in table.rules(cards, len(LIMITS.sizes) - 1):
            assert 2 not in rule.features
            for literal in rule.literals:
                if literal.column.feature_index == 0:
                    assert literal.negated == (rule.points > 0)  # columns are "at most" a cut point


def test_a_space_without_a_feature_has_no_rules_on_it():
    table, clauses, _ = space()
    other = table.without(0)
    for search in SEARCHES:
        cards = other.find_cards(search, table.rows.weights, clauses, LIMITS, LIMITS.sizes)
        for rule in other.rules(cards, len(LIMITS.sizes) - 1):
            assert 0 not in rule.features
    cards = table.find_cards(SEARCHES[0], table.rows.weights, clauses, LIMITS, LIMITS.sizes)
    assert any(0 in rule.features for rule in table.rules(cards, len(LIMITS.sizes) - 1))  # it is unchanged
    assert other.without(1).without(2) is None


def test_one_card_of_many_has_the_same_rules_and_scores():
    table, clauses, number = space()
    cards = table.find_cards(SEARCHES[2], table.rows.weights, clauses, LIMITS, LIMITS.sizes)
    scores = table.table.scores(cards, number)
    for card in range(len(LIMITS.sizes)):
        only = cards.only(card)
        assert table.rules(only, 0) == table.rules(cards, card)
        np.testing.assert_array_equal(table.table.scores(only, number)[0], scores[card])
        assert (only.objectives[0], len(only.objectives)) == (cards.objectives[card], 1)
