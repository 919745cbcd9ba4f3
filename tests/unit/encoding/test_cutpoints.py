"""Cut points: exactly between their neighbours, short, at quantiles, whatever the order of rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clausal.encoding.cutpoints import chosen_gaps, distinct_with_weights, short_cut

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (54, 55, 54),
        (54, 60, 54),
        (2.31, 2.58, 2.5),
        (0.1, 0.2, 0.1),
        (0.1, 0.3, 0.2),
        (1.15, 1.32, 1.2),
        (54, 60.3, 60),
        (12.5, 990.2, 500),
        (-2.58, -2.31, -2.5),
        (-0.4, 7.3, 0),
        (0.30000000000000004, 0.31, 0.305),
        (1e-300, 1e300, 5e299),
    ],
)
def test_a_cut_is_the_short_number_a_person_would_choose(low: float, high: float, cut: float) -> None:
    assert short_cut(float(low), float(high)) == cut


@given(st.tuples(finite, finite).filter(lambda pair: pair[0] != pair[1]))
@example((5e-324, 1e-323))
@example((-1.7e308, 1.75e308))
@example((-0.0, 5e-324))
def test_a_cut_separates_its_neighbours(pair: tuple[float, float]) -> None:
    low, high = min(pair), max(pair)
    assert low <= short_cut(low, high) < high


@given(finite.filter(lambda low: low < 1.7e308))
@example(-5e-324)
@example(0.1)
def test_a_cut_separates_even_neighbouring_floats(low: float) -> None:
    high = float(np.nextafter(low, np.inf))
    assert low <= short_cut(low, high) < high


@given(st.integers(-9999, 9999), st.integers(1, 500), st.integers(-3, -1))
def test_no_number_between_the_neighbours_has_fewer_digits(start: int, width: int, exponent: int) -> None:
    scale = 10**-exponent
    low, high = start / scale, (start + width) / scale
    if low.is_integer() and high.is_integer():
        return
    between = [k / scale for k in range(start, start + width)]
    best = min(len(str(abs(k)).strip("0")) for k in range(start, start + width))
    cut = short_cut(low, high)
    printed = Fraction(repr(cut)) * scale
    assert cut in between
    assert len(str(abs(int(printed))).strip("0")) == best


@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=60),
    st.integers(1, 20),
)
def test_chosen_gaps_are_nearest_to_the_quantiles(totals: list[int], max_columns: int) -> None:
    gaps = chosen_gaps(np.array(totals, dtype=float), max_columns).tolist()
    n_gaps = len(totals) - 1
    if n_gaps <= max_columns:
        assert gaps == list(range(n_gaps))
        return
    weights = [Fraction(total) for total in totals]
    while max(weights) * (max_columns + 1) > sum(weights) * (1 + Fraction(1, 10**12)):  # cap at one part
        cap = sum(weights) / (max_columns + 1)
        weights = [min(weight, cap) for weight in weights]
    below = [sum(weights[: gap + 1]) / sum(weights) for gap in range(n_gaps)]
    shares = [Fraction(part, max_columns + 1) for part in range(1, max_columns + 1)]
    for gap in gaps:
        distance = min(abs(below[gap] - share) for share in shares)
        assert distance <= Fraction(1, 2 * (max_columns + 1)) + Fraction(1, 10**9)
    for share in shares:  # up to the cap's own tolerance, a gap nearest to each share was taken
        nearest = min(abs(b - share) for b in below)
        assert min(abs(below[gap] - share) for gap in gaps) <= nearest + Fraction(1, 10**9)
    assert 1 <= len(gaps) <= max_columns


@pytest.mark.parametrize("place", [0, 50, 99])
def test_a_heavy_value_leaves_the_other_cuts_to_the_rest(place: int) -> None:
    totals = np.ones(100)
    totals[place] = 10_000
    gaps = chosen_gaps(totals, 9)
    assert len(gaps) == 9
    assert np.diff(gaps).max() <= 15


def test_a_heavy_last_value_is_still_cut_off() -> None:
    assert chosen_gaps(np.array([1.0, 1, 1, 97]), 1).tolist() == [2]


def test_distinct_values_come_with_the_sum_of_their_weights() -> None:
    keys, weights = np.array([3.0, 1.0, 3.0]), np.array([0.5, 2.0, 0.25])
    distinct, totals = distinct_with_weights(keys, weights)
    assert distinct.tolist() == [1.0, 3.0]
    assert totals.tolist() == [2.0, 0.75]
    assert distinct_with_weights(keys, None)[1].tolist() == [1.0, 2.0]


@given(
    hnp.arrays(np.float64, st.integers(1, 40), elements=st.sampled_from([-1.5, 0.0, 2.0, 7.25])),
    st.data(),
)
def test_sums_do_not_depend_on_the_order_of_rows(keys: np.ndarray, data: st.DataObject) -> None:
    n = len(keys)
    weights = np.array(data.draw(st.lists(st.floats(1e-9, 1e9), min_size=n, max_size=n)))
    order = np.array(data.draw(st.permutations(range(n))))
    totals = distinct_with_weights(keys, weights)[1]
    assert totals.tolist() == distinct_with_weights(keys[order], weights[order])[1].tolist()
