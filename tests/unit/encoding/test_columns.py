"""How a column prints, in both polarities, and that names never repeat."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.encoding.columns import Column, number_text, unique_names


@pytest.mark.parametrize(
    ("column", "text", "negated"),
    [
        (Column("age", 0, "le", 54.0), "age <= 54", "age > 54"),
        (Column("age", 0, "le", 2.5, True), "age <= 2.5", "age > 2.5 or missing"),
        (Column("age", 0, "le", 19.999999999999996), "age < 20", "age >= 20"),
        (Column("age", 0, "le", -5e-324, True), "age < 0", "age >= 0 or missing"),
        (Column("age", 0, "le", 0.1 + 0.2), "age <= 0.30000000000000004", "age > 0.30000000000000004"),
        (
            Column("age", 0, "le", sys.float_info.max),
            f"age <= {sys.float_info.max}",
            f"age > {sys.float_info.max}",
        ),
        (Column("pain", 1, "is", "asymptomatic"), "pain is asymptomatic", "pain is not asymptomatic"),
        (Column("thal", 1, "is", "normal", True), "thal is normal", "thal is not normal or missing"),
        (Column("code", 1, "is", 3), "code is 3", "code is not 3"),
        (Column("smoker", 2, "true"), "smoker", "not smoker"),
        (Column("smoker", 2, "true", None, True), "smoker", "not smoker or missing"),
        (Column("x", 3, "missing", None, True), "x is missing", "x is not missing"),
        (Column("grade", 4, "upto", ("A", "B"), ordered=True), "grade <= B", "grade > B"),
        (Column("grade", 4, "upto", ("A",), True, True), "grade <= A", "grade > A or missing"),
        (Column("cred", 5, "upto", ("A", "N")), "cred in {A, N}", "cred not in {A, N}"),
        (Column("cred", 5, "upto", ("A",)), "cred is A", "cred is not A"),
        (Column("cred", 5, "upto", ("A", "N"), True), "cred in {A, N}", "cred not in {A, N} or missing"),
    ],
)
def test_text_of_both_polarities(column: Column, text: str, negated: str) -> None:
    assert (column.text(), column.text(negated=True)) == (text, negated)
    assert str(column) == text


@pytest.mark.parametrize(
    ("category", "text"),
    [
        ("missing", "x is 'missing'"),
        ("not normal", "x is 'not normal'"),
        ("a or missing", "x is 'a or missing'"),
        ("", "x is ''"),
        (" a", "x is ' a'"),
        ("a\nb", r"x is 'a\nb'"),
        ("a, b", "x is 'a, b'"),
        ("Größe 3–4", "x is 'Größe 3–4'"),
        ("no checking account", "x is 'no checking account'"),
        ("5", "x is '5'"),
        ("-inf", "x is '-inf'"),
        ("30-39", "x is '30-39'"),
        ("<100", "x is '<100'"),
        ("None", "x is 'None'"),
        ("is", "x is 'is'"),
        ("Größe", "x is Größe"),
        ("semi-detached", "x is semi-detached"),
        ("A_11", "x is A_11"),
    ],
)
def test_a_category_that_could_be_misread_is_quoted(category: str, text: str) -> None:
    assert Column("x", 0, "is", category).text() == text


@pytest.mark.parametrize(("name", "text"), [("", "'' <= 1"), ("a\nb", r"'a\nb' <= 1"), ("体重", "体重 <= 1")])
def test_a_name_prints_on_one_line(name: str, text: str) -> None:
    assert Column(name, 0, "le", 1.0).text() == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(54.0, "54"), (-3.0, "-3"), (2.5, "2.5"), (0.1, "0.1"), (1e300, "1e+300"), (0.0, "0")],
)
def test_numbers_print_short(number: float, text: str) -> None:
    assert number_text(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_number_reads_back_as_the_same_number(number: float) -> None:
    assert float(number_text(number)) == number


@given(st.sets(st.text(max_size=4), min_size=2, max_size=8))
def test_categories_of_one_feature_print_differently(categories: set[str]) -> None:
    columns = [Column("x", 0, "is", category, True) for category in categories]
    texts = {column.text(negated) for column in columns for negated in (False, True)}
    texts |= {Column("x", 0, "missing", None, True).text(negated) for negated in (False, True)}
    assert len(texts) == 2 * len(categories) + 2


def test_unique_names_tell_odd_feature_names_apart() -> None:
    columns = [
        Column("a [x2]", 0, "true"),
        Column("a", 1, "true"),
        Column("a", 2, "true"),
        Column("b", 3, "true"),
    ]
    assert unique_names(columns) == ("a [x2]", "a", "a [x2] [x2]", "b")
