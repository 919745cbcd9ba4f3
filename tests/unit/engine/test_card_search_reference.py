"""The compiled search for scorecards finds the cards of its NumPy twin, whatever the order of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from clausal.engine.card_search import NEGATIVE, POSITIVE, Cards, CardSearch
from clausal.engine.card_search_reference import MAX_PAIR_FEATURES, ReferenceSearchTable
from clausal.engine.native import NativeSearchTable
from tests.support.card_searches import Case, cases, packed, table


def assert_equal(one: Cards, other: Cards) -> None:
    for name, a, b in zip(Cards._fields, one, other, strict=True):
        assert a.dtype == b.dtype, name
        np.testing.assert_array_equal(a, b, name)


def found(case: Case) -> Cards:
    """The cards and their scores, which must be those of the twin."""
    native = NativeSearchTable(packed(case.values), case.feature_of, case.begins)
    reference = ReferenceSearchTable(packed(case.values), case.feature_of, case.begins)
    cards = native.find_cards(case.search)
    assert_equal(cards, reference.find_cards(case.search))
    rows = np.arange(len(case.values))[::-2].copy()
    scores = native.scores(cards, rows)
    np.testing.assert_array_equal(scores, reference.scores(cards, rows))
    assert scores.dtype == np.int32
    return cards


@settings(max_examples=60)
@given(cases())
def test_native_equals_reference(case: Case) -> None:
    found(case)


NUMBERS = ("squared_error", "quantile")


@settings(max_examples=60)
@given(cases(losses=NUMBERS))
def test_native_equals_reference_for_numbers(case: Case) -> None:
    found(case)


@settings(max_examples=20)
@given(cases(constrained=True, losses=NUMBERS))
def test_native_equals_reference_for_numbers_under_constraints(case: Case) -> None:
    found(case)


@settings(max_examples=60)
@given(cases(constrained=True))
def test_native_equals_reference_under_constraints(case: Case) -> None:
    cards = found(case)
    limits, features = case.search.constraints, np.tile(case.feature_of, 2)
    n_columns, fixed = len(case.feature_of), case.search.constraints.fixed
    for card in range(len(cards.values)):
        terms = cards.terms(card)
        assert [(tuple(literals), bank) for literals, bank, _ in terms[: len(fixed)]] == [
            (rule.literals, rule.bank) for rule in fixed
        ]
        for rule, (_, _, points) in zip(fixed, terms, strict=False):
            assert points != 0
            assert rule.low <= points <= rule.high
            assert abs(points) <= case.search.max_points
        for literals, _, points in terms[len(fixed) :]:
            assert 0 < abs(points) <= case.search.max_points
            columns = [k % n_columns for k in literals]
            assert all(limits.low[k] <= points <= limits.high[k] for k in columns if len(limits.low))
            assert len({features[k] for k in literals}) <= (limits.max_rule_features or n_columns)
            if limits.groups.size:
                assert np.bitwise_and.reduce([limits.groups[k] for k in columns]).any()


@pytest.mark.parametrize("n_banks", [1, 3])
def test_native_equals_reference_on_more_features_than_are_paired(n_banks: int) -> None:
    rng = np.random.default_rng(n_banks)
    values, feature_of = table(rng, 40, [1] * (MAX_PAIR_FEATURES + 6))
    codes = (values[:, :2] == 1).all(axis=1) + (values[:, 2:5] == 1).all(axis=1).astype(int)
    search = CardSearch(
        weights=np.ones(40),
        shares=np.ascontiguousarray(np.eye(3)[codes].T[:n_banks]),
        signs=np.full(2 * len(feature_of), POSITIVE | NEGATIVE, np.uint8),
        starts=np.zeros(1, np.int64),
        literals=np.zeros(0, np.uint32),
        ridge=0.3,
        conjunctions=True,
        sizes=np.array([2, 4]),
    )
    cards = found(Case(values, feature_of, search, np.ones(len(feature_of), bool)))
    assert any(len(literals) > 1 for card in range(2) for literals, _, _ in cards.terms(card))


@settings(max_examples=100)
@given(cases())
def test_cards_keep_to_the_limits(case: Case) -> None:
    cards = NativeSearchTable(packed(case.values), case.feature_of, case.begins).find_cards(case.search)
    search, features = case.search, np.tile(case.feature_of, 2)
    sizes = search.sizes[-1:] if search.thorough else search.sizes
    assert len(cards.values) == len(sizes)
    for card, size in enumerate(sizes):
        terms = cards.terms(card)
        assert sum(len(literals) for literals, _, _ in terms) <= size
        assert len(terms) <= (search.max_rules or size)
        used = {features[literal] for literals, _, _ in terms for literal in literals}
        assert len(used) <= (search.max_features or len(used))
        assert len({(*literals, -bank) for literals, bank, _ in terms}) == len(terms)
        for literals, _, points in terms:
            assert 0 < abs(points) <= search.max_points
            assert all(search.signs[literal] & (POSITIVE if points > 0 else NEGATIVE) for literal in literals)
            assert len(literals) == 1 or search.conjunctions


@settings(max_examples=60)
@given(cases())
def test_the_order_of_the_rows_does_not_matter(case: Case) -> None:
    order = np.random.default_rng(len(case.values)).permutation(len(case.values))
    search = replace(
        case.search, weights=case.search.weights[order], shares=case.search.shares[:, order].copy()
    )
    cards = NativeSearchTable(packed(case.values), case.feature_of, case.begins).find_cards(case.search)
    permuted = NativeSearchTable(packed(case.values[order]), case.feature_of, case.begins).find_cards(search)
    assert_equal(permuted, cards)


@settings(max_examples=60)
@given(cases(weights=("whole",), hard=(True,)))
def test_a_row_of_weight_two_is_two_rows(case: Case) -> None:
    weights = case.search.weights.astype(int)
    rows = np.repeat(np.arange(len(case.values)), np.maximum(weights, 1))
    ones = np.minimum(weights, 1)[rows].astype(float)
    search = replace(case.search, weights=ones, shares=case.search.shares[:, rows].copy())
    cards = NativeSearchTable(packed(case.values), case.feature_of, case.begins).find_cards(case.search)
    repeated = NativeSearchTable(packed(case.values[rows]), case.feature_of, case.begins).find_cards(search)
    assert_equal(repeated, cards)


def example(n_rows: int = 40, n_banks: int = 1) -> Case:
    """Four features of two cut points, and a class that depends on two of them."""
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(n_rows, 4))
    values = (numbers[:, :, None] <= [-0.4, 0.4]).reshape(n_rows, 8).astype(np.uint8)
    classes = (numbers[:, 0] + numbers[:, 1] > 0).astype(int) + (numbers[:, 2] > 0.5) * (n_banks > 1)
    shares = np.eye(max(n_banks, 2))[classes].T[-n_banks:].copy()
    search = CardSearch(
        weights=np.ones(n_rows),
        shares=shares,
        signs=np.full(16, POSITIVE | NEGATIVE, np.uint8),
        starts=np.array([0, 2, 2, 5]),
        literals=np.array([0, 2, 1, 3, 9], np.uint32),
        ridge=1.0,
        conjunctions=True,
        sizes=np.array([3, 8]),
    )
    return Case(values, np.repeat(np.arange(4), 2).astype(np.uint32), search)


@pytest.mark.parametrize("n_banks", [1, 3])
def test_rules_are_found(n_banks: int) -> None:
    cards = found(example(n_banks=n_banks))
    assert len(cards.terms(0)) >= 1
    assert len(cards.terms(1)) > len(cards.terms(0))
    assert cards.objectives[1] < cards.objectives[0]


@pytest.mark.parametrize("n_banks", [1, 3])
@pytest.mark.parametrize(
    "changes",
    [
        {"weights": np.zeros(40)},
        {"weights": np.full(40, 1e-9)},
        {"signs": np.zeros(16, np.uint8)},
        {"shares": np.zeros},
    ],
    ids=["no weight", "hardly a weight", "all forbidden", "no share"],
)
def test_nothing_to_find(n_banks: int, changes: dict[str, np.ndarray]) -> None:
    case = example(n_banks=n_banks)
    if "shares" in changes:
        changes = {"shares": np.zeros((n_banks, 40))}
    cards = found(case._replace(search=replace(case.search, **changes)))
    assert cards.term_starts.tolist() == [0, 0, 0]
    assert cards.values.tolist() == [1, 1]


@pytest.mark.parametrize("n_banks", [1, 3])
@pytest.mark.parametrize("n_rows", [0, 1, 2, 64, 65])
def test_few_rows_and_whole_words(n_banks: int, n_rows: int) -> None:
    found(example(n_rows, n_banks))


def test_no_columns() -> None:
    case = example()
    search = replace(
        case.search, signs=np.zeros(0, np.uint8), starts=np.array([0, 0]), literals=np.zeros(0, np.uint32)
    )
    cards = found(Case(np.zeros((40, 0), np.uint8), np.zeros(0, np.uint32), search))
    assert cards.term_starts.tolist() == [0, 0, 0]


def test_a_class_without_weight() -> None:
    """Its offset goes down and stays within the largest score."""
    case = example(n_banks=3)
    third = case.search.shares[2] == 1
    cards = found(case._replace(search=replace(case.search, weights=np.where(third, 0.0, 1.0))))
    assert (cards.offsets[:, 2] < cards.offsets[:, :2].min(axis=1)).all()
    assert (np.abs(cards.offsets) <= 16 * 256).all()


def test_equal_sizes_have_equal_cards() -> None:
    case = example()
    cards = found(case._replace(search=replace(case.search, sizes=np.array([1, 1, 5, 5, 12]))))
    assert cards.terms(0) == cards.terms(1)
    assert cards.terms(2) == cards.terms(3)
    assert cards.objectives[0] == cards.objectives[1]


def test_a_hard_case_for_fixed_point_numbers() -> None:
    """Weights of 10^15 and classes that are told apart: the sums stay within 63 bits."""
    case = example(n_banks=3)
    classes = np.arange(40) % 3
    values = np.repeat(np.eye(3)[classes], 2, axis=1).astype(np.uint8)
    search = replace(
        case.search,
        weights=np.full(40, 1e15),
        shares=np.eye(3)[classes].T.copy(),
        signs=np.full(12, 3, np.uint8),
        starts=np.array([0]),
        literals=np.zeros(0, np.uint32),
        ridge=0.0,
        max_points=100,
        thorough=True,
    )
    cards = found(Case(values, np.repeat(np.arange(3), 2).astype(np.uint32), search))
    assert 0 <= cards.objectives[-1] < 40e15 * 0.01
