"""The fitted state as a dictionary: it survives JSON, and a wrong one is a ValueError that says why."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from clausal.encoding import Booleanizer
from clausal.encoding.encoding import FEATURE_KINDS, Encoding

FRAME = pd.DataFrame(
    {
        "number": [0.1, 2.31, None, 1e300],
        "text": ["b", "a", "ä", None],
        "flag": pd.array([True, False, None, True], dtype="boolean"),
        "rank": pd.Categorical(["lo", "hi", "lo", "hi"], categories=["lo", "mid", "hi"], ordered=True),
        "code": pd.Categorical([3, 1, 7, 2.5]),
        "nothing": [None] * 4,
    }
)


def again(booleanizer: Booleanizer) -> Encoding:
    return Encoding.from_dict(json.loads(json.dumps(booleanizer.encoding_.to_dict(), allow_nan=False)))


@pytest.mark.parametrize("mode", ["auto", "paper"])
def test_json_keeps_everything(mode: str) -> None:
    booleanizer = Booleanizer(mode, handle_unknown="no_match", handle_missing="as_false").fit(FRAME)
    read = again(booleanizer)
    assert read == booleanizer.encoding_
    assert hash(read) == hash(booleanizer.encoding_)
    assert read.columns == booleanizer.columns_
    assert list(read.names) == FRAME.columns.tolist()
    assert read.to_dict() == booleanizer.encoding_.to_dict()
    np.testing.assert_array_equal(read.bits(FRAME), booleanizer.transform(FRAME))


def test_every_kind_of_feature_is_kept() -> None:
    kinds = {feature.kind for mode in ("auto", "paper") for feature in Booleanizer(mode).fit(FRAME).features_}
    assert kinds == set(FEATURE_KINDS)


@pytest.mark.parametrize(
    "selection", [None, "from_dtype", [0], np.array([1, 0]), (True, False), np.array([False, True])]
)
def test_json_keeps_unnamed_features_and_selections(selection: Any) -> None:
    array = np.array([[3, 1], [1, 2], [2, 5]])
    booleanizer = Booleanizer(categorical_features=selection, max_columns=np.int64(5)).fit(array)
    read = again(booleanizer)
    assert read.names is None
    assert read.columns == booleanizer.columns_
    np.testing.assert_array_equal(read.bits(array), booleanizer.transform(array))


def test_json_keeps_a_booleanizer_fitted_on_sparse() -> None:
    matrix = sparse.csr_array(np.eye(3))
    assert again(Booleanizer().fit(matrix)).bits(matrix).toarray().tolist() == np.eye(3).tolist()


def test_whole_floats_may_lose_their_point() -> None:
    state = Booleanizer().fit(np.array([[1.0], [2.0], [1e20], [2e20]])).encoding_.to_dict()
    state["features"][0]["cuts"] = [int(cut) for cut in state["features"][0]["cuts"]]
    read = Encoding.from_dict(json.loads(json.dumps(state)))
    assert read.features == Booleanizer().fit(np.array([[1.0], [2.0], [1e20], [2e20]])).features_


GOOD = Booleanizer().fit(FRAME).encoding_.to_dict()
NUMBER, TEXT, FLAG, RANK, CODE, NOTHING = range(6)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ((), None, "booleanizer must be a dictionary"),
        ((), [], "booleanizer must be a dictionary"),
        (("extra",), 1, "with the keys"),
        (("params",), {}, "booleanizer.params must be a dictionary with the keys"),
        (("params", "mode"), "x", "'mode' parameter"),
        (("params", "mode"), {"a": 1}, "booleanizer.params.mode"),
        (("params", "max_columns"), 0, "'max_columns' parameter"),
        (("params", "max_columns"), 1.5, "booleanizer.params.max_columns"),
        (("params", "categorical_features"), [[0]], "categorical_features must be"),
        (("params", "categorical_features"), [99], "positions from 0 to 5"),
        (("params", "categorical_features"), ["zz"], "names of columns"),
        (("feature_names",), ["a"], "one name per feature"),
        (("feature_names",), ["a"] * 6, "different strings"),
        (("feature_names",), [1, 2, 3, 4, 5, 6], "a string"),
        (("feature_names",), "abcdef", "a list"),
        (("features",), [], "at least one feature"),
        (("features",), {}, "a list"),
        (("features", 0), None, "'kind' is one of"),
        (("features", 0, "kind"), "numerical", "'kind' is one of.*'numerical'"),
        (("features", 0, "kind"), ["numeric"], "'kind' is one of"),
        (("features", 0, "kind"), "boolean", "with the keys"),
        (("features", NUMBER, "cuts"), [float("nan")], "finite"),
        (("features", NUMBER, "cuts"), [float("inf")], "finite"),
        (("features", NUMBER, "cuts"), [2, 1], "sorted without repeats"),
        (("features", NUMBER, "cuts"), [1, 1.0], "sorted without repeats"),
        (("features", NUMBER, "cuts"), ["1"], r"cuts\[0\] must be a number"),
        (("features", NUMBER, "cuts"), [True], "a number"),
        (("features", NUMBER, "cuts"), [10**400], "float64 can hold"),
        (("features", NUMBER, "cuts"), [2**53 + 1], "float64 holds exactly"),
        (("features", NUMBER, "cuts"), 5, "a list"),
        (("features", NUMBER, "nullable"), 1, "true or false"),
        (("features", TEXT, "categories"), [], "at least one"),
        (("features", TEXT, "categories"), ["a", 1, "c"], "strings or of numbers"),
        (("features", TEXT, "categories"), ["b", "a", "c"], "sorted"),
        (("features", TEXT, "categories"), ["a", "a", "c"], "different categories"),
        (("features", TEXT, "categories"), [["a"], ["b"], ["c"]], "a number"),
        (("features", TEXT, "categories"), [None, None, None], "a number"),
        (("features", TEXT, "own"), [0, 3], r"own\[1\] must be an integer from 0 to 2"),
        (("features", TEXT, "own"), [-1], "an integer from 0 to 2"),
        (("features", TEXT, "own"), [0.0], "an integer from 0 to 2"),
        (("features", TEXT, "own"), [1, 0], "sorted"),
        (("features", TEXT, "own"), [1, 1], "sorted"),
        (("features", FLAG, "shown"), "yes", "true or false"),
        (("features", RANK, "ordered"), None, "true or false"),
        (("features", RANK, "ordered"), False, "sorted"),
        (("features", RANK, "cuts"), [0, 5], "an integer from 0 to 2"),
        (("features", RANK, "categories"), ["a", "b", "a"], "different categories"),
        (("features", CODE, "categories"), [1, 1.0, 3, 7], "different categories"),
        (("features", CODE, "categories"), [1, 2, float("nan"), 7], "finite"),
        (("features", NOTHING, "nullable"), True, "with the keys"),
    ],
)
def test_a_wrong_dictionary_is_refused(path: tuple[Any, ...], value: Any, words: str) -> None:
    state: Any = copy.deepcopy(GOOD)
    if path:
        inner = state
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value
    else:
        state = value
    with pytest.raises(ValueError, match=words):
        Encoding.from_dict(state)


def test_deep_nesting_is_refused_like_anything_else() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for path in (("params", "mode"), ("params", "categorical_features"), ("feature_names",), ("features",)):
        state: Any = copy.deepcopy(GOOD)
        inner = state
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = deep
        with pytest.raises(ValueError, match="must be"):
            Encoding.from_dict(state)
    state = {**GOOD, "features": [{"kind": deep}]}
    with pytest.raises(ValueError, match="'kind'"):
        Encoding.from_dict(state)


def test_a_small_file_cannot_ask_for_huge_column_meanings() -> None:
    n = 4000
    ranked = {
        "kind": "ranked",
        "categories": list(range(n)),
        "cuts": list(range(n)),
        "ordered": True,
        "nullable": False,
    }
    state = {**GOOD, "feature_names": None, "features": [ranked]}
    with pytest.raises(ValueError, match="at most 10000000 categories"):
        Encoding.from_dict(state)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def places(state: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a nested structure."""
    items = state.items() if isinstance(state, dict) else enumerate(state) if isinstance(state, list) else ()
    return [path] + [place for key, value in items for place in places(value, (*path, key))]


