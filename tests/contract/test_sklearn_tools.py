"""scikit-learn's inspection, model selection and calibration run on frames with text, gaps and booleans.

What scikit-learn itself cannot do is not here: partial dependence of polars frames, of whole numbers and of
text with gaps.
"""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import (
    DecisionBoundaryDisplay,
    PartialDependenceDisplay,
    partial_dependence,
    permutation_importance,
)
from sklearn.metrics import ConfusionMatrixDisplay, RocCurveDisplay
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline

from clausal import Booleanizer, RuleClassifier, TsetlinClassifier

mpl.use("Agg")

RNG = np.random.default_rng(0)
N = 120
COLUMNS: dict[str, Any] = {
    "age": RNG.normal(50, 9, N).round(1).tolist(),
    "visits": RNG.integers(0, 5, N).tolist(),
    "city": RNG.choice(["Oslo", "Bergen"], N).tolist(),
    "text": RNG.choice(["a", "b", "c"], N).tolist(),
    "flag": (RNG.random(N) > 0.5).tolist(),
}
Y = np.where(
    np.array(COLUMNS["age"]) + 5 * np.array(COLUMNS["flag"]) + RNG.normal(0, 3, N) > 52, "sick", "well"
)
for _name in ("age", "text"):
    COLUMNS[_name][::17] = [None] * len(COLUMNS[_name][::17])
PANDAS, POLARS = pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)
FRAMES = {"pandas": PANDAS, "nullable": PANDAS.convert_dtypes(), "polars": POLARS}

MACHINE = TsetlinClassifier(10, n_epochs=3, random_state=0)
CARD = RuleClassifier(MACHINE, max_literals=3, cv=2, random_state=0)

LEARNING = {
    "cross_val_score": lambda clf, X: cross_val_score(clf, X, Y, cv=3, scoring="roc_auc"),
    "cross_val_predict": lambda clf, X: cross_val_predict(clf, X, Y, cv=3, method="predict_proba"),
    "cross_validate": lambda clf, X: cross_validate(clf, X, Y, cv=2, return_estimator=True),
    "GridSearchCV": lambda clf, X: GridSearchCV(clf, {"random_state": [0, 1]}, cv=2).fit(X, Y).predict(X),
    "RandomizedSearchCV": lambda clf, X: RandomizedSearchCV(clf, {"random_state": [0]}, n_iter=1, cv=2).fit(
        X, Y
    ),
    "learning_curve": lambda clf, X: learning_curve(clf, X, Y, cv=2, train_sizes=[0.5, 1.0]),
    "validation_curve": lambda clf, X: validation_curve(
        clf, X, Y, param_name="random_state", param_range=[0, 1], cv=2
    ),
    "permutation_test_score": lambda clf, X: permutation_test_score(clf, X, Y, cv=2, n_permutations=2),
    "CalibratedClassifierCV": lambda clf, X: CalibratedClassifierCV(clf, cv=2).fit(X, Y).predict_proba(X),
    "TunedThresholdClassifierCV": lambda clf, X: TunedThresholdClassifierCV(clf, cv=2).fit(X, Y).predict(X),
    "FixedThresholdClassifier": lambda clf, X: (
        FixedThresholdClassifier(clf, threshold=0.4, pos_label="well").fit(X, Y).predict(X)
    ),
    "VotingClassifier": lambda clf, X: VotingClassifier([("a", clf)], voting="soft").fit(X, Y).predict(X),
    "StackingClassifier": lambda clf, X: StackingClassifier([("a", clf)], cv=2).fit(X, Y).predict(X),
    "Pipeline": lambda clf, X: make_pipeline(clf).fit(X, Y).predict(X),
}
INSPECTION = {
    "calibration of a frozen model": lambda clf, X: CalibratedClassifierCV(FrozenEstimator(clf)).fit(X, Y),
    "CalibrationDisplay": lambda clf, X: CalibrationDisplay.from_estimator(clf, X, Y, pos_label="well"),
    "RocCurveDisplay": lambda clf, X: RocCurveDisplay.from_estimator(clf, X, Y),
    "ConfusionMatrixDisplay": lambda clf, X: ConfusionMatrixDisplay.from_estimator(clf, X, Y),
}


@pytest.mark.parametrize("X", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("tool", LEARNING)
def test_model_selection(tool: str, X: Any):
    LEARNING[tool](MACHINE, X)


@pytest.mark.parametrize("X", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("tool", ["cross_val_score", "GridSearchCV", "CalibratedClassifierCV"])
def test_model_selection_of_scorecards(tool: str, X: Any):
    LEARNING[tool](CARD, X)


@pytest.mark.parametrize("X", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("clf", [MACHINE, CARD], ids=["machine", "scorecard"])
class TestInspection:
    """Of a fitted model."""

    def test_displays(self, clf: Any, X: Any):
        fitted = clone(clf).fit(X, Y)
        for show in INSPECTION.values():
            show(fitted, X)
        mpl.pyplot.close("all")

    # scikit-learn hands over rows of a polars frame as an array, whose names it then misses
    @pytest.mark.filterwarnings("ignore:X does not have valid feature names")
    def test_permutation_importance(self, clf: Any, X: Any):
        fitted = clone(clf).fit(X, Y)
        found = permutation_importance(fitted, X, Y, n_repeats=3, random_state=0)
        assert found.importances_mean.argmax() == 0

    def test_partial_dependence(self, clf: Any, X: Any):
        if X is POLARS:
            pytest.skip("scikit-learn computes no partial dependence of polars frames")
        fitted = clone(clf).fit(X, Y)
        for name, categorical in (("age", None), ("city", ["city"]), ("flag", ["flag"])):
            found = partial_dependence(fitted, X, [name], grid_resolution=4, categorical_features=categorical)
            assert np.isfinite(found["average"]).all()
        PartialDependenceDisplay.from_estimator(
            fitted, X, ["age", "city"], categorical_features=["city"], grid_resolution=4
        )
        mpl.pyplot.close("all")

    @pytest.mark.parametrize("method", ["predict", "predict_proba"])
    def test_decision_boundaries(self, clf: Any, X: Any, method: str):
        full = X.drop_nulls() if X is POLARS else X.dropna()
        two = full[["age", "visits"]]
        y = Y[
            [
                age is not None and text is not None
                for age, text in zip(COLUMNS["age"], COLUMNS["text"], strict=True)
            ]
        ]
        fitted = clone(clf).fit(two, y)
        DecisionBoundaryDisplay.from_estimator(fitted, two, grid_resolution=5, response_method=method)
        mpl.pyplot.close("all")


@pytest.mark.parametrize("X", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_of_transformers_in_a_frame(X: Any, library: str):
    for transformer in (Booleanizer(), clone(MACHINE)):
        frame = transformer.set_output(transform=library).fit(X, Y).transform(X)
        assert type(frame).__module__.split(".")[0] == library
        assert list(frame.columns) == transformer.get_feature_names_out().tolist()


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_bagging_takes_rows_as_an_array():
    BaggingClassifier(MACHINE, n_estimators=2, random_state=0).fit(PANDAS[["age", "visits"]], Y).predict(
        PANDAS[["age", "visits"]]
    )
