"""Finished clauses vote on a GPU as on the CPU, also on arrays that are on the GPU."""

import numpy as np
import pytest

from clausal.engine.cuda import clauses as cuda_clauses
from clausal.engine.cuda.clauses import CudaClauses, clauses
from clausal.engine.native import NativeClauses, pack
from clausal.engine.protocol import ClauseLists, pack_bits, unpack_bits
from tests.support.toy_machines import keyed_bits


def model(n_banks, n_clauses, n_columns, n_literals, seed=0):
    rng = np.random.default_rng(seed)
    include = rng.random((n_banks, n_clauses, 2 * n_columns)) < n_literals / (2 * n_columns)
    points = rng.integers(-50, 50, (n_banks, n_clauses)).astype(np.int32)
    return pack_bits(include), points


def every_way(compiled, bits):
    rows, columns = np.nonzero(bits)
    starts = np.searchsorted(rows, np.arange(len(bits) + 1))
    yield compiled.votes(pack(bits))
    yield compiled.votes_of_bits(bits)
    yield compiled.votes_of_sparse(starts.astype(np.int32), columns.astype(np.int32))


@pytest.mark.parametrize("n_rows", [1, 31, 1023, 1025, pytest.param(5000, marks=pytest.mark.needs_cuda)])
@pytest.mark.parametrize(
    ("n_banks", "n_clauses", "n_columns", "n_literals"),
    [(1, 7, 3, 2), (3, 40, 33, 3), (2, 900, 130, 4), (1, 3, 3000, 2), (4, 700, 5000, 2), (10, 600, 64, 5)],
)
def test_every_form_of_rows(n_banks, n_clauses, n_columns, n_literals, n_rows):
    include, points = model(n_banks, n_clauses, n_columns, n_literals)
    bits = keyed_bits(n_rows, n_rows, n_columns)
    expected = NativeClauses(include, points, n_columns).votes(pack(bits))
    for votes in every_way(clauses(include, points, n_columns), bits):
        assert np.array_equal(votes, expected)


def test_lists_of_literals():
    include, points = model(3, 20, 40, 4)
    banks, own, literals = np.nonzero(unpack_bits(include, 80))
    starts = np.searchsorted(20 * banks + own, np.arange(61)).astype(np.int64)
    lists = ClauseLists(
        starts, literals.astype(np.uint32), np.repeat(np.arange(3, dtype=np.uint32), 20), points.ravel() + 0
    )
    bits = keyed_bits(2, 300, 40)
    expected = NativeClauses(include, points, 40).votes(pack(bits))
    for votes in every_way(CudaClauses(lists, 3, 40), bits):
        assert np.array_equal(votes, expected)


def test_points_of_64_bits():
    lists = ClauseLists(
        np.array([0, 0, 1, 3, 4]),
        np.array([0, 0, 3, 4], np.uint32),
        np.array([0, 0, 0, 1], np.uint32),
        np.array([2**62 - 6, 2**40 + 5, 1, -(2**62)]),
    )
    bits = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0]], np.uint8)
    for votes in every_way(CudaClauses(lists, 2, 3), bits):
        assert votes.tolist() == [[2**40 + 5, 0], [2**40 + 5, -(2**62)], [0, -(2**62)]]


def test_chunks_do_not_matter(monkeypatch):
    include, points = model(2, 50, 60, 3)
    bits = keyed_bits(9, 5000, 60)
    expected = NativeClauses(include, points, 60).votes(pack(bits))
    monkeypatch.setattr(cuda_clauses, "_CHUNK_BYTES", 1)
    for votes in every_way(clauses(include, points, 60), bits):
        assert np.array_equal(votes, expected)


@pytest.mark.parametrize("n_columns", [5, 64, 131])
@pytest.mark.parametrize("value", [2, 3, 128, 255])
def test_bytes_other_than_0_and_1_are_noticed(n_columns, value):
    include, points = model(1, 20, n_columns, 2)
    compiled = clauses(include, points, n_columns)
    for place in {0, n_columns // 2, 31 % n_columns, n_columns - 1}:
        bits = keyed_bits(1, 40, n_columns)
        bits[17, place] = value
        assert compiled.votes_of_bits(bits) is None, place


def test_rows_that_are_not_side_by_side():
    include, points = model(2, 50, 60, 3)
    bits = keyed_bits(9, 400, 130)[::3, 3:63]
    expected = NativeClauses(include, points, 60).votes(pack(bits.copy()))
    assert np.array_equal(clauses(include, points, 60).votes_of_bits(bits), expected)


@pytest.mark.parametrize("n_banks", [1, 3])
def test_no_clauses_and_no_rows(n_banks):
    include, points = model(n_banks, 4, 6, 2)
    bits = keyed_bits(1, 5, 6)
    for votes in every_way(clauses(include, np.zeros_like(points), 6), bits):
        assert votes.tolist() == [[0] * n_banks] * 5
    for votes in every_way(clauses(include, points, 6), bits[:0]):
        assert votes.shape == (0, n_banks)
    assert clauses(include, np.zeros_like(points), 6).votes_of_bits(2 * bits) is None
