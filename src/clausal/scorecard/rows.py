"""Rows of a user's table: a subset, the distinct rows with summed weights, and rows with labels and weights.

Not here: reading the values of a table (encoding/table.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

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
