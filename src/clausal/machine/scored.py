"""`score` of all estimators: of tables in memory, with a look at the order of labels, and of data in batches.

Not here: what the score is, which scikit-learn says.
"""

from __future__ import annotations

from typing import Any

from clausal.encoding.remarks import order_remarks, warn_of_table
from clausal.encoding.stream import open_training_table
from clausal.outcome import LabelsOutcome


def rows_to_score(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """A table, its labels and weights, which may be columns of data that are read in batches."""
    X, y, sample_weight = open_training_table(X, y, sample_weight)
    warn_of_table(order_remarks(X, y=y, sample_weight=sample_weight))
    return X, y, sample_weight


class Scored:
    """A base class of estimators, before that of scikit-learn whose `score` this is."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of predicted classes or, of several labels, of all labels of a row; R² of numbers.

        Parameters
        ----------
        X, y, sample_weight : table, labels or numbers, and weights
            As for `fit`: `y` and `sample_weight` are names of columns if `X` is read in batches.

        Returns
        -------
        float
            The score.
        """
        rows = rows_to_score(X, y, sample_weight)
        if isinstance(outcome := getattr(self, "_outcome", None), LabelsOutcome):
            outcome.require_names(rows[1])
        return float(super().score(*rows))  # type: ignore[misc]  # of a base class of scikit-learn
