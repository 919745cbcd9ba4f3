"""What a fitted model says of a table: votes, probabilities and decisions, with the true classes if known.

Every measure of a model on a table starts here. Not here: the measures (metrics.py and others).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.values import UnseenValueWarning
from clausal.machine.inputs import encode_labels, read_labels, row_count
from clausal.outcome import Outcome
from clausal.rules.rule_set import RuleSet

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The predictions of a classifier for n rows, and the true classes.

    Attributes
    ----------
    votes : [n] for two classes, [n, K] for more
    probabilities : float64 [n, K]
    decided : indices of the predicted classes [n]
    codes : indices of the true classes [n]
    outcome : what votes mean
    """

    votes: NDArray[Any]
    probabilities: Floats
    decided: Indices
    codes: Indices
    outcome: Outcome

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the K classes."""
        return self.outcome.class_names

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.outcome.classes)

    @property
    def confusion(self) -> NDArray[np.int64]:
        """The number of rows by true class and predicted class [K, K]."""
        pairs = self.codes * self.n_classes + self.decided
        return np.bincount(pairs, minlength=self.n_classes**2).reshape(self.n_classes, self.n_classes)

    @property
    def margins(self) -> Floats:
        """The margin of the true class [n]: the distance to another decision, positive if correct."""
        return self.outcome.margins(self.outcome.banked(self.votes), self.codes)


def evaluate(clf: Any, rules: RuleSet, X: Any, y: Any, name: str) -> Evaluation:
    """Predict a table with a fitted classifier and its rules; `name` is the name of `y` in error messages."""
    labels = read_labels(y, row_count(X), name)
    if not len(labels):
        raise ValueError(f"{name} must have at least one label. Got 0.")
    codes = encode_labels(labels, rules.classes)[1].astype(np.intp)
    votes = np.asarray(clf.votes(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValueWarning)  # `votes` has warned of them
        probabilities = rules.outcome.by_label(np.asarray(clf.predict_proba(X), np.float64))
        decided = rules.decide(votes, rules.overridden(X))
    return Evaluation(votes, probabilities, decided, codes, rules.outcome)
