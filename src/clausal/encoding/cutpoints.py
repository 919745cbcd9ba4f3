"""Where to cut an ordered feature: distinct values with their weights, quantile gaps, short numbers.

Everything is a function of the weighted multiset of values: row order does not matter, an integer weight
equals repeated rows. Not here: what a cut becomes (features.py).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_DIGITS = 18  # decimal digits after which no shorter number can separate two float64


def distinct_with_weights(
    keys: NDArray[np.generic], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.generic], NDArray[np.float64]]:
    """The distinct keys in order, shape (m,), and the sum of each one's weights, shape (m,)."""
    if weights is None:
        distinct, counts = np.unique(keys, return_counts=True)
        return distinct, counts.astype(np.float64)
    # Equal keys are summed in order of weight, so that rounding cannot depend on the order of rows.
    order = np.lexsort((weights, keys))
    keys, weights = keys[order], weights[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[starts], np.add.reduceat(weights, starts)


def chosen_gaps(totals: NDArray[np.float64], max_columns: int) -> NDArray[np.intp]:
    """Which gaps between neighbouring distinct values to cut, ascending: gap i lies between i and i + 1.

    All of them when there are at most `max_columns`; else those whose share of weight below is nearest to
    1, 2, ... `max_columns` parts of `max_columns + 1`, the lower gap on a tie. A value heavier than a part
    counts as just one part (a column of amounts is often mostly zeros), so that the rest is cut as finely
    as can be. Two shares may meet at one gap, so fewer than `max_columns` may be returned, but never none.
    """
    n_gaps = len(totals) - 1
    if n_gaps <= max_columns:
        return np.arange(n_gaps, dtype=np.intp)
    # Products, not quotients: whole-number weights stay exact, and repeated rows give identical numbers.
    cumulated = np.cumsum(_capped_at_one_part(totals, max_columns + 1))
    below = cumulated[:-1] * (max_columns + 1)
    wanted = cumulated[-1] * np.arange(1, max_columns + 1)
    upper = np.minimum(np.searchsorted(below, wanted), n_gaps - 1)
    lower = np.maximum(upper - 1, 0)
    nearest = np.where(wanted - below[lower] <= np.abs(below[upper] - wanted), lower, upper)
    return np.unique(nearest).astype(np.intp)


def _capped_at_one_part(totals: NDArray[np.float64], n_parts: int) -> NDArray[np.float64]:
    """The weights, scaled, with every value heavier than an equal part of the others counted as one part."""
    heavy = np.zeros(len(totals), dtype=bool)
    while True:
        rest, rest_parts = totals[~heavy].sum(), n_parts - int(heavy.sum())
        heavier = ~heavy & (totals * rest_parts > rest)
        if not heavier.any():
            return np.where(heavy, rest, totals * rest_parts)
        heavy |= heavier


def short_cut(low: float, high: float) -> float:
    """A cut point t with low <= t < high that a person can read.

    Between two whole numbers it is `low`. Otherwise it is the number with the fewest significant decimal
    digits, one ending in 5 preferred, then the one nearest to the middle, the smaller on a tie.
    """
    if low.is_integer() and high.is_integer():
        return low
    if low <= 0 < high:
        return 0.0
    # As printed, not as stored: 0.1 is the decimal 0.1 here, though its float64 is a little more.
    printed_low, printed_high = Fraction(repr(low)), Fraction(repr(high))
    top = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for exponent in range(top, top - _DIGITS - 2, -1):
        for step in (Fraction(10) ** exponent, Fraction(10) ** exponent / 2):
            cut = _multiple_between(printed_low, printed_high, step)
            # The decimal number lies below `high`, yet its float64 may have been rounded up to it.
            if cut is not None and low <= float(cut) < high:
                return float(cut)
    return low


def _multiple_between(low: Fraction, high: Fraction, step: Fraction) -> Fraction | None:
    """The multiple of `step` in [low, high) nearest to the middle, the smaller on a tie, if there is one."""
    first, last = math.ceil(low / step), math.ceil(high / step) - 1
    if first > last:
        return None
    middle = math.ceil((low + high) / (2 * step) - Fraction(1, 2))
    return min(max(middle, first), last) * step
