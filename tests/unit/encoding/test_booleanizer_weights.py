"""Sample weights: whole numbers equal repeated rows, zero equals leaving out, order never matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.encoding import Booleanizer

SCHEMA = {"number": pl.Float64, "text": pl.String, "flag": pl.Boolean, "rank": pl.Enum(["z", "y", "x", "w"])}

row = st.tuples(
    st.none() | st.floats(-1e6, 1e6, width=32),
    st.none() | st.sampled_from("abcdef"),
    st.none() | st.booleans(),
    st.none() | st.sampled_from("wxyz"),
)
weighted_rows = st.lists(st.tuples(row, st.integers(0, 4)), min_size=1, max_size=40).filter(
    lambda rows: any(weight for _, weight in rows)
)
modes = st.sampled_from(["auto", "paper"])


def fit(rows: list[Any], weights: Any = None, **params: Any) -> Booleanizer:
    return Booleanizer(**params).fit(pl.DataFrame(rows, schema=SCHEMA, orient="row"), sample_weight=weights)


@given(weighted_rows, st.integers(1, 5), modes)
def test_whole_weights_equal_repeated_rows(rows: list[Any], max_columns: int, mode: str) -> None:
    weighted = fit([r for r, _ in rows], [w for _, w in rows], mode=mode, max_columns=max_columns)
    repeated = fit([r for r, w in rows for _ in range(w)], mode=mode, max_columns=max_columns)
    assert weighted.features_ == repeated.features_
    assert weighted.columns_ == repeated.columns_


@given(st.data(), st.lists(st.tuples(row, st.floats(1e-6, 1e6)), min_size=1, max_size=30), st.integers(1, 3))
def test_the_order_of_rows_does_not_matter(data: st.DataObject, rows: list[Any], max_columns: int) -> None:
    shuffled = data.draw(st.permutations(rows))
    first, second = (
        fit([r for r, _ in part], [w for _, w in part], max_columns=max_columns) for part in (rows, shuffled)
    )
    assert first.features_ == second.features_


def test_weights_move_the_quantiles() -> None:
    values = np.arange(1, 11).reshape(-1, 1)
    plain = Booleanizer(max_columns=1).fit(values)
    heavy = Booleanizer(max_columns=1).fit(values, sample_weight=[1] * 9 + [100])
    assert (plain.columns_[0].value, heavy.columns_[0].value) == (5, 9)


def test_weights_decide_which_categories_are_frequent() -> None:
    values = np.array([["a"], ["b"], ["c"]], dtype=object)
    booleanizer = Booleanizer(max_columns=1).fit(values, sample_weight=[1, 1, 1.5])
    assert [str(column) for column in booleanizer.columns_] == ["x0 is c"]


def test_a_category_seen_at_weight_zero_only_is_unknown() -> None:
    values = np.array([["a"], ["b"], ["c"]], dtype=object)
    booleanizer = Booleanizer(handle_unknown="error").fit(values, sample_weight=[1, 1, 0])
    with pytest.raises(ValueError, match="Got 'c'"):
        booleanizer.transform(values)


def test_a_single_number_weighs_all_rows_alike() -> None:
    values = np.arange(40.0).reshape(-1, 1)
    assert Booleanizer().fit(values, sample_weight=3).features_ == Booleanizer().fit(values).features_
    with pytest.raises(ValueError, match="at least one weight must not be zero"):
        Booleanizer().fit(values, sample_weight=0)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0, 0], "must not be zero.*sum 0"),
        ([1, -1], "not be negative. Got -1"),
        ([1, np.nan], "sample_weight contains NaN"),
        ([1, 2, 3], r"shape \(2,\).*\(3,\)"),
        ([[1], [2]], r"shape \(2,\).*\(2, 1\)"),
        ([1e308, 1e308], "below 1e300"),
    ],
)
def test_wrong_weights(weights: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Booleanizer().fit(np.eye(2), sample_weight=weights)
