"""A scorecard from a machine that is trained already, and the curve of sizes alone.

Not here: how either is worked out (compaction.py).
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
    """Make a scorecard of a fitted machine's rules.

    Parameters
    ----------
    clf : TsetlinClassifier
        The fitted machine. Clones of it are trained for the folds; it stays as it is.
    X, y : table and class labels
        The data it was trained on, or more of the kind.
    max_literals : int or None, default=None
        Most literals of the whole model.
    sample_weight : array-like of shape (n_samples,) or None
        What each row counts.
    **settings
        `max_rules`, `scoring`, `max_points`, `cv`, `n_jobs`, `random_state` and `verbose` of RuleClassifier.

    Returns
    -------
    RuleClassifier
        Fitted.
    """
    if not isinstance(clf, TsetlinClassifier):
        raise TypeError(f"clf must be a fitted TsetlinClassifier. Got {type(clf).__name__}.")
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
    """The curve of literals against validated score, from one literal up.

    Parameters
    ----------
    clf : TsetlinClassifier or None
        The machine to compact, fitted or not; it is trained anew for each fold. None stands for a few
        machines with different specificities, as in RuleClassifier.
    X, y, max_literals, sample_weight, **settings
        As in `compact`.

    Returns
    -------
    CompactionPath
        A frame (`to_frame`) and a picture (`plot`).
    """
    estimator = None if clf is None else clone(clf)
    return RuleClassifier(estimator, max_literals=max_literals, **settings).fit(X, y, sample_weight).path_
