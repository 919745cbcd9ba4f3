"""Where to cut an ordered feature: distinct values with their weights, quantile gaps, short numbers.

Everything is a function of the weighted multiset of values: row order does not matter, an integer weight
equals repeated rows. Not here: what a cut becomes (features.py).
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIGITS = 20  # decimal digits that suffice to lie between any two float64
_EXACT = Context(prec=1000)  # more digits than the sum of any two float64 has
_ONE, _TWO = Decimal(1), Decimal(2)
_UNDECIDED = np.inf  # a count that is left to exact arithmetic
_POWERS = np.array([float(f"1e{power}") for power in range(-300, 301)])  # of ten; _POWERS[300] is 1
_MOST_EXPONENT = 300 - _DIGITS


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
    nearest = np.where(wanted - below[lower] <= np.abs(below[upper] - wanted), lower, upper)  # ascending
    first = np.ones(max_columns, dtype=bool)
    np.not_equal(nearest[1:], nearest[:-1], out=first[1:])
    chosen: NDArray[np.intp] = nearest[first]
    return chosen


def _capped_at_one_part(totals: NDArray[np.float64], n_parts: int) -> NDArray[np.float64]:
    """The weights, scaled, with every value heavier than an equal part of the others counted as one part."""
    rest, parts = totals.sum(), totals * n_parts
    heavy: NDArray[np.bool_] = parts > rest
    while heavy.any():
        rest, parts = totals[~heavy].sum(), totals * (n_parts - int(heavy.sum()))
        heavier = ~heavy & (parts > rest)
        if not heavier.any():
            return np.where(heavy, rest, parts)
        heavy |= heavier
    return parts


def short_cuts(lows: NDArray[Any], highs: NDArray[Any]) -> list[float]:
    """For each gap between float64 numbers, a readable cut point t with low <= t < high; shapes (g,).

    Between two whole numbers it is `low`. Otherwise it is the number strictly inside the gap with the fewest
    significant decimal digits, one ending in 5 preferred, then the one nearest to the middle, the smaller on
    a tie. Wherever the gap is wide enough, everything that float32 would round to the same number as `low`
    lies at or below the cut, and everything it would round to the same as `high` above.
    """
    starts, stops = _room(lows, highs)
    whole = (lows == np.rint(lows)) & (highs == np.rint(highs))
    open_ = np.flatnonzero(~whole & (starts < stops))  # else there is no float64 strictly inside
    cuts: list[float] = lows.tolist()
    found = _shortest_of_many(starts[open_], stops[open_], lows[open_], highs[open_])
    for place, cut in zip(open_.tolist(), found, strict=True):
        cuts[place] = cut
    return cuts


def _room(lows: NDArray[Any], highs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where a cut may lie: from start, included, to stop, excluded; shapes (g,).

    The widest demand that leaves any room: neither neighbour changes sides when any float64 that rounds to
    the same float32 takes its place; or when its float32 does; or just strictly inside.
    """
    with np.errstate(over="ignore"):  # beyond float32's range the neighbours round to infinity
        low32, high32 = lows.astype(np.float32), highs.astype(np.float32)
        above, below = np.nextafter(low32, np.float32(np.inf)), np.nextafter(high32, np.float32(-np.inf))
    inside = np.nextafter(lows, np.inf)
    starts, stops = inside, highs
    for start, stop in (
        (low32.astype(np.float64), high32.astype(np.float64)),
        ((low32 + above.astype(np.float64)) / 2, (high32 + below.astype(np.float64)) / 2),
    ):
        start, stop = np.maximum(start, inside), np.minimum(stop, highs)
        fits = start < stop
        starts, stops = np.where(fits, start, starts), np.where(fits, stop, stops)
    return starts, stops


