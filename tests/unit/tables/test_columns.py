"""Columns of files: guessed, or as asked for."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest

from clausal.tables.columns import (
    Column,
    MissingTexts,
    RawColumn,
    Stored,
    check_name,
    read_column,
    shown_names,
    to_booleans,
    to_numbers,
    to_texts,
)

USUAL = MissingTexts()


def guess(*cells: Any, stored: Stored = "cells", as_category: bool = False) -> Column:
    return read_column(RawColumn("x", stored, list(cells)), USUAL, as_category)


def numbers(*values: float) -> RawColumn:
    return RawColumn("x", "number", np.array(values))


# --- guessing ---


def test_cells_that_are_all_numbers_are_numbers():
    column = guess("1", " 2.5 ", "?", "-3e1", "1")
    assert column.kind == "number"
    np.testing.assert_array_equal(column.values, [1, 2.5, np.nan, -30, 1])
    assert (column.n_missing, column.n_distinct, column.example) == (1, 3, "1")


def test_few_whole_numbers_stay_numbers_unless_categories_are_asked_for():
    assert guess("0", "1", "0").kind == "number"
    column = guess("0", "1", "0", as_category=True)
    assert (column.kind, column.values) == ("category", ["0", "1", "0"])


def test_one_text_makes_a_column_categories_and_is_named_where_most_are_numbers():
    column = guess("1", "2", "3", "none")
    assert (column.kind, column.stray) == ("category", "none")
    assert guess("a", "b", "1").stray is None


def test_codes_with_leading_zeros_are_categories():
    column = guess("02134", "10001")
    assert (column.kind, column.values, column.stray) == ("category", ["02134", "10001"], None)


def test_true_and_false_are_booleans_and_yes_and_no_are_categories():
    column = guess("True", "false", "NA", "TRUE")
    assert (column.kind, column.values, column.n_distinct) == ("boolean", [True, False, None, True], 2)
    assert guess("yes", "no").kind == "category"


def test_dates_are_recognised_and_left_out():
    column = guess("2024-02-29", "2023-01-01", "")
    assert column.kind == "date"
    assert "dates" in str(column.facts.reason_ignored)


def test_a_column_with_at_most_one_value_is_ignored():
    assert (guess("?", "", "NA").kind, guess("?").facts.reason_ignored) == ("empty", "no values")
    assert guess("a", "a").facts.reason_ignored == "the same value in every row"
    assert guess("a", "").facts.reason_ignored is None  # whether it is missing may tell something


def test_text_that_differs_from_row_to_row_is_ignored_unless_forced():
    names = [f"name {place}" for place in range(30)]
    assert "like an ID" in str(guess(*names).facts.reason_ignored)
    assert guess(*names, as_category=True).facts.reason_ignored is None
    assert guess(*names[:10]).facts.reason_ignored is None  # too few to tell
    assert guess(*names, stored="category").facts.reason_ignored is None  # the file says so


def test_row_numbers_are_recognised():
    assert guess(*map(str, range(5, 35))).facts.like_row_number
    assert not guess(*map(str, range(0, 60, 2))).facts.like_row_number
    assert not guess(*map(str, range(5))).facts.like_row_number


def test_typed_dates_are_counted_and_shown_like_those_of_a_csv_file():
    typed = guess(date(2020, 1, 2), date(2020, 1, 2), date(2021, 1, 2), None, stored="date")
    cells = guess("2020-01-02", "2020-01-02", "2021-01-02", "")
    for column in (typed, cells):
        assert (column.kind, column.example) == ("date", "'2020-01-02'")
        assert (column.n_missing, column.n_distinct) == (1, 2)


def test_the_example_of_booleans_is_no_text():
    for column in (guess("True", "False", "True"), guess(True, False, True, stored="boolean")):
        assert column.example == "true"


def test_the_types_of_a_parquet_file_hold_and_only_null_is_missing():
    assert guess("1", "2", stored="text").kind == "category"
    assert guess("NA", "?", " a", "", None, stored="text").values == ["NA", "?", " a", "", None]
    assert guess(True, None, stored="boolean").values == [True, None]
    assert read_column(numbers(1, np.nan), USUAL).n_missing == 1
    assert guess(1, stored="date").kind == "date"
    assert guess(None, stored="other").facts.reason_ignored == "no values"
    assert "neither" in str(guess([1], stored="other").facts.reason_ignored)


def test_text_with_a_type_is_missing_if_the_user_says_so():
    raw = RawColumn("x", "text", ["a", "Unknown", "NA", ""])
    assert read_column(raw, MissingTexts(["unknown"])).values == ["a", None, "NA", ""]


def test_an_order_in_the_file_is_kept():
    column = read_column(RawColumn("x", "category", ["low", "high"], ("low", "mid", "high")), USUAL)
    assert (column.kind, column.order) == ("category", ("low", "mid", "high"))


def test_numbers_as_categories_read_the_same_from_csv_and_parquet():
    column = read_column(numbers(1.0, np.nan, 2.5), USUAL, as_category=True)
    assert column.values == guess("1", "", "2.5", as_category=True).values == ["1", None, "2.5"]


# --- as asked for ---


def test_what_is_no_number_is_refused_with_its_row():
    with pytest.raises(ValueError, match=r"Column 'x' must hold numbers. Got 'old' in row 2."):
        to_numbers(RawColumn("x", "cells", ["1", "old"]), USUAL)


def test_booleans_become_numbers_and_bits_booleans():
    np.testing.assert_array_equal(to_numbers(RawColumn("x", "cells", ["7", "?"]), USUAL), [7, np.nan])
    assert to_booleans(numbers(1, 0, np.nan), USUAL) == [True, False, None]
    with pytest.raises(ValueError, match="true or false"):
        to_booleans(RawColumn("x", "cells", ["maybe"]), USUAL)


def test_dates_are_refused_where_anything_else_is_needed():
    for convert in (to_numbers, to_booleans, to_texts):
        with pytest.raises(ValueError, match="Got dates"):
            convert(RawColumn("x", "date", [0]), USUAL)


def test_a_known_category_is_never_taken_for_missing():
    raw = RawColumn("country", "cells", ["NA", "?", "DE"])
    assert to_texts(raw, USUAL, known=("NA", "DE")) == ["NA", None, "DE"]


def test_a_known_category_may_have_blanks_around_it():
    raw = RawColumn("work", "cells", [" Private", " State", "Private"])
    assert to_texts(raw, USUAL, known=(" Private", "State")) == [" Private", "State", "Private"]


# --- names ---


def test_an_unknown_name_is_refused_with_the_nearest_one():
    check_name("class", ["age", "class"])
    with pytest.raises(
        ValueError, match=r"no column 'clas'. Its columns are age, class. Did you mean 'class'"
    ):
        check_name("clas", ["age", "class"])


def test_many_names_are_cut_short():
    assert shown_names([f"x{i}" for i in range(15)]).endswith("x11 and 3 more")
