"""The Booleanizer as a scikit-learn citizen: its checks, pipelines, routing, output containers, pickling."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    check_estimator,
    check_global_set_output_transform_polars,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
)

from clausal.encoding import Booleanizer

FRAME = pd.DataFrame(
    {
        "age": [54, 61, 47, 55],
        "pain": ["mild", "none", "severe", "mild"],
        "smoker": [True, False, True, False],
    }
)


@pytest.mark.parametrize("mode", ["auto", "paper"])
@pytest.mark.filterwarnings("ignore:X has feature names:UserWarning")
def test_scikit_learns_own_checks_pass(mode: str) -> None:
    results = check_estimator(Booleanizer(mode), on_skip=None, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    assert failed == {}
    # scikit-learn skips this one itself unless its array API switch is set in the environment.
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}
    assert len(results) > 40


@pytest.mark.parametrize(
    "check",
    [
        check_transformer_get_feature_names_out,
        check_transformer_get_feature_names_out_pandas,
        check_set_output_transform_pandas,
        check_set_output_transform_polars,
        check_global_set_output_transform_polars,
    ],
)
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names:UserWarning")
def test_scikit_learns_further_checks_pass(check: Any) -> None:
    check("Booleanizer", Booleanizer())


def test_tags() -> None:
    tags = get_tags(Booleanizer())
    assert tags.input_tags.allow_nan
    assert tags.input_tags.string
    assert not tags.target_tags.required
    assert tags.transformer_tags.preserves_dtype == []


def test_unfitted_is_said() -> None:
    for use in (
        lambda b: b.transform(FRAME),
        lambda b: b.get_feature_names_out(),
    ):
        with pytest.raises(NotFittedError):
            use(Booleanizer())


@pytest.mark.parametrize(("library", "frame_type"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(library: str, frame_type: type) -> None:
    out = Booleanizer().set_output(transform=library).fit_transform(FRAME)
    assert isinstance(out, frame_type)
    assert list(out.columns) == [
        *("age <= 47", "age <= 54", "age <= 55"),
        *("pain is mild", "pain is 'none'", "pain is severe"),
        "smoker",
    ]
    assert out.to_numpy().dtype == np.uint8


def test_names_out_follow_input_features() -> None:
    booleanizer = Booleanizer().fit(np.array([[1], [2]]))
    assert booleanizer.get_feature_names_out().tolist() == ["x0 <= 1"]
    assert booleanizer.get_feature_names_out(["age"]).tolist() == ["age <= 1"]
    with pytest.raises(ValueError, match=r"input_features should have length equal.*1.*Got 2"):
        booleanizer.get_feature_names_out(["a", "b"])
    named = Booleanizer().fit(FRAME)
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        named.get_feature_names_out(["a", "b", "c"])


def test_clone_and_pickle() -> None:
    booleanizer = Booleanizer("paper", categorical_features=["pain"], handle_missing="as_false").fit(FRAME)
    assert clone(booleanizer).get_params() == booleanizer.get_params()
    assert not hasattr(clone(booleanizer), "columns_")
    loaded = pickle.loads(pickle.dumps(booleanizer))
    assert loaded.columns_ == booleanizer.columns_
    np.testing.assert_array_equal(loaded.transform(FRAME), booleanizer.transform(FRAME))


def test_refitting_forgets_the_former_fit() -> None:
    booleanizer = Booleanizer().fit(FRAME)
    booleanizer.fit(np.array([[1.0], [2.0]]))
    assert not hasattr(booleanizer, "feature_names_in_")
    assert [str(column) for column in booleanizer.columns_] == ["x0 <= 1"]


def test_pipeline_and_column_transformer() -> None:
    y = np.array([0, 1, 0, 1])
    pipeline = make_pipeline(Booleanizer(), LogisticRegression()).fit(FRAME, y)
    assert pipeline.predict(FRAME).shape == (4,)
    assert pipeline[:-1].get_feature_names_out()[-1] == "smoker"
    parts = ColumnTransformer(
        [
            ("text", Booleanizer(), make_column_selector(dtype_exclude=["number", "bool"])),
            ("rest", Booleanizer("paper"), ["age", "smoker"]),
        ]
    )
    out = parts.set_output(transform="pandas").fit_transform(FRAME)
    assert list(out.columns)[:4] == [
        *("text__pain is mild", "text__pain is 'none'", "text__pain is severe"),
        "rest__age <= 47",
    ]


def test_weights_are_routed() -> None:
    values, weights = np.array([["a"], ["b"], ["c"]], dtype=object), [1, 1, 5]
    with sklearn.config_context(enable_metadata_routing=True):
        booleanizer = Booleanizer(max_columns=1).set_fit_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(booleanizer, model).fit(values, [0, 1, 1], sample_weight=weights)
    assert pipeline[:-1].get_feature_names_out().tolist() == ["x0 is c"]


def test_the_users_data_is_not_changed() -> None:
    frame, array = FRAME.copy(), np.array([[1.0, np.nan], [-0.0, 2.0]])
    kept = array.copy()
    Booleanizer().fit(frame).transform(frame)
    Booleanizer().fit(array).transform(array)
    pd.testing.assert_frame_equal(frame, FRAME)
    np.testing.assert_array_equal(array, kept)