def _shortest_of_many(
    starts: NDArray[Any], stops: NDArray[Any], lows: NDArray[Any], highs: NDArray[Any]
) -> list[float]:
    """What `_shortest` returns for each gap; in float64 wherever rounding cannot matter."""
    largest = np.maximum(np.abs(starts), np.abs(stops)).tolist()
    exponents = np.array([math.floor(math.log10(number)) + 1 for number in largest], dtype=np.int64)
    counts = np.full(len(starts), _UNDECIDED)
    left = np.flatnonzero(np.abs(exponents) < _MOST_EXPONENT)
    for _ in range(_DIGITS):
        if not len(left):
            break
        decided, found = _counts(starts[left], stops[left], lows[left] / 2 + highs[left] / 2, exponents[left])
        counts[left[decided]] = found[decided]
        left = left[np.isnan(found)]
        exponents[left] -= 1
    cuts = []
    gaps = (counts.tolist(), exponents.tolist(), *(a.tolist() for a in (starts, stops, lows, highs)))
    for count, exponent, start, stop, low, high in zip(*gaps, strict=True):
        cut = stop if count == _UNDECIDED else float(f"{5 * int(count)}e{exponent - 1}")
        cuts.append(cut if cut < stop else _shortest(start, stop, low, high))
    return cuts


def _counts(
    starts: NDArray[Any], stops: NDArray[Any], middles: NDArray[Any], exponents: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which gaps are decided at these exponents, and each one's count as in `_shortest`.

    The count is NaN where no number of so few digits lies in the gap; a gap that is undecided though it has a
    count is one where rounding might matter.
    """
    scale = _POWERS[300 - exponents]  # 10**-exponent
    low_ends, high_ends, middles = starts * scale * 2, stops * scale * 2, middles * scale
    firsts, lasts = np.ceil(low_ends), np.ceil(high_ends) - 1
    evens, most = firsts + firsts % 2, lasts - lasts % 2
    nearest = np.clip(2 * np.rint(middles), evens, np.maximum(most, evens))
    found = np.where(evens > most, firsts, nearest)
    sure = _far_from_whole(low_ends) & _far_from_whole(high_ends)
    sure &= (evens >= most) | ((np.abs(middles) < 1e6) & (np.abs(middles % 1.0 - 0.5) > 1e-6))
    empty = sure & (firsts > lasts)
    found[empty] = np.nan
    return sure & ~empty, found


def _far_from_whole(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether rounding up is the same for all numbers within a few float64 of each."""
    size = np.abs(numbers)
    far: NDArray[np.bool_] = (np.abs(numbers - np.rint(numbers)) > 1e-14 * size + 1e-300) & (size < 2.0**45)
    return far


def _shortest(start: float, stop: float, low: float, high: float) -> float:
    """The cut in [start, stop), for the gap from `low` to `high`; every comparison is exact."""
    (above, above_parts), (below, below_parts) = start.as_integer_ratio(), stop.as_integer_ratio()
    top = math.floor(math.log10(max(abs(start), abs(stop)))) + 1
    for exponent in range(top, top - _DIGITS, -1):
        # Count in halves of 10**exponent: an even count is a multiple of it, an odd one ends in 5.
        up, down = (2 * 10**-exponent, 1) if exponent < 0 else (2, 10**exponent)
        first = -(-above * up // (above_parts * down))
        last = -(-below * up // (below_parts * down)) - 1
        if first > last:
            continue
        count, most = first + first % 2, last - last % 2
        if count > most:
            count = first
        elif count < most:
            count = min(max(_nearest_even(low, high, exponent), count), most)
        cut = float(f"{5 * count}e{exponent - 1}")
        if cut < stop:  # the decimal number lies below, yet its float64 may have been rounded up
            return cut
    return start


def _nearest_even(low: float, high: float, exponent: int) -> int:
    """The middle in halves of 10**exponent, rounded to an even count, the smaller on a tie.

    The middle as printed, not as stored: 0.1 is the decimal 0.1 here, though its float64 is a little more.
    """
    rough = (low / 2 + high / 2) * float(f"1e{-exponent}")
    if abs(rough) < 1e6 and abs(rough % 1.0 - 0.5) > 1e-6:  # far from any tie: rounding cannot matter
        return 2 * round(rough)
    both = _EXACT.add(Decimal(repr(low)), Decimal(repr(high))).scaleb(-exponent, _EXACT)
    return 2 * math.ceil(_EXACT.divide(_EXACT.subtract(both, _ONE), _TWO))
