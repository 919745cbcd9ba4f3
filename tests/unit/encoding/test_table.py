"""A few rows of a data frame are read at once, with the same result as column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clausal.encoding import table
from clausal.encoding.booleanizer import Booleanizer

COLUMNS: dict[str, list[Any]] = {"a": [1.5, 2.5, None, 3.0], "b": [1, 2, 3, 4], "c": [0.25, 7, 3, 1e30]}
PANDAS, POLARS = pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS, strict=False)
FRAMES = {
    "pandas": PANDAS,
    "floats": PANDAS.astype(np.float32),
    "integers": PANDAS[["b"]].astype(np.int8),
    "nullable": PANDAS.convert_dtypes(),
    "booleans": PANDAS.assign(b=[True, False, True, False]),
    "text": PANDAS.assign(b=list("abca")),
    "polars": POLARS,
    "polars integers with gaps": POLARS.select(b=pl.when(pl.col("b") > 1).then(pl.col("b"))),
    "polars text": POLARS.with_columns(b=pl.Series(list("abca"))),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_rows_are_read_alike_at_once_and_by_column(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    booleanizer = Booleanizer().fit(frame)
    rows = [frame[i : i + 1] for i in range(4)]
    at_once = [booleanizer.transform(row) for row in rows]
    monkeypatch.setattr(table, "_SMALL_ROWS", 0)
    for row, bits in zip(rows, at_once, strict=True):
        np.testing.assert_array_equal(booleanizer.transform(row), bits)
    np.testing.assert_array_equal(booleanizer.transform(frame), np.vstack(at_once))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_what_is_refused_by_column_is_refused_at_once(make: Any) -> None:
    booleanizer = Booleanizer().fit(make({"a": [1.5, 2.5], "b": [1, 2]}))
    with pytest.raises(ValueError, match=r"'b' must hold integers smaller than 2\*\*53"):
        booleanizer.transform(make({"a": [0.5], "b": [2**53]}))
    with pytest.raises(ValueError, match="'a' must hold finite numbers"):
        booleanizer.transform(make({"a": [np.inf], "b": [1]}))
    with pytest.raises(ValueError, match="feature names should match"):
        booleanizer.transform(make({"b": [1], "a": [1.5]}))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_small_frame_of_numbers_is_read_at_once(make: Any) -> None:
    frame = make({"a": [1.5, 2.5], "b": [1, 2]})
    encoding = Booleanizer().fit(frame).encoding_
    assert isinstance(encoding.read(frame), table.ArrayTable)
    assert isinstance(encoding.read(make({"a": [1.0] * 300, "b": [1] * 300})), table.FrameTable)
