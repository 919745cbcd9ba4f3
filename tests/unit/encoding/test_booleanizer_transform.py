"""At transform: missing values, unseen categories, and values of another type than in training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal import UnseenValueWarning
from clausal.encoding import Booleanizer


def frame(values: Any) -> pd.DataFrame:
    return pd.DataFrame({"f": values})


FULL = {
    "numeric": [1.0, 2.0, 3.0],
    "nominal": ["a", "b", "c"],
    "boolean": [True, False, True],
    "ordered": pd.Categorical(["a", "b", "c"], ordered=True),
}


@pytest.mark.parametrize("kind", FULL)
def test_a_missing_value_sets_only_the_missing_column(kind: str) -> None:
    column = pd.concat([frame(FULL[kind]), frame([None])], ignore_index=True)
    if kind == "ordered":
        column = frame(pd.Categorical(column["f"], ordered=True))
    booleanizer = Booleanizer().fit(column)
    assert str(booleanizer.columns_[-1]) == "f is missing"
    assert all(c.nullable for c in booleanizer.columns_)
    bits = booleanizer.transform(column)
    assert bits[3].tolist() == [0] * (bits.shape[1] - 1) + [1]
    assert bits[:3, -1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("kind", FULL)
def test_a_value_missing_for_the_first_time(kind: str) -> None:
    booleanizer = Booleanizer(handle_missing="error").fit(frame(FULL[kind]))
    assert not any(c.nullable or c.kind == "missing" for c in booleanizer.columns_)
    with pytest.raises(ValueError, match=r"'f' must not be missing.*missing value in 1 of 1 rows.*as_false"):
        booleanizer.transform(frame([None]))
    booleanizer.set_params(handle_missing="as_false")
    assert booleanizer.transform(frame([None])).tolist() == [[0] * len(booleanizer.columns_)]
    booleanizer.set_params(handle_missing="no_rule")
    with pytest.warns(UnseenValueWarning, match=r"Values in 1 row were not seen.*: f missing \(1 row\)\."):
        assert booleanizer.transform(frame([None])).tolist() == [[0] * len(booleanizer.columns_)]


@pytest.mark.parametrize("mode", ["auto", "paper"])
def test_an_unseen_category(mode: str) -> None:
    fitted = {
        rule: Booleanizer(mode, handle_unknown=rule).fit(frame(["a", "b", "c"]))
        for rule in ("error", "no_match", "missing", "no_rule")
    }
    with pytest.raises(ValueError, match=r"'f' must be one of .*: 'a', 'b', 'c'. Got 'd'"):
        fitted["error"].transform(frame(["a", "d"]))
    assert fitted["no_match"].transform(frame(["a", "d"]))[1].tolist() == [0, 0, 0]
    with pytest.warns(UnseenValueWarning, match=r"2 rows .*: f 'd' \(2 rows\)\."):
        assert fitted["no_rule"].transform(frame(["d", "a", "d"]))[0].tolist() == [0, 0, 0]
    fitted["missing"].set_params(handle_missing="error")
    with pytest.raises(ValueError, match="must not be missing"):
        fitted["missing"].transform(frame(["d"]))
    fitted["missing"].set_params(handle_missing="as_false")
    assert fitted["missing"].transform(frame(["d"])).tolist() == [[0, 0, 0]]


def test_an_unseen_category_may_count_as_missing() -> None:
    booleanizer = Booleanizer(handle_unknown="missing").fit(frame(["a", "b", None]))
    assert booleanizer.transform(frame(["d", None, "a"])).tolist() == [[0, 0, 1], [0, 0, 1], [1, 0, 0]]


def test_known_categories_are_shortened_in_the_message() -> None:
    booleanizer = Booleanizer(handle_unknown="error").fit(frame([f"c{i:02}" for i in range(30)] * 2))
    with pytest.raises(ValueError, match=r"'c09' and 20 more. Got 'd'"):
        booleanizer.transform(frame(["d"]))


def test_an_ordered_category_that_was_not_declared_is_unknown() -> None:
    booleanizer = Booleanizer(handle_unknown="error").fit(frame(FULL["ordered"]))
    with pytest.raises(ValueError, match="Got 'd'"):
        booleanizer.transform(frame(["d"]))
    booleanizer.set_params(handle_unknown="no_match")
    assert booleanizer.transform(frame(["d", "a"])).tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("training", "later", "words"),
    [
        ([1, 2], ["a", "b"], "was numeric in training.*Got text, such as 'a'"),
        (["a", "b"], [1, 2], "was categorical, of text,.*Got numbers, such as 1"),
        (["a", "b"], [True, False], "Got booleans"),
        ([True, False], ["a", "b"], "was boolean in training.*Got text"),
        ([True, False], [0, 2], "must hold booleans or 0 and 1.*Got 2"),
        (pd.Categorical([1, 2, 3]), ["a", "b"], "was categorical, of numbers,.*Got text"),
    ],
)
def test_a_change_of_type_is_refused(training: Any, later: Any, words: str) -> None:
    booleanizer = Booleanizer().fit(frame(training))
    with pytest.raises(ValueError, match=words) as caught:
        booleanizer.transform(frame(later))
    assert "'f'" in str(caught.value)


def test_numbers_and_booleans_stand_for_each_other() -> None:
    flags = Booleanizer().fit(frame([True, False]))
    assert flags.transform(frame([0, 1])).tolist() == [[0], [1]]
    assert flags.transform(frame([0.0, 1.0])).tolist() == [[0], [1]]
    numbers = Booleanizer().fit(frame([0, 1]))
    assert numbers.transform(frame([True, False])).tolist() == [[0], [1]]
    assert numbers.transform(frame([0.5, -3.0])).tolist() == [[0], [1]]


def test_categories_of_numbers_match_by_value() -> None:
    booleanizer = Booleanizer(categorical_features=["f"], handle_unknown="error").fit(frame([3, 1, 7]))
    assert [str(c) for c in booleanizer.columns_] == ["f is 1", "f is 3", "f is 7"]
    assert booleanizer.transform(frame([3.0, 7.0])).tolist() == [[0, 1, 0], [0, 0, 1]]
    with pytest.raises(ValueError, match=r"1, 3, 7. Got 3.5"):
        booleanizer.transform(frame([3.5]))


def test_a_feature_without_values_accepts_anything_later() -> None:
    booleanizer = Booleanizer().fit(pd.DataFrame({"f": [None, None], "g": [1, 2]}))
    later = pd.DataFrame({"f": ["a", None], "g": [1, 2]})
    assert booleanizer.transform(later).tolist() == [[1], [0]]


def test_a_wholly_missing_column_has_no_type() -> None:
    booleanizer = Booleanizer().fit(frame(["a", "b", None]))
    assert booleanizer.transform(frame([np.nan, np.nan])).tolist() == [[0, 0, 1]] * 2


def test_infinity_is_refused_at_transform() -> None:
    with pytest.raises(ValueError, match=r"'f'.*infinity"):
        Booleanizer().fit(frame([1.0, 2.0])).transform(frame([np.inf]))


@pytest.mark.parametrize("mode", ["auto", "paper"])
def test_a_category_that_pandas_declares_is_known_though_unseen(mode: str) -> None:
    whole = pd.DataFrame({"c": pd.Categorical(["a", "b", "d", "c"]), "n": pd.Categorical([1.5, 2, 1.5, 7])})
    seen = whole.iloc[:3]
    booleanizer = Booleanizer(mode, handle_unknown="error").fit(seen)
    bits = booleanizer.transform(whole)
    if mode == "auto":
        assert [str(column) for column in booleanizer.columns_] == [
            "c is a",
            "c is b",
            "c is d",
            "n is 1.5",
            "n is 2",
        ]
        assert bits[3].tolist() == [0, 0, 0, 0, 0], "a declared category matches no column"
    else:
        assert bits[3].tolist() == [0, 0, 1, 0, 0], "c lies before d in sorted order; 7 is above all seen"
    undeclared = whole.assign(c=pd.Categorical(["a", "b", "d", "e"]))
    with pytest.raises(ValueError, match="Feature 'c' must be one of the categories.*Got 'e'"):
        booleanizer.transform(undeclared)
