"""Cut points of an ordered feature: distinct values with their weights, gaps at quantiles, short numbers.

All results depend on the values and their total weights only: the order of rows does not matter, and an
integer weight is equivalent to repeated rows. Not here: the columns made from cut points (features.py).
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Key = TypeVar("Key", bound=np.generic)

FLOAT32_EXACT = 2**24
"""Whole numbers up to this are exact as float32."""

_DIGITS = 20  # there is a decimal number of this many digits between any two float64
_EXACT = Context(prec=1000)  # more digits than the sum of any two float64 has
_ONE, _TWO = Decimal(1), Decimal(2)
_CODE_WEIGHT, _CODE_DISTANCE = 10, 5  # times those of most numbers
_FEWEST_NUMBERS = 10  # that are no codes; with fewer, none is "most"
_UNDECIDED = np.inf  # marks a count that needs exact arithmetic
_POWERS = np.array([float(f"1e{power}") for power in range(-300, 301)])  # of ten; _POWERS[300] is 1
_MAX_EXPONENT = 300 - _DIGITS


def distinct_with_weights(
    keys: NDArray[Key], weights: NDArray[np.float64] | None
) -> tuple[NDArray[Key], NDArray[np.float64]]:
    """The distinct keys in order, shape (m,), and the total weight of each, shape (m,)."""
    if weights is None:
        distinct, counts = np.unique(keys, return_counts=True)
        return distinct, counts.astype(np.float64)
    # Weights are summed in sorted order, so that rounding does not depend on the order of rows.
    order = np.lexsort((weights, keys))
    keys, weights = keys[order], weights[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[starts], np.add.reduceat(weights, starts)


def are_codes(values: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of the distinct numbers, ascending, look like codes, such as -9 for "no answer"; shape (m,).

    A code is frequent (a hundredth of the weight, ten times that of most values) and far from every number
    that is not (five times as far as most numbers are from the next).
    """
    result = np.zeros(len(values), dtype=bool)
    frequent = (totals * 100 >= totals.sum()) & (totals >= _CODE_WEIGHT * np.median(totals))
    others = values[~frequent]
    if not frequent.any() or len(others) < _FEWEST_NUMBERS:
        return result
    candidates = values[frequent]
    above = np.minimum(np.searchsorted(others, candidates), len(others) - 1)
    below = np.maximum(np.searchsorted(others, candidates) - 1, 0)
    with np.errstate(over="ignore"):  # the largest numbers may be infinitely far apart
        distance = np.minimum(np.abs(others[above] - candidates), np.abs(others[below] - candidates))
        result[frequent] = distance >= _CODE_DISTANCE * np.median(np.diff(others))
    return result


def chosen_gaps(
    totals: NDArray[np.float64], max_columns: int, codes: NDArray[np.bool_] | None = None
) -> NDArray[np.intp]:
    """The gaps between consecutive distinct values to cut, ascending; gap i is between values i and i + 1.

    All gaps if there are at most `max_columns`. Otherwise the weight is divided into `max_columns + 1` equal
    parts, and each boundary between parts selects the nearest gap, the lower one on a tie. A value heavier
    than one part counts as exactly one part, so that the other values are cut as finely as possible (a column
    of amounts often consists mostly of zeros). So does a value that is a code (`are_codes`), however light,
    if there are few codes. Two boundaries may select the same gap, so the result may be shorter than
    `max_columns`, but it is never empty.
    """
    n_gaps = len(totals) - 1
    if n_gaps <= max_columns:
        return np.arange(n_gaps, dtype=np.intp)
    # Products instead of quotients: integer weights stay exact, and repeated rows give identical numbers.
    cumulative = np.cumsum(_capped_at_one_part(totals, max_columns + 1, codes))
    below = cumulative[:-1] * (max_columns + 1)
    boundaries = cumulative[-1] * np.arange(1, max_columns + 1)
    upper = np.minimum(np.searchsorted(below, boundaries), n_gaps - 1)
    lower = np.maximum(upper - 1, 0)
    is_lower = boundaries - below[lower] <= np.abs(below[upper] - boundaries)
    nearest = np.where(is_lower, lower, upper)  # ascending
    first = np.ones(max_columns, dtype=bool)
    np.not_equal(nearest[1:], nearest[:-1], out=first[1:])
    chosen: NDArray[np.intp] = nearest[first]
    return chosen


