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

DROP_BLOCK = 1024
"""A dropped clause sits out a block of this many steps."""


class Purpose(IntEnum):
    """What a draw decides; the first index under the seed."""

    SELECT = 0
    AUTOMATA = 1
    NEGATIVE = 2
    DROP = 3
    ORDER = 4
    REPEAT = 5
    ROW_REPEAT = 6


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
    golden, one = np.uint64(GOLDEN), np.uint64(1)
    with np.errstate(over="ignore"):
        x = np.atleast_1d(np.asarray(keys, np.uint64) + (np.asarray(indices, np.uint64) + one) * golden)
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


def automaton_draws(keys: U64, n_literals: int) -> NDArray[np.uint32]:
    """The 24-bit draw of each automaton of the clauses with these keys, [clauses, literals].

    The 64 automata of a group share 24 words: bit k of word number 24 * group + level is bit (23 - level)
    of the draw of automaton k. A fast engine reads levels from the top and stops when all are decided.
    """
    n_groups = -(-n_literals // 64)
    index = np.arange(n_groups * AUTOMATON_BITS, dtype=np.uint64)
    word = words(keys[:, None], index[None, :]).reshape(len(keys), n_groups, AUTOMATON_BITS, 1)
    bits = (word >> np.arange(64, dtype=np.uint64)) & np.uint64(1)  # [clauses, groups, levels, 64]
    place = np.uint64(1) << np.arange(AUTOMATON_BITS - 1, -1, -1, dtype=np.uint64)
    draws: NDArray[np.uint64] = (bits * place[:, None]).sum(axis=2).reshape(len(keys), n_groups * 64)
    return draws[:, :n_literals].astype(np.uint32)
