"""A fitted classifier on rows of known class: votes, decisions, probabilities, and how often which came up.

Not here: measures of how good that is (metrics.py, calibration.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.estimators.inputs import encode_labels, read_labels, row_count
from clausal.rules.rule_set import RuleSet

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a classifier said of n rows, and what was true.

    Attributes
    ----------
    votes : [n] for two classes, [n, K] for more
    probabilities : float64 [n, K]
    decided : places of the predicted classes [n]
    codes : places of the true classes [n]
    class_names : the K classes as printed
    """

    votes: NDArray[Any]
    probabilities: Floats
    decided: Places
    codes: Places
    class_names: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.class_names)

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Rows by true class and predicted class [K, K]."""
        pairs = self.codes * self.n_classes + self.decided
        return np.bincount(pairs, minlength=self.n_classes**2).reshape(self.n_classes, self.n_classes)

    @property
    def margins(self) -> Floats:
        """How far the vote is from deciding otherwise [n]: towards the true class above 0."""
        votes = self.votes.astype(np.float64)
        if votes.ndim == 1:
            return np.where(self.codes == 1, votes, -votes)
        rows = np.arange(len(votes))
        own = votes[rows, self.codes]
        votes[rows, self.codes] = -np.inf
        margins: Floats = own - votes.max(axis=1)
        return margins


def evaluate(clf: Any, rules: RuleSet, X: Any, y: Any, name: str) -> Evaluation:
    """Ask a fitted classifier, whose rules these are, about a table; `name` is what errors call `y`."""
    labels = read_labels(y, row_count(X), name)
    if not len(labels):
        raise ValueError(f"{name} must have at least one label. Got 0.")
    codes = encode_labels(labels, clf.classes_)[1].astype(np.intp)
    votes = np.asarray(clf.votes(X))
    probabilities = np.asarray(clf.predict_proba(X), np.float64)
    return Evaluation(votes, probabilities, rules.decide(votes), codes, rules.class_names)
