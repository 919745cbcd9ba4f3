"""What is said about the columns of a table."""

from __future__ import annotations

import numpy as np
import pytest

from clausal.encoding.likeness import is_date, like_id, like_row_number
from clausal.encoding.remarks import ColumnFacts, remarks


@pytest.mark.parametrize(
    "text", ["2024-02-29", "2024/2/9", "29.2.2024", "2/29/24", "2024-02-29T12:30", "2024-02-29 12:30:05Z"]
)
def test_dates_are_dates(text: str):
    assert is_date(text)


@pytest.mark.parametrize("text", ["2024", "30-34", "1.5", "2024-02", "1-2/2024", "10.0.0.1", "today"])
def test_ranges_and_numbers_are_not_dates(text: str):
    assert not is_date(text)


def test_ids_are_mostly_distinct():
    assert like_id(19, 20.0)
    assert not like_id(18, 20.0)
    assert not like_id(19, 19.0)  # too few rows to tell


def test_row_numbers_are_consecutive():
    rng = np.random.default_rng(0)
    assert like_row_number(rng.permutation(20) - 7.0)
    assert not like_row_number(np.arange(19.0))  # too few rows to tell
    assert not like_row_number(np.arange(20.0) * 2)
    assert not like_row_number(np.append(np.arange(19.0), 0.0))
    assert not like_row_number(np.append(np.arange(20.0) * 20 / 19 - 0.5, np.nan))
    assert not like_row_number(np.linspace(0, 19, 20) ** 2 / 19)


def test_columns_with_the_same_reason_share_a_sentence():
    many = [ColumnFacts(f"c{index}", "number", varies=False) for index in range(14)]
    fine = ColumnFacts("fine", "number")
    assert remarks([fine]) == []
    (said,) = remarks([fine, *many])
    assert said.startswith("Columns 'c0', 'c1', ")
    assert said.endswith("'c11' and 2 more are ignored: the same value in every row.")
    said = remarks(
        [
            ColumnFacts("n", "number", like_row_number=True),
            ColumnFacts("d", "date"),
            ColumnFacts("e", "empty"),
            ColumnFacts("o", "other"),
            ColumnFacts("i", "category", like_id=True),
        ]
    )
    assert [line.partition(":")[0] for line in said] == [
        *("Column 'd' is ignored", "Column 'e' is ignored", "Column 'o' is ignored", "Column 'i' is ignored"),
        "Column 'n' looks like a row number; leave out what only counts the rows.",
    ]
