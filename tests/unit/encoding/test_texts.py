"""Texts as indices of distinct ones: the same in every library, and in what is learned from them."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from clausal.encoding.summary import FeatureSummary
from clausal.encoding.table import FrameTable
from clausal.encoding.texts import CodedTexts, arrow_texts
from clausal.encoding.values import find_codes

ITEMS = ["b", None, "a", "b", "", "é", None, "a"]
WEIGHTS = np.array([1, 2, 3, 1, 5, 1, 1, 2])
COLUMNS = {
    "pyarrow": pa.table({"x": ITEMS}),
    "pyarrow large": pa.table({"x": pa.array(ITEMS, pa.large_string())}),
    "pyarrow chunks": pa.table({"x": pa.chunked_array([ITEMS[:3], [], ITEMS[3:]], pa.string())}),
    "pyarrow dictionary": pa.table({"x": pa.array(ITEMS).dictionary_encode()}),
    "pandas": pd.DataFrame({"x": ITEMS}, dtype=object),
    "pandas string": pd.DataFrame({"x": pd.array(ITEMS, "string[pyarrow]")}),
    "pandas Arrow": pd.DataFrame({"x": pd.array(ITEMS, pd.ArrowDtype(pa.string()))}),
    "pandas categorical": pd.DataFrame({"x": pd.Categorical(ITEMS)}),
    "polars": pl.DataFrame({"x": ITEMS}),
    "polars categorical": pl.DataFrame({"x": pl.Series(ITEMS, dtype=pl.Categorical)}),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_texts_are_the_same_in_every_library(kind):
    values = FrameTable(nw.from_native(COLUMNS[kind])).feature(0, "x")
    assert (values.coded is None) == (kind == "pandas")
    assert values.values.tolist() == ITEMS
    assert values.missing.tolist() == [item is None for item in ITEMS]
    texts = values.texts()
    assert [text for text, item in zip(texts.values, ITEMS, strict=True) if item is not None] == [
        item for item in ITEMS if item is not None
    ]
    assert find_codes(values, ("a", "b")).tolist() == [1, -1, 0, 1, -1, -1, -1, 0]
    assert find_codes(values.take(np.arange(8) > 4), ("a", "b")).tolist() == [-1, -1, 0]
    summary = FeatureSummary(values, WEIGHTS)
    assert summary.texts == {"a": 5, "b": 2, "": 5, "é": 1}
    assert summary.missing_weight == 3


def test_equal_texts_share_one_object():
    texts = CodedTexts.of(np.array(["a" * 2, "".join(["a", "a"]), None], object))
    assert texts.distinct.tolist() == ["aa", None]
    assert texts.values[0] is texts.values[1]


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8(), pa.int64()])
def test_dictionaries_of_any_index_with_many_texts(index):
    names = [f"t{k}" for k in range(120)]
    column = pa.DictionaryArray.from_arrays(pa.array([119, None, 0], index), pa.array(names))
    assert arrow_texts(column).values.tolist() == ["t119", None, "t0"]
    assert arrow_texts(pa.array([1.0])) is None
