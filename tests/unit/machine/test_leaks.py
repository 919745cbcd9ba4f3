"""A feature that decides the class of every row alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.encoding.booleanizer import Booleanizer
from clausal.engine.protocol import pack_bits, unpack_bits
from clausal.machine.leaks import Leaks, deciding

RNG = np.random.default_rng(0)
NOISE = RNG.integers(0, 4, (9000, 2)).astype(float)


def remarks(X, codes, weights=None, n_parts=1):
    encoding = Booleanizer(categorical_features=[2] if X.shape[1] == 4 else None).fit(X).encoding_
    bits = encoding.bits(X).astype(bool)
    literals = pack_bits(np.hstack([bits, ~bits]))
    leaks = Leaks(codes, weights, encoding, int(codes.max()) + 1)
    for part in np.array_split(literals, n_parts):
        leaks.add(part)
    return leaks.remarks


@pytest.mark.parametrize("n_rows", [36, 9000])  # one block of rows, and three
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_parts", [1, 5])
def test_a_number_that_follows_from_the_class(n_rows, n_classes, n_parts):
    codes = (np.arange(n_rows) % n_classes).astype(np.int32)
    X = np.column_stack([NOISE[:n_rows], codes * 2.0])
    (said,) = remarks(X, codes, None, n_parts)
    assert said.startswith("Column 'x2' alone decides the class of every row, such as by `x2 > ")
    X[-1, 2] = 0.0 if codes[-1] else 2.0
    assert remarks(X, codes, None, n_parts) == ()
    assert len(remarks(X, codes, np.append(np.ones(n_rows - 1), 0.0), n_parts)) == 1  # that row has no weight


def test_all_numbers_that_follow_from_the_class_are_named():
    codes = (np.arange(60) % 2).astype(np.int32)
    X = np.column_stack([1 - codes, NOISE[:60, 0], codes]).astype(float)
    (said,) = remarks(X, codes)
    assert said.startswith("Column 'x0' alone decides")
    assert ", and so does each of 'x2'. If" in said


def test_a_category_that_follows_from_the_class():
    codes = (np.arange(60) % 4).astype(np.int32)
    X = np.column_stack([NOISE[:60], codes, NOISE[:60, 0]])
    assert "'x2'" in remarks(X, codes)[0]


def test_a_class_of_its_own_is_no_leak_if_others_are_mixed():
    codes = (np.arange(60) % 3).astype(np.int32)
    X = np.column_stack([NOISE[:60], codes == 2]).astype(float)
    assert remarks(X, codes) == ()


def test_few_rows_of_a_class_prove_nothing():
    codes = (np.arange(30) < 9).astype(np.int32)
    X = np.column_stack([NOISE[:30], codes]).astype(float)
    assert remarks(X, codes) == ()
    assert len(remarks(X, codes, np.full(30, 2.0))) == 1  # each row stands for two


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 7), st.booleans())
def test_deciding_literals_are_those_that_a_look_at_each_finds(seed, n_classes, n_rows_per_class, weighted):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(n_classes), n_rows_per_class).astype(np.int32)
    weights = rng.integers(0, 3, len(codes)).astype(float) if weighted else None
    holds = rng.random((70, n_classes)) < 0.4  # the classes on whose rows a literal holds
    bits = holds[:, codes].T ^ (rng.random((len(codes), 70)) < 0.02)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clausal.machine.leaks._BLOCK_ROWS", 3)
        found = unpack_bits(deciding(pack_bits(bits), codes, weights, n_classes), 70)
    counted = np.ones(len(codes), bool) if weights is None else weights > 0
    for code in range(n_classes):
        own, others = bits[counted & (codes == code)], bits[counted & (codes != code)]
        assert found[code].tolist() == (own.all(axis=0) & ~others.any(axis=0)).tolist()
