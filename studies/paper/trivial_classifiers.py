"""Two trivial classifiers as a reference for the scores: always class 1, and one literal.

Not here: the other classifiers (studies/baselines.py).
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from clausal import Booleanizer


class ConstantPositive(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Predicts class 1 for every row."""

    def fit(self, X: Any, y: Any) -> Self:
        """Do nothing."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        """Ones, shape (n_rows,)."""
        return np.ones(len(X), dtype=np.int64)


class BestLiteral(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The literal of the paper's binarization with the highest F1 in training."""

    def fit(self, X: Any, y: Any) -> Self:
        """Try every column and its negation."""
        self.classes_ = np.unique(y)
        self.booleanizer_ = Booleanizer(mode="paper", handle_unknown="no_match").fit(X)
        literals = self._literals(X)
        hits, said = literals[y == 1].sum(axis=0), literals.sum(axis=0)  # (2 * n_columns,) each
        self.literal_ = int(np.argmax(2 * hits / (said + (y == 1).sum())))
        return self

    def predict(self, X: Any) -> Any:
        """1 where the literal is true, shape (n_rows,)."""
        return self._literals(X)[:, self.literal_].astype(np.int64)

    def _literals(self, X: Any) -> Any:
        """Columns, then their negations, shape (n_rows, 2 * n_columns)."""
        bits = np.asarray(self.booleanizer_.transform(X)).astype(bool)
        return np.hstack([bits, ~bits])
