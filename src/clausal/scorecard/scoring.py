"""The score of a model: any scikit-learn scorer.

Scorers see class codes 0, 1, ... instead of the user's labels, so that "f1" is about the positive class,
whose code is 1, whatever its label is. Not here: the cut-off that goes with a metric (cut_off.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer, get_scorer_names

from clausal.outcome import Outcome
from clausal.scorecard.calibration import Codes, Floats, Indices

_BINARY = {"f1", "precision", "recall", "jaccard"}  # two-class metrics with a `_macro` variant


class _Precomputed(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier with given predictions, as a scorer needs it; its X is an array of row indices."""

    def __init__(self, probabilities: Floats, predicted: Indices) -> None:
        self.probabilities = probabilities
        self.predicted = predicted
        self.classes_ = np.arange(probabilities.shape[1])

    def fit(self, X: Any, y: Any) -> _Precomputed:
        """Do nothing."""
        return self

    def predict(self, X: Indices) -> Indices:
        """The predicted class codes of these rows."""
        return self.predicted[X]

    def predict_proba(self, X: Indices) -> Floats:
        """The probabilities of these rows."""
        return self.probabilities[X]

    def decision_function(self, X: Indices) -> Floats:
        """Scores with the same ranking as the probabilities."""
        return self.probabilities[X, 1] if self.probabilities.shape[1] == 2 else self.probabilities[X]


def _accuracy(predicted: Indices, codes: Codes, weights: Floats) -> float:
    wrong, right = np.bincount(predicted == codes, weights, 2).tolist()
    return float(right / (wrong + right))


def _f1(predicted: Indices, codes: Codes, weights: Floats) -> float:
    _, missed, false, right = np.bincount(2 * predicted + codes, weights, 4).tolist()
    return float(2.0 * right / (2.0 * right + missed + false)) if right > 0 else 0.0


_COUNTED = {"accuracy": _accuracy, "f1": _f1}  # scikit-learn's take a hundred times longer on small folds


class Scoring:
    """A scorer for models of one outcome.

    Parameters
    ----------
    scoring : str or callable
        The name of a scikit-learn scorer, or `scorer(estimator, X, y)` where X are row indices and y are
        class codes. If it has a parameter `sample_weight`, it also receives the weights.
    outcome : Outcome
        With more than two classes, "f1", "precision", "recall" and "jaccard" stand for their macro averages
        and "roc_auc" for "roc_auc_ovr".
    """

    def __init__(self, scoring: str | Callable[..., float], outcome: Outcome) -> None:
        given = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
        if isinstance(scoring, str) and outcome.positive is None:
            if scoring in _BINARY:
                scoring = f"{scoring}_macro"
            scoring = {"roc_auc": "roc_auc_ovr"}.get(scoring, scoring)
        self.name, self._given = scoring if isinstance(scoring, str) else given, given
        self._scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
        self._takes_weights = isinstance(scoring, str) or _takes_weights(scoring)
        self._counted = _COUNTED.get(scoring) if isinstance(scoring, str) else None
        self._needs_every_class = isinstance(scoring, str) and self.name != "accuracy"

    def score(self, probabilities: Floats, predicted: Indices, codes: Codes, weights: Floats) -> float:
        """The score of probabilities [n, classes] and predicted codes [n] for the true codes [n]."""
        if self._counted is not None:
            return self._counted(predicted, codes, weights)
        return self.of(_Precomputed(probabilities, predicted), np.arange(len(codes)), codes, weights)

    def of(self, clf: Any, X: Any, codes: Codes, weights: Floats) -> float:
        """The score of a classifier that was fitted on class codes."""
        weighted = {"sample_weight": weights} if self._takes_weights else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # a fold may have no predicted positive
            try:
                score = float(self._scorer(clf, X, codes, **weighted))
            except ValueError as error:
                raise ValueError(f"scoring={self._given!r} fails on held-out rows: {error}") from error
        if np.isnan(score):
            found = np.unique(codes).tolist()
            raise ValueError(
                f"scoring={self._given!r} must return a number on held-out rows. Got nan on {len(codes)} "
                f"rows with class codes {found}. A class may have too few rows, or be in no row of a fold."
            )
        return score

    def fold_scores(
        self,
        probabilities: Floats,
        predicted: Indices,
        codes: Codes,
        weights: Floats,
        folds: Sequence[Indices | slice],
    ) -> Floats:
        """The score of each fold; a fold is an array of row indices, or a slice.

        Most metrics mean little on a fold without rows of some class. For these, only the folds with all
        classes count if there are at least two of them.
        """
        n_classes = probabilities.shape[1]
        complete = [
            fold
            for fold in folds
            if not self._needs_every_class or np.bincount(codes[fold], minlength=n_classes).all()
        ]
        return np.array(
            [
                self.score(probabilities[fold], predicted[fold], codes[fold], weights[fold])
                for fold in (complete if len(complete) > 1 else folds)
            ]
        )


def _takes_weights(scorer: Callable[..., float]) -> bool:
    parameters = signature(scorer).parameters.values()
    return any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)


def check_scoring_name(scoring: object, owner: str) -> None:
    """Raise ValueError unless `scoring` is the name of a scorer of classes or a callable."""
    if callable(scoring):
        return
    wrong = wrong_scoring(scoring, " or a callable")
    if wrong is not None:
        raise ValueError(f"The 'scoring' parameter of {owner} {wrong}")


def wrong_scoring(scoring: object, otherwise: str = "") -> str | None:
    """What is wrong with the name of a scorer, as the end of a sentence; None if nothing is."""
    names = get_scorer_names()
    if not isinstance(scoring, str) or scoring not in names:
        near = get_close_matches(scoring, names, 3) if isinstance(scoring, str) else []
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        return f"must be the name of a scikit-learn scorer{otherwise}. Got {scoring!r}.{hint}"
    if scoring not in _BINARY and not _scores_classes(scoring):
        return (
            "must be a scorer of classes with a parameter sample_weight, such as f1, accuracy or roc_auc. "
            f"Got {scoring!r}, which is not: it may be for numbers or for clusters."
        )
    return None


@cache
def _scores_classes(name: str) -> bool:
    """Whether a scorer accepts classes with weights and, unlike one of regression, refuses other numbers."""
    clf = _Precomputed(np.array([[0.7, 0.3], [0.2, 0.8], [0.6, 0.4]]), np.array([0, 1, 0]))
    rows, weights = np.arange(3), np.ones(3)
    scorer = get_scorer(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scorer(clf, rows, np.array([0, 1, 0]), sample_weight=weights)
        except (TypeError, ValueError):
            return False
        try:
            scorer(clf, rows, np.array([0.25, 1.5, 0.75]), sample_weight=weights)
        except ValueError:
            return True
    return False
