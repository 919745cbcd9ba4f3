"""Rows of a user's table: a subset, the distinct rows with summed weights, and rows with labels and weights.

`SearchRows` are distinct after encoding, for scorecards; `DistinctRows` before, for the tuner, whose trials
have different encodings. Not here: reading the values of a table (encoding/table.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.table import in_memory, read_table
from clausal.engine.protocol import pack_bits, unpack_bits
from clausal.outcome import Outcome
from clausal.scorecard.calibration import Floats, Indices

_BLOCK_ROWS = 4096  # of a sparse matrix that are dense at a time


def take_rows(X: Any, rows: Indices) -> Any:
    """Some rows of a data frame, array, sparse matrix or list of rows, in the same kind of container."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[rows.tolist()].to_native()
    if isinstance(X, (list, tuple)):
        return [X[row] for row in rows.tolist()]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return np.asarray(X)[rows]


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """Training rows with class codes and weights above 0.

    Attributes
    ----------
    X : the table
    codes : intp [n]
    weights : float64 [n]
    outcome : what votes mean
    """

    X: Any
    codes: Indices
    weights: Floats
    outcome: Outcome

    def take(self, rows: Indices) -> LabeledRows:
        """Some of the rows."""
        return LabeledRows(take_rows(self.X, rows), self.codes[rows], self.weights[rows], self.outcome)

    def with_weights(self, weights: Floats) -> LabeledRows:
        """The rows with these weights [n], without those of weight 0."""
        rows = np.flatnonzero(weights > 0)
        return LabeledRows(take_rows(self.X, rows), self.codes[rows], weights[rows], self.outcome)

    @property
    def classes(self) -> NDArray[Any]:
        """The class labels in order."""
        return self.outcome.classes


