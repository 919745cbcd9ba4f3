"""`compact`: a scorecard from a trained machine. `compaction_path`: only the score for each size.

Not here: how they are computed (rule_classifier.py, validation.py).
"""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from clausal.machine.classifier import TsetlinClassifier
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.rule_classifier import RuleClassifier


def compact(
    clf: TsetlinClassifier,
    X: Any,
    y: Any,
    max_literals: int | None = None,
    *,
    sample_weight: Any = None,
    **settings: Any,
) -> RuleClassifier:
    """Make a scorecard from the rules of a fitted machine.

    Parameters
    ----------
    clf : TsetlinClassifier
        The fitted machine. It is not changed; clones of it are trained in the folds.
    X, y : table and class labels
        The data it was trained on, or similar data.
    max_literals : int or None, default=None
        Maximum number of literals of the scorecard.
    sample_weight : array-like of shape (n_samples,) or None
        Weight of each row.
    **settings
        `max_rules`, `scoring`, `max_points`, `cv`, `n_jobs`, `random_state` and `verbose` of RuleClassifier.

    Returns
    -------
    RuleClassifier
        The fitted scorecard.
    """
    _check_classifier(clf, "a fitted TsetlinClassifier")
    check_is_fitted(clf, "model_")
    scorecard = RuleClassifier(clone(clf), max_literals=max_literals, **settings)
    return scorecard._fit_from(clf, X, y, sample_weight)


def compaction_path(
    clf: TsetlinClassifier | None,
    X: Any,
    y: Any,
    max_literals: int | None = None,
    *,
    sample_weight: Any = None,
    **settings: Any,
) -> CompactionPath:
    """The cross-validated score of scorecards of each size.

    Parameters
    ----------
    clf : TsetlinClassifier or None
        The machine, fitted or not; a clone of it is trained in each fold. None trains a few machines with
        different specificities, as in RuleClassifier.
    X, y, max_literals, sample_weight, **settings
        As in `compact`.

    Returns
    -------
    CompactionPath
        With the methods `to_frame` and `plot`.
    """
    if clf is not None:
        _check_classifier(clf, "None or a TsetlinClassifier")
    estimator = None if clf is None else clone(clf)
    return RuleClassifier(estimator, max_literals=max_literals, **settings).fit(X, y, sample_weight).path_


def _check_classifier(clf: object, wanted: str) -> None:
    if not isinstance(clf, TsetlinClassifier):
        raise TypeError(f"clf must be {wanted}. Got {type(clf).__name__}.")
