"""Equal rows: copies and weights are the same, are kept together where they may be one case, and scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal import Booleanizer
from clausal.engine.protocol import pack_bits
from clausal.machine.equal_rows import units_of, without_common_factor
from clausal.machine.read import Samples

ENCODING = Booleanizer().fit(np.array([[0.0] * 8, [1.0] * 8])).encoding_


def samples(values, codes, weights=None):
    """Rows that hold the bits of a number each."""
    bits = (np.asarray(values)[:, None] >> np.arange(8)) & 1 == 1
    literals = pack_bits(np.hstack([bits, ~bits]))
    return Samples(literals, np.array(codes, np.int32), None if weights is None else np.array(weights, float))


def content(rows, units):
    """The value, class and weight of each unit, sorted."""
    low = rows.literals[units.rows, 0] & np.uint64(255)
    return sorted(zip(low.tolist(), rows.codes[units.rows].tolist(), units.weights.tolist(), strict=True))


def test_rows_that_differ_are_units():
    rows = samples([1, 2, 3, 4], [0, 1, 0, 1])
    assert content(rows, units_of(rows, ENCODING)) == [(1, 0, 1), (2, 1, 1), (3, 0, 1), (4, 1, 1)]
    weighted = samples([1, 2, 4, 8, 16], [0, 1, 0, 1, 0], [0, 2.5, 3, 1, 1])
    assert content(weighted, units_of(weighted, ENCODING)) == [(2, 1, 2.5), (4, 0, 3), (8, 1, 1), (16, 0, 1)]


def test_copies_of_one_class_are_one_unit():
    rows = samples([1, 2, 1, 4, 1, 8], [0, 1, 0, 1, 0, 0])
    assert content(rows, units_of(rows, ENCODING)) == [(1, 0, 3), (2, 1, 1), (4, 1, 1), (8, 0, 1)]


def test_the_only_row_of_a_class_is_on_both_sides():
    rows = samples([1, 2, 4], [0, 0, 1], [1, 2, 3])
    assert content(rows, units_of(rows, ENCODING)) == [(1, 0, 1), (2, 0, 2), (4, 1, 1), (4, 1, 1), (4, 1, 1)]


@pytest.mark.parametrize("weights", [[2, 1, 1, 1], [1.5, 0.5, 0.5, 0.5]])
def test_equal_values_of_several_classes_are_cases_of_their_own(weights):
    rows = samples([1, 1, 2, 4], [0, 1, 0, 0], weights)
    first, *others = weights
    expected = [(1, 0, 1), (1, 0, 1)] if first == 2 else [(1, 0, 1.5)]
    expected += [(1, 1, others[0]), (2, 0, others[1]), (4, 0, others[2])]
    assert content(rows, units_of(rows, ENCODING)) == expected


@pytest.mark.parametrize(("n_copies", "n_units"), [(10, 4), (11, 44)])
def test_more_than_ten_rows_for_each_distinct_one_are_cases_of_their_own(n_copies, n_units):
    rows = samples(np.tile([1, 2, 4, 8], n_copies), np.tile([0, 1, 0, 1], n_copies))
    assert len(units_of(rows, ENCODING).rows) == n_units


@pytest.mark.parametrize(("values", "n_units"), [([0, 1, 2, 4], 12), ([0, 1, 2, 12], 4)])
def test_rows_are_cases_of_their_own_where_half_of_the_possible_rows_are_there(values, n_units):
    rows = samples(np.repeat(values, 3), np.repeat([0, 1, 0, 1], 3))
    assert len(units_of(rows, ENCODING).rows) == n_units


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 12))
def test_weights_and_copies_are_the_same_units(seed, n_values, factor):
    rng = np.random.default_rng(seed)
    values, codes, weights = rng.integers(0, n_values, 12), rng.integers(0, 2, 12), rng.integers(0, 9, 12)
    weights[0] = 1
    copies = np.repeat(np.arange(12), weights)
    weighted, copied = samples(values, codes, weights), samples(values[copies], codes[copies])
    assert content(weighted, units_of(weighted, ENCODING)) == content(copied, units_of(copied, ENCODING))
    smaller, again = (
        without_common_factor(rows) for rows in (samples(values, codes, factor * weights), copied)
    )
    assert content(smaller, units_of(smaller, ENCODING)) == content(again, units_of(again, ENCODING))


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([4, 6, 10], [2, 3, 5]),
        ([0.1, 0.3, 0.2], [1, 3, 2]),
        ([2.5, 2.5, 0], [1, 1, 0]),
        ([2, 3, 5], [2, 3, 5]),
        ([0.5, 0.75, 1], [0.5, 0.75, 1]),
    ],
)
def test_weights_keep_their_proportions(weights, expected):
    assert without_common_factor(samples([1, 2, 3], [0, 1, 0], weights)).weights.tolist() == expected


def test_the_number_of_copies_of_all_rows_does_not_matter():
    rows = without_common_factor(samples([1, 6, 8] * 2 + [6, 6], [0, 1, 1] * 2 + [1, 1]))
    assert content(rows, units_of(rows, ENCODING)) == [(1, 0, 1), (6, 1, 2), (8, 1, 1)]
