"""A small table and a quick classifier for tests, with explicit settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from clausal import Booleanizer, TsetlinClassifier

SETTINGS = {
    "n_clauses": 10,
    "threshold": 8,
    "specificity": 3.0,
    "n_epochs": 3,
    "booleanizer": Booleanizer(max_columns=16),
    "random_state": 0,
}


def quick(**params: Any) -> TsetlinClassifier:
    """A classifier that fits the table below in a few milliseconds."""
    return TsetlinClassifier(**{**SETTINGS, **params})


def table(n_classes: int = 2, n_rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Numbers [n_rows, 3], the first of which decides the label, 0 to n_classes - 1."""
    X = np.random.RandomState(7).rand(n_rows, 3).round(2)
    return X, np.minimum((X[:, 0] * n_classes).astype(np.int64), n_classes - 1)


def bits(n_rows: int = 60) -> np.ndarray:
    """The same table as 0 and 1."""
    return (table(n_rows=n_rows)[0] > 0.5).astype(np.uint8)


def same_model(a: TsetlinClassifier, b: TsetlinClassifier) -> bool:
    """Whether two fitted classifiers agree in every bit of what they learned."""
    x, y = a.model_, b.model_
    arrays = all(
        np.array_equal(getattr(x, name), getattr(y, name)) for name in ("states", "levels", "points")
    )
    return arrays and (x.step, x.epoch, x.row, x.seed) == (y.step, y.epoch, y.row, y.seed)
