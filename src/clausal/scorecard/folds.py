"""The folds of cross-validation: which rows are in the training part and which in the validation part.

Not here: what is trained and validated on them (validation.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.scorecard.logistic import Floats, Indices
from clausal.scorecard.rows import DistinctRows

_LARGE_SHARE = 0.1  # of the weight of a class, in one row with all its copies


@dataclass(frozen=True, eq=False)
class Split:
    """The weight of each row in the two parts of a split.

    Attributes
    ----------
    train, validation : float64 [n], 0 where a row is not in the part
    """

    train: Floats
    validation: Floats


def stratified_folds(codes: Indices, weights: Floats, n_folds: int, seed: int) -> list[Split]:
    """Stratified folds of distinct rows. The only row of a class is always in the training part.

    A row is in one fold with all its copies, unless it has a tenth of the weight of its class or more. The
    copies of such a row are distributed over the folds. Otherwise data with few distinct rows could not be
    validated.
    """
    rng = np.random.default_rng(seed)
    fold_of, start = np.full(len(codes), -1, np.intp), 0
    distributed: dict[int, Floats] = {}
    for code in np.unique(codes):
        rows = rng.permutation(np.flatnonzero(codes == code))
        heavy = weights[rows] >= max(2.0, _LARGE_SHARE * weights[rows].sum())
        for row in rows[heavy].tolist():
            distributed[row] = _distribute(float(weights[row]), n_folds, start)
            start += int(weights[row])
        if len(rows) > 1:
            light = rows[~heavy]
            fold_of[light] = (start + np.arange(len(light))) % n_folds
            start += len(light)
    splits = []
    for fold in range(n_folds):
        validation = np.where(fold_of == fold, weights, 0.0)
        for row, weight_in in distributed.items():
            validation[row] = weight_in[fold]
        if validation.any():
            splits.append(Split(weights - validation, validation))
    if not splits:
        raise ValueError(
            "X must have at least two rows of one class, so that one of them can be held out. "
            f"Got {len(codes)} row(s) in {len(np.unique(codes))} classes."
        )
    return splits


def _distribute(weight: float, n_folds: int, start: int) -> Floats:
    """Split a weight into n_folds integers that differ by at most 1; fold `start` also gets the fraction."""
    integer = int(weight)
    weight_in = np.full(n_folds, float(integer // n_folds))
    weight_in[(start + np.arange(integer % n_folds)) % n_folds] += 1.0
    weight_in[start % n_folds] += weight - integer
    return weight_in


class Splits:
    """The constraint of a `cv` parameter that is not a number of folds."""

    def accepts(self, value: object) -> bool:
        """Whether the value is a splitter or a list."""
        return isinstance(value, (list, tuple)) or (hasattr(value, "split") and not isinstance(value, str))

    def __str__(self) -> str:
        return "a scikit-learn splitter or a list of pairs (train, test) of row positions"


def user_folds(
    cv: Any, codes: NDArray[np.integer], weights: Floats, distinct: DistinctRows, owner: str
) -> list[Split]:
    """The folds of a splitter or a list of pairs, as splits of the distinct rows.

    Parameters
    ----------
    cv : the splitter or list
    codes, weights : of each row of the table [n]
    distinct : the distinct rows of the table
    owner : the class with this parameter, for messages
    """
    parameter = f"The 'cv' parameter of {owner}"
    number, n_distinct, splits = distinct.number, len(distinct.codes), []
    for pair in _pairs(cv, codes, parameter):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(f"{parameter} must contain pairs (train, test). Got {type(pair).__name__}.")
        train, test = (_positions(side, len(codes), parameter) for side in pair)
        both = np.intersect1d(train, test)
        if len(both):
            raise ValueError(
                f"{parameter} must have disjoint train and test rows. Got row {both[0]} in both."
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
            f"{parameter} must be a splitter that needs only the classes, or a list of pairs (train, test) "
            f"of row positions. Got {type(cv).__name__}, which raised: {error}"
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
