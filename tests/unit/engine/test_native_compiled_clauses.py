"""Compiled clauses vote as the reference does, bit for bit, whatever the model and the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal.engine import native
from clausal.engine.backends import backend_named
from clausal.engine.protocol import ClauseLists, pack_bits, unpack_bits
from clausal.engine.reference import ReferenceClauses, pack

LARGEST = 2**31 - 1
ROWS = (0, 1, 2, 63, 64, 65, 511, 512, 513, 1024, 1100)
COLUMNS = (1, 2, 31, 32, 33, 63, 64, 65, 130, 1000)


def make_model(seed, n_banks, n_clauses, n_columns, length, largest):
    """Clauses that begin alike, some empty, some twice, some contradictory; points of every size."""
    rng = np.random.default_rng(seed)
    include = np.zeros((n_banks, n_clauses, 2 * n_columns), bool)
    common = rng.integers(2 * n_columns, size=4)
    for clause in include.reshape(-1, 2 * n_columns):
        clause[common[: rng.integers(5)]] = True
        clause[rng.integers(2 * n_columns, size=rng.integers(length + 1))] = True
        if rng.random() < 0.1:
            clause[:] = False
        if rng.random() < 0.1:
            clause[[0, n_columns]] = True
    copied = rng.integers(n_clauses, size=n_clauses)
    include[:, rng.random(n_clauses) < 0.3] = include[:, copied[0]][:, None]
    points = rng.integers(-largest, largest, size=(n_banks, n_clauses), endpoint=True).astype(np.int32)
    points[rng.random(points.shape) < 0.1] = 0
    points[rng.random(points.shape) < 0.1] = largest
    return pack_bits(include), points


def csr(bits, dtype):
    rows, columns = np.nonzero(bits)
    return np.searchsorted(rows, np.arange(len(bits) + 1)).astype(dtype), columns.astype(dtype)


def every_way(clauses, bits, n_threads=1):
    yield clauses.votes(pack(bits), n_threads)
    yield clauses.votes_of_bits(bits, n_threads)
    for dtype in (np.int32, np.int64):
        yield clauses.votes_of_sparse(*csr(bits, dtype), n_threads)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_rows=st.sampled_from(ROWS),
    n_columns=st.sampled_from(COLUMNS),
    shape=st.tuples(st.integers(1, 4), st.integers(1, 40)),
    length=st.sampled_from([0, 1, 2, 5, 17]),
    largest=st.sampled_from([1, 3, 100, LARGEST]),
    n_threads=st.sampled_from([1, 2, 3]),
)
def test_votes_equal_the_reference_however_rows_are_given(
    seed, n_rows, n_columns, shape, length, largest, n_threads
):
    include, points = make_model(seed, *shape, n_columns, length, largest)
    density = np.random.default_rng(seed).choice([0.02, 0.5, 0.9])
    bits = (np.random.default_rng(seed + 1).random((n_rows, n_columns)) < density).astype(np.uint8)
    expected = ReferenceClauses(include, points, n_columns).votes(pack(bits))
    for votes in every_way(native.NativeClauses(include, points, n_columns), bits, n_threads):
        assert votes.dtype == np.int64
        assert np.array_equal(votes, expected)


@pytest.mark.parametrize("isa", native.available_instruction_sets())
@pytest.mark.parametrize("n_clauses", [1, 255, 256, 257, 700])
def test_every_instruction_set_gives_the_same_votes(isa, n_clauses, monkeypatch):
    monkeypatch.setenv("CLAUSAL_ISA", isa)
    include, points = make_model(7, 2, n_clauses, 70, 6, LARGEST)
    bits = np.random.default_rng(1).integers(0, 2, (777, 70), dtype=np.uint8)
    expected = ReferenceClauses(include, points, 70).votes(pack(bits))
    assert np.abs(expected).max() > LARGEST or n_clauses == 1
    for votes in every_way(native.NativeClauses(include, points, 70), bits):
        assert np.array_equal(votes, expected)


def test_the_largest_points_add_up_exactly():
    n_clauses = 3000
    include = pack_bits(np.arange(8)[None, None, :] == np.arange(n_clauses)[None, :, None] % 4)
    points = np.full((1, n_clauses), LARGEST, np.int32)
    points[0, 1::4] = -LARGEST - 1
    bits = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 0, 0]], np.uint8)
    per_column = n_clauses // 4
    wanted = [per_column * (3 * LARGEST - LARGEST - 1), per_column * LARGEST, per_column * (-LARGEST - 1)]
    assert native.NativeClauses(include, points, 4).votes_of_bits(bits)[:, 0].tolist() == wanted


@pytest.mark.parametrize("make", [native.NativeClauses.from_lists, ReferenceClauses.from_lists])
def test_lists_of_literals_may_repeat_a_literal_and_hold_sums_up_to_2_to_the_62(make):
    lists = ClauseLists(
        np.array([0, 3, 3, 5, 6]),
        np.array([1, 0, 1, 0, 3, 2], np.uint32),
        np.array([0, 0, 0, 1], np.uint32),
        np.array([2**62 - 6, 5, 1, -(2**62)]),
    )
    clauses = make(lists, 2, 3)
    bits = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0]], np.uint8)
    # The empty list never votes; literal 3 is not x0, so that the third can never hold.
    assert clauses.votes_of_bits(bits).tolist() == [[2**62 - 6, 0], [0, -(2**62)], [0, 0]]


@pytest.mark.parametrize(
    "backend", [backend_named("cpu"), backend_named("reference")], ids=["cpu", "reference"]
)
def test_lists_vote_as_the_same_clauses_in_words(backend):
    include, points = make_model(3, 3, 20, 40, 5, 100)
    banks, clauses, literals = np.nonzero(unpack_bits(include, 80))
    starts = np.searchsorted(20 * banks + clauses, np.arange(61))
    lists = ClauseLists(
        starts.astype(np.int64),
        literals.astype(np.uint32),
        np.repeat(np.arange(3, dtype=np.uint32), 20),
        points.ravel().astype(np.int64),
    )
    bits = np.random.default_rng(2).integers(0, 2, (300, 40), dtype=np.uint8)
    expected = backend.clauses(include, points, 40).votes(pack(bits))
    assert len(np.unique(expected)) > 3
    for votes in every_way(backend.clauses_from_lists(lists, 3, 40), bits):
        assert np.array_equal(votes, expected)


def test_equal_clauses_are_merged_and_opposite_ones_vanish():
    include = np.zeros((1, 6, 8), bool)
    include[0, :, :2] = True
    points = np.array([[3, -1, 4, 0, -5, -1]], np.int32)
    assert native.NativeClauses(pack_bits(include), points, 4).n_operands == 0
    points[0, 0] = 4
    assert native.NativeClauses(pack_bits(include), points, 4).n_operands == 4  # two, rounded up


def test_a_shared_beginning_is_computed_once():
    include = np.zeros((1, 20, 128), bool)
    include[0, :, :32] = True
    include[0, np.arange(20), 32 + np.arange(20)] = True
    clauses = native.NativeClauses(pack_bits(include), np.ones((1, 20), np.int32), 64)
    assert clauses.n_operands == 32 + 20 * 4


def test_a_byte_that_is_no_bit_is_reported_even_in_a_column_that_no_clause_reads():
    include = pack_bits(np.arange(400)[None, None, :] == 3)
    clauses = native.NativeClauses(include, np.ones((1, 1), np.int32), 200)
    bits = np.ones((600, 200), np.uint8)
    assert clauses.votes_of_bits(bits).tolist() == [[1]] * 600
    for row, column in ((0, 0), (599, 199), (300, 130)):
        wrong = bits.copy()
        wrong[row, column] = 4
        assert clauses.votes_of_bits(wrong) is None


def test_sizes_and_contents_that_do_not_fit_are_named():
    include, points = pack_bits(np.ones((1, 2, 80), bool)), np.ones((1, 2), np.int32)
    clauses = native.NativeClauses(include, points, 40)
    with pytest.raises(ValueError, match=r"the words of a clause must be 3\. Got 2"):
        native.NativeClauses(include, points, 80)
    with pytest.raises(ValueError, match=r"a literal must be below 70\. Got 70"):
        native.NativeClauses(include, points, 35)
    with pytest.raises(ValueError, match=r"the clauses of the points must be 2\. Got 1"):
        native.NativeClauses(include, points[:, :1], 40)
    with pytest.raises(ValueError, match=r"the words of a literal row must be 2\. Got 3"):
        clauses.votes(np.zeros((5, 3), np.uint64))
    with pytest.raises(ValueError, match=r"the columns of a row must be 40\. Got 39"):
        clauses.votes_of_bits(np.zeros((5, 39), np.uint8))
    with pytest.raises(ValueError, match="sparse column index 40 is not below 40"):
        clauses.votes_of_sparse(np.array([0, 1]), np.array([40]))
    with pytest.raises(ValueError, match="row 1 of the sparse matrix has no valid extent"):
        clauses.votes_of_sparse(np.array([0, 1, 5]), np.array([3]))
    with pytest.raises(TypeError):
        clauses.votes_of_bits(np.zeros((5, 40), np.float32))


def test_lists_that_do_not_fit_are_named():
    def compile_lists(starts=(0, 1), literals=(0,), banks=(0,), points=(1,)):
        lists = ClauseLists(
            np.array(starts, np.int64),
            np.array(literals, np.uint32),
            np.array(banks, np.uint32),
            np.array(points, np.int64),
        )
        return native.NativeClauses.from_lists(lists, 1, 3)

    compile_lists()
    with pytest.raises(ValueError, match=r"a clause start must be from 0 to 1\. Got 2"):
        compile_lists(starts=(0, 2))
    with pytest.raises(ValueError, match=r"the number of clause starts must be 2\. Got 1"):
        compile_lists(starts=(0,))
    with pytest.raises(ValueError, match=r"a literal must be below 6\. Got 6"):
        compile_lists(literals=(6,))
    with pytest.raises(ValueError, match=r"a bank must be below 1\. Got 1"):
        compile_lists(banks=(1,))
    with pytest.raises(ValueError, match=r"must add up to at most 2\^62 in size"):
        compile_lists(points=(-(2**63),))
