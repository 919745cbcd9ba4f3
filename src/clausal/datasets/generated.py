"""The two data sets that are generated: balance scale, and noisy XOR with random bits.

Not here: data sets with files (embedded.py, bankruptcy.py).
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from clausal.datasets.data_set import FLAG, DataSet, check_arguments, integer, make_result
from clausal.parameters import Instance, Number, OneOf, Whole

# --- balance scale ---

BALANCE_FEATURES = tuple(
    integer(name) for name in ("left_weight", "left_distance", "right_weight", "right_distance")
)

BALANCE_DESCRIPTION = """\
Balance scale

Source: generated; equals UCI Machine Learning Repository, data set 12, Balance Scale, without class B.
License of the original: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: R. S. Siegler, whose experiments the data model; given to UCI by T. Hume.
Changes: the 49 rows where the scale stays in balance (class B) are removed, classes recoded to 0 and 1.
Rows: 576, none with a missing value: 288 of class 1, 288 of class 0.
Target: 1 = tips to the right (R), 0 = tips to the left (L): the larger product of weight and distance wins.
"""


def load_balance_scale(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Generate the balance scale data: 576 scales that tip, 4 features, 1 = tips to the right.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool, default=False
        Return data as a pandas DataFrame of int64 columns, target as a Series. Otherwise, data is a float64
        array.

    Returns
    -------
    sklearn.utils.Bunch or tuple
        A Bunch with data, target (int64), feature_names, target_names, category_names (empty), frame (None
        unless `as_frame`) and DESCR; or (data, target).

    Examples
    --------
    >>> load_balance_scale().data.shape
    (576, 4)
    """
    check_arguments("load_balance_scale", return_X_y=(return_X_y, FLAG), as_frame=(as_frame, FLAG))
    return make_result(_balance_data(), return_X_y=return_X_y, as_frame=as_frame)


def _balance_data() -> DataSet:
    scales = [scale for scale in product(range(1, 6), repeat=4) if _torque(scale) != 0]
    return DataSet(
        features=BALANCE_FEATURES,
        rows=[[str(value) for value in scale] for scale in scales],
        target=[_torque(scale) < 0 for scale in scales],
        target_names=("left", "right"),
        description=BALANCE_DESCRIPTION,
    )


def _torque(scale: tuple[int, ...]) -> int:
    """Left torque minus right torque."""
    left_weight, left_distance, right_weight, right_distance = scale
    return left_weight * left_distance - right_weight * right_distance


# --- noisy XOR ---

Seed = int | np.random.RandomState | None
SEED = (Whole(0, 2**32 - 1), Instance(np.random.RandomState, "a RandomState"), OneOf(None))


def make_noisy_xor(
    n_samples: int = 5000, *, n_features: int = 12, noise: float = 0.4, random_state: Seed = None
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Generate random bits with the XOR of the first two as label, and flip a share of the labels.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows, at least 1.
    n_features : int, default=12
        Number of bits per row, at least 2; all but the first two are independent of the label.
    noise : float, default=0.4
        Probability, from 0 to 1, that a label is flipped. Use 0 for a test set without noise.
    random_state : int, RandomState or None, default=None
        The random seed; an int gives the same data on every call.

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
