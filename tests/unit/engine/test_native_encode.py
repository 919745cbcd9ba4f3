"""The compiled encoder against its slow twin: the Booleanizer's NumPy columns, packed bit by bit."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clausal import Booleanizer, _core
from clausal.encoding import batches as batches_module
from clausal.encoding.column_choice import AUTO
from clausal.encoding.fitting import learn_encoding
from clausal.encoding.values import STRICT
from clausal.engine import native, reference

ROWS = (1, 2, 63, 64, 65, 129, 1100)
DTYPES = ("f8", "f4", "f2", "g", ">f8", "i8", "u8", "i4", "u4", "i2", "u2", "i1", "u1", "?")
ISAS = native.available_instruction_sets()


def batches(booleanizer, X):
    encoding = booleanizer.encoding_
    return encoding.batches(encoding.read(X), encoding.policy)


def agree(booleanizer, X, n_threads=1):
    encoded = native.encode(batches(booleanizer, X), n_threads)
    assert encoded is not None
    np.testing.assert_array_equal(encoded, reference.pack(booleanizer.transform(X)))


def random_table(seed, n_rows, n_features, dtype, missing):
    """Few distinct values, so that many of them are cuts or lie on one; zeros of both signs."""
    rng = np.random.default_rng(seed)
    steps = rng.choice([1, 2, 7, 40], n_features)
    table = np.rint(rng.normal(size=(n_rows, n_features)) * steps) / (1 if dtype[-1] in "1248" else 8)
    table = np.where(table == 0, rng.choice([0.0, -0.0], table.shape), table)
    if np.dtype(dtype).kind in "ub":
        table = np.abs(table)
    if np.dtype(dtype).kind == "f" and missing:
        table[rng.random(table.shape) < 0.2] = np.nan
    return table.astype(dtype)


@pytest.mark.parametrize("isa", ISAS)
@given(
    st.integers(0, 2**32),
    st.sampled_from(ROWS),
    st.integers(1, 70),
    st.sampled_from(DTYPES),
    st.booleans(),
    st.sampled_from(["auto", "paper"]),
    st.integers(1, 3),
)
@settings(max_examples=30, deadline=None)
@example(0, 65, 3, "f8", True, "paper", 2)
@example(1, 64, 70, "u1", False, "auto", 1)
def test_numbers_are_encoded_as_numpy_does(isa, seed, n_rows, n_features, dtype, missing, mode, n_threads):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAUSAL_ISA", isa)
        table = random_table(seed, n_rows, n_features, dtype, missing)
        booleanizer = Booleanizer(mode, max_columns=1 + seed % 20, handle_missing="as_false").fit(table)
        for X in (table, np.asfortranarray(table), table[::-1], table.repeat(2, axis=1)[:, ::2]):
            agree(booleanizer, X, n_threads)
        agree(booleanizer, random_table(seed + 1, n_rows, n_features, dtype, missing), n_threads)
        agree(booleanizer, table[:1], n_threads)


@given(st.integers(0, 2**32), st.sampled_from(ROWS), st.integers(1, 140), st.sampled_from(["u1", "?", "f4"]))
@settings(max_examples=30, deadline=None)
def test_boolean_rows_are_encoded_as_numpy_does(seed, n_rows, n_features, dtype):
    table = np.random.default_rng(seed).integers(0, 2, (n_rows, n_features)).astype(dtype)
    booleanizer = Booleanizer("boolean").fit(table)
    agree(booleanizer, table, 2)
    agree(booleanizer, np.asfortranarray(table))
    agree(Booleanizer("auto").fit(table), table)


def mixed_frame(n_rows=300):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "holes": np.where(rng.random(n_rows) < 0.3, np.nan, rng.integers(0, 9, n_rows)),
            "nullable": pd.array(rng.integers(0, 5, n_rows), dtype="Int64"),
            "flag": rng.random(n_rows) < 0.5,
            "text": rng.choice(["a", "b", "c", None], n_rows),
            "kind": pd.Categorical(rng.choice(["u", "v", "w"], n_rows)),
            "level": pd.Categorical(
                rng.choice(["low", "mid", "high"], n_rows), ["low", "mid", "high", "top"], ordered=True
            ),
            "code": pd.Categorical(rng.integers(0, 4, n_rows)),
            "nothing": np.full(n_rows, np.nan),
            "constant": np.ones(n_rows),
            "count": rng.integers(0, 200, n_rows).astype(np.int16),
        }
    )
    frame.loc[5, "nullable"] = pd.NA
    return frame


TABLES = {
    "pandas": mixed_frame,
    "polars": lambda: pl.from_pandas(mixed_frame()),
    "pyarrow": lambda: pa.Table.from_pandas(mixed_frame(), preserve_index=False),
    "chunked arrow": lambda: pa.concat_tables(
        pa.Table.from_pandas(part.drop(columns=["kind", "level", "code"]), preserve_index=False)
        for part in (mixed_frame()[:150], mixed_frame()[150:])
    ),
    "objects": lambda: mixed_frame().drop(columns=["nullable"]).to_numpy(dtype=object),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("mode", ["auto", "paper"])
@pytest.mark.parametrize("copied", [2**26, 1, 5000])
def test_frames_of_all_kinds_are_encoded_as_numpy_does(name, mode, copied, monkeypatch):
    monkeypatch.setattr(batches_module, "_MAX_COPIED_BYTES", copied)
    X = TABLES[name]()
    agree(Booleanizer(mode).fit(X), X, n_threads=2)


@pytest.mark.parametrize("unknown", ["no_match", "missing"])
def test_unknown_categories_and_new_missing_values_are_encoded_as_numpy_does(unknown):
    known = pd.DataFrame({"c": list("aabbcc"), "n": [1, 2, 3, 4, 5, 6], "b": [True, False] * 3})
    other = pd.DataFrame({"c": ["a", "z", None], "n": [np.nan, 2.5, 3], "b": [None, True, False]})
    booleanizer = Booleanizer(handle_unknown=unknown, handle_missing="as_false").fit(known)
    agree(booleanizer, other)


def test_rows_of_weight_0_are_encoded_as_in_training():
    X = pd.DataFrame({"c": ["a", "b", "new"], "n": [1.0, 2.0, np.nan]})
    learned = learn_encoding(X, AUTO, STRICT, [1, 1, 0])
    encoded = native.encode(learned.batches)
    np.testing.assert_array_equal(encoded, reference.pack(learned.bits))


@pytest.mark.parametrize(
    ("column", "bad"),
    [
        (np.arange(100.0), np.inf),
        (np.arange(100.0), -np.inf),
        (np.arange(100.0), np.nan),
        (np.arange(100), 2**53),
        (np.arange(100), -(2**60)),
        (np.arange(100) % 2 == 0, None),
    ],
)
def test_what_cannot_be_encoded_is_declined(column, bad):
    """The last row decides; the plain way then says what is wrong."""
    booleanizer = Booleanizer(handle_missing="error").fit(column.reshape(-1, 1))
    X = column.astype(object).reshape(-1, 1) if bad is None else column.reshape(-1, 1).copy()
    X[-1, 0] = bad
    if bad is None:
        with pytest.raises(ValueError, match="missing"):
            native.encode(batches(booleanizer, X))
        return
    assert native.encode(batches(booleanizer, X)) is None
    with pytest.raises(ValueError, match="Feature 'x0' must"):
        booleanizer.transform(X)


@pytest.mark.parametrize("dtype", ["u1", "i8", "f8"])
@pytest.mark.parametrize("n_features", [1, 20])
def test_a_boolean_feature_declines_other_numbers(dtype, n_features):
    booleanizer = Booleanizer("boolean").fit(np.eye(20, n_features, dtype=dtype))
    X = np.zeros((70, n_features), dtype)
    assert native.encode(batches(booleanizer, X)) is not None
    X[69, -1] = 2
    assert native.encode(batches(booleanizer, X)) is None


def test_the_boundary_names_what_does_not_fit():
    def call(values, starts=(0, 1), kinds=(0,), columns=1, first=0, isa="portable"):
        n = len(kinds)
        ends, flags = np.array(starts, np.int64), np.zeros(n, bool)
        comparisons = _core.Comparisons(np.array(kinds, np.int32), np.zeros(1), ends, flags, flags)
        return _core.encode(values, comparisons, np.zeros((3, 1), np.uint64), columns, first, 1, isa)

    assert call([np.zeros(3)])
    with pytest.raises(ValueError, match="the rows of a feature must be 3. Got 4"):
        call([np.zeros(4)])
    with pytest.raises(ValueError, match="feature 0 has no valid extent of marks"):
        call([np.zeros(3)], starts=(0, 2))
    with pytest.raises(ValueError, match="kind of comparison must be 0, 1 or 2. Got 3"):
        call([np.zeros(3)], kinds=(3,))
    with pytest.raises(ValueError, match="at most 1 columns. Got 2"):
        call([np.zeros(3)], first=1)
    with pytest.raises(ValueError, match="the words of a literal row must be 2. Got 1"):
        call([np.zeros(3)], columns=33)
    with pytest.raises(ValueError, match="the starts of marks must be 3. Got 2"):
        call([np.zeros(3), np.zeros(3)], kinds=(0, 0))
    with pytest.raises(ValueError, match="feature 0 has no type of number"):
        call([np.zeros(3, complex)])
    with pytest.raises(ValueError, match="instruction set 'sse9' cannot run here"):
        call([np.zeros(3)], isa="sse9")


@given(
    st.integers(0, 2**32),
    st.sampled_from((0, *ROWS)),
    st.integers(1, 300),
    st.floats(0, 1),
    st.integers(1, 3),
)
@settings(max_examples=80, deadline=None)
def test_rows_are_packed_as_numpy_does(seed, n_rows, n_columns, density, n_threads):
    rng = np.random.default_rng(seed)
    bits = (rng.random((n_rows, n_columns)) < density).astype(np.uint8) * rng.integers(1, 256, dtype=np.uint8)
    packed = native.pack(bits, n_threads)
    np.testing.assert_array_equal(packed, reference.pack(bits))
    rows, columns = np.nonzero(bits)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))]).astype(np.int64)
    np.testing.assert_array_equal(native.pack_csr(starts, columns, n_columns, n_threads), packed)
