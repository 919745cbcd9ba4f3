"""What a model is judged by: any scikit-learn scorer, and the cut-off of the probability that suits it.

Scorers see class codes 0, 1, ... in place of the user's labels, so that "f1" means the second class whatever
it is called. Not here: where the probabilities come from (compaction.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer, get_scorer_names

from clausal.outcome import Outcome
from clausal.scorecard.logistic import Floats, Places

_BY_AVERAGE = {"f1", "precision", "recall", "jaccard"}  # scorers of two classes that have a `_macro` twin
_RANKING = {
    "roc_auc",
    "roc_auc_ovr",
    "average_precision",
    "neg_log_loss",
    "neg_brier_score",
    "d2_log_loss_score",
}
_CUT_OFFS = 49  # tried, at quantiles of the probabilities


class _Answers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier whose rows are places in arrays of ready answers; all that a scorer needs."""

    def __init__(self, probabilities: Floats, decided: Places) -> None:
        self.probabilities = probabilities
        self.decided = decided
        self.classes_ = np.arange(probabilities.shape[1])

    def fit(self, X: Any, y: Any) -> _Answers:
        """There is nothing to learn."""
        return self

    def predict(self, X: Places) -> Places:
        """The decisions on these rows."""
        return self.decided[X]

    def predict_proba(self, X: Places) -> Floats:
        """The probabilities on these rows."""
        return self.probabilities[X]

    def decision_function(self, X: Places) -> Floats:
        """Scores that rank like the probabilities."""
        return self.probabilities[X, 1] if self.probabilities.shape[1] == 2 else self.probabilities[X]


class Scoring:
    """A scorer for models of one outcome.

    Parameters
    ----------
    scoring : str or callable
        A name that scikit-learn knows, or `scorer(estimator, X, y)`, which sees row positions as X and class
        codes as y, and the rows' weights if it has a parameter `sample_weight`.
    outcome : Outcome
        With more than two classes, "f1", "precision", "recall" and "jaccard" stand for their macro averages
        and "roc_auc" for "roc_auc_ovr".
    """

    def __init__(self, scoring: str | Callable[..., float], outcome: Outcome) -> None:
        self.name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
        if isinstance(scoring, str) and outcome.positive is None:
            if scoring in _BY_AVERAGE:
                scoring = f"{scoring}_macro"
            scoring = {"roc_auc": "roc_auc_ovr"}.get(scoring, scoring)
        self._scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
        self._takes_weights = isinstance(scoring, str) or _takes_weights(scoring)
        self._any_rows = self.name == "accuracy" or not isinstance(scoring, str)

    def score(self, probabilities: Floats, decided: Places, codes: Places, weights: Floats) -> float:
        """The score of probabilities [n, classes] and decisions [n] against the true codes [n]."""
        return self.of(_Answers(probabilities, decided), np.arange(len(codes)), codes, weights)

    def of(self, clf: Any, X: Any, codes: Places, weights: Floats) -> float:
        """The score of a classifier, fitted on class codes, on other rows."""
        weighted = {"sample_weight": weights} if self._takes_weights else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # a fold may have no predicted positive
            try:
                score = float(self._scorer(clf, X, codes, **weighted))
            except ValueError as error:
                raise ValueError(f"scoring={self.name!r} fails on held-out rows: {error}") from error
        if np.isnan(score):
            found = np.unique(codes).tolist()
            raise ValueError(
                f"scoring={self.name!r} must give a number on held-out rows. Got nan on {len(codes)} rows of "
                f"class(es) {found} (places in sorted order); too few rows of a class, or folds without one."
            )
        return score

    def fold_scores(
        self, probabilities: Floats, decided: Places, codes: Places, weights: Floats, folds: list[Places]
    ) -> Floats:
        """The score of each fold, given by its places.

        Where the score means little on a fold that lacks a class, folds with all of them count alone, if
        there are two such.
        """
        n_classes = probabilities.shape[1]
        whole = [fold for fold in folds if len(np.unique(codes[fold])) == n_classes or self._any_rows]
        return np.array(
            [
                self.score(probabilities[fold], decided[fold], codes[fold], weights[fold])
                for fold in (whole if len(whole) > 1 else folds)
            ]
        )

    def cut_off(self, positive: Floats, codes: Places, weights: Floats) -> float:
        """The probability [n] of the second class from which on to decide for it."""
        if self.name == "accuracy" or self.name in _RANKING:
            return 0.5
        if self.name == "f1":
            return expected_f1_cut_off(positive, weights)
        tried = np.unique(np.quantile(positive, np.linspace(0.02, 0.98, _CUT_OFFS)))
        both = np.column_stack([1 - positive, positive])
        scores = [self.score(both, (positive >= t).astype(np.intp), codes, weights) for t in tried]
        return float(tried[int(np.argmax(scores))])


def _takes_weights(scorer: Callable[..., float]) -> bool:
    parameters = signature(scorer).parameters.values()
    return any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)


def expected_f1_cut_off(positive: Floats, weights: Floats) -> float:
    """The cut-off of the highest F1 to expect if the probabilities [n] are right: steadier than a count."""
    order = np.argsort(-positive, kind="stable")
    p, w = positive[order], weights[order]
    expected = 2.0 * np.cumsum(w * p) / (np.cumsum(w) + (w * p).sum())
    last = np.append(p[1:] != p[:-1], True)  # a cut-off takes all rows of equal probability or none
    best = int(np.argmax(np.where(last, expected, -1.0)))
    below = p[best + 1] if best + 1 < len(p) else 0.0
    return float((p[best] + below) / 2)


def check_scoring_name(scoring: object, owner: str) -> None:
    """Refuse what is neither a scorer's name nor a callable."""
    if callable(scoring) or (isinstance(scoring, str) and scoring in get_scorer_names()):
        return
    raise ValueError(
        f"The 'scoring' parameter of {owner} must be the name of a scikit-learn scorer or a callable. "
        f"Got {scoring!r}."
    )
