"""Effects and importances: points split equally over a rule's features, so that everything adds up."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from clausal.explain import effect_curves, feature_effects, feature_importances
from clausal.explain.reasons import shared_points
from tests.support.toy_rules import ROWS, VALUES, frame, model, rule_sets

TABLE = frame(*ROWS[::7])


@settings(max_examples=50)
@given(rule_sets())
def test_constant_and_effects_add_up_to_the_votes(rules):
    effects = feature_effects(rules, TABLE)
    votes = rules.votes(TABLE)
    assert effects.shape == (*votes.shape, len(VALUES))
    constants = rules.constants[0] if rules.n_banks == 1 else np.array(rules.constants)
    np.testing.assert_allclose(constants + effects.sum(axis=-1), votes, atol=1e-12)


@settings(max_examples=50)
@given(rule_sets())
def test_shares_are_equal_and_lose_nothing(rules):
    for rule, shares in zip(rules, shared_points(rules), strict=True):
        exact = Fraction(rule.points, len(rule.features))
        assert [share != 0 for share in shares] == [place in rule.features for place in range(5)]
        assert all(share == float(exact) for share in shares[list(rule.features)])


@settings(max_examples=50)
@given(rule_sets())
def test_importances_are_shares_of_one(rules):
    importances = feature_importances(rules)
    assert importances.shape == (5,)
    assert (importances >= 0).all()
    assert importances.sum() == pytest.approx(1 if len(rules) else 0)
    assert [importance > 0 for importance in importances] == [
        any(place in rule.features for rule in rules) for place in range(5)
    ]


def test_importances_by_hand():
    rules = model((4, "n <= 3", "b"), (-6, "b"))
    assert feature_importances(rules).tolist() == [0.2, 0, 0, 0, 0.8]
    assert feature_importances(model()).tolist() == [0.0] * 5


def test_curves_say_each_part_of_a_range_in_words():
    rules = model((4, "n <= 4", "n > 1", "b"), (-6, "c is a"), (3, "m <= 2"), (2, "o > x"))
    curves = {curve.feature: curve for curve in effect_curves(rules, frame(*ROWS))}
    assert {name: curve.texts for name, curve in curves.items()} == {
        "n": ("n <= 1", "1 < n <= 4", "n > 4"),
        "m": ("m <= 2", "m > 2 or missing"),
        "c": ("c is a", "c is not a or missing"),
        "o": ("o <= x", "o > x"),
        "b": ("b", "not b"),
    }
    assert curves["n"].means.tolist() == [0, 1, 0]  # half of 4 points, in half of the rows
    assert curves["c"].means.tolist() == [-6, 0]
    assert curves["b"].means.tolist() == [1, 0]
    assert curves["n"].counts.tolist() == [len(ROWS) / 4, len(ROWS) / 2, len(ROWS) / 4]


@settings(max_examples=50)
@given(rule_sets())
def test_curves_hold_all_of_the_effects(rules):
    effects = feature_effects(rules, TABLE)
    for curve in effect_curves(rules, TABLE):
        place = list(VALUES).index(curve.feature)
        total = np.tensordot(curve.counts, curve.means, axes=1)
        np.testing.assert_allclose(total, effects[..., place].sum(axis=0), atol=1e-9)
        assert curve.counts.sum() == len(TABLE)
        assert len({*curve.texts}) == len(curve.texts)


def test_a_part_without_rows_has_no_effect():
    (curve,) = effect_curves(model((4, "b")), frame({**ROWS[0], "b": False}))
    assert (curve.counts.tolist(), curve.means.tolist()) == ([0, 1], [0, 0])
