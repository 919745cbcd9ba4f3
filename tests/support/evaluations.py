"""Evaluations for tests, with given votes and probabilities that follow from them."""

import numpy as np
from scipy.special import expit, softmax

from clausal.evaluation.predictions import Evaluation
from clausal.outcome import make_outcome


def evaluation(codes, votes, class_names=None):
    """An evaluation of votes [n] or [n, K] and true classes [n]."""
    codes, votes = np.asarray(codes, np.intp), np.asarray(votes)
    if votes.ndim == 1:
        positive = expit(votes / 4)
        shares, decided = np.column_stack([1 - positive, positive]), (votes >= 0).astype(np.intp)
    else:
        shares = softmax(votes / 4, axis=1)
        decided = votes.argmax(axis=1)
    names = class_names or tuple("abcdefghijklmnop"[: shares.shape[1]])
    return Evaluation(votes, shares, decided, make_outcome(names), codes)


def random_evaluation(n_rows, n_classes=2, seed=0):
    """Votes that are correlated with the true classes."""
    random = np.random.RandomState(seed)
    codes = random.randint(n_classes, size=n_rows)
    if n_classes == 2:
        return evaluation(codes, np.round(random.randn(n_rows) * 4 + 6 * codes - 3).astype(int))
    votes = np.round(random.randn(n_rows, n_classes) * 4).astype(int)
    votes[np.arange(n_rows), codes] += 3
    return evaluation(codes, votes)
