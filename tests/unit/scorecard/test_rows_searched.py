"""The rows that are searched: merged, and sampled by class where there are too many."""

import numpy as np
import pytest

from clausal import Booleanizer
from clausal.outcome import make_outcome
from clausal.scorecard import rows
from clausal.scorecard.rows import DistinctRows, LabeledRows, SearchRows, sample_by_class

RNG = np.random.default_rng(0)
N = 600
X = RNG.normal(size=(N, 3)).round(2)
CODES = (RNG.random(N) < 0.05).astype(np.intp)  # few of class 1
ENCODING = Booleanizer().fit(X).encoding_


@pytest.fixture(autouse=True)
def merged_from_the_first_row(monkeypatch):
    monkeypatch.setattr(rows, "_MERGED_FROM", 0)


def searched(X, codes, weights, max_rows, seed=0):
    distinct = DistinctRows.of(X, codes, np.asarray(weights, float))
    rows = LabeledRows(distinct.X, distinct.codes, distinct.weights, make_outcome(np.array([0, 1])))
    return SearchRows.of(rows, ENCODING, seed, max_rows)


def same(a, b):
    parts = ((one.bits, one.targets.share, one.targets.weights) for one in (a, b))
    return a.n_rows == b.n_rows and all(np.array_equal(x, y) for x, y in zip(*parts, strict=True))


def test_rows_of_equal_boolean_columns_are_merged():
    coarse = X.round(0)
    rows = searched(coarse, CODES, np.ones(N), 10_000)
    n_distinct = len(np.unique(np.column_stack([CODES, ENCODING.bits(coarse)]), axis=0))
    assert len(rows.bits) == n_distinct < N
    assert rows.targets.weights.sum() == N
    assert rows.n_rows == len(np.unique(np.column_stack([CODES, coarse]), axis=0))


def test_all_rows_of_a_rare_class_are_searched_and_classes_keep_their_weight():
    rows = searched(X, CODES, np.ones(N), 200)
    share, weights = rows.targets.share[:, 0], rows.targets.weights
    assert len(weights) <= 200
    assert share.sum() == CODES.sum()
    np.testing.assert_allclose([weights @ share, weights.sum()], [CODES.sum(), N])


def test_a_sample_depends_on_the_seed_and_not_on_the_order_of_rows():
    order = RNG.permutation(N)
    first = searched(X, CODES, np.ones(N), 200)
    assert same(first, searched(X[order], CODES[order], np.ones(N), 200))
    assert not same(first, searched(X, CODES, np.ones(N), 200, seed=1))


def test_a_weight_in_a_sample_is_a_repetition():
    weights = RNG.integers(0, 4, N)
    repeated = searched(np.repeat(X, weights, axis=0), np.repeat(CODES, weights), np.ones(weights.sum()), 200)
    assert same(searched(X, CODES, weights, 200), repeated)


def test_heavy_rows_are_always_taken_with_their_weight():
    weights = np.ones(1000)
    weights[[3, 500]] = 400.0, 90.0
    for seed in range(20):
        rows, new = sample_by_class(np.zeros(1000, np.intp), weights, 50, seed)
        assert len(rows) <= 50
        assert new[rows == 3] == 400.0
        assert new[rows == 500] == 90.0
        assert new.sum() == pytest.approx(weights.sum())


def test_draws_are_in_proportion_to_weights():
    weights = np.tile([1.0, 3.0], 200)
    taken = np.concatenate([sample_by_class(np.zeros(400, np.intp), weights, 40, s)[0] for s in range(300)])
    assert np.mean(taken % 2 == 1) == pytest.approx(0.75, abs=0.02)


def test_what_a_rare_class_does_not_need_goes_to_the_others():
    codes = np.repeat([0, 1, 2], [1000, 10, 300])
    rows, _ = sample_by_class(codes, np.ones(len(codes)), 210, 0)
    assert np.bincount(codes[rows]).tolist() == [100, 10, 100]
