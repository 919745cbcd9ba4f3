"""The rows that the searches use: all of them or, of a large table, a sample by class.

In a large table, rows of one class with equal boolean columns are merged first; their weights are added. If
too many are left, all rows of rare classes are kept and a part of the others, with weights that keep the
total weight of each class. Nothing depends on the order of the rows, and a row of weight w counts as w equal
rows.
Not here: the distinct rows of a user's table (rows.py), the search (search.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.scorecard.logistic import Floats, Indices, Targets
from clausal.scorecard.rows import LabeledRows, take_rows

MAX_SEARCHED_ROWS = 50_000
_MERGED_FROM = 10_000  # with fewer rows, merging is not worth its time
_BLOCK_ROWS = 65_536  # encoded at a time


@dataclass(frozen=True, eq=False)
class SearchRows:
    """Rows to search.

    Attributes
    ----------
    bits : uint8 [k, columns], their boolean columns
    targets : their labels and weights
    n_rows : int, the number of training rows that they were made from
    """

    bits: NDArray[np.uint8]
    targets: Targets
    n_rows: int

    @classmethod
    def of(
        cls, rows: LabeledRows, encoding: Encoding, seed: int, max_rows: int = MAX_SEARCHED_ROWS
    ) -> SearchRows:
        """The rows to search; a sample if more than `max_rows` are distinct."""
        n_rows = len(rows.codes)
        if n_rows <= min(max_rows, _MERGED_FROM):
            return cls(encoding.dense_bits(rows.X), rows.targets, n_rows)
        packed = _packed_bits(rows.X, n_rows, encoding)
        first, weights, counts = _merge(packed, rows.codes, rows.weights)
        codes = rows.codes[first]
        sampled, weights = sample_by_class(codes, weights, max_rows, seed)
        bits = np.unpackbits(packed[first[sampled]], axis=1, count=len(encoding.columns))
        targets = Targets.of(codes[sampled], rows.outcome, weights)
        return cls(bits, targets, int(counts[sampled].sum()))


def _packed_bits(X: Any, n_rows: int, encoding: Encoding) -> NDArray[np.uint8]:
    """The boolean columns of a table, eight to a byte, in whole words of 8 bytes."""
    packed = np.zeros((n_rows, 8 * -(-len(encoding.columns) // 64)), np.uint8)
    for start in range(0, n_rows, _BLOCK_ROWS):
        block = np.arange(start, min(start + _BLOCK_ROWS, n_rows))
        bits = np.packbits(encoding.dense_bits(take_rows(X, block)), axis=1)
        packed[block, : bits.shape[1]] = bits
    return packed


def _merge(packed: NDArray[np.uint8], codes: Indices, weights: Floats) -> tuple[Indices, Floats, Indices]:
    """Distinct rows by class and content: the first row of each, its total weight, and its number of rows."""
    words = packed.view(np.uint64)
    order = np.lexsort((*words.T, codes))
    words, codes = words[order], codes[order]
    is_new = np.append(True, (words[1:] != words[:-1]).any(axis=1) | (codes[1:] != codes[:-1]))
    starts = np.flatnonzero(is_new)
    return order[starts], np.add.reduceat(weights[order], starts), np.diff(starts, append=len(order))


# --- a sample by class ---


def sample_by_class(codes: Indices, weights: Floats, n_rows: int, seed: int) -> tuple[Indices, Floats]:
    """At most `n_rows` rows and their new weights; the total weight of each class stays the same.

    Each class gets an equal share of the rows. What a rare class does not need goes to the other classes.

    Parameters
    ----------
    codes, weights : of each row [n], in an order that does not depend on the order of the table
    n_rows : the maximum
    seed : of the choice
    """
    if len(codes) <= n_rows:
        return np.arange(len(codes)), weights
    rng = np.random.default_rng(seed)
    counts = np.bincount(codes)
    taken, new_weights, left = [], np.zeros(len(codes)), n_rows
    by_size = np.argsort(counts, kind="stable")
    for index, code in enumerate(by_size.tolist()):
        share = left // (len(by_size) - index)
        rows = np.flatnonzero(codes == code)
        if len(rows) > share:
            chosen, chosen_weights = _sample(weights[rows], share, rng)
            rows = rows[chosen]
            new_weights[rows] = chosen_weights
        else:
            new_weights[rows] = weights[rows]
        taken.append(rows)
        left -= len(rows)
    sampled = np.sort(np.concatenate(taken))
    return sampled, new_weights[sampled]


def _sample(weights: Floats, n_rows: int, rng: np.random.Generator) -> tuple[Indices, Floats]:
    """At most `n_rows` of more rows, and their weights, which sum to the total of the given weights.

    A row is drawn with a probability in proportion to its weight, and all drawn rows get the same weight.
    Rows that are heavier than that are always taken and keep their weight.
    """
    heavy = np.zeros(len(weights), bool)
    while True:
        weight = weights[~heavy].sum() / (n_rows - heavy.sum())
        heavier = ~heavy & (weights >= weight)
        if not heavier.any():
            break
        heavy |= heavier
    light = rng.permutation(np.flatnonzero(~heavy))
    ends = np.cumsum(weights[light])
    targets = (rng.random() + np.arange(n_rows - heavy.sum())) * weight
    draws = np.searchsorted(ends, targets, side="right").clip(max=len(light) - 1)
    drawn, times = np.unique(light[draws], return_counts=True)
    rows = np.concatenate([np.flatnonzero(heavy), drawn])
    return rows, np.concatenate([weights[heavy], weight * times])
