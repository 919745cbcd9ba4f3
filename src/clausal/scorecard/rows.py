"""Rows of a user's table: a subset, the distinct rows with summed weights, and rows with labels and weights.

Also here: the rows that the searches use. In a large table, rows of one class with equal boolean columns are
merged first; their weights are added. If too many are left, all rows of rare classes are kept and a part of
the others, with weights that keep the sum of each class. Not here: reading the values of a table
(encoding/table.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.encoding.table import SparseTable, read_table
from clausal.machine.classifier import TsetlinClassifier
from clausal.outcome import Outcome
from clausal.progress import Advance
from clausal.scorecard.candidates import train_machines
from clausal.scorecard.logistic import Floats, Indices, Targets

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

    @property
    def targets(self) -> Targets:
        """The labels as targets of a logistic regression."""
        return Targets.of(self.codes, self.outcome, self.weights)

    def train(
        self, machines: list[TsetlinClassifier], seed: int, advance: Advance
    ) -> list[TsetlinClassifier]:
        """Clones of the machines, fitted on these rows; `advance` is called after each of them."""
        weights = None if (self.weights == 1).all() else self.weights
        return train_machines(machines, self.X, self.classes[self.codes], weights, seed, advance)


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
    table, header = read_table(X, None, "RuleClassifier")
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


MAX_SEARCHED_ROWS = 50_000
_MERGED_FROM = 10_000  # with fewer rows, merging is not worth its time
_ENCODED_ROWS = 65_536  # encoded at a time


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
            return cls(encoding.plain_bits(rows.X, encoding.training_policy), rows.targets, n_rows)
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
    for start in range(0, n_rows, _ENCODED_ROWS):
        block = np.arange(start, min(start + _ENCODED_ROWS, n_rows))
        bits = np.packbits(encoding.plain_bits(take_rows(X, block), encoding.training_policy), axis=1)
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
