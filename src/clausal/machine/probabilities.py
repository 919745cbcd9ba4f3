"""From votes to the machine's own estimate of class probabilities (docs/algorithm.md); no calibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def binary_probabilities(votes: NDArray[np.int64], threshold: int) -> Floats:
    """[n, 2] from the votes [n] of one bank: the vote settles near T (2 q - 1) for probability q."""
    positive = np.clip((1.0 + (votes + 0.5) / (threshold + 0.5)) / 2.0, 0.0, 1.0)
    return np.column_stack([1.0 - positive, positive])


def multiclass_probabilities(votes: NDArray[np.int64], threshold: int, scale: int) -> Floats:
    """[n, K] from the votes [n, K] of K banks.

    A bank sees its own class always and the others one time in K - 1, so with true probability r it settles
    at q = r / (r + (1 - r) / (K - 1)); that is solved for r. Beyond T the vote's share approaches 1 without
    reaching it, so that a higher vote is always a higher probability.
    """
    votes_, threshold_ = votes / scale, threshold / scale
    n_classes = votes.shape[1]
    q = (1.0 + votes_ / (np.maximum(np.abs(votes_), threshold_) + 1.0)) / 2.0
    r = q / (q + (n_classes - 1) * (1.0 - q))
    shares: Floats = r / r.sum(axis=1, keepdims=True)
    return shares
