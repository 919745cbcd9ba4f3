"""What single cells of text mean."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.tables.csv_cells import MissingTexts, is_code, parse_boolean, parse_number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_that_python_prints_is_read_back(number: float):
    assert parse_number(repr(number)) == number


@pytest.mark.parametrize("text", ["1", "+1.5", "-.5", "2.", "1e3", "1E-3", "007"])
def test_numbers_are_numbers(text: str):
    assert parse_number(text) == float(text)


@pytest.mark.parametrize("text", ["", "1_000", "1,5", "inf", "nan", "0x10", "1e999", "٣", "1 2", "--1"])
def test_what_python_or_no_one_else_takes_for_a_number_is_none(text: str):
    assert parse_number(text) is None


@pytest.mark.parametrize("text", ["02134", "-00", "9007199254740993", "9" * 5000])
def test_padded_and_very_long_digits_are_codes(text: str):
    assert is_code(text)


@pytest.mark.parametrize("text", ["0", "-0", "0.5", "2134", "9007199254740991", "1e300"])
def test_other_numbers_are_not_codes(text: str):
    assert not is_code(text)
    assert math.isfinite(float(text))


def test_the_usual_texts_mean_missing_in_any_case():
    missing = MissingTexts()
    assert all(text in missing for text in ("", "?", "NA", "na", "N/A", "NaN", "NULL"))
    assert all(text not in missing for text in ("none", "-", "unknown", "0"))


def test_texts_that_mean_missing_can_be_replaced_but_empty_always_does():
    missing = MissingTexts(["Unknown", "-999"])
    assert "unknown" in missing
    assert "-999" in missing
    assert "" in missing
    assert "?" not in missing


@pytest.mark.parametrize(("text", "value"), [("TRUE", True), ("false", False), ("1", True), ("0", False)])
def test_booleans_are_spelled_or_bits(text: str, value: bool):
    assert parse_boolean(text) is value


@pytest.mark.parametrize("text", ["yes", "t", "2", ""])
def test_other_words_are_no_booleans(text: str):
    assert parse_boolean(text) is None
