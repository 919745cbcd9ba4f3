"""Rows are counted from 1, or have the user's own names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clausal.html_report.examples import RowNames


def test_rows_are_counted_from_1():
    names = RowNames.of(None, 5)
    assert [names[0], names[4]] == ["row 1", "row 5"]
    assert names.sentence == "Test rows are counted from 1."


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["a", "b"], "row b"),
        ([7, 8], "row 8"),
        (np.array([1.0, 2.0]), "row 2"),
        (pd.Series(["x", "007"]), "row 007"),
        (pl.Series([1, 12]), "row 12"),
        (pd.Series(pd.to_datetime(["2024-01-01", "2024-01-02"])).dt.date, "row 2024-01-02"),
        (["x", " padded"], "row ' padded'"),
    ],
)
def test_ids_of_any_kind_name_the_rows(ids, expected):
    assert RowNames.of(ids, 2)[1] == expected


def test_the_name_of_the_ids_is_said():
    assert RowNames.of(pd.Series([1, 2], name="patient"), 2).sentence == (
        "Test rows are named by their patient."
    )
    assert RowNames.of([1, 2], 2).sentence == "Test rows are named by their id."


@pytest.mark.parametrize("missing", [None, np.nan, "", pd.NA, pd.NaT])
def test_a_row_without_an_id_is_counted(missing):
    names = RowNames.of(["a", missing], 2)
    assert [names[0], names[1]] == ["row a", "row 2"]
    assert names.sentence.endswith("Rows without one are counted from 1.")


def test_a_very_long_id_is_cut_with_a_hint():
    name = RowNames.of(["x" * 500], 1)[0]
    assert len(name) < 100
    assert name.endswith("…")


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([1], "ids must have one id for each of the 2 rows. Got 1."),
        ("ab", "Got str."),
        (np.zeros((2, 2)), r"one-dimensional, one id per row. Got shape \(2, 2\)"),
        (5, r"Got shape \(\)"),
    ],
)
def test_what_cannot_name_the_rows_is_refused(ids, words):
    with pytest.raises(ValueError, match=words):
        RowNames.of(ids, 2)
