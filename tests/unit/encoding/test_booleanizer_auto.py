"""Mode "auto": which columns each kind of feature gets, and that they mean what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.encoding import Booleanizer
from clausal.encoding.columns import Column


def texts(booleanizer: Booleanizer) -> list[str]:
    return [str(column) for column in booleanizer.columns_]


def one(values: Any, **params: Any) -> Booleanizer:
    return Booleanizer(**params).fit(pd.DataFrame({"f": values}))


def holds(column: Column, value: Any) -> bool:
    """The slow twin of encoding: what a column says of one value."""
    if value is None:
        return column.kind == "missing"
    match column.kind:
        case "le":
            return bool(value <= column.value)
        case "is":
            return bool(value == column.value)
        case "upto":
            return value in column.value
        case "true":
            return bool(value)
    return False


def test_every_kind_of_feature() -> None:
    frame = pd.DataFrame(
        {
            "age": [54, 55, 61],
            "dose": [0.5, 0.25, 0.5],
            "pain": ["mild", "none", "severe"],
            "sex": ["m", "f", "m"],
            "grade": pd.Categorical(["B", "A", "C"], categories=["A", "B", "C"], ordered=True),
            "smoker": [True, False, True],
        }
    )
    assert texts(Booleanizer().fit(frame)) == [
        "age <= 54",
        "age <= 55",
        "dose <= 0.4",
        "pain is mild",
        "pain is 'none'",
        "pain is severe",
        "sex is m",
        "grade <= A",
        "grade <= B",
        "smoker",
    ]


@pytest.mark.parametrize(
    "values",
    [
        [3, 3, 3],
        [0.5] * 3,
        ["a"] * 3,
        [True] * 3,
        pd.Categorical(["b"] * 3, categories=["a", "b"], ordered=True),
        [None] * 3,
        [np.nan] * 3,
    ],
)
def test_a_constant_feature_makes_no_column(values: Any) -> None:
    booleanizer = one(values)
    assert booleanizer.columns_ == ()
    assert booleanizer.transform(pd.DataFrame({"f": values})).shape == (3, 0)


@pytest.mark.parametrize("values", [[3, 3, None], ["a", "a", None], [True, True, None]])
def test_a_constant_feature_with_holes_makes_the_missing_column_only(values: Any) -> None:
    booleanizer = one(values)
    assert texts(booleanizer) == ["f is missing"]
    assert booleanizer.transform(pd.DataFrame({"f": values})).tolist() == [[0], [0], [1]]


def test_many_values_get_max_columns_cuts_at_quantiles() -> None:
    booleanizer = Booleanizer(max_columns=3).fit(np.arange(1, 101).reshape(-1, 1))
    assert texts(booleanizer) == ["x0 <= 25", "x0 <= 50", "x0 <= 75"]


def test_few_values_get_a_cut_in_each_gap() -> None:
    booleanizer = Booleanizer(max_columns=3).fit(np.array([[1.0], [2.5], [7], [9], [9]]))
    assert texts(booleanizer) == ["x0 <= 2", "x0 <= 5", "x0 <= 7"]


def test_two_categories_need_two_columns_when_one_would_lose_something() -> None:
    assert texts(one(["b", "a"])) == ["f is b"]
    assert texts(one(["b", "a"], handle_unknown="no_match")) == ["f is a", "f is b"]
    assert texts(one(["b", "a"], handle_unknown="missing")) == ["f is a", "f is b"]
    assert texts(one(["b", "a", None])) == ["f is a", "f is b", "f is missing"]


def test_rare_categories_beyond_max_columns_match_nothing() -> None:
    values = ["d", "c", "c", "b", "a"]
    booleanizer = one(values, max_columns=2)
    assert texts(booleanizer) == ["f is a", "f is c"]  # a, b and d tie: the first in sorted order
    assert booleanizer.transform(pd.DataFrame({"f": values})).tolist() == [
        [0, 0],
        [0, 1],
        [0, 1],
        [0, 0],
        [1, 0],
    ]


def test_an_ordered_feature_is_cut_between_seen_categories_only() -> None:
    order = ["xs", "s", "m", "l", "xl"]
    dtype = pd.CategoricalDtype(order, ordered=True)
    booleanizer = one(pd.Series(["s", "xl", "l"], dtype=dtype))
    assert texts(booleanizer) == ["f <= s", "f <= l"]
    assert booleanizer.columns_[0].value == ("xs", "s")
    bits = booleanizer.transform(pd.DataFrame({"f": pd.Series(order, dtype=dtype)}))
    assert bits.tolist() == [[1, 1], [1, 1], [0, 1], [0, 1], [0, 0]]


def test_an_ordered_feature_with_many_categories_is_cut_at_quantiles() -> None:
    dtype = pd.CategoricalDtype(list(range(100, 0, -1)), ordered=True)
    booleanizer = one(pd.Series(range(1, 101), dtype=dtype), max_columns=3)
    assert texts(booleanizer) == ["f <= 76", "f <= 51", "f <= 26"]


def test_ordered_types_of_other_libraries() -> None:
    enum = pl.DataFrame({"f": pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "mid", "hi"]))})
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["lo", "hi"], ordered=True)
    arrow = pa.table({"f": dictionary})
    pandas_arrow = pd.DataFrame({"f": pd.Series(pd.arrays.ArrowExtensionArray(dictionary))})
    for table in (enum, arrow, pandas_arrow):
        assert texts(Booleanizer().fit(table)) == ["f <= lo"], type(table)
    plain = pa.table({"f": pa.array(["lo", "hi"]).dictionary_encode()})
    assert texts(Booleanizer().fit(plain)) == ["f is lo"]


def test_chunks_with_different_orders_are_refused() -> None:
    first = pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["lo", "hi"], ordered=True)
    second = pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["hi", "lo"], ordered=True)
    with pytest.raises(ValueError, match="'f' must have one order"):
        Booleanizer().fit(pa.table({"f": pa.chunked_array([first, second])}))


@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(-5, 40).map(lambda n: n / 4),
            st.none() | st.sampled_from("abcd"),
            st.none() | st.booleans(),
            st.none() | st.sampled_from("xyz"),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 6),
    st.sampled_from(["auto", "paper"]),
)
def test_every_bit_is_what_its_column_says(rows: list[tuple[Any, ...]], max_columns: int, mode: str) -> None:
    order = pl.Enum(["z", "y", "x"])
    schema = {"number": pl.Float64, "text": pl.String, "flag": pl.Boolean, "rank": order}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    booleanizer = Booleanizer(mode, max_columns=max_columns, handle_unknown="no_match").fit(frame)
    bits = booleanizer.transform(frame)
    expected = [[holds(column, row[column.feature_index]) for column in booleanizer.columns_] for row in rows]
    assert bits.tolist() == np.array(expected, dtype=int).reshape(len(rows), -1).tolist()
    assert (bits.dtype, bits.flags.c_contiguous) == (np.uint8, True)
    if mode == "auto":
        assert all(0 < total < len(rows) for total in bits.sum(axis=0))
