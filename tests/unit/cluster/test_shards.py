"""Dealing rows to shards: every row once, equal shares of the classes, whatever the order of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal.cluster.shards import deal
from clausal.machine.read import Samples


def rows(shards):
    """The rows of each shard with their weights, in an order that depends on content only."""
    return [
        sorted(zip(s.literals[:, 0].tolist(), s.codes.tolist(), s.weights.tolist(), strict=True))
        for s in shards
    ]


@settings(max_examples=30, deadline=None)
@given(st.integers(20, 60), st.integers(2, 4), st.integers(0, 5), st.sampled_from([None, 1.0, 0.5]))
def test_every_row_is_dealt_once(n, n_shards, seed, unit):
    rng = np.random.default_rng(seed)
    literals = rng.permutation(n).astype(np.uint64)[:, None]
    codes = (np.arange(n) % 2).astype(np.int32)
    weights = None if unit is None else unit * rng.integers(1, 4, n)
    shards = deal(Samples(literals, codes, weights), n_shards, seed)
    total = np.zeros(n)
    for shard in shards:
        total[shard.literals[:, 0].astype(int)] += shard.weights
    expected = np.zeros(n)
    expected[literals[:, 0].astype(int)] = 1.0 if weights is None else weights
    assert np.array_equal(total, expected)
    order = rng.permutation(n)
    moved = Samples(literals[order], codes[order], None if weights is None else weights[order])
    assert rows(deal(moved, n_shards, seed)) == rows(shards)


def test_a_whole_weight_is_so_many_rows_and_classes_are_spread():
    literals, codes = np.arange(12, dtype=np.uint64)[:, None], np.repeat([0, 1], 6).astype(np.int32)
    copied = deal(Samples(np.repeat(literals, 2, axis=0), np.repeat(codes, 2)), 3, 0)
    weighted = deal(Samples(literals, codes, np.full(12, 2.0)), 3, 0)
    merged = [dict.fromkeys(range(12), 0) for _ in copied]
    for counts, shard in zip(merged, copied, strict=True):
        for row, weight in zip(shard.literals[:, 0].tolist(), shard.weights.tolist(), strict=True):
            counts[row] += weight
    found = [dict.fromkeys(range(12), 0) | {int(a): w for a, _, w in shard} for shard in rows(weighted)]
    assert merged == found
    assert [np.bincount(shard.codes, shard.weights).tolist() for shard in weighted] == [[4.0, 4.0]] * 3


def test_too_many_shards():
    samples = Samples(np.arange(5, dtype=np.uint64)[:, None], np.array([0, 0, 0, 1, 1], np.int32))
    with pytest.raises(ValueError, match=r"at most the number of rows of the rarest class, 2. Got 3"):
        deal(samples, 3, 0)
