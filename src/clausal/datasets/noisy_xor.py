"""The noisy XOR data, made at random: two features decide, the rest distract, some labels are wrong.

Not here: real data sets, each of which has its own file.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from clausal.datasets.table import check_arguments
from clausal.parameters import Instance, Number, OneOf, Whole

Seed = int | np.random.RandomState | None
SEED = (Whole(0, 2**32 - 1), Instance(np.random.RandomState, "a RandomState"), OneOf(None))


def make_noisy_xor(
    n_samples: int = 5000, *, n_features: int = 12, noise: float = 0.4, random_state: Seed = None
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Make random bits whose label is the XOR of the first two, with a share of the labels flipped.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows, at least 1.
    n_features : int, default=12
        Number of bits in a row, at least 2; all but the first two have nothing to do with the label.
    noise : float, default=0.4
        Probability, from 0 to 1, that a row's label is flipped. Use 0 for a clean test set.
    random_state : int, RandomState or None, default=None
        Seed; an int gives the same data on every call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), uint8
        Zeros and ones.
    y : ndarray of shape (n_samples,), int64
        Labels 0 and 1.

    Examples
    --------
    >>> make_noisy_xor(100, random_state=0)[0].shape
    (100, 12)
    """
    check_arguments(
        "make_noisy_xor",
        n_samples=(n_samples, (Whole(1),)),
        n_features=(n_features, (Whole(2),)),
        noise=(noise, (Number(0, 1),)),
        random_state=(random_state, SEED),
    )
    generator: np.random.RandomState = check_random_state(random_state)
    X = generator.randint(0, 2, size=(n_samples, n_features), dtype=np.uint8)  # (n_samples, n_features)
    flipped = generator.random_sample(n_samples) < noise  # (n_samples,)
    y = (X[:, 0] ^ X[:, 1] ^ flipped).astype(np.int64)
    return X, y
