"""Parameters: each wrong value has its sentence; which features `categorical_features` selects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal.encoding import Booleanizer

FRAME = pd.DataFrame({"code": [3, 1, 2], "text": ["a", "b", "c"], "flag": [True, False, True]})


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (
            {"mode": "Auto"},
            "The 'mode' parameter of Booleanizer must be 'auto' or 'paper' or 'boolean'. Got 'Auto'.",
        ),
        ({"max_columns": 0}, "'max_columns'.*an int from 1 to 65535. Got 0."),
        ({"max_columns": 2.5}, "Got 2.5."),
        ({"max_columns": True}, "Got True."),
        ({"handle_unknown": "ignore"}, "'handle_unknown'.*'error' or 'no_match' or 'missing'"),
        ({"handle_missing": None}, "'handle_missing'.*'error' or 'as_false'"),
        ({"categorical_features": "text"}, "'categorical_features'.*Got 'text'"),
        ({"categorical_features": 1}, "'categorical_features'.*Got 1"),
        ({"categorical_features": ["text", "nope"]}, "names of columns of X. Got 'nope'"),
        ({"categorical_features": [1, 3]}, "positions from 0 to 2. Got 3"),
        ({"categorical_features": [-1]}, "positions from 0 to 2. Got -1"),
        ({"categorical_features": [True, False]}, "one entry per feature \\(3\\). Got 2"),
        ({"categorical_features": [1, "text"]}, r"only names.*\['int', 'str'\]"),
        ({"categorical_features": [0.5]}, "only names.*float"),
        ({"categorical_features": np.eye(3, dtype=bool)}, "one-dimensional"),
    ],
)
def test_wrong_parameters(params: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Booleanizer(**params).fit(FRAME)


@pytest.mark.parametrize(
    "selection",
    [
        ["code", "text"],
        ("text", "code"),
        [0, 1],
        np.array([0, 1]),
        np.array(["code", "text"]),
        [True, True, False],
        np.array([True, True, True]),  # a boolean stays one
    ],
)
def test_selected_features_are_nominal_whatever_their_type(selection: Any) -> None:
    booleanizer = Booleanizer(categorical_features=selection).fit(FRAME)
    assert [str(column) for column in booleanizer.columns_] == [
        *("code is 1", "code is 2", "code is 3"),
        *("text is a", "text is b", "text is c"),
        "flag",
    ]


@pytest.mark.parametrize("selection", [None, [], ["code"], [False, False, True]])
def test_text_that_is_not_selected_is_refused(selection: Any) -> None:
    frame = FRAME.assign(more=["x", "y", "z"])
    if selection and isinstance(selection[0], bool):
        selection = [*selection, False]
    with pytest.raises(ValueError, match="Got text also in 'text', 'more'"):
        Booleanizer(categorical_features=selection).fit(frame)


def test_a_text_column_without_a_text_need_not_be_selected() -> None:
    frame = pd.DataFrame({"f": pd.array([None, None], dtype="string"), "g": [1, 2]})
    assert [str(column) for column in Booleanizer(categorical_features=None).fit(frame).columns_] == [
        "g <= 1"
    ]


def test_a_selected_ordered_feature_stays_ordered() -> None:
    frame = pd.DataFrame({"f": pd.Categorical(["b", "a", "c"], ordered=True)})
    booleanizer = Booleanizer(categorical_features=["f"]).fit(frame)
    assert [str(column) for column in booleanizer.columns_] == ["f <= a", "f <= b"]


def test_numbers_of_a_categorical_type_are_numbers_when_nothing_is_categorical() -> None:
    frame = pd.DataFrame({"f": pd.Categorical([5, 1, 3])})
    assert [str(c) for c in Booleanizer().fit(frame).columns_] == ["f is 1", "f is 3", "f is 5"]
    assert [str(c) for c in Booleanizer(categorical_features=None).fit(frame).columns_] == [
        "f <= 1",
        "f <= 3",
    ]


def test_names_need_names() -> None:
    with pytest.raises(ValueError, match=r"positions, not names, when X has no column names. Got 'a'"):
        Booleanizer(categorical_features=["a"]).fit(np.eye(2))
