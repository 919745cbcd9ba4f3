"""Cut points: exactly between their neighbours, short, at quantiles, whatever the order of rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clausal.encoding import cut_points
from clausal.encoding.cut_points import (
    FLOAT32_EXACT,
    are_codes,
    chosen_gaps,
    distinct_with_weights,
    gaps_of_columns,
    short_cuts,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
float32s = st.floats(width=32, allow_nan=False, allow_infinity=False)
decimals = st.builds(
    lambda whole, places: whole / 10**places, st.integers(-99_999, 99_999), st.integers(0, 6)
)
numbers = finite | float32s | decimals


def short_cut(low: float, high: float) -> float:
    (cut,) = short_cuts(np.array([low]), np.array([high]))
    return cut


def gaps_of(ends: st.SearchStrategy[float]) -> st.SearchStrategy[tuple[float, float]]:
    pairs = st.tuples(ends, ends).filter(lambda pair: pair[0] != pair[1])
    return pairs.map(lambda pair: (min(pair), max(pair)))


def float32(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def rounds_to_the_same(number: float) -> tuple[float, float]:
    """The ends of the interval of numbers that float32 rounds to the same as this one."""
    with np.errstate(over="ignore"):
        rounded = np.float32(number)
        below, above = np.nextafter(rounded, np.float32([-np.inf, np.inf]))
    return (float(rounded) + float(below)) / 2, (float(rounded) + float(above)) / 2


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (54, 55, 54),
        (54, 60, 54),
        (2**24, 2**24 + 1, 2**24),  # float32 cannot tell them apart
        (2**24 + 3, 2**24 + 14, 2**24 + 9),
        (1_700_000_381, 1_700_000_667, 1_700_000_500),
        (2.31, 2.58, 2.5),
        (0.1, 0.2, 0.15),
        (0.1, 0.3, 0.2),
        (0.1, 0.4, 0.2),
        (-0.4, -0.1, -0.3),
        (1.15, 1.32, 1.2),
        (54, 54.5, 54.2),
        (54, 60.3, 60),
        (53.5, 54, 53.7),
        (12.5, 990.2, 500),
        (-2.58, -2.31, -2.5),
        (-0.4, 7.3, 0),
        (0, 0.25, 0.1),
        (-0.25, 0, -0.1),
        (0.30000000000000004, 0.31, 0.305),
        (1e-300, 1e300, 5e299),
        (float(np.float32(0.1)), float(np.float32(0.2)), 0.15),
        (float(np.float32(0.19)), float(np.float32(0.2)), 0.195),
    ],
)
def test_a_cut_is_the_short_number_a_person_would_choose(low: float, high: float, cut: float) -> None:
    assert short_cut(float(low), float(high)) == cut


@given(gaps_of(numbers))
@example((5e-324, 1e-323))
@example((-1.7e308, 1.75e308))
@example((-0.0, 5e-324))
def test_a_cut_separates_its_neighbours(gap: tuple[float, float]) -> None:
    low, high = gap
    assert low <= short_cut(low, high) < high


@given(finite.filter(lambda low: low < 1.7e308))
@example(-5e-324)
@example(0.1)
def test_a_cut_separates_even_neighbouring_floats(low: float) -> None:
    high = float(np.nextafter(low, np.inf))
    assert short_cut(low, high) == low


@given(gaps_of(numbers))
@example((0.1, 0.1 + 2e-16))
def test_a_cut_lies_strictly_inside_unless_both_ends_are_whole(gap: tuple[float, float]) -> None:
    low, high = gap
    small = low.is_integer() and high.is_integer() and max(abs(low), abs(high)) < 2**24
    if small or np.nextafter(low, np.inf) == high:
        assert short_cut(low, high) == low
    elif not (low.is_integer() and high.is_integer()):
        assert low < short_cut(low, high) < high


@given(gaps_of(numbers))
@example((0.1, 0.2))
@example((float32(0.1), float32(0.2)))
@example((float32(0.1), float(np.nextafter(np.float32(0.1), np.float32(1)))))
@example((-5.0, 1e-300))
def test_a_cut_separates_float32_and_float64_versions_alike(gap: tuple[float, float]) -> None:
    low, high = gap
    if low.is_integer() and high.is_integer():
        return
    cut = short_cut(low, high)
    _, start = rounds_to_the_same(low)
    stop, _ = rounds_to_the_same(high)
    if start < stop and low < stop and start < high:  # there is room between the two intervals
        assert start <= cut < stop
    if np.nextafter(max(low, float32(low)), np.inf) < min(high, float32(high)):
        assert float32(low) <= cut < float32(high)


@given(st.lists(st.integers(-9999, 9999), min_size=2, max_size=30, unique=True), st.integers(1, 4))
def test_a_decimal_falls_on_one_side_whichever_float_holds_it(steps: list[int], places: int) -> None:
    decimals = np.array(sorted(steps)) / 10**places
    single = decimals.astype(np.float32)
    for fitted in (decimals, single.astype(np.float64)):
        cuts = np.array(short_cuts(fitted[:-1], fitted[1:]))
        np.testing.assert_array_equal(decimals[:, None] <= cuts, single.astype(np.float64)[:, None] <= cuts)


@given(st.lists(st.integers(-(2**40), 2**40), min_size=2, max_size=30, unique=True))
@example([2**24 + 3, 2**24 + 14])
def test_a_large_whole_number_falls_on_one_side_whichever_float_holds_it(values: list[int]) -> None:
    exact = np.array(sorted(values), dtype=np.float64)
    single = exact.astype(np.float32).astype(np.float64)
    apart = single[:-1] < single[1:]
    cuts = np.array(short_cuts(exact[:-1], exact[1:]))
    assert ((single[:-1] <= cuts) & (cuts < single[1:]))[apart].all()


@given(gaps_of(numbers))
@example((0.1, 0.4))
@example((-0.4, -0.1))
@example((0.25, 0.5))
@example((1e-320, 3.5e-310))
@example((-1.7e308, 1.75e308))
def test_cuts_are_those_of_the_slow_twin(gap: tuple[float, float]) -> None:
    assert short_cut(*gap) == slow_cut(*gap)


def slow_cut(low: float, high: float) -> float:
    """The same choice in fractions: one size of step after the other, the first that has a multiple."""
    start, stop = slow_cut_range(low, high)
    if low.is_integer() and high.is_integer() and start < low + 1:
        return low
    if start >= stop:
        return low
    middle = (Fraction(repr(low)) + Fraction(repr(high))) / 2
    top = math.floor(math.log10(max(abs(start), abs(stop)))) + 1
    for exponent in range(top, top - 20, -1):
        for step in (Fraction(10) ** exponent, Fraction(10) ** exponent / 2):
            first, last = math.ceil(Fraction(start) / step), math.ceil(Fraction(stop) / step) - 1
            if first <= last:
                nearest = math.ceil(middle / step - Fraction(1, 2))
                cut = float(min(max(nearest, first), last) * step)
                if cut < stop:
                    return cut
                break
    return start


def slow_cut_range(low: float, high: float) -> tuple[float, float]:
    inside = math.nextafter(low, math.inf)
    for start, stop in (
        (rounds_to_the_same(low)[1], rounds_to_the_same(high)[0]),
        (float32(low), float32(high)),
    ):
        if max(start, inside) < min(stop, high):
            return max(start, inside), min(stop, high)
    return inside, high


@given(st.integers(-9999, 9999), st.integers(2, 500), st.integers(-3, -1))
def test_no_number_between_the_neighbours_has_fewer_digits(start: int, width: int, exponent: int) -> None:
    scale = 10**-exponent
    low, high = start / scale, (start + width) / scale
    if low.is_integer() and high.is_integer():
        return
    between = [k / scale for k in range(start + 1, start + width)]
    best = min(len(str(abs(k)).strip("0")) for k in range(start + 1, start + width))
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


near = st.builds(lambda low, steps: (low, low + abs(low) * steps * 2.0**-52), numbers, st.integers(1, 2**40))


@given(st.lists(gaps_of(numbers) | near.filter(lambda gap: gap[0] < gap[1] < math.inf), min_size=1))
@settings(max_examples=500)
def test_many_gaps_at_once_are_cut_as_each_by_exact_arithmetic(gaps):
    lows, highs = (np.array(ends, dtype=float) for ends in zip(*gaps, strict=True))
    starts, stops = cut_points._cut_ranges(lows, highs)
    inside = starts < stops
    ends = [a[inside] for a in (starts, stops, lows, highs)]
    exact = [cut_points._shortest(*gap) for gap in zip(*(a.tolist() for a in ends), strict=True)]
    assert cut_points._shortest_of_many(*ends) == exact


@given(
    numbers=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=40),
        elements=st.integers(-6, 6).map(float) | st.floats(-5, 5).map(lambda number: number + 0.0),
        fill=st.nothing(),
    ),
    max_columns=st.integers(1, 9),
)
def test_the_gaps_of_all_columns_at_once_are_those_of_each(numbers: np.ndarray, max_columns: int):
    lows, highs, n_gaps = gaps_of_columns(numbers, max_columns)
    expected_lows, expected_highs = [], []
    for column, count in zip(numbers, n_gaps, strict=True):
        distinct, totals = distinct_with_weights(column, None)
        gaps = chosen_gaps(totals, max_columns, are_codes(distinct, totals))
        assert len(gaps) == count
        expected_lows += distinct[gaps].tolist()
        expected_highs += distinct[gaps + 1].tolist()
    assert lows.tolist() == expected_lows
    assert highs.tolist() == expected_highs


@given(gaps_of(st.integers(-FLOAT32_EXACT - 9, FLOAT32_EXACT + 9).map(float)))
def test_whole_numbers_that_float32_can_hold_are_cut_at_the_lower_one(gap: tuple[float, float]):
    """`short_cuts` takes that for granted; here is what its ranges say."""
    starts, _ = cut_points._cut_ranges(*np.array(gap)[:, None])
    if max(map(abs, gap)) < FLOAT32_EXACT:
        assert starts[0] < gap[0] + 1
    assert short_cut(*gap) == (
        gap[0] if starts[0] < gap[0] + 1 else pytest.approx(gap[0], abs=gap[1] - gap[0])
    )


def numbers_with_codes(codes: dict[float, int]) -> tuple[np.ndarray, np.ndarray]:
    ordinary = np.round(np.random.default_rng(0).normal(40, 10, 2_000), 1)
    return distinct_with_weights(np.append(ordinary, np.repeat(list(codes), list(codes.values()))), None)


def test_frequent_numbers_far_from_the_others_are_codes() -> None:
    distinct, totals = numbers_with_codes({-9.0: 60, -8.0: 100, 999.0: 100, -50.0: 3, 39.95: 300})
    assert distinct[are_codes(distinct, totals)].tolist() == [
        -9.0,
        -8.0,
        999.0,
    ]  # not the rare one, not 39.95


def test_a_light_code_has_cuts_of_its_own() -> None:
    distinct, totals = numbers_with_codes({-9.0: 60, -8.0: 60})
    gaps = chosen_gaps(totals, 12, are_codes(distinct, totals))
    assert gaps[:2].tolist() == [0, 1]  # between the codes, and above them
    assert 0 not in chosen_gaps(totals, 12)


@pytest.mark.parametrize(
    "values",
    [np.repeat(np.arange(30.0), 10), np.append(np.zeros(500), np.arange(1.0, 300.0)), np.arange(500.0) ** 3],
    ids=["even", "many zeros", "outliers"],
)
def test_ordinary_numbers_are_no_codes(values: np.ndarray) -> None:
    assert not are_codes(*distinct_with_weights(values, None)).any()


def test_numbers_too_large_for_differences_are_no_error() -> None:
    values = np.append(1.7e308 * np.linspace(-1, 1, 400), np.repeat(1.5e308, 50))
    assert not are_codes(*distinct_with_weights(values, None)).any()
