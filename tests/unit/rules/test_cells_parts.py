"""Parts: the points of a row's bins and the constant add up to its vote, and each bin says what is in it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from clausal.rules.cells import parts_of_rules
from tests.support.lending import card
from tests.support.toy_rules import BOOLEANIZER, ROWS, frame, model, rule_sets

BITS = BOOLEANIZER.transform(frame(*ROWS))


@settings(max_examples=50)
@given(rule_sets())
def test_bins_and_constants_add_up_to_the_votes(rules):
    fires = rules.fires_on(BITS)
    votes = np.tile(np.array(rules.constants), (len(ROWS), 1))
    for part in parts_of_rules(rules):
        found = part.of_bits(BITS, fires)
        votes += np.array(part.points(rules))[found]
        assert (part.holds[found][:, list(part.rules)] == fires[:, list(part.rules)]).all()
        assert part.possible[found].all()
    np.testing.assert_array_equal(votes, rules.outcome.banked(rules.votes_of(fires)))


@settings(max_examples=50)
@given(rule_sets())
def test_the_first_bin_whose_literals_hold_is_that_of_a_row(rules):
    fires = rules.fires_on(BITS)
    for part in parts_of_rules(rules):
        found = np.full(len(BITS), -1)
        for index in part.order:
            holds = found < 0
            for column, negated in part.literals[index]:
                holds &= BITS[:, column] == (not negated)
            found[holds] = index
        np.testing.assert_array_equal(found, part.of_bits(BITS, fires))


def test_a_value_that_was_not_seen_is_in_no_other_bin():
    (part,) = parts_of_rules(model((1, "c is missing")))
    assert part.texts == ("c is not missing", "c is missing", "not seen in training")
    assert [bool(part.literals[index]) for index in part.order] == [True, True, False]


@settings(max_examples=50)
@given(rule_sets())
def test_every_rule_is_in_one_part(rules):
    parts = parts_of_rules(rules)
    assert sorted(index for part in parts for index in part.rules) == list(range(len(rules)))
    assert all(len({*part.texts}) == len(part.texts) == len(part.holds) for part in parts)


def test_missing_values_are_a_bin_of_their_own():
    rules = model((2, "m <= 2"), (3, "c is not a or missing"), (-1, "n <= 3", "b"))
    m, c, both = parts_of_rules(rules)
    assert m.texts == ("m <= 2", "m > 2", "m is missing")
    assert m.points(rules) == [(2,), (0,), (0,)]
    assert c.texts[:3] == ("c is a", "c is not a", "c is missing")
    assert c.points(rules)[:3] == [(0,), (3,), (3,)]
    assert (both.texts, both.features) == (("n <= 3 and b", "otherwise"), (0, 4))


def test_bins_that_no_value_of_training_can_be_in_are_not_possible():
    (age, income, state, _) = parts_of_rules(card().rules_)
    pairs = [zip(part.texts, part.possible.tolist(), strict=True) for part in (age, income, state)]
    found = dict(pair for own in pairs for pair in own)
    assert [text for text, ok in found.items() if not ok] == ["not seen in training"]
    assert found["income is missing"]
