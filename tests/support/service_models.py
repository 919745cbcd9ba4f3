"""Models and services of the heart disease data, for the tests of services."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from clausal import RuleClassifier
from clausal.datasets import load_heart_disease
from clausal.service import make_app
from tests.support.scorecards import machine, scorecard

ROW = {"chest_pain": "asymptomatic", "major_vessels": 1, "thal": "normal"}


@cache
def table() -> tuple[pd.DataFrame, Any]:
    X, y = load_heart_disease(return_X_y=True, as_frame=True)
    return X, np.where(y == 1, "ill", "well")


def ill(y: Any) -> Any:
    return y == "ill"


def three_classes(y: Any) -> Any:
    return np.where(table()[0]["age"] > 60, "old", y)


def as_it_is(y: Any) -> Any:
    return y


MODELS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "machine": (machine, as_it_is),
    "real weights": (lambda: machine(weighting="real"), as_it_is),
    "scorecard": (scorecard, as_it_is),
    "owned scorecard": (scorecard, as_it_is),
    "three classes": (scorecard, three_classes),
    "machine of three classes": (machine, three_classes),
    "first class positive": (lambda: machine(pos_label="ill"), as_it_is),
    "booleans as labels": (machine, ill),
}


@cache
def model(name: str) -> Any:
    make, labels = MODELS[name]
    X, y = table()
    clf = make().fit(X, labels(y))
    return clf.to_scorecard() if name == "owned scorecard" else clf


@cache
def app_of(name: str) -> Any:
    return make_app(model(name))


def rows_of(X: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {name: None if value != value else value for name, value in row.items()}
        for row in X.astype(object).to_dict("records")
    ]


@cache
def app_of_three() -> Any:
    """A scorecard whose rules test the three features of ROW."""
    X, y = table()
    return make_app(RuleClassifier(max_literals=8, random_state=0).fit(X, y), max_rows=50)
