"""Cut points, special values and groups as parameters: what is refused, with the feature and the value."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from clausal import Booleanizer
from clausal.encoding.knowledge import as_dict, knowledge_to_lists, plain_knowledge, read_knowledge

TABLE = pd.DataFrame(
    {
        "age": [20.0, 30, 45, 70],
        "income": [10.0, -1, 99, 40],
        "state": ["NY", "MA", "TX", "NY"],
        "ok": [True, False, True, False],
        "kind": pd.Categorical([1, 2, 1, 3]),
        "day": pd.to_datetime(["2024-01-01"] * 4),
    }
)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cut_points": [25]}, "'cut_points' parameter of Booleanizer must be None or a dict by feature"),
        ({"cut_points": {"agee": [25]}}, "'cut_points'.*must list names of columns of X. Got 'agee'"),
        ({"cut_points": {7: [25]}}, "must list positions from 0 to 4. Got 7"),
        ({"cut_points": {True: [25]}}, "names or positions of features as keys. Got True"),
        ({"cut_points": {("a",): [25]}}, "names or positions of features as keys. Got a tuple"),
        ({"cut_points": {"age": 25}}, "a list of 1 to 65,535 cut points.*Got 25 for 'age'"),
        ({"cut_points": {"age": []}}, "cut points for each feature. Got 0 of them for 'age'"),
        ({"cut_points": {"age": [40, 25]}}, "must be sorted, the smallest first. Got 25 after 40 for 'age'"),
        ({"cut_points": {"age": [25, 25]}}, "must hold different numbers. Got 25 twice for 'age'"),
        ({"cut_points": {"age": [25, np.inf]}}, "must hold finite numbers. Got inf for 'age'"),
        ({"cut_points": {"age": [25, np.nan]}}, "must hold finite numbers. Got nan for 'age'"),
        ({"cut_points": {"age": ["25"]}}, "must hold finite numbers. Got '25' for 'age'"),
        ({"cut_points": {"age": [True]}}, "must hold finite numbers. Got True for 'age'"),
        ({"cut_points": {"age": [2**53]}}, r"smaller than 2\*\*53 in size.*Got 9007199254740992 for 'age'"),
        ({"cut_points": {"age": [10**400]}}, r"smaller than 2\*\*53.*Got an integer of 1329 bits for 'age'"),
        ({"cut_points": {"state": [1]}}, "'cut_points'.*Got 'state', which holds text"),
        ({"cut_points": {"ok": [1]}}, "'cut_points'.*Got 'ok', which holds booleans"),
        ({"cut_points": {"day": [1]}}, None),  # a date is missing: the feature is left out
        ({"cut_points": {"kind": [1]}}, "'cut_points'.*Got 'kind', which is categorical"),
        (
            {"cut_points": {"age": [1]}, "categorical_features": ["age", "state"]},
            "Got 'age', which is categorical",
        ),
        (
            {"special_values": {"income": [-1, -1.0]}},
            "must hold different numbers. Got -1 twice for 'income'",
        ),
        ({"special_values": {"state": [1]}}, "'special_values'.*Got 'state', which holds text"),
        (
            {"special_values": {"income": [-1]}, "cut_points": {"income": [-1, 5]}},
            "numbers that are no cut points.*Got -1 for 'income', which is both",
        ),
        ({"groups": {"state": ["NY"]}}, "a dict of named groups.*Got a list for 'state'"),
        ({"groups": {"state": {}}}, "a dict of named groups.*Got a dict for 'state'"),
        ({"groups": {"state": {"": ["NY"]}}}, "names of groups that are text, not empty. Got '' for 'state'"),
        ({"groups": {"state": {1: ["NY"]}}}, "names of groups that are text, not empty. Got 1 for 'state'"),
        ({"groups": {"state": {"n": []}}}, "one or more categories.*Got a list for the group 'n' of 'state'"),
        ({"groups": {"state": {"n": "NY"}}}, "one or more categories.*Got 'NY' for the group 'n' of 'state'"),
        ({"groups": {"state": {"n": ["NY", "NY"]}}}, "in one group, once. Got 'NY' in 'n' twice for 'state'"),
        (
            {"groups": {"state": {"n": ["NY"], "s": ["TX", "NY"]}}},
            "in one group, once. Got 'NY' in both 'n' and 's' for 'state'",
        ),
        ({"groups": {"state": {"n": ["NY", 1]}}}, "all text or all numbers. Got 'NY' and 1 for 'state'"),
        ({"groups": {"state": {"n": [None]}}}, "text or finite numbers.*Got None for 'state'"),
        (
            {"groups": {"state": {"n": [1, 2]}}},
            "'state', which holds text, with the category 1 in a group",
        ),
        (
            {"groups": {"age": {"n": ["a"]}}},
            "'age', which holds numbers, with the category 'a' in",
        ),
        ({"groups": {"ok": {"n": [0]}}}, "'groups'.*Got 'ok', which holds booleans"),
        ({"groups": {"state": {"TX": ["NY"]}}}, "names other than those of categories.*Got 'TX' for 'state'"),
        (
            {"groups": {"age": {"n": [20]}}, "cut_points": {"age": [25]}},
            "about categories, not about features with cut points or special values. Got 'age'",
        ),
        (
            {"cut_points": {"age": [25]}, "mode": "paper"},
            "None unless mode is 'auto'. Got mode='paper'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], message: str | None) -> None:
    booleanizer = Booleanizer(**given)
    if message is None:
        with pytest.warns(UserWarning, match="dates or times"):
            assert booleanizer.fit(TABLE).encoding_.features[5].n_columns == 0
        return
    with pytest.raises(ValueError, match=message):
        booleanizer.fit(TABLE.drop(columns="day") if "kind" not in str(given) else TABLE)


def test_sparse_tables_have_nothing_to_be_known() -> None:
    with pytest.raises(ValueError, match="X must not be sparse with cut points"):
        Booleanizer(cut_points={0: [0.5]}).fit(sparse.csr_matrix(np.eye(3)))


def test_parameters_return_from_lists_and_are_not_changed() -> None:
    given = {
        "cut_points": {"age": np.array([1, 2.5]), 3: (Fraction(1, 2),)},
        "special_values": {"income": [9, -1]},
        "groups": {"state": {"b": ["y", "x"], "a": ["z"]}, "code": {"low": np.array([2, 1])}},
    }
    with pytest.raises(ValueError, match="must list only names"):
        Booleanizer(**given).fit(TABLE)
    known = plain_knowledge(given)
    listed = knowledge_to_lists(known)
    assert listed == {
        "cut_points": [["age", [1.0, 2.5]], [3, [0.5]]],
        "special_values": [["income", [-1.0, 9.0]]],
        "groups": [["state", [["b", ["x", "y"]], ["a", ["z"]]]], ["code", [["low", [1, 2]]]]],
    }
    assert read_knowledge(listed, "here") == known
    assert as_dict("groups", known["groups"])["state"] == {"b": ["x", "y"], "a": ["z"]}
    assert plain_knowledge({"cut_points": {}}) == {"cut_points": None, "special_values": None, "groups": None}
