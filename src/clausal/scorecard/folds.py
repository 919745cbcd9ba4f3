"""The folds of cross-validation: which rows are in the training part and which in the validation part.

Not here: what is trained and validated on them (validation.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.scorecard.calibration import Codes, Floats, Indices


@dataclass(frozen=True, eq=False)
class Split:
    """The weight of each row in the two parts of a split.

    Attributes
    ----------
    train, validation : float64 [n], 0 where a row is not in the part
    """

    train: Floats
    validation: Floats


def stratified_folds(
    codes: Codes,
    weights: Floats,
    n_folds: int,
    seed: int,
    n_kept: int | None = None,
    *,
    of_numbers: bool = False,
) -> list[Split]:
    """Stratified folds of distinct rows. The only row of a class is always in the training part.

    Rows are dealt to the folds in random order, class by class, and a row of weight w like w equal rows: its
    copies are dealt one by one, and so are both in training and in validation parts. That is how equal rows
    of a random sample are found in new data. A fraction of a weight goes with one of the copies.

    Of the `n_folds` folds, the first `n_kept` are returned; None for all. `of_numbers`: the classes are
    thirds of numbers, of which messages say nothing.
    """
    rng = np.random.default_rng(seed)
    validation = [np.zeros(len(codes)) for _ in range(n_folds if n_kept is None else n_kept)]
    start = 0
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        copies = np.maximum(np.floor(weights[rows]), 1.0).astype(np.intp)
        if copies.sum() < 2:
            continue
        dealt = np.repeat(rows, copies)
        rng.shuffle(dealt)
        for fold, own in enumerate(validation):
            np.add.at(own, dealt[(fold - start) % n_folds :: n_folds], 1.0)
        fractions = weights[rows] - copies
        if fractions.any():
            _, first = np.unique(dealt, return_index=True)  # of each row, in ascending order
            for fold, own in enumerate(validation):
                theirs = (start + first) % n_folds == fold
                own[rows[theirs]] += fractions[theirs]
        start += len(dealt)
    splits = [Split(np.maximum(weights - own, 0.0), own) for own in validation if own.any()]
    if not splits and of_numbers:  # three classes at most, of one row each
        raise ValueError(
            "X must have at least 4 rows of weight above 0 to predict a number, so that some of them can be "
            f"held out. Got {np.count_nonzero(weights)}."
        )
    if not splits:
        raise ValueError(
            "X must have at least two rows of one class, so that one of them can be held out. "
            f"Got {len(codes)} row(s) in {len(np.unique(codes))} classes."
        )
    return splits


class Splits:
    """The constraint of a `cv` parameter that is not a number of folds."""

    def accepts(self, value: object) -> bool:
        """Whether the value is a splitter or a list."""
        return isinstance(value, (list, tuple)) or (hasattr(value, "split") and not isinstance(value, str))

    def __str__(self) -> str:
        return "a scikit-learn splitter or a list of pairs (train, test) of row positions"


def user_folds(
    cv: Any,
    codes: NDArray[np.integer],
    weights: Floats,
    number: Indices,
    owner: str,
    *,
    of_numbers: bool = False,
) -> list[Split]:
    """The folds of a splitter or a list of pairs, as splits of the distinct rows.

    Parameters
    ----------
    cv : the splitter or list
    codes, weights : of each row of the table [n]
    number : the index of each row of the table among the distinct ones [n]
    owner : the class with this parameter, for messages
    of_numbers : whether the classes are thirds of numbers, or halves
    """
    parameter = f"The 'cv' parameter of {owner}"
    n_distinct, splits = int(number.max()) + 1, []
    for pair in _pairs(cv, codes, parameter):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(f"{parameter} must contain pairs (train, test). Got {type(pair).__name__}.")
        train, test = (_positions(side, len(codes), parameter) for side in pair)
        both = np.intersect1d(train, test)
        if len(both):
            raise ValueError(
                f"{parameter} must have disjoint train and test rows. Got row {both[0]} in both."
            )
        if of_numbers and len(np.unique(codes[train[weights[train] > 0]])) < 2:
            raise ValueError(
                f"{parameter} must leave numbers of at least two of the lowest, the middle and the highest "
                "third in each training part. Got a training part with numbers of one."
            )
        split = Split(
            *(
                np.bincount(number[rows], weights[rows], n_distinct).astype(np.float64)
                for rows in (train, test)
            )
        )
        if split.validation.any():
            splits.append(split)
    if len(splits) < 2:
        raise ValueError(
            f"{parameter} must have at least two splits with test rows of weight above 0. Got {len(splits)}."
        )
    return splits


def _pairs(cv: Any, codes: NDArray[np.integer], parameter: str) -> list[Any]:
    """The splits of a splitter, or the list itself."""
    if not hasattr(cv, "split"):
        return list(cv)
    try:
        return list(cv.split(np.zeros(len(codes)), codes))
    except ValueError as error:
        raise ValueError(
            f"{parameter} must be a splitter that needs nothing but y, or a list of pairs (train, test) of "
            f"row positions. Got {type(cv).__name__}, which raised: {error}"
        ) from error


def _positions(side: Any, n_rows: int, parameter: str) -> Indices:
    rows = np.asarray(side)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(rows) == 0:
        found = f"an array of shape {rows.shape} and type {rows.dtype}"
        raise ValueError(f"{parameter} must list row positions, at least one per side. Got {found}.")
    if rows.min() < 0 or rows.max() >= n_rows:
        wrong = rows.min() if rows.min() < 0 else rows.max()
        raise ValueError(f"{parameter} must list row positions from 0 to {n_rows - 1}. Got {wrong}.")
    return np.unique(rows).astype(np.intp)