# --- distinct rows ---


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The distinct rows of a table, in an order that depends only on their content.

    Attributes
    ----------
    X : table of k rows
    codes : intp [k], their classes
    weights : float64 [k], summed over equal rows, above 0
    number : intp [n], the index of each row of the table among the distinct rows; 0 for rows of weight 0,
        which are not among them
    """

    X: Any
    codes: Indices
    weights: Floats
    number: Indices

    @classmethod
    def of(cls, X: Any, codes: NDArray[np.integer], weights: Floats) -> DistinctRows:
        """The distinct rows of a table of n rows with class codes [n] and weights [n]."""
        weighted = np.flatnonzero(weights > 0)
        group = number_rows(X, codes)[weighted]
        _, first, index = np.unique(group, return_index=True, return_inverse=True)
        number = np.zeros(len(codes), np.intp)
        number[weighted] = index
        rows = weighted[first]
        sums = np.bincount(number, weights, len(rows)).astype(np.float64)
        return cls(take_rows(X, rows), codes[rows].astype(np.intp), sums, number)


def number_rows(X: Any, codes: NDArray[np.integer]) -> Indices:
    """The rank [n] of each row among the distinct rows, sorted by class and values; equal rows share one.

    The rank depends neither on the order of the rows nor on how often a row occurs.
    """
    group: Indices = np.unique(codes, return_inverse=True)[1]
    for values in _ranks(X):
        if group.max() + 1 == len(group):
            break  # all rows differ already, so that their order is final
        group = np.unique(group * (values.max() + 1) + values, return_inverse=True)[1]
    return group


def _ranks(X: Any) -> Iterator[Indices]:
    """For each feature, the rank [n] of its values, 0 if missing; for a sparse matrix, that of its rows."""
    read, header = read_table(X, None, "RuleClassifier")
    table = in_memory(read)
    if isinstance(table, SparseTable):
        blocks = range(0, table.n_rows, _BLOCK_ROWS)
        dense = (table.matrix[start : start + _BLOCK_ROWS].toarray() for start in blocks)
        packed = np.concatenate([np.packbits(block, axis=1) for block in dense])
        yield np.unique(packed, axis=0, return_inverse=True)[1].reshape(-1)
        return
    for index in range(table.n_features):
        feature = table.feature(index, f"x{index}" if header.names is None else header.names[index])
        ranks = np.zeros(table.n_rows, np.intp)
        present = ~feature.missing
        ranks[present] = np.unique(feature.values[present], return_inverse=True)[1] + 1
        yield ranks


# --- distinct encoded rows ---


@dataclass(frozen=True, eq=False)
class SearchRows:
    """Encoded rows that differ in class or literals, in an order that depends only on their content.

    Columns of the table that have no literals, such as an ignored ID, make no difference.

    Attributes
    ----------
    literals : uint64 [k, words]
    codes : intp [k], their classes
    weights : float64 [k], summed over equal rows, above 0
    number : intp [n], the index of each row of the table among them; 0 for rows of weight 0, which are not
        among them
    encoding : of the literals
    outcome : what votes mean
    class_factors : float64 [classes], by which class weights have multiplied `weights`; None for no factors
    first : the encoding of machines, whose columns searches begin with; None for `encoding`. The other
        columns are further cut points, to which those of a rule may move.
    """

    literals: NDArray[np.uint64]
    codes: Indices
    weights: Floats
    number: Indices
    encoding: Encoding
    outcome: Outcome
    class_factors: Floats | None = None
    first: Encoding | None = None

    @classmethod
    def of(
        cls,
        literals: NDArray[np.uint64],
        codes: NDArray[np.integer],
        weights: Floats,
        encoding: Encoding,
        outcome: Outcome,
        first: Encoding | None = None,
    ) -> SearchRows:
        """The distinct rows of literals [n, words] with class codes [n] and weights [n]."""
        weighted = np.flatnonzero(weights > 0)
        order = weighted[_order_by_content(_taken(literals, weighted), codes[weighted])]
        words, sorted_codes = literals[order], codes[order]
        is_new = np.append(True, (words[1:] != words[:-1]).any(axis=1) | (np.diff(sorted_codes) != 0))
        number = np.zeros(len(codes), np.intp)
        number[order] = np.cumsum(is_new) - 1
        starts = np.flatnonzero(is_new)
        sums = np.bincount(number[weighted], weights[weighted], len(starts)).astype(np.float64)
        own_codes = sorted_codes[starts].astype(np.intp)
        return cls(_taken(words, starts), own_codes, sums, number, encoding, outcome, first=first)

    @cached_property
    def begins(self) -> NDArray[np.bool_]:
        """Whether a search begins with a column, [columns]."""
        if self.first is None:
            return np.ones(self.encoding.n_columns, bool)
        first = set(self.first.columns)
        return np.array([column in first for column in self.encoding.columns])

    @cached_property
    def first_literals(self) -> NDArray[np.uint64]:
        """The literals [k, words] of the encoding of machines."""
        if self.first is None:
            return self.literals
        return pack_bits(unpack_bits(self.literals, 2 * len(self.begins))[:, np.tile(self.begins, 2)])

    @property
    def classes(self) -> NDArray[Any]:
        """The class labels in order."""
        return self.outcome.classes

    def with_weights(self, weights: Floats, class_factors: Floats | None = None) -> SearchRows:
        """The same rows with other weights [k]."""
        return replace(self, weights=weights, class_factors=class_factors)


def _taken(literals: NDArray[np.uint64], rows: Indices) -> NDArray[np.uint64]:
    """Some rows, ascending; not copied if these are all, as large tables would not fit into memory twice."""
    return literals if len(rows) == len(literals) else literals[rows]


def _order_by_content(literals: NDArray[np.uint64], codes: NDArray[np.integer]) -> Indices:
    """An order of rows by class and a hash of their literals; equal rows are next to each other."""
    hashes = np.zeros(len(codes), np.uint64)
    for word in literals.T:
        hashes = (hashes ^ word) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    order: Indices = np.lexsort((hashes, codes))
    same_hash = np.flatnonzero((np.diff(hashes[order]) == 0) & (np.diff(codes[order]) == 0))
    if (literals[order[same_hash + 1]] != literals[order[same_hash]]).any():
        return np.lexsort((*literals.T, codes))  # two different rows have the same hash
    return order
