"""Tables and fitted classifiers for tests of the report: mixed kinds, missing values, hostile names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from clausal import Booleanizer, RuleClassifier, TsetlinClassifier
from clausal.encoding.encoding import Encoding

HOSTILE_NAME = "<script>alert(1)</script>"
HOSTILE_CATEGORY = '"><img src=x onerror=alert(1)>'
HOSTILE_LABELS = ("</script>", "<b>'&amp;")
GRADES = ["low", "middle", "high", "top"]


def mixed_table(n_rows: int = 160, seed: int = 0) -> pd.DataFrame:
    """Numbers (one feature with missing values), categories (with missing values), ordered ones, booleans."""
    random = np.random.RandomState(seed)
    dose = random.rand(n_rows).round(3)
    dose[random.rand(n_rows) < 0.15] = np.nan
    kinds = np.array(["plain", HOSTILE_CATEGORY, "Ünïcödé ✓", None], dtype=object)
    return pd.DataFrame(
        {
            "age": random.randint(30, 70, n_rows).astype(float),
            HOSTILE_NAME: dose,
            "kind": kinds[random.randint(4, size=n_rows)],
            "grade": pd.Categorical.from_codes(random.randint(4, size=n_rows), GRADES, ordered=True),
            "smokes": random.rand(n_rows) < 0.4,
            "site": np.array(["north", "south", "west"])[random.randint(3, size=n_rows)],
        }
    )


def mixed_labels(X: pd.DataFrame, labels: tuple[Any, ...] = ("no", "yes")) -> pd.Series:
    """Labels that depend on every feature and on chance."""
    random = np.random.RandomState(1)
    push = (X["age"] > 50) * 2.0 + (X[HOSTILE_NAME] > 0.5) * 1.5 + (X["kind"] == HOSTILE_CATEGORY) * 1.5
    push += X["grade"].cat.codes * 0.7 + X["smokes"] * 1.0 + (X["site"] == "west") * 1.0
    push += X[HOSTILE_NAME].isna() * 1.2 + random.randn(len(X)) * 0.3
    codes = pd.qcut(push, len(labels), labels=False).to_numpy()
    return pd.Series(np.array(labels, dtype=object)[codes], name="out<come>")


def mixed_numbers(X: pd.DataFrame) -> pd.Series:
    """Numbers that depend on most features and on chance."""
    random = np.random.RandomState(1)
    numbers = (X["age"] > 50) * 20.0 + X[HOSTILE_NAME].fillna(1.0) * 15 + (X["kind"] == HOSTILE_CATEGORY) * 12
    return (numbers + X["grade"].cat.codes * 5.0 + random.randn(len(X))).rename("out<come>")


def mixed_model(labels: tuple[Any, ...] = ("no", "yes"), **params: Any) -> TsetlinClassifier:
    """A classifier of the mixed table with rules on every feature."""
    X = mixed_table()
    settings = {"n_clauses": 30, "threshold": 30, "specificity": 2.5, "n_epochs": 30, "random_state": 0}
    return TsetlinClassifier(**{**settings, **params}).fit(X, mixed_labels(X, labels))


def mixed_scorecard(labels: tuple[Any, ...] = ("no", "yes")) -> RuleClassifier:
    """A scorecard of the mixed table."""
    X = mixed_table()
    machine = TsetlinClassifier(20, threshold=20, specificity=2.5, n_epochs=10, random_state=0)
    return RuleClassifier(machine, max_literals=10, cv=2, random_state=0).fit(X, mixed_labels(X, labels))


def strict_booleanizer() -> Booleanizer:
    """For a model that refuses unknown categories and new missing values."""
    return Booleanizer(handle_unknown="error", handle_missing="error")


def lenient() -> Booleanizer:
    """A model that accepts unknown categories and new missing values."""
    return Booleanizer(handle_unknown="no_match", handle_missing="as_false")


def rows_around_cuts(encoding: Encoding, n_rows: int, seed: int = 5) -> pd.DataFrame:
    """A mixed table whose numbers lie on cut points, one step of float64 below or above, or anywhere."""
    random = np.random.RandomState(seed)
    X = mixed_table(n_rows, seed)
    for name, feature in zip(encoding.feature_names, encoding.features, strict=True):
        if feature.kind == "numeric":
            cuts = np.array(feature.cuts)[random.randint(len(feature.cuts), size=n_rows)]
            step = random.randint(4, size=n_rows)
            values = X[name].to_numpy()
            around = [values, cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)]
            X[name] = np.where(np.isnan(values), np.nan, np.choose(step, around))
    return X
