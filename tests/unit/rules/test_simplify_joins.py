"""Sums over sets of one feature's patterns, written shorter: the same on every pattern, never longer."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from clausal.rules.patterns import Patterns
from clausal.rules.simplify import Joiner, exact_cover

FEATURES = [
    Patterns(0, n_columns, ranked=ranked, other=other, nullable=nullable)
    for n_columns in (2, 4)
    for ranked in (True, False)
    for other in (True, False)
    for nullable in (True, False)
]
NUMBERS = Patterns(0, 4, ranked=True, other=True, nullable=False)  # x <= 1, 2, 3, 4
NAMES = Patterns(0, 3, ranked=False, other=False, nullable=False)  # a, b, c
A, B, C = 0b001, 0b010, 0b100


def sayable(patterns):
    return [part for part in range(1, patterns.full) if patterns.literals(part) is not None]


def function(parts, patterns):
    """What each pattern gets."""
    return [
        sum(points for part, points in parts.items() if part >> i & 1) for i in range(patterns.n_patterns)
    ]


def cost(parts, patterns, n_rest):
    rules = [part for part in parts if n_rest or part != patterns.full]
    return sum(n_rest + len(patterns.literals(part)) for part in rules), len(rules)


@st.composite
def sums(draw):
    patterns = draw(st.sampled_from(FEATURES))
    n_rest = draw(st.integers(0, 2))
    sets = sayable(patterns) + ([patterns.full] if n_rest else [])
    points = st.integers(-4, 4).filter(bool)
    scale = draw(st.sampled_from([1, 2**-16]))
    parts = draw(st.dictionaries(st.sampled_from(sets), points, max_size=8))
    return patterns, n_rest, {part: points * scale for part, points in parts.items()}


@given(sums())
def test_the_sum_stays_and_never_gets_longer(drawn):
    patterns, n_rest, parts = drawn
    joined = Joiner(patterns, n_rest).join(parts)
    assert function(joined, patterns) == function(parts, patterns)
    assert cost(joined, patterns, n_rest) <= cost(parts, patterns, n_rest)
    assert all(patterns.literals(part) is not None for part in joined)
    assert all(joined.values())
    rest = {part: points for part, points in joined.items() if n_rest or part != patterns.full}
    assert Joiner(patterns, n_rest).join(rest) == rest


@given(sums())
def test_a_join_brings_no_sign_that_was_not_there(drawn):
    patterns, n_rest, parts = drawn
    for sign in (1, -1):
        if all(points * sign > 0 for points in parts.values()):
            assert all(points * sign > 0 for points in Joiner(patterns, n_rest).join(parts).values())


def join(parts, patterns=NUMBERS, n_rest=1):
    return Joiner(patterns, n_rest).join(parts)


def test_what_both_sides_have_goes_to_the_whole():
    low, high, full = 0b00011, 0b11100, 0b11111
    assert join({low: 5, high: 3}) == {full: 3, low: 2}
    assert join({low: -3, high: -3}) == {full: -3}
    assert join({low: 5, high: 3}, n_rest=0) == {full: 3, low: 2}
    assert join({low: 5, high: 3, full: -3}) == {low: 2}


def test_opposite_signs_are_left_as_they_are():
    low, high = 0b00011, 0b11100
    for n_rest in (0, 1):
        assert join({low: 5, high: -3}, n_rest=n_rest) == {low: 5, high: -3}


def test_neighbouring_intervals():
    assert join({0b00011: 2, 0b01100: 2}) == {0b01111: 2}
    assert join({0b00011: 5, 0b01100: 2}) == {0b01111: 2, 0b00011: 3}  # 2 < x <= 4 becomes x <= 4
    assert join({0b00011: 2, 0b01100: 5}) == {0b00011: 2, 0b01100: 5}  # x <= 2 and 2 < x <= 4 stay


def test_one_within_the_other():
    assert join({0b11111: 4, 0b00011: -4}) == {0b11100: 4}
    assert join({0b11111: 5, 0b00011: -2}) == {0b11111: 3, 0b11100: 2}  # no longer, and smaller points
    assert join({0b01110: 2, 0b01111: -5}) == {0b01111: -3, 0b00001: -2}  # 1 < x <= 4 becomes x <= 1


def test_three_that_make_up_the_whole():
    assert join({A: 4, B: 2, C: 3}, NAMES) == {0b111: 2, A: 2, C: 1}
    assert join({A: -4, B: -2, C: 3}, NAMES) == {A: -4, B: -2, C: 3}
    middle = {0b00011: 2, 0b01100: 5, 0b10000: 3}  # x <= 2, 2 < x <= 4, x > 4
    assert join(middle) == {0b11111: 2, 0b01100: 3, 0b10000: 1}


@given(st.sets(st.integers(1, 63), max_size=8))
def test_an_exact_cover_is_found_where_there_is_one(sets):
    found = exact_cover(sorted(sets), 63)
    exists = any(
        sum(chosen) == 63 and all(not a & b for a, b in combinations(chosen, 2))
        for size in range(1, len(sets) + 1)
        for chosen in combinations(sets, size)
    )
    assert (found is not None) == exists
    if found:
        assert sum(found) == 63
        assert set(found) <= sets
        assert all(not a & b for a, b in combinations(found, 2))
