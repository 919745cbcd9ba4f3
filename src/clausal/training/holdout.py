"""Rows held out of a fit for early stopping: the same share of every class, whatever the order of the rows.

Not here: held-out data that the user gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the rows.

    Attributes
    ----------
    rows : int64 [n], row indices
    weights : float64 [n], or None where every row weighs 1
    """

    rows: NDArray[np.int64]
    weights: Weights | None


def hold_out(
    rows: NDArray[np.int64],
    targets: NDArray[np.int32],
    weights: Weights | None,
    fraction: float,
    seed: int,
) -> tuple[Part, Part]:
    """The rows to train on and those to hold out.

    A row of a whole-number weight is as many rows, which may fall on both sides. Raises ValueError where
    either side would lack a class.

    Parameters
    ----------
    rows : the rows to divide, in an order that does not depend on where they stand in the table
    targets : of all rows
    weights : of all rows
    fraction : the share to hold out, above 0 and below 1
    seed : of the choice
    """
    from sklearn.model_selection import train_test_split  # slow to import, and seldom needed

    copies, are_whole = rows, weights is not None and bool(np.all(weights == np.floor(weights)))
    if weights is not None and are_whole:
        copies = np.repeat(rows, weights[rows].astype(np.int64))
    train, test = train_test_split(copies, test_size=fraction, stratify=targets[copies], random_state=seed)
    if weights is None:
        return Part(train, None), Part(test, None)
    if are_whole:
        return _counted(train), _counted(test)
    return Part(train, weights[train]), Part(test, weights[test])


def _counted(copies: NDArray[np.int64]) -> Part:
    rows, counts = np.unique(copies, return_counts=True)
    return Part(rows, counts.astype(np.float64))
