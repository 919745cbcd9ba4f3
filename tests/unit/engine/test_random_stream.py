"""The keyed stream: its definition, and that its words look random."""

import numpy as np
import pytest

from clausal.engine import native, random_stream
from clausal.engine.random_stream import (
    AUTOMATON_BITS,
    GOLDEN,
    MASK_64,
    Purpose,
    automaton_draws,
    child_key,
    halves,
    mix,
    random_table,
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


def bits_of(draw) -> list[int]:
    return [int(draw) >> (AUTOMATON_BITS - 1 - level) & 1 for level in range(AUTOMATON_BITS)]


def test_draws_of_few_automata_take_one_hashed_bit_per_level():
    key = 1234
    draws = automaton_draws(np.array([key], np.uint64), random_table(1, 2, 70), 70)
    for k in (0, 5, 63, 64, 69):
        group, bit = divmod(k, 64)
        assert bits_of(draws[0, k]) == [
            child_key(key, group * AUTOMATON_BITS + level) >> bit & 1 for level in range(AUTOMATON_BITS)
        ]


def test_draws_in_large_banks_take_a_flipped_bit_of_the_table_per_level():
    key, table = 1234, random_table(99, 400, 330)
    assert [int(w) for w in table[:2]] == [child_key(99, 0), child_key(99, 1)]
    draws = automaton_draws(np.array([key], np.uint64), table, 330)
    for k in (0, 63, 64, 255):
        group, bit = divmod(k, 64)
        places = [child_key(key, 24 + level // 8) >> 8 * (level % 8) & 127 for level in range(24)]
        assert bits_of(draws[0, k]) == [
            (int(table[8 * places[level] + group]) ^ child_key(key, level)) >> bit & 1 for level in range(24)
        ]
    for k in (256, 329):  # the groups that are left over are hashed
        group, bit = divmod(k, 64)
        assert bits_of(draws[0, k]) == [child_key(key, 24 * group + level) >> bit & 1 for level in range(24)]


def test_small_banks_have_no_table():
    assert len(random_table(1, 10_000, 192)) == 0  # three groups
    assert len(random_table(1, 511, 256)) == 0
    assert len(random_table(1, 512, 256)) == 128 * 8 + 4


def test_pairs_and_triples_of_draws_from_a_table_are_uncorrelated():
    """Within a clause and between two clauses of a step, on the two highest levels."""
    n_steps = 4_000
    signs = np.empty((n_steps, 28))
    for step in range(n_steps):
        keys = words(np.uint64(child_key(5, step)), np.arange(2, dtype=np.uint64))
        draws = automaton_draws(keys, random_table(child_key(7, step), 512, 256), 256)
        high = draws[:, [0, 1, 64, 65, 128, 192, 255]] >> np.uint32(22)
        signs[step] = 1.0 - 2.0 * np.stack([high >> 1, high & 1]).ravel()
    assert np.abs(signs.sum(axis=0)).max() < 5 * np.sqrt(n_steps)
    pairs = signs.T @ signs
    np.fill_diagonal(pairs, 0.0)
    assert np.abs(pairs).max() < 5 * np.sqrt(n_steps)
    for third in range(28):
        triples = (signs * signs[:, [third]]).T @ signs
        apart = (np.arange(28)[:, None] != third) & (np.arange(28) != third) & ~np.eye(28, dtype=bool)
        assert np.abs(triples[apart]).max() < 5.5 * np.sqrt(n_steps)


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


@pytest.mark.parametrize("n_rows", [0, 1, 2, 3, 63, 64, 65, 250, 1023, 5000])
@pytest.mark.parametrize("keys", [[], [0], [1, 2**63 + 12345, 2**64 - 1]])
def test_the_compiled_order_of_rows_is_the_references(n_rows, keys):
    rows, keys = np.arange(n_rows, dtype=np.int64) * 3, np.array(keys, np.uint64)
    ours = native.shuffled(rows, keys)
    assert ours.shape == (len(keys), n_rows)
    assert ours.tolist() == random_stream.shuffled(rows, keys).tolist()


def test_rows_that_repeat_are_ordered_by_their_own_draws():
    rows, keys = np.repeat(np.arange(7, dtype=np.int64), 5), np.array([99], np.uint64)
    (ours,) = native.shuffled(rows, keys).tolist()
    assert ours == random_stream.shuffled(rows, keys)[0].tolist()
    assert sorted(ours) == rows.tolist()
