"""Which texts are numbers, codes, or columns of numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.encoding.likeness import is_code, like_numbers, parse_number


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


def test_a_column_of_numbers_may_have_a_few_other_texts():
    assert like_numbers(["12.5", " 3", "-1e5", "40"])
    assert like_numbers(["1", "2", "3", "4", "unknown"])
    assert not like_numbers(["1", "2", "3", "unknown"])
    assert not like_numbers(["person 1", "person 2"])
    assert not like_numbers([])


def test_codes_are_not_a_column_of_numbers():
    assert not like_numbers(["2134", "02134"])
    assert not like_numbers(["1", "9007199254740993"])
