"""A table of plain numbers is learned from in one pass: to the same bit as feature by feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clausal.encoding import fitting
from clausal.encoding.column_choice import ColumnChoice
from clausal.encoding.table import ArrayTable, FrameTable
from clausal.encoding.values import NO_RULE

few = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.5, -7.25])
many = st.integers(-(2**25), 2**25).map(float) | st.floats(width=32, allow_nan=False, allow_infinity=False)
odd = st.sampled_from([np.nan, np.inf, 2.0**53, -(2.0**60)])
types = st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.int16, bool])
shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=25)


TABLES: list[Callable[[np.ndarray], Any]] = [
    lambda X: X,
    np.asfortranarray,
    lambda X: pd.DataFrame(X).add_prefix("c").assign(counted=np.arange(len(X)) % 25),  # of another type
    lambda X: pl.DataFrame(X, schema=[f"c{k}" for k in range(X.shape[1])]),
]


def learn(X: Any, choice: ColumnChoice, *, at_once: bool) -> Any:
    """What is learned from a table, or the words of the error; without `at_once`, feature by feature."""
    with pytest.MonkeyPatch.context() as patch:
        if not at_once:
            for table in (ArrayTable, FrameTable):
                patch.setattr(table, "numbers", lambda self: None)
        try:
            learned = fitting.learn_encoding(X, choice, NO_RULE)
        except ValueError as error:
            return str(error)
    features = [repr(feature) for feature in learned.encoding.features]  # -0.0 and 0.0 differ
    known = [None if numbers is None else repr(numbers.tolist()) for numbers in learned.numbers]
    return learned.encoding, features, known, learned.remarks, learned.bits.tolist()


@given(
    X=hnp.arrays(np.float64, shapes, elements=few, fill=st.nothing())
    | hnp.arrays(np.float64, shapes, elements=few | many, fill=st.nothing())
    | hnp.arrays(np.float64, shapes, elements=few | odd, fill=st.nothing())
    | types.flatmap(lambda dtype: hnp.arrays(dtype, shapes, fill=st.nothing())),
    table=st.sampled_from(TABLES),
    choice=st.builds(
        ColumnChoice,
        st.sampled_from(["auto", "auto", "paper"]),
        st.integers(1, 20),
        st.sampled_from(["from_dtype", None, (0,)]),
    ),
)
def test_all_at_once_is_the_same_as_feature_by_feature(
    X: np.ndarray, table: Callable[[np.ndarray], Any], choice: ColumnChoice
):
    made = table(X)
    assert learn(made, choice, at_once=True) == learn(made, choice, at_once=False)


@pytest.mark.parametrize("n_rows", [19, 20, 300])
def test_row_numbers_and_constants_are_told_of_in_both_ways(n_rows: int):
    rows = np.arange(n_rows)
    X = np.column_stack([rows[::-1] + 5.0, rows * 2.0, np.full(n_rows, 3.0), rows % 7, rows + 0.5])
    told = [learn(X, ColumnChoice(), at_once=at_once)[3] for at_once in (True, False)]
    assert told[0] == told[1]
    assert told[0][0] == "Column 'x2' is ignored: the same value in every row."
    assert told[0][1:] == (
        () if n_rows < 20 else ("Column 'x0' looks like a row number; leave out what only counts the rows.",)
    )


@pytest.mark.parametrize(
    ("X", "is_plain"),
    [
        (np.ones((3, 2)), True),
        (np.ones((3, 2), np.int8), True),
        (np.ones((3, 2), bool), False),
        (np.array([[1.0, np.nan]]), False),
        (np.array([[1.0, -np.inf]]), False),
        (np.array([[1, 2**53]]), False),
        (np.array([[1, 2**53 - 1]]), True),
        (np.ones((2**10, 2**10 + 1)), False),  # too large to be copied for this
        (pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]}), True),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [True, False]}), False),
        (pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), False),
    ],
)
def test_which_tables_are_read_at_once(X: Any, is_plain: bool):
    table, _ = fitting.read_table(X, None, "Booleanizer")
    assert (table.numbers() is not None) == is_plain
