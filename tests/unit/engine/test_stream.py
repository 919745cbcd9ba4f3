"""The keyed stream: its definition, and that its words look random."""

import numpy as np
import pytest

from clausal.engine.stream import (
    AUTOMATON_BITS,
    GOLDEN,
    MASK_64,
    Purpose,
    automaton_draws,
    child_key,
    halves,
    mix,
    words,
)


def test_known_words():
    """The stream is part of the product: these constants change only with a CHANGELOG line."""
    assert mix(1) == 0x5692161D100B05E5
    assert child_key(0, 0) == mix(GOLDEN) == 0xE220A8397B1DCDAF  # the first word of SplitMix64 from seed 0
    assert child_key(42, Purpose.SELECT, 7, 3) == 0xAD7BF3EC796DB8CD


def test_array_and_integer_forms_agree():
    keys = [0, 1, 2**63, MASK_64]
    indices = [0, 1, 5, 2**40, MASK_64]
    for key in keys:
        got = words(np.uint64(key), np.array(indices, np.uint64))
        assert [int(g) for g in got] == [child_key(key, i) for i in indices]


def test_halves_are_the_two_parts_of_a_word():
    first = child_key(9, 0)
    assert [int(h) for h in halves(9, 3)] == [first & 0xFFFFFFFF, first >> 32, child_key(9, 1) & 0xFFFFFFFF]


def test_automaton_draws_take_one_bit_per_level():
    key = 1234
    draws = automaton_draws(np.array([key], np.uint64), 70)
    for k in (0, 5, 63, 64, 69):
        group, bit = divmod(k, 64)
        levels = [
            child_key(key, group * AUTOMATON_BITS + level) >> bit & 1 for level in range(AUTOMATON_BITS)
        ]
        assert draws[0, k] == int("".join(map(str, levels)), 2)


@pytest.mark.parametrize("bit", range(0, 64, 7))
def test_bits_are_fair_and_neighbours_uncorrelated(bit):
    n = 200_000
    stream = (words(np.uint64(child_key(3, 1)), np.arange(n, dtype=np.uint64)) >> np.uint64(bit)) & np.uint64(
        1
    )
    signs = 2.0 * stream - 1.0
    assert abs(signs.sum()) < 5 * np.sqrt(n)
    for lag in (1, 2, 24):
        assert abs((signs[lag:] * signs[:-lag]).sum()) < 5 * np.sqrt(n)