def gaps_of_columns(
    numbers: NDArray[np.float64], max_columns: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int]]:
    """The `chosen_gaps` of each column if every row weighs 1, in one pass over all of them.

    Parameters
    ----------
    numbers : [columns, n], without NaN
    max_columns : as in `chosen_gaps`

    Returns
    -------
    tuple of the values below and above each gap, column after column, and the number of gaps of each column
    """
    ordered = np.sort(numbers, axis=1)
    cut = ordered[:, 1:] != ordered[:, :-1]
    for column in np.flatnonzero(np.count_nonzero(cut, axis=1) > max_columns).tolist():
        ends = np.flatnonzero(cut[column])  # of the rows with the same value
        totals = np.diff(ends, prepend=-1, append=len(cut[column])).astype(np.float64)
        cut[column] = False
        codes = are_codes(ordered[column, np.append(ends, -1)], totals)
        cut[column, ends[chosen_gaps(totals, max_columns, codes)]] = True
    return ordered[:, :-1][cut], ordered[:, 1:][cut], np.count_nonzero(cut, axis=1).tolist()


def _capped_at_one_part(
    totals: NDArray[np.float64], n_parts: int, codes: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    """The weights, scaled; a value heavier than one of `n_parts` equal parts gets the weight of one part.

    So do codes, unless they would take more than a third of the parts.
    """
    rest, parts = totals.sum(), totals * n_parts
    heavy: NDArray[np.bool_] = parts > rest
    if codes is not None and 3 * int(codes.sum()) <= n_parts:
        heavy = heavy | codes
    while heavy.any():
        rest, parts = totals[~heavy].sum(), totals * (n_parts - int(heavy.sum()))
        heavier = ~heavy & (parts > rest)
        if not heavier.any():
            return np.where(heavy, rest, parts)
        heavy |= heavier
    return parts


def short_cuts(lows: NDArray[Any], highs: NDArray[Any]) -> list[float]:
    """For each gap between float64 numbers, a short cut point t with low <= t < high; shapes (g,).

    Between two whole numbers the cut point is `low`, unless float32 rounds `low`, or a whole number near it,
    to one on the other side (from 2**24 on). Otherwise it is the number strictly inside the gap with
    the fewest significant decimal digits. Among those, numbers ending in 5 are preferred, then the one
    nearest to the middle, then the smaller one. If the gap is wide enough, all numbers that round to the same
    float32 as `low` are at or below the cut point, and all that round to the float32 of `high` are above it.
    """
    whole = (lows == np.rint(lows)) & (highs == np.rint(highs))
    exact = np.maximum(np.abs(lows), np.abs(highs)) < FLOAT32_EXACT
    cuts: list[float] = lows.tolist()
    others = np.flatnonzero(~(whole & exact))
    if not len(others):
        return cuts
    lows, highs, whole = lows[others], highs[others], whole[others]
    starts, stops = _cut_ranges(lows, highs)
    # The others have no float64 strictly inside.
    open_ = np.flatnonzero(~(whole & (starts < lows + 1)) & (starts < stops))
    found = _shortest_of_many(starts[open_], stops[open_], lows[open_], highs[open_])
    for index, cut in zip(others[open_].tolist(), found, strict=True):
        cuts[index] = cut
    return cuts


def _cut_ranges(lows: NDArray[Any], highs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The range [start, stop) of valid cut points for each gap; shapes (g,).

    The first of these that is not empty: (1) the range in which every number that rounds to the same float32
    as `low` or `high` is on the same side of the cut point as `low` or `high`; (2) the range in which the
    float32 values of `low` and `high` are; (3) all numbers strictly inside the gap.
    """
    with np.errstate(over="ignore"):  # numbers beyond the range of float32 round to infinity
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
    """The result of `_shortest` for each gap, computed in float64 where rounding cannot change it."""
    largest = np.maximum(np.abs(starts), np.abs(stops)).tolist()
    exponents = np.array([math.floor(math.log10(number)) + 1 for number in largest], dtype=np.int64)
    counts = np.full(len(starts), _UNDECIDED)
    remaining = np.flatnonzero(np.abs(exponents) < _MAX_EXPONENT)
    middles = lows / 2 + highs / 2
    for _ in range(_DIGITS):
        if not len(remaining):
            break
        decided, found = _counts(
            starts[remaining], stops[remaining], middles[remaining], exponents[remaining]
        )
        counts[remaining[decided]] = found[decided]
        remaining = remaining[np.isnan(found)]
        exponents[remaining] -= 1
    cuts = []
    gaps = (counts.tolist(), exponents.tolist(), *(a.tolist() for a in (starts, stops, lows, highs)))
    for count, exponent, start, stop, low, high in zip(*gaps, strict=True):
        cut = stop if count == _UNDECIDED else float(f"{5 * int(count)}e{exponent - 1}")
        cuts.append(cut if cut < stop else _shortest(start, stop, low, high))
    return cuts


def _counts(
    starts: NDArray[Any], stops: NDArray[Any], middles: NDArray[Any], exponents: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which gaps are decided at these exponents, and the count of each as in `_shortest`.

    The count is NaN if the gap contains no number with this few digits. A gap that is undecided although it
    has a count is one where rounding might matter.
    """
    scale = _POWERS[300 - exponents]  # 10**-exponent
    low_ends, high_ends, middles = starts * scale * 2, stops * scale * 2, middles * scale
    firsts, lasts = np.ceil(low_ends), np.ceil(high_ends) - 1
    evens, last_evens = firsts + firsts % 2, lasts - lasts % 2
    nearest = np.clip(2 * np.rint(middles), evens, np.maximum(last_evens, evens))
    found = np.where(evens > last_evens, firsts, nearest)
    sure = _far_from_whole(low_ends) & _far_from_whole(high_ends)
    sure &= (evens >= last_evens) | ((np.abs(middles) < 1e6) & (np.abs(middles % 1.0 - 0.5) > 1e-6))
    empty = sure & (firsts > lasts)
    found[empty] = np.nan
    return sure & ~empty, found


def _far_from_whole(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each number rounds up to the same integer if it is changed by a few units in the last place."""
    size = np.abs(numbers)
    far: NDArray[np.bool_] = (np.abs(numbers - np.rint(numbers)) > 1e-14 * size + 1e-300) & (size < 2.0**45)
    return far


def _shortest(start: float, stop: float, low: float, high: float) -> float:
    """The cut point in [start, stop) for the gap from `low` to `high`, by exact comparisons."""
    start_ratio, stop_ratio = start.as_integer_ratio(), stop.as_integer_ratio()
    top = math.floor(math.log10(max(abs(start), abs(stop)))) + 1
    for exponent in range(top, top - _DIGITS, -1):
        # Count in units of 10**exponent / 2: an even count is a multiple of 10**exponent, an odd one ends
        # in 5. The integer divisions round up.
        up, down = (2 * 10**-exponent, 1) if exponent < 0 else (2, 10**exponent)
        first = -(-start_ratio[0] * up // (start_ratio[1] * down))
        last = -(-stop_ratio[0] * up // (stop_ratio[1] * down)) - 1
        if first > last:
            continue
        count, last_even = first + first % 2, last - last % 2
        if count > last_even:
            count = first
        elif count < last_even:
            count = min(max(_nearest_even(low, high, exponent), count), last_even)
        cut = float(f"{5 * count}e{exponent - 1}")
        if cut < stop:  # the decimal number is below `stop`, but its float64 may have been rounded up
            return cut
    return start


def _nearest_even(low: float, high: float, exponent: int) -> int:
    """The middle in units of 10**exponent / 2, rounded to an even count, the smaller one on a tie.

    `low` and `high` are taken as printed, not as stored: 0.1 is exactly 1/10, although its float64 is larger.
    """
    rough = (low / 2 + high / 2) * float(f"1e{-exponent}")
    if abs(rough) < 1e6 and abs(rough % 1.0 - 0.5) > 1e-6:  # not near a tie: rounding cannot matter
        return 2 * round(rough)
    both = _EXACT.add(Decimal(repr(low)), Decimal(repr(high))).scaleb(-exponent, _EXACT)
    return 2 * math.ceil(_EXACT.divide(_EXACT.subtract(both, _ONE), _TWO))
