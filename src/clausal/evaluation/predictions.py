"""What a fitted model says of a table: votes, probabilities and decisions, with the true classes if known.

Every measure of a model on a table starts here. Not here: the measures (metrics.py and others).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.stream import refuse_stream
from clausal.encoding.values import UnseenValueWarning
from clausal.machine.inputs import encode_labels, read_labels, row_count
from clausal.outcome import Outcome
from clausal.rules.rule_set import RuleSet

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

MISSING = -1
"""The code of a class that is not known."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """The predictions of a classifier for n rows.

    Attributes
    ----------
    votes : [n] for two classes, [n, K] for more
    probabilities : float64 [n, K]
    decided : indices of the predicted classes [n]
    outcome : what votes mean
    """

    votes: NDArray[Any]
    probabilities: Floats
    decided: Indices
    outcome: Outcome

    def scores(self) -> NDArray[Any]:
        """One figure per row that orders them: the vote or, with more classes, that of the decided class."""
        if self.outcome.positive is not None:
            return self.votes
        return np.asarray(self.probabilities[np.arange(len(self.decided)), self.decided])

    def class_scores(self, k: int) -> NDArray[Any]:
        """One figure per row that orders them by class k: its probability or, of two classes, the vote."""
        two = self.outcome.positive is not None
        return (self.votes if k == 1 else -self.votes) if two else np.asarray(self.probabilities[:, k])

    def take(self, rows: NDArray[Any]) -> Predictions:
        """Those of some rows, given by their indices or marked."""
        return Predictions(self.votes[rows], self.probabilities[rows], self.decided[rows], self.outcome)


@dataclass(frozen=True, eq=False)
class Evaluation(Predictions):
    """The predictions of a classifier for n rows, and the true classes.

    Attributes
    ----------
    codes : indices of the true classes [n]
    """

    codes: Indices

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
    refuse_stream(X)
    labels = read_labels(y, row_count(X), name)
    if not len(labels):
        raise ValueError(f"{name} must have at least one label. Got 0.")
    codes = encode_labels(labels, rules.classes)[1].astype(np.intp)
    made = predict_table(clf, X)
    return Evaluation(made.votes, made.probabilities, made.decided, made.outcome, codes)


def predict_table(model: Any, X: Any) -> Predictions:
    """The votes, probabilities and decisions of a fitted classifier, with one warning about unseen values."""
    outcome = model.rules_.outcome
    votes = np.asarray(model.votes(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValueWarning)  # `votes` has warned of them
        probabilities = outcome.by_label(np.asarray(model.predict_proba(X), np.float64))
        decided = encode_labels(np.asarray(model.predict(X)), outcome.classes)[1].astype(np.intp)
    return Predictions(votes, probabilities, decided, outcome)


def check_model(model: Any, owner: str) -> None:
    """Raise an error unless this is a fitted classifier with rules and probabilities."""
    if hasattr(model, "rules_"):
        model.rules_.outcome.require_classes(owner)
    if not hasattr(type(model), "votes") or not hasattr(type(model), "predict_proba"):
        raise TypeError(
            f"The model of {owner} must be a TsetlinClassifier, RuleClassifier or Scorecard. "
            f"Got {type(model).__name__}."
        )
    check_is_fitted(model)


def model_table(model: Any, X: Any, name: str = "X") -> Any:
    """A table as the model reads it: of a data frame, the columns that the model knows, by name.

    A column that no rule tests may be absent; it is then missing in every row. `name` is for messages.
    """
    names = model.rules_.encoding.names
    if names is None or not nw.dependencies.is_into_dataframe(X):
        return X
    frame = nw.from_native(X, eager_only=True)
    if tuple(frame.columns) == names:
        return X
    used = {names[index] for index in model.rules_.used_features}
    absent = [each for each in names if each not in frame.columns]
    if needed := [each for each in absent if each in used]:
        raise ValueError(
            f"{name} must have the columns that the rules test. Got no column {needed[0]!r:.60}."
        )
    empty = [nw.new_series(each, [None] * len(frame), backend=frame.implementation) for each in absent]
    return frame.with_columns(*empty).select(*names).to_native()


def read_known_labels(y: Any, n_rows: int, outcome: Outcome, name: str) -> Indices:
    """The index of the true class of each row [n], MISSING where a label is missing."""
    items = y if isinstance(y, (list, tuple)) else np.asarray(y, dtype=object).ravel().tolist()
    missing = np.array([_is_missing(item) for item in items], bool)
    if len(items) != n_rows or not missing.any():  # the former is an error
        return encode_labels(read_labels(y, n_rows, name), outcome.classes)[1].astype(np.intp)
    codes = np.full(n_rows, MISSING, np.intp)
    known = [item for item, hide in zip(items, missing.tolist(), strict=True) if not hide]
    if known:
        codes[~missing] = encode_labels(read_labels(known, len(known), name), outcome.classes)[1]
    return codes


def _is_missing(item: object) -> bool:
    """Whether a value is None, NaN, or pandas' sign of a missing value."""
    return (
        item is None
        or type(item).__name__ in ("NAType", "NaTType")
        or (isinstance(item, float) and item != item)
    )


def prediction_columns(clf: Any, X: Any) -> dict[str, Sequence[Any]]:
    """What is said of each row: prediction, vote and, of classes, probability of the positive or of each.

    Of several labels, each has a prediction of 0 or 1, a vote and a probability.
    """
    outcome = clf.rules_.outcome
    if outcome.is_numeric:
        return {"prediction": clf.predict(X).tolist(), outcome.vote_names()[0]: clf.votes(X).tolist()}
    votes, probabilities = outcome.banked(clf.votes(X)), outcome.by_label(clf.predict_proba(X))
    names = outcome.prediction_names()
    predicted = np.asarray(clf.predict(X)).reshape(len(votes), len(names))
    added: dict[str, Sequence[Any]] = dict(zip(names, predicted.T.tolist(), strict=True))
    added |= dict(zip(outcome.vote_names(), votes.T.tolist(), strict=True))
    shown = probabilities[:, -outcome.n_banks :]  # those with a vote
    return added | dict(zip(outcome.probability_names(), shown.T.tolist(), strict=True))
