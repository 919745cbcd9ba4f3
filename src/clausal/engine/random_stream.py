"""The keyed random stream: every draw is a pure function of where it is used, in integer arithmetic.

A key is a 64-bit integer. `child_key` derives a key from another and an index, `words` reads 64-bit words
under a key; both are the same function, `mix(key + (index + 1) * GOLDEN)`. The C++ twin is core/random.hpp;
docs/algorithm.md defines the stream. Not here: what the draws are used for.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]

GOLDEN = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB
MASK_64 = (1 << 64) - 1

AUTOMATON_BITS = 24
"""An automaton's draw is a 24-bit number: probabilities 1/s are exact to 2^-24."""

CHANCE_BITS = 32
"""A clause's draw is a 32-bit number: selection and drop probabilities are exact to 2^-32."""

TARGET_BITS = 30
"""A number to be learned is given as its share of the range, in units of 2^-30."""

DROP_BLOCK = 1024
"""A dropped clause sits out a block of this many steps."""


OFFSETS = 128
"""Number of offsets at which a clause can read a level in the array of random words of a step."""

OFFSET_UNIT = 8
"""Words from one offset to the next."""

TABLED_GROUPS = 4
"""Groups of 64 automata draw from the table in fours; the few that are left over are hashed one by one."""

TABLED_BANK = 2048
"""Banks of fewer groups than this need no table: all are hashed."""


class Purpose(IntEnum):
    """What a draw decides; the first index under the seed."""

    SELECT = 0
    AUTOMATA = 1
    NEGATIVE = 2
    DROP = 3
    ORDER = 4
    REPEAT = 5
    ROW_REPEAT = 6
    TABLE = 7
    GROUP = 8
    FOLD = 9
    SAMPLE = 10
    SHARD = 11
    ROUND = 12
    PATCH = 13
    SIGN = 14


def mix(x: int) -> int:
    """Scramble 64 bits: a bijection whose every output bit depends on every input bit."""
    x ^= x >> 30
    x = x * MIX_1 & MASK_64
    x ^= x >> 27
    x = x * MIX_2 & MASK_64
    return x ^ x >> 31


def child_key(key: int, *path: int) -> int:
    """Walk down from a key, one index at a time."""
    for index in path:
        key = mix(key + (index + 1) * GOLDEN & MASK_64)
    return key


def words(keys: U64 | np.uint64, indices: U64) -> U64:
    """64-bit words at `indices` under `keys` (both broadcast): `child_key` for arrays."""
    steps = (np.atleast_1d(np.asarray(indices, np.uint64)) + np.uint64(1)) * np.uint64(GOLDEN)
    x = np.atleast_1d(np.asarray(keys, np.uint64)) + steps  # arrays, whose overflow is silent
    x ^= x >> np.uint64(30)
    x *= np.uint64(MIX_1)
    x ^= x >> np.uint64(27)
    x *= np.uint64(MIX_2)
    x ^= x >> np.uint64(31)
    return x


def halves(key: int, n: int) -> U64:
    """The first n 32-bit draws under a key: draw j is the low (j even) or high half of word j // 2."""
    j = np.arange(n, dtype=np.uint64)
    word = words(np.uint64(key), j // np.uint64(2))
    return np.where(j % np.uint64(2) == 0, word & np.uint64(0xFFFFFFFF), word >> np.uint64(32))


def shuffled(rows: NDArray[np.int64], keys: U64) -> NDArray[np.int64]:
    """For each key, the rows sorted by their draws under it: row i has the word at index i; [keys, rows]."""
    draws = words(keys[:, None], np.arange(len(rows), dtype=np.uint64))
    return rows[draws.argsort(axis=1, kind="stable")]


def random_table(key: int, n_clauses: int, n_literals: int) -> U64:
    """The random words that a bank's automata draw from in one step; none where the bank is small."""
    n_groups = -(-n_literals // 64)
    tabled = n_groups >= TABLED_GROUPS and n_clauses * n_groups >= TABLED_BANK
    return words(
        np.uint64(key), np.arange((OFFSETS * OFFSET_UNIT + n_groups) if tabled else 0, dtype=np.uint64)
    )


def automaton_draws(keys: U64, table: U64, n_literals: int) -> NDArray[np.uint32]:
    """The 24-bit draw of each automaton of the clauses with these keys, [clauses, literals].

    The 64 automata of a group share 24 words, one for each level: bit k of the word of level l is bit
    (23 - l) of the draw of automaton k. A fast engine reads levels from the top and stops when all are
    decided.
    """
    n_groups = -(-n_literals // 64)
    n_tabled = n_groups // TABLED_GROUPS * TABLED_GROUPS if len(table) else 0
    level = np.arange(AUTOMATON_BITS, dtype=np.uint64)[:, None]
    group = np.arange(n_groups, dtype=np.uint64)
    hashed = words(keys[:, None, None], np.uint64(AUTOMATON_BITS) * group[n_tabled:] + level)
    word = np.concatenate(
        [_tabled(keys, table, group[:n_tabled]), hashed], axis=2
    )  # [clauses, levels, groups]
    bits = (word[..., None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)  # [clauses, levels, groups, 64]
    power = np.uint64(1) << np.arange(AUTOMATON_BITS - 1, -1, -1, dtype=np.uint64)
    draws: NDArray[np.uint64] = (bits * power[:, None, None]).sum(axis=1).reshape(len(keys), 64 * n_groups)
    return draws[:, :n_literals].astype(np.uint32)


def _tabled(keys: U64, table: U64, group: U64) -> U64:
    """Words of all levels for the groups that draw from the table, [clauses, levels, groups].

    A clause reads a level of all its groups as one window of the table, at an offset of its own, and XORs it
    with a word of its own. Any three draws are independent, and so are all draws of different steps.
    """
    level = np.arange(AUTOMATON_BITS, dtype=np.uint64)
    mask = words(keys[:, None], level)  # [clauses, levels]
    packed = words(keys[:, None], np.uint64(AUTOMATON_BITS) + level // np.uint64(8))
    offset = packed >> np.uint64(8) * (level % np.uint64(8)) & np.uint64(OFFSETS - 1)
    read: U64 = table[np.uint64(OFFSET_UNIT) * offset[:, :, None] + group] ^ mask[:, :, None]
    return read
