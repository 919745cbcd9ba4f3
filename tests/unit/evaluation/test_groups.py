"""The groups of a protected column as printed."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clausal.evaluation.groups import group_text, read_groups
from tests.support.periods import period, scorecard


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("f", "f"),
        (1.0, "1"),
        (np.int64(2), "2"),
        (True, "true"),
        (None, "(missing)"),
        (np.nan, "(missing)"),
        (pd.NA, "(missing)"),
    ],
)
def test_values_are_printed_as_categories(value, text):
    assert group_text(value) == text


@pytest.mark.parametrize(
    "values",
    [
        ["f", "m"],
        np.array(["f", "m"]),
        pd.Series(["f", "m"]),
        pl.Series(["f", "m"]),
        pd.Categorical(["f", "m"]),
    ],
)
def test_arrays_of_any_library_are_read(values):
    assert read_groups(scorecard(), period(2), values, 2).names == ["f", "m"]
