"""Reading one column of any NumPy type: what it becomes, what is missing, what is refused."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal.encoding.values import categories_from_objects, refuse_other_kinds, values_from_array


def objects(*items: object) -> np.ndarray:
    column = np.empty(len(items), dtype=object)
    column[:] = items
    return column


@pytest.mark.parametrize(
    ("column", "kind", "values"),
    [
        (np.array([True, False]), "bool", [True, False]),
        (np.array([1, -2], dtype=np.int8), "number", [1.0, -2.0]),
        (np.array([0.5, 1], dtype=np.float32), "number", [0.5, 1.0]),
        (np.array(["b", "a"]), "text", ["b", "a"]),
        (objects(1, 2.5), "number", [1.0, 2.5]),
        (objects(True, np.bool_(False)), "bool", [True, False]),
        (objects(True, 3), "number", [1.0, 3.0]),
        (objects(Decimal("0.1"), Fraction(1, 4), np.float32(2)), "number", [0.1, 0.25, 2.0]),
        (objects(np.str_("a"), "b"), "text", ["a", "b"]),
    ],
)
def test_kinds_of_columns(column: np.ndarray, kind: str, values: list[object]) -> None:
    read = values_from_array("f", column)
    assert read.kind == kind
    assert read.values.tolist() == values
    assert not read.missing.any()


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (objects(1, True, None), True),
        (objects(np.bool_(False), 2.5), True),
        (objects(1, 2.5, None), False),
        (objects(True, None), False),
        (np.array([1.0, 0.0]), False),
    ],
)
def test_booleans_among_numbers_are_told(column, expected):
    values = values_from_array("x", column)
    assert values.with_booleans == expected
    assert values.take(~values.missing).with_booleans == expected


@pytest.mark.parametrize(
    "hole", [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("NaN")]
)
@pytest.mark.parametrize(("item", "kind"), [("a", "text"), (1, "number"), (True, "bool"), (2.5, "number")])
def test_every_way_to_be_missing(hole: object, item: object, kind: str) -> None:
    read = values_from_array("f", objects(item, hole))
    assert read.kind == kind
    assert read.missing.tolist() == [False, True]


def test_the_users_array_is_not_changed() -> None:
    column = np.array([1.0, -0.0, np.nan])
    kept = column.copy()
    values_from_array("f", column, np.array([True, False, False]))
    np.testing.assert_array_equal(column, kept)
    assert np.signbit(column[1])


def test_minus_zero_is_zero() -> None:
    assert not np.signbit(values_from_array("f", np.array([-0.0])).values[0])


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (np.array([1.0, np.inf]), "infinity"),
        (objects(1, -np.inf), "infinity"),
        (np.array([1j]), "Complex data not supported"),
        (objects(1j), "Complex data not supported"),
        (objects(datetime.date(2020, 1, 1), 1), "either dates or other values.*1\\) and 1"),
        (objects("a", datetime.date(2020, 1, 1)), "either dates or other values.*'a' and datetime"),
        (objects([1]), "list"),
        (objects({"a": 1}), "dict"),
        (np.array([b"a"]), "S1"),
        (objects("a", 1), "either text or numbers.*'a' and 1"),
        (objects(True, "a"), "either text or numbers.*'a' and True"),
        (np.array([2**53]), "2\\*\\*53.*9007199254740992"),
        (np.array([2**63], dtype=np.uint64), "2\\*\\*53"),
        (objects(10**400), "2\\*\\*53"),
        (objects(Fraction(10**400)), "float64"),
    ],
)
def test_refused_columns_are_named(column: np.ndarray, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        values_from_array("f", column)
    assert "'f'" in str(caught.value)


@pytest.mark.parametrize(
    "column",
    [
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.array([1], dtype="timedelta64[s]"),
        objects(datetime.date(2020, 1, 1)),
        objects(np.timedelta64(1, "s")),
    ],
)
def test_dates_have_no_values(column: np.ndarray) -> None:
    values = values_from_array("f", column)
    assert (values.kind, values.missing.all()) == ("date", True)
    with pytest.raises(ValueError, match="'f' was numeric in training .* Got dates or times"):
        refuse_other_kinds(values, ("number",), "numeric")


def test_integers_up_to_the_limit_are_exact() -> None:
    assert values_from_array("f", np.array([2**53 - 1, 1 - 2**53])).values.tolist() == [2**53 - 1, 1 - 2**53]


@pytest.mark.parametrize(
    ("given", "plain"),
    [(["b", "a"], ("b", "a")), ([np.int64(3), 1.0, 2.5], (3, 1, 2.5)), ((False, True), (0, 1))],
)
def test_declared_categories_become_plain(given: Any, plain: tuple[object, ...]) -> None:
    read = categories_from_objects("f", given)
    assert read == plain
    assert [type(item) for item in read] == [type(item) for item in plain]


def test_intervals_are_no_categories() -> None:
    with pytest.raises(ValueError, match="Interval"):
        categories_from_objects("f", [pd.Interval(0, 1)])
