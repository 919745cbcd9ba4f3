"""Rows of a user's table: some of them, equal ones counted together, and which of them each fold holds out.

Not here: reading a table's values (encoding/table.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.encoding.table import SparseTable, read_table
from clausal.scorecard.logistic import Floats, Places

_BLOCK_ROWS = 4096  # of a sparse matrix made dense at a time
_LARGE_SHARE = 0.1  # of a class's weight, in one row with all its copies


# --- some rows, and equal ones ---


def take_rows(X: Any, rows: Places) -> Any:
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
class DistinctRows:
    """The different rows of a table, in an order that depends on what they hold alone.

    Attributes
    ----------
    X : table of k rows
    codes : intp [k], their classes
    weights : float64 [k], of all their copies together, above 0
    number : intp [n], which of them each row of the table is; 0 for rows of weight 0, which are left out
    """

    X: Any
    codes: Places
    weights: Floats
    number: Places

    @classmethod
    def of(cls, X: Any, codes: NDArray[np.integer], weights: Floats) -> DistinctRows:
        """Of a table of n rows with classes [n] and weights [n]."""
        counted = np.flatnonzero(weights > 0)
        found = number_rows(X, codes)[counted]
        _, first, among = np.unique(found, return_index=True, return_inverse=True)
        number = np.zeros(len(codes), np.intp)
        number[counted] = among
        rows = counted[first]
        summed = _summed(number, weights, len(rows))
        return cls(take_rows(X, rows), codes[rows].astype(np.intp), summed, number)


def number_rows(X: Any, codes: NDArray[np.integer]) -> Places:
    """The number [n] of each row among the different ones, ordered by class and values: equal rows share one.

    Neither the order of the rows nor how often one occurs changes which row is which.
    """
    group: Places = np.unique(codes, return_inverse=True)[1]
    for values in _ranks(X):
        if group.max() + 1 == len(group):
            break  # no two rows are equal, and their order stands
        group = np.unique(group * (values.max() + 1) + values, return_inverse=True)[1]
    return group


def _ranks(X: Any) -> Iterator[Places]:
    """For each feature the rank [n] of each row's value, 0 for missing; of a sparse matrix, of its rows."""
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
        there = ~feature.missing
        ranks[there] = np.unique(feature.values[there], return_inverse=True)[1] + 1
        yield ranks


# --- folds ---


@dataclass(frozen=True, eq=False)
class Split:
    """What each row counts on either side of a fold.

    Attributes
    ----------
    train, held : float64 [n], 0 where a row is left out
    """

    train: Floats
    held: Floats


def deal_folds(codes: Places, weights: Floats, n_folds: int, seed: int) -> list[Split]:
    """Folds over different rows, every class spread evenly; the only row of a class is never held out.

    A row, with all its copies, is in one fold. Only a row that makes up a tenth of its class or more is dealt
    out over several: what a table of few different rows says could not be validated otherwise.
    """
    rng = np.random.default_rng(seed)
    fold, start = np.full(len(codes), -1, np.intp), 0
    dealt: dict[int, Floats] = {}
    for code in np.unique(codes):
        own = rng.permutation(np.flatnonzero(codes == code))
        heavy = weights[own] >= max(2.0, _LARGE_SHARE * weights[own].sum())
        for row in own[heavy].tolist():
            dealt[row] = _dealt(float(weights[row]), n_folds, start)
            start += int(weights[row])
        if len(own) > 1:
            light = own[~heavy]
            fold[light] = (start + np.arange(len(light))) % n_folds
            start += len(light)
    splits = []
    for place in range(n_folds):
        held = np.where(fold == place, weights, 0.0)
        for row, parts in dealt.items():
            held[row] = parts[place]
        if held.any():
            splits.append(Split(weights - held, held))
    if not splits:
        raise ValueError(
            "X must hold two rows of at least one class, so that one can be held out. "
            f"Got {len(codes)} row(s) in {len(np.unique(codes))} classes."
        )
    return splits


def _dealt(weight: float, n_folds: int, start: int) -> Floats:
    """A weight in whole parts, [n_folds], as even as can be; what is left over goes to the first."""
    whole = int(weight)
    parts = np.full(n_folds, float(whole // n_folds))
    parts[(start + np.arange(whole % n_folds)) % n_folds] += 1.0
    parts[start % n_folds] += weight - whole
    return parts


class Splits:
    """The rule for a parameter that says how to cross-validate, other than by a number of folds."""

    def accepts(self, value: object) -> bool:
        """Whether the value is a splitter or a list."""
        return isinstance(value, (list, tuple)) or (hasattr(value, "split") and not isinstance(value, str))

    def __str__(self) -> str:
        return "a scikit-learn splitter or a list of pairs (train, test) of row positions"


def given_folds(
    cv: Any, codes: NDArray[np.integer], weights: Floats, distinct: DistinctRows, owner: str
) -> list[Split]:
    """The folds that a splitter or a list of pairs makes of a table's rows, in terms of its different rows.

    Parameters
    ----------
    cv : the splitter or list
    codes, weights : of each row of the table [n]
    distinct : its different rows
    owner : whose parameter it is, for messages
    """
    said = f"The 'cv' parameter of {owner}"
    number, n_distinct, splits = distinct.number, len(distinct.codes), []
    for pair in _pairs(cv, codes, said):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(f"{said} must list pairs (train, test). Got {type(pair).__name__}.")
        train, held = (_positions(side, len(codes), said) for side in pair)
        both = np.intersect1d(train, held)
        if len(both):
            raise ValueError(f"{said} must not hold out rows it trains on. Got row {both[0]} on both sides.")
        split = Split(*(_summed(number[rows], weights[rows], n_distinct) for rows in (train, held)))
        if split.held.any():
            splits.append(split)
    if len(splits) < 2:
        raise ValueError(f"{said} must hold out rows of weight above 0 at least twice. Got {len(splits)}.")
    return splits


def _pairs(cv: Any, codes: NDArray[np.integer], said: str) -> list[Any]:
    """What a splitter says, or the list itself."""
    if not hasattr(cv, "split"):
        return list(cv)
    try:
        return list(cv.split(np.zeros(len(codes)), codes))
    except ValueError as error:
        raise ValueError(
            f"{said} must be a splitter that needs the classes alone, or a list of pairs (train, test) of "
            f"row positions. Got {type(cv).__name__}, which says: {error}"
        ) from error


def _summed(numbers: Places, weights: Floats, n_distinct: int) -> Floats:
    return np.bincount(numbers, weights, n_distinct).astype(np.float64)


def _positions(side: Any, n_rows: int, said: str) -> Places:
    rows = np.asarray(side)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(rows) == 0:
        found = f"an array of shape {rows.shape} and type {rows.dtype}"
        raise ValueError(f"{said} must list row positions, at least one per side. Got {found}.")
    if rows.min() < 0 or rows.max() >= n_rows:
        wrong = rows.min() if rows.min() < 0 else rows.max()
        raise ValueError(f"{said} must list row positions from 0 to {n_rows - 1}. Got {wrong}.")
    return np.unique(rows).astype(np.intp)