@given(st.sampled_from(places(GOOD)[1:]), json_values)
def test_any_change_reads_well_or_is_a_value_error(path: tuple[Any, ...], value: Any) -> None:
    state: Any = copy.deepcopy(GOOD)
    inner = state
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    try:
        encoding = Encoding.from_dict(state)
    except ValueError:
        return
    bits = encoding.with_policy(handle_missing="as_false").bits(
        np.full((1, 6), None)
        if encoding.names is None
        else pl.DataFrame({name: [None] for name in encoding.names})
    )
    assert bits.shape == (1, len(encoding.columns))


def test_of_the_categories_left_out_those_like_missing_are_kept() -> None:
    texts = [*"abcdefghijklmnop"] * 2 + ["NA", " null", "z"]
    encoding = Booleanizer().fit(pd.DataFrame({"x": texts})).encoding_.reduced({0}, set())
    state = json.loads(json.dumps(encoding.to_dict()))
    assert state["features"][0]["not_missing"] == [" null", "NA"]
    assert Encoding.from_dict(state) == encoding
    for spoiled in ([], ["b", "a"], [1], ["a"], "NA"):
        state["features"][0]["not_missing"] = spoiled
        with pytest.raises(ValueError, match="not_missing must be"):
            Encoding.from_dict(state)


def test_more_cut_points_are_those_of_both_encodings_and_only_of_numbers() -> None:
    frame = pd.DataFrame(
        {"x": np.arange(40.0) ** 2, "letter": list("abcdefgh") * 5, "flag": [True, False] * 20}
    )
    few, many = (Booleanizer(max_columns=n).fit(frame).encoding_ for n in (3, 20))
    both = few.with_cuts_of(many)
    assert set(few.columns) < set(both.columns)
    numbers = {column for column in many.columns if column.feature == "x"}
    assert set(both.columns) == set(few.columns) | numbers
    cuts = [column.value for column in both.columns if column.feature == "x"]
    assert cuts == sorted(set(cuts))
    assert few.with_cuts_of(few) == few
