"""Equal rows: what is held out as a whole, so that neither weights nor copies of a row are on both sides.

A row of weight 3 and three copies of it have the same effect, so a fit cannot tell whether equal rows of one
class are a single case that counts three times or three cases that look alike. It keeps them together, unless

- rows with the same values have several classes, which makes them several cases,
- they are all rows of their class, which would be on one side only (numbers may be),
- the table has at least half of the rows that its features allow, as with a few categories, or
- it has more than ten rows for each distinct one, more than weights can make.

In the last two, new rows are like rows that are there, and validation must not ask for rows that training has
not seen. Not here: how units are dealt to folds (choose_settings.py) or held out (train.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.encoding.patches import view_of
from clausal.engine.protocol import pack_bits
from clausal.machine.inputs import MAX_MEAN_WEIGHT, Weights
from clausal.machine.loop import row_contents, rows_by_content
from clausal.machine.read import Samples

_ROWS_PER_DISTINCT = MAX_MEAN_WEIGHT  # more than weights, which are scaled down to this mean, can make


class Units(NamedTuple):
    """What is held out as a whole, in an order that depends only on what the rows hold.

    Attributes
    ----------
    rows : int64 [n], for each unit a row, which may be that of others too
    weights : float64 [n], above 0
    """

    rows: NDArray[np.int64]
    weights: NDArray[np.float64]

    def take(self, which: NDArray[np.integer] | NDArray[np.bool_]) -> Units:
        """Some of the units."""
        return Units(self.rows[which], self.weights[which])

    @property
    def merged(self) -> Units:
        """Each row once, with the sum of its weights."""
        rows, index = np.unique(self.rows, return_inverse=True)
        return Units(rows, np.bincount(index, self.weights).astype(np.float64, copy=False))


class _Cells(NamedTuple):
    """Rows of weight above 0, sorted so that equal rows of one class, a cell, follow each other.

    Attributes
    ----------
    rows : int64 [n]
    weights : float64 [n]
    starts : intp [cells], the position of the first row of each
    """

    rows: NDArray[np.int64]
    weights: NDArray[np.float64]
    starts: NDArray[np.intp]

    @property
    def cell(self) -> NDArray[np.intp]:
        """The cell of each row, [n]."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.rows)))

    @property
    def totals(self) -> NDArray[np.float64]:
        """The sum of the weights of each cell."""
        totals: NDArray[np.float64] = np.add.reduceat(self.weights, self.starts)
        return totals


def _cells(samples: Samples) -> _Cells:
    rows = rows_by_content(samples.literals, samples.codes, samples.weights)
    content = row_contents(samples.literals, samples.codes)[rows]
    starts = np.flatnonzero(np.r_[True, content[1:] != content[:-1]])
    return _Cells(rows, np.ones(len(rows)) if samples.weights is None else samples.weights[rows], starts)


def without_common_factor(samples: Samples) -> Samples:
    """The samples, with weights that are as small as their proportions allow: 2 and 3 instead of 4 and 6.

    So weights that are all the same, and as many copies of all rows, are no weights and no copies.
    """
    cells = _cells(samples)
    totals = cells.totals
    factor = _common_factor(totals)
    if factor == 1:
        return samples
    weights = np.zeros(len(samples.codes))
    weights[cells.rows[cells.starts]] = np.rint(totals / factor)
    return replace(samples, weights=weights)


def _common_factor(totals: NDArray[np.float64]) -> float:
    """A number that all are whole multiples of: the largest of whole ones, or the smallest total; else 1."""
    if _are_whole(totals).all():
        return float(np.gcd.reduce(totals.astype(np.int64)))
    smallest = float(totals.min())
    multiples = totals / smallest
    return smallest if np.allclose(multiples, np.rint(multiples), rtol=1e-9, atol=0) else 1.0


def units_of(samples: Samples, encoding: Encoding) -> Units:
    """The units of rows of weight above 0."""
    cells = _cells(samples)
    counts = np.where(_are_whole(cells.weights), cells.weights, 1.0)
    apart = np.zeros(len(cells.rows), bool)
    if counts.sum() > len(cells.starts):
        apart = _are_apart(samples, encoding, cells, float(counts.sum()))[cells.cell]
    is_first = np.zeros(len(cells.rows), bool)
    is_first[cells.starts] = True
    times = np.where(apart, counts, is_first).astype(np.int64)
    weights = np.where(apart, cells.weights / counts, cells.totals[cells.cell])
    return Units(np.repeat(cells.rows, times), np.repeat(weights, times))


def _are_apart(samples: Samples, encoding: Encoding, cells: _Cells, n_rows: float) -> NDArray[np.bool_]:
    """Whether the rows of each cell are cases of their own."""
    firsts = cells.rows[cells.starts]
    distinct, codes = samples.literals[firsts], samples.codes[firsts]
    index, n_classes = np.unique(_hashes(distinct), return_inverse=True, return_counts=True)[1:]
    n_distinct = len(n_classes)
    if n_rows > _ROWS_PER_DISTINCT * n_distinct or _allow_at_most(2 * n_distinct, distinct, encoding):
        return np.ones(len(cells.starts), bool)
    apart: NDArray[np.bool_] = n_classes[index] > 1
    return apart if samples.numbers is not None else apart | (np.bincount(codes)[codes] == 1)


def _allow_at_most(most: int, literals: NDArray[np.uint64], encoding: Encoding) -> bool:
    """Whether the values of the features in these rows make at most so many different rows."""
    if view_of(encoding) is not None:
        return False  # images are many
    n_possible = 1
    for feature in range(encoding.n_features):
        columns = np.zeros(encoding.n_columns, bool)
        columns[encoding.column_slice(feature)] = True
        mask = pack_bits(columns)
        words = np.flatnonzero(mask)
        n_possible *= len(np.unique(_hashes(literals[:, words] & mask[words])))
        if n_possible > most:
            return False
    return True


def _hashes(literals: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return row_contents(literals, np.zeros(len(literals), np.int32))


def _are_whole(weights: Weights) -> NDArray[np.bool_]:
    whole: NDArray[np.bool_] = weights == np.floor(weights)
    return whole
