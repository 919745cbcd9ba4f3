"""Encoded rows with one small number per feature instead of a bit per literal: a table that stays in memory.

Rows on which the same literals of a feature hold share a bin of it. A feature of 24 cut points takes one byte
per row, its literals take six. Not here: the literals themselves (machine/read.py), the search on bins
(core/scorecard).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.engine.native import NativeSearchTable, bin_rows
from clausal.engine.protocol import pack_bits

_BLOCK_ROWS = 4096
_NARROW = 256  # bins that a byte can tell apart
_MOST_BINS = 65_535

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class BinnedRows:
    """Rows as bins.

    Attributes
    ----------
    bins : uint8 or uint16 [features, n], of the features with columns
    truth : uint8 [2 * columns of the feature, bins] for each of these features, 1 where a literal holds in a
        bin; the columns first, then their negations
    """

    bins: NDArray[Any]
    truth: list[Bytes]

    @classmethod
    def of(cls, literals: NDArray[np.uint64], encoding: Encoding) -> BinnedRows:
        """The rows of packed literals [n, words]."""
        bins, truth = bin_rows(literals, features_of(encoding))
        is_narrow = all(own.shape[1] <= _NARROW for own in truth)
        return cls(bins.astype(np.uint8) if is_narrow else bins, truth)

    def take(self, rows: NDArray[np.integer]) -> BinnedRows:
        """Some of the rows."""
        bins = np.empty((len(self.bins), len(rows)), self.bins.dtype)
        for own, taken in zip(self.bins, bins, strict=True):
            np.take(own, rows, out=taken)
        return BinnedRows(bins, self.truth)

    def differ(self, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether some rows differ from as many others, one by one."""
        result: NDArray[np.bool_] = (self.bins[:, one] != self.bins[:, other]).any(axis=0)
        return result

    def literals(self, rows: NDArray[np.integer]) -> NDArray[np.uint64]:
        """The packed literals of some rows."""
        n_columns = sum(len(own) // 2 for own in self.truth)
        parts = [np.zeros((0, (2 * n_columns + 63) // 64), np.uint64)]
        for start in range(0, len(rows), _BLOCK_ROWS):
            block = rows[start : start + _BLOCK_ROWS]
            true = [own.T[bins[block]] for own, bins in zip(self.truth, self.bins, strict=True)]
            parts.append(pack_bits(_side_by_side(true)))
        return np.concatenate(parts)

    def deciding(self, codes: NDArray[np.integer], n_classes: int) -> NDArray[np.bool_]:
        """Whether a literal holds on all rows of a class and on no other row, [classes, literals].

        `codes` [n] are the classes. Few rows are read first, as they nearly always show that there is none.
        """
        step = max(len(codes) // _BLOCK_ROWS, 1)
        found = self._deciding(codes, n_classes, step)
        return found if step == 1 or not found.any() else self._deciding(codes, n_classes, 1)

    def _deciding(self, codes: NDArray[np.integer], n_classes: int, step: int) -> NDArray[np.bool_]:
        """The same on every row that a step leads to."""
        found = []
        for bins, truth in zip(self.bins, self.truth, strict=True):
            occurs = np.zeros((n_classes, truth.shape[1]), bool)
            occurs[codes[::step], bins[::step]] = True
            false, true = (occurs @ (truth == value).T for value in (0, 1))  # of each class, on some row
            n_true = true.sum(axis=0)
            found.append(~false & (n_true - true == 0))
        return _side_by_side(found)

    def search_table(self, encoding: Encoding, begins: NDArray[np.bool_]) -> NativeSearchTable:
        """The rows for searches, which begin with some of the columns."""
        return NativeSearchTable.of_bins(self.bins, self.truth, features_of(encoding), begins)


def _side_by_side(literals: list[NDArray[Any]]) -> NDArray[Any]:
    """The literals [n, 2 * columns] of each feature in one array, all columns before all negations."""
    halves = [np.split(own, 2, axis=1) for own in literals]
    return np.hstack([*(half[0] for half in halves), *(half[1] for half in halves)])


class BinnedPart(NamedTuple):
    """Some rows of a table as bins, and a hash of the literals of each, uint64 [n]."""

    rows: BinnedRows
    keys: NDArray[np.uint64]

    @classmethod
    def of(cls, encoding: Encoding, literals: NDArray[np.uint64]) -> BinnedPart:
        """The rows of packed literals [n, words]."""
        return cls(BinnedRows.of(literals, encoding), content_keys(literals))


def content_keys(literals: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of the literals of each row."""
    keys = np.zeros(len(literals), np.uint64)
    for word in literals.T:
        keys = (keys ^ word) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def features_of(encoding: Encoding) -> NDArray[np.uint32]:
    """The feature of each column."""
    return np.array([column.feature_index for column in encoding.columns], np.uint32)


def join(parts: Iterable[BinnedRows], n_rows: int) -> BinnedRows:
    """The rows of all parts, of which there is at least one, `n_rows` in total, with common bins."""
    bins: NDArray[Any] = np.empty((0, n_rows), np.uint8)
    known: list[dict[bytes, int]] = []
    start = 0
    for part in parts:
        stop = start + part.bins.shape[1]
        known = known or [{} for _ in part.truth]
        lookups = [_lookup(own, truth) for own, truth in zip(known, part.truth, strict=True)]
        if not len(bins):
            bins = np.empty((len(lookups), n_rows), np.uint8)
        if bins.dtype == np.uint8 and max(map(len, known), default=0) > _NARROW:
            bins = bins.astype(np.uint16)
        for own, lookup, found in zip(bins, lookups, part.bins, strict=True):
            own[start:stop] = lookup[found]
        start = stop
    return BinnedRows(bins, [_truth(own) for own in known])


def _lookup(known: dict[bytes, int], truth: Bytes) -> NDArray[np.uint16]:
    """The common bin of each bin of a part; new ones are added to those known, by what is true in them."""
    found = [known.setdefault(own.tobytes(), len(known)) for own in truth.T]
    if len(known) > _MOST_BINS:
        raise ValueError(f"A feature must have at most {_MOST_BINS} different values. Got more.")
    return np.array(found, np.uint16)


def _truth(known: dict[bytes, int]) -> Bytes:
    return np.ascontiguousarray(np.array([np.frombuffer(own, np.uint8) for own in known]).T)
