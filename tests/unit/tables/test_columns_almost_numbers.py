"""Columns of numbers that a few cells spoil."""

from __future__ import annotations

import pytest

from clausal.tables.columns import MissingTexts, RawColumn, check_numbers, plain_number


def complaint(*cells: str, rows: list[int] | None = None) -> str:
    """What is said about a column, if anything."""
    raw = RawColumn("my dose", "cells", list(cells))
    places = range(len(cells)) if rows is None else rows
    try:
        check_numbers([raw], places, MissingTexts(), ())
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        *(("0,1", "0.1"), ("0,126", "0.126"), ("-12,5", "-12.5"), (",5", ".5"), ("1.234,5", "1234.5")),
        *(
            ("37%", "37"),
            ("37 %", "37"),
            ("0,5%", "0.5"),
            ("1,234", "1234"),
            ("0,126", "0.126"),
            ("1,234,567.8", "1234567.8"),
            ("$16.00", "16.00"),
            ("-$1,250", "-1250"),
            ("12,5 €", "12.5"),
        ),
        *(
            ("37", None),
            ("unknown", None),
            ("20-29", None),
            ("%", None),
            ("$", None),
            ("5$3", None),
            ("a$5", None),
            ("1,2,3", None),
            ("", None),
        ),
    ],
)
def test_numbers_in_another_spelling_are_recognised(text: str, plain: str | None):
    assert plain_number(text) == plain


def test_the_first_cells_are_named_with_their_rows_and_all_ways_out():
    text = complaint("1", "n k", "2", "?", "3", "old", *"456789" * 3, "x", "old")
    assert "Column 'my dose' must hold only numbers" in text
    assert "Got 'n k' in row 2, 'old' in row 6, 'x' in row 25 and 1 more." in text
    assert "--missing 'n k' --missing old --missing x, instead of ?, NA" in text
    assert "--categorical 'my dose'" in text
    assert "--drop 'my dose'" in text
    assert "Write" not in text


@pytest.mark.parametrize(
    ("cells", "advice"),
    [
        (("0,1", "0,25", "1"), "Write 0.1 instead of '0,1', with a decimal point"),
        (("37%", "5%"), "Write 37 instead of '37%'."),
        (("999", "1,234"), "Write 1234 instead of '1,234'"),
    ],
)
def test_another_spelling_gets_its_own_advice(cells: tuple[str, ...], advice: str):
    assert advice in complaint(*cells)
    assert "--missing" not in complaint(*cells)


def test_four_of_five_cells_must_be_numbers():
    assert complaint("1", "2", "3", "4", "x")
    assert not complaint("1", "2", "3", "4", "x", "y")
    assert not complaint("1", "2", "?", "")


def test_codes_and_dates_are_meant_as_they_are():
    assert not complaint("02134", "10001", "10002", "10003", "abroad")
    assert not complaint("1.2.2024", "2.2.2024")


def test_only_rows_that_count_are_looked_at_and_keep_their_numbers():
    cells = ("x", "1", "2", "3", "y", "4", "5")
    assert not complaint(*cells, rows=[1, 2, 3, 5, 6])
    assert "Got 'y' in row 5." in complaint(*cells, rows=[1, 2, 3, 4, 5, 6])


def test_further_columns_are_named_and_those_the_user_is_sure_of_are_not():
    raws = [RawColumn(name, "cells", ["0,1", "0,2"]) for name in ("a", "b", "c")]
    with pytest.raises(ValueError, match=r"Column 'b' .* Such cells are also in c\.$"):
        check_numbers(raws, range(2), MissingTexts(), ["a"])
    check_numbers([RawColumn("a", "text", ["0,1", "0,2"])], range(2), MissingTexts(), ())
