"""Summaries of values: equal for any order, batches and merging, and intervals as narrow as possible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal.encoding import summary
from clausal.encoding.summary import FeatureSummary, NumberSummary, ordered_bits, whole_weights
from clausal.encoding.values import values_from_array

FINITE = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)
NUMBERS = st.lists(st.one_of(FINITE, st.integers(-50, 50).map(float)), min_size=1, max_size=60)


def of(numbers, weights=None) -> NumberSummary:
    numbers = np.array(numbers, float)
    return NumberSummary.of(numbers, np.ones(len(numbers), np.int64) if weights is None else weights)


def parts_of(found: NumberSummary):
    return found.lows.tolist(), found.highs.tolist(), found.weights.tolist(), found.shift


@given(NUMBERS)
def test_integers_are_ordered_like_the_numbers(numbers):
    ordered = np.array(sorted(numbers))
    assert (np.diff(ordered_bits(ordered).astype(object)) >= 0).all()


@settings(deadline=None)
@given(NUMBERS, st.integers(1, 12), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_merging_does_not_matter(numbers, most, random, weighted):
    weights = np.array([1 + k % 3 if weighted else 1 for k in range(len(numbers))], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "MAX_DISTINCT", most)
        expected = of(numbers, weights)
        order = list(range(len(numbers)))
        random.shuffle(order)
        cuts = sorted(random.randrange(len(numbers) + 1) for _ in range(3))
        pieces = [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True)]
        found = [of(np.array(numbers)[piece], weights[piece]) for piece in pieces]
        left = found[0].merged(found[1]).merged(found[2]).merged(found[3])
        right = found[0].merged(found[1].merged(found[2].merged(found[3])))
    assert parts_of(left) == parts_of(right) == parts_of(expected)


@settings(deadline=None)
@given(NUMBERS, st.integers(1, 12))
def test_intervals_are_as_narrow_as_the_limit_allows(numbers, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "MAX_DISTINCT", most)
        found = of(numbers)
    bits = [int(key) for key in ordered_bits(np.array(numbers))]
    assert len({key >> found.shift for key in bits}) == len(found.lows) <= most
    if found.shift:
        assert len({key >> (found.shift - 1) for key in bits}) > most
    for low, high, weight in zip(found.lows, found.highs, found.weights, strict=True):
        inside = [number for number in numbers if low <= number <= high]
        assert (min(inside), max(inside), len(inside)) == (low, high, weight)


def test_cuts_of_intervals_are_between_numbers(monkeypatch):
    monkeypatch.setattr(summary, "MAX_DISTINCT", 16)
    numbers = np.arange(1000) / 7
    one = FeatureSummary(values_from_array("x", numbers), np.ones(1000, np.int64))
    values, weights, highs = one.distinct(1.0)
    assert highs is not None
    assert len(values.values) <= 16
    assert (values.values[1:] > highs[:-1]).all()
    assert weights.sum() == 1000
    assert {*values.values, *highs} <= set(numbers)


def test_too_many_texts_are_forgotten_in_any_order(monkeypatch):
    monkeypatch.setattr(summary, "MAX_TEXTS", 3)
    texts = np.array(list("aabbccdd"), object)
    parts = [
        FeatureSummary(values_from_array("x", texts[k : k + 2]), np.ones(2, np.int64)) for k in range(0, 8, 2)
    ]
    parts[0].merge(parts[1])
    parts[0].merge(parts[2])
    assert parts[0].texts == {"a": 2, "b": 2, "c": 2}
    parts[3].merge(parts[0])
    assert parts[3].texts is None


def test_booleans_among_numbers_are_remembered_in_any_order():
    plain, mixed = np.array([1, 2.5], object), np.array([True, 3], object)
    for order in ([plain, mixed], [mixed, plain], [plain, plain, mixed]):
        first, *others = (
            FeatureSummary(values_from_array("x", part), np.ones(2, np.int64)) for part in order
        )
        assert first.distinct(1.0)[0].with_booleans == (order[0] is mixed)
        for other in others:
            first.merge(other)
        assert first.distinct(1.0)[0].with_booleans


@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-200, 1e6)), min_size=1, max_size=50))
def test_weights_are_whole_numbers_of_a_unit(weights):
    given_weights = np.array(weights)
    if not given_weights.sum() > 0:
        return
    whole, unit = whole_weights(given_weights)
    assert np.allclose(whole * unit, given_weights, rtol=0, atol=given_weights.sum() * 2.0**-50)


def test_whole_weights_stay_as_they_are():
    whole, unit = whole_weights(np.array([0.0, 3.0, 1.0]))
    assert (whole.tolist(), unit) == ([0, 3, 1], 1.0)
