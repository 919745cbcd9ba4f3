"""The columns of features of which an expert knows cut points, special values or groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from clausal import Booleanizer


def texts(booleanizer: Booleanizer, feature: str | None = None) -> list[str]:
    return [str(column) for column in booleanizer.columns_ if feature in (None, column.feature)]


def test_cut_points_replace_learned_ones_and_are_there_as_given() -> None:
    X = pd.DataFrame({"age": [20, 30, 45], "other": [1, 2, 3], "same": [1, 1, 1]})
    known = Booleanizer(cut_points={"age": [25, 40, 90.5], "same": [0]}).fit(X)
    assert texts(known) == [
        "age <= 25",
        "age <= 40",
        "age <= 90.5",
        "other <= 1",
        "other <= 2",
        "same <= 0",
    ]
    assert known.transform(X)[:, :3].tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    by_position = Booleanizer(cut_points={0: [25, 40, 90.5], 2: [0]}).fit(X.to_numpy())
    np.testing.assert_array_equal(by_position.transform(X.to_numpy()), known.transform(X))


def test_a_special_value_is_on_no_side_of_a_cut_point() -> None:
    X = pd.DataFrame({"n": [1.0, 2, 3, -1, 2.5, 4, np.nan]})
    known = Booleanizer(special_values={"n": [-1, 7]}, max_columns=16).fit(X)
    assert texts(known) == [
        "n <= 1",
        "n <= 2.2",
        "n <= 2.7",
        "n <= 3",
        "n is -1",
        "n is 7",
        "n is missing",
    ]
    assert known.columns_[0].text(negated=True) == "n > 1 or in {-1, 7} or missing"
    rows = known.transform(pd.DataFrame({"n": [-1.0, 7, -5, None]}))
    assert rows.tolist() == [
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 0],
        [1, 1, 1, 1, 0, 0, 0],
        [0] * 6 + [1],
    ]


def test_a_learned_cut_point_is_no_special_value() -> None:
    X = pd.DataFrame({"n": [39.7, 40, 40.4, 39.7, 40.4]})
    (feature,) = Booleanizer(special_values={"n": [40]}).fit(X).features_
    assert feature.cuts == (39.7,)
    assert Booleanizer().fit(X.drop(index=1)).features_[0].cuts == (40.0,)


def test_a_feature_of_special_values_only_has_their_columns() -> None:
    known = Booleanizer(special_values={"n": [0, 1]}).fit(pd.DataFrame({"n": [0, 1, 0, 1]}))
    assert texts(known) == ["n is 0", "n is 1"]
    assert known.transform(pd.DataFrame({"n": [0, 5]})).tolist() == [[1, 0], [0, 0]]


def test_weights_of_special_values_do_not_move_cut_points() -> None:
    rng = np.random.default_rng(0)
    numbers, weights = rng.normal(size=400), rng.integers(1, 5, 400)
    special = np.where(np.arange(400) % 3 == 0, -9.0, numbers)
    known = Booleanizer(special_values={"n": [-9]}, max_columns=4)
    ordinary = special != -9
    (with_special,) = known.fit(
        special[:, None] if False else pd.DataFrame({"n": special}), None, weights
    ).features_
    (without,) = (
        Booleanizer(max_columns=4)
        .fit(pd.DataFrame({"n": numbers[ordinary]}), None, weights[ordinary])
        .features_
    )
    assert with_special.cuts == without.cuts


def test_groups_have_columns_and_their_members_have_none() -> None:
    X = pd.DataFrame({"state": ["NY", "MA", "TX", "CA", "CA", "FL", "OR"]})
    groups = {"state": {"north": ["NY", "MA", "ME"], "south": ["TX"], "empty": ["ZZ"]}}
    known = Booleanizer(groups=groups, max_columns=4).fit(X)
    assert texts(known) == ["state is north", "state is south", "state is empty", "state is CA"]
    rows = known.transform(pd.DataFrame({"state": ["ME", "TX", "FL", "CA"]}))
    assert rows.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    with pytest.warns(UserWarning, match="state 'WA' .1 row., 'north' .1 row."):
        assert not known.transform(pd.DataFrame({"state": ["WA", "north"]})).any()


def test_two_groups_need_one_column_and_one_group_none() -> None:
    X = pd.DataFrame({"code": [1, 2, 3, 4], "n": [1, 2, 3, 4]})
    two = Booleanizer(groups={"code": {"low": [1, 2], "high": [3, 4]}}).fit(X)
    assert texts(two, "code") == ["code is high"]
    assert texts(Booleanizer(groups={"code": {"all": [1, 2, 3, 4]}}).fit(X), "code") == []


def test_an_ordered_category_in_groups_has_no_order() -> None:
    X = pd.DataFrame({"size": pd.Categorical(list("abcab"), ordered=True)})
    known = Booleanizer(groups={"size": {"extreme": ["a", "c"]}}, handle_unknown="no_match").fit(X)
    assert texts(known) == ["size is extreme", "size is b"]
    assert not known.features_[0].ordered


def test_parameters_are_kept_as_given() -> None:
    given = {"cut_points": {"age": [1, 2]}, "special_values": {"age": [9]}, "groups": {"s": {"x": ["a"]}}}
    booleanizer = clone(Booleanizer(**given))
    assert {name: booleanizer.get_params()[name] for name in given} == given
