"""Rows as bins: the same literals back, whatever the parts; and what a table of them refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal import Booleanizer
from clausal.engine.protocol import pack_bits, unpack_bits
from clausal.machine.leaks import deciding
from clausal.scorecard import bins
from clausal.scorecard.bins import BinnedRows, join

RNG = np.random.default_rng(0)


def encoded(n, max_columns=40):
    """An encoding with a feature of more than 32 columns, one of categories and a boolean; literals."""
    X = np.column_stack([RNG.normal(size=n), RNG.integers(0, 4, n), RNG.random(n) < 0.4]).astype(float)
    X[RNG.random(n) < 0.1, 0] = np.nan
    encoding = Booleanizer(max_columns=max_columns, categorical_features=[1]).fit(X).encoding_
    return encoding, literals_of(encoding, X)


def literals_of(encoding, X):
    bits = encoding.plain_bits(X, encoding.training_policy)
    return pack_bits(np.hstack([bits == 1, bits == 0]))


def test_literals_come_back_and_a_bin_is_what_holds_in_a_feature():
    encoding, literals = encoded(9000)
    rows = BinnedRows.of(literals, encoding)
    assert [own.shape for own in rows.truth] == [(82, 42), (8, 4), (2, 2)]
    some = RNG.permutation(9000)[:5000]
    np.testing.assert_array_equal(rows.literals(some), literals[some])
    np.testing.assert_array_equal(rows.take(some).literals(np.arange(5000)), literals[some])


@given(st.integers(0, 10**6), st.lists(st.integers(0, 60), max_size=4))
def test_parts_have_common_bins(seed, ends):
    rng = np.random.default_rng(seed)
    encoding, literals = encoded(60)
    literals = literals[rng.permutation(60)]
    parts = np.split(literals, sorted(ends))
    joined = join((BinnedRows.of(part, encoding) for part in parts), 60)
    np.testing.assert_array_equal(joined.literals(np.arange(60)), literals)
    whole = BinnedRows.of(literals, encoding)
    for own, other in zip(joined.bins, whole.bins, strict=True):
        assert len(set(zip(own.tolist(), other.tolist(), strict=True))) == other.max() + 1


def test_many_bins_take_two_bytes(monkeypatch):
    monkeypatch.setattr(bins, "_NARROW", 5)
    encoding, literals = encoded(300)
    joined = join((BinnedRows.of(part, encoding) for part in np.split(literals, [2, 50])), 300)
    assert joined.bins.dtype == np.uint16
    np.testing.assert_array_equal(joined.literals(np.arange(300)), literals)


def test_too_many_different_values_are_refused(monkeypatch):
    monkeypatch.setattr(bins, "_MOST_BINS", 20)
    encoding, literals = encoded(300)
    with pytest.raises(ValueError, match="at most 20 different values"):
        join([BinnedRows.of(literals, encoding)], 300)


@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([2, bins._BLOCK_ROWS]))
def test_deciding_literals_are_those_that_a_look_at_the_literals_finds(seed, n_classes, block_rows):
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(n_classes), rng.integers(0, n_classes, 40)).astype(np.int32)
    noise = rng.random(len(codes)) < rng.choice([0.0, 0.03])
    X = np.column_stack([codes + noise, rng.integers(0, 4, len(codes)), codes == 1]).astype(float)
    encoding = Booleanizer(categorical_features=[1]).fit(X).encoding_
    literals = literals_of(encoding, X)
    expected = unpack_bits(deciding(literals, codes, None, n_classes), 2 * encoding.n_columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bins, "_BLOCK_ROWS", block_rows)
        found = BinnedRows.of(literals, encoding).deciding(codes, n_classes)
    assert found.any()
    np.testing.assert_array_equal(found, expected)
