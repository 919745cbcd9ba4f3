"""Which rows an epoch visits, how often and in which order, and which rows a fit holds out.

In `fit` both are functions of the rows' content, their weights, the seed and the epoch, never of the order in
which the rows were given: an integer weight gives the very model that repeating the row gives, and weight 0
the one that leaving it out gives. `partial_fit` visits rows as they come. Not here: held-out data that the
user gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausal.engine import random_stream
from clausal.engine.random_stream import CHANCE_BITS, Purpose, child_key, halves, words

Weights = NDArray[np.float64]
Shuffled = Callable[[NDArray[np.int64], NDArray[np.uint64]], NDArray[np.int64]]


class EpochOrder:
    """The visits of each epoch of `fit` over one table."""

    def __init__(
        self,
        literals: NDArray[np.uint64],
        targets: NDArray[np.int32],
        weights: Weights | None,
        seed: int,
        shuffled: Shuffled = random_stream.shuffled,
    ) -> None:
        self._seed, self._shuffled = seed, shuffled
        self._rows = rows_by_content(literals, targets, weights)
        self._weights = None if weights is None else weights[self._rows]
        if self._weights is not None and np.all(self._weights == np.floor(self._weights)):
            self._rows, self._weights = np.repeat(self._rows, self._weights.astype(np.int64)), None

    @property
    def n_visits(self) -> float:
        """Visits of an epoch, on average."""
        return len(self._rows) if self._weights is None else float(self._weights.sum())

    def visits(self, epochs: range) -> list[NDArray[np.int64]]:
        """For each epoch, row indices in visiting order."""
        indices = np.arange(epochs.start, epochs.stop, dtype=np.uint64)
        keys = words(np.uint64(child_key(self._seed, Purpose.ORDER)), indices)
        if self._weights is None:
            return list(self._shuffled(self._rows, keys))
        return [
            self._shuffled(np.repeat(self._rows, self._drawn_counts(epoch)), keys[[i]])[0]
            for i, epoch in enumerate(epochs)
        ]

    def _drawn_counts(self, epoch: int) -> NDArray[np.int64]:
        """How often an epoch visits each row."""
        assert self._weights is not None
        # Only rows whose weight is not whole draw, so that other rows do not move their draws.
        whole = self._weights == np.floor(self._weights)
        draws = np.zeros(len(self._rows), np.uint64)
        draws[~whole] = halves(child_key(self._seed, Purpose.REPEAT, epoch), int((~whole).sum()))
        return _counts(self._weights, draws)


def rows_by_content(
    literals: NDArray[np.uint64], targets: NDArray[np.int32], weights: Weights | None
) -> NDArray[np.int64]:
    """The rows of weight above 0 in an order that depends on what they hold, not on where they stand."""
    content = _content(literals, targets)
    if weights is None:
        return np.argsort(content, kind="stable").astype(np.int64, copy=False)
    rows = np.lexsort((weights, content)).astype(np.int64, copy=False)
    return rows[weights[rows] > 0]


def visits_in_order(weights: Weights | None, n_rows: int, seed: int, first_row: int) -> NDArray[np.int64]:
    """The visits of `partial_fit`; `first_row` rows came before, so that chunks do not matter."""
    rows = np.arange(n_rows, dtype=np.int64)
    if weights is None:
        return rows
    key = np.uint64(child_key(seed, Purpose.ROW_REPEAT))
    draws = words(key, (rows + first_row).astype(np.uint64)) >> np.uint64(CHANCE_BITS)
    return np.repeat(rows, _counts(weights, draws))


def _counts(weights: Weights, draws: NDArray[np.uint64]) -> NDArray[np.int64]:
    """floor(w) visits, and one more with probability w - floor(w)."""
    whole = np.floor(weights)
    chance = np.rint((weights - whole) * 2.0**CHANCE_BITS).astype(np.uint64)
    return whole.astype(np.int64) + (draws < chance)


def _content(literals: NDArray[np.uint64], targets: NDArray[np.int32]) -> NDArray[np.uint64]:
    """A 64-bit summary of each row and its target: equal rows agree, others practically never."""
    summary = words(np.uint64(0), targets.astype(np.uint64))
    for column in literals.T:
        summary = words(summary, column)
    return summary


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the rows.

    Attributes
    ----------
    rows : int64 [n], row indices
    weights : float64 [n], or None where every row weighs 1
    """

    rows: NDArray[np.int64]
    weights: Weights | None


def hold_out(
    rows: NDArray[np.int64],
    targets: NDArray[np.int32],
    weights: Weights | None,
    fraction: float,
    seed: int,
) -> tuple[Part, Part]:
    """The rows to train on and those to hold out.

    A row of a whole-number weight is as many rows, which may fall on both sides. Raises ValueError where
    either side would lack a class.

    Parameters
    ----------
    rows : the rows to divide, in an order that does not depend on where they stand in the table
    targets : of all rows
    weights : of all rows
    fraction : the share to hold out, above 0 and below 1
    seed : of the choice
    """
    from sklearn.model_selection import train_test_split  # slow to import, and seldom needed

    copies, are_whole = rows, weights is not None and bool(np.all(weights == np.floor(weights)))
    if weights is not None and are_whole:
        copies = np.repeat(rows, weights[rows].astype(np.int64))
    train, test = train_test_split(copies, test_size=fraction, stratify=targets[copies], random_state=seed)
    if weights is None:
        return Part(train, None), Part(test, None)
    if are_whole:
        return _counted(train), _counted(test)
    return Part(train, weights[train]), Part(test, weights[test])


def _counted(copies: NDArray[np.int64]) -> Part:
    rows, counts = np.unique(copies, return_counts=True)
    return Part(rows, counts.astype(np.float64))
