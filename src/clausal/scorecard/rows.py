"""Rows of a user's table: a subset, the distinct rows with summed weights, and rows with labels and weights.

`SearchRows` are distinct after encoding, for scorecards; `DistinctRows` before, for the tuner, whose trials
have different encodings. Not here: reading the values of a table (encoding/table.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.encoding.records import ColumnTable
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.table import in_memory, read_table
from clausal.engine.native import NativeSearchTable
from clausal.engine.protocol import pack_bits, unpack_bits
from clausal.engine.random_stream import Purpose, child_key, words
from clausal.outcome import NumericOutcome, Outcome
from clausal.scorecard.bins import BinnedPart, BinnedRows, join
from clausal.scorecard.calibration import Codes, Floats, Indices
from clausal.scorecard.numbers import Numbers, NumberTarget

_BLOCK_ROWS = 4096  # of a sparse matrix that are dense at a time


def take_rows(X: Any, rows: Indices) -> Any:
    """Some rows of a data frame, array, sparse matrix or list of rows, in the same kind of container."""
    if isinstance(X, ColumnTable):
        return X.take(rows)
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


class MachineRows(NamedTuple):
    """The rows on which machines are trained, which provide clauses: all of them, or a sample of many.

    Attributes
    ----------
    rows : intp [m], their positions, ascending
    literals : uint64 [m, words], of the encoding of machines
    decides : bool [classes, literals], whether a literal holds on all rows of a class, also of those that
        are not in the sample, and on no other row
    """

    rows: Indices
    literals: NDArray[np.uint64]
    decides: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SearchRows:
    """Encoded rows that differ in class or literals, in an order that depends only on their content.

    Columns of the table that have no literals, such as an ignored ID, make no difference.

    Attributes
    ----------
    codes : int32 [k], their classes
    weights : float64 [k], summed over equal rows, above 0
    encoding : of the literals
    outcome : what votes mean
    table : the rows as searches read them
    for_machines : the rows of machines
    class_factors : float64 [classes], by which class weights have multiplied `weights`; None for no factors
    first : the encoding of machines, whose columns searches begin with; None for `encoding`. The other
        columns are further cut points, to which those of a rule may move.
    numbers : the numbers to predict, by which the rows differ, too; None if classes are predicted. `codes`
        are then those of the classes low, middle and high, which machines learn
    machine_outcome : what the votes of machines mean; None for `outcome`
    """

    codes: Codes
    weights: Floats
    encoding: Encoding
    outcome: Outcome
    table: NativeSearchTable
    for_machines: MachineRows
    class_factors: Floats | None = None
    first: Encoding | None = None
    numbers: Numbers | None = None
    machine_outcome: Outcome | None = None

    @classmethod
    def of(
        cls,
        parts: Iterable[BinnedPart],
        codes: NDArray[np.integer],
        weights: Floats,
        encoding: Encoding,
        target: Outcome | NumberTarget,
        first: Encoding | None = None,
    ) -> tuple[SearchRows, Indices]:
        """The distinct rows of all parts, with class codes [n] and weights [n].

        Also the index [n] of each row of the table among them; 0 for rows of weight 0, which are not among
        them. `target` is what votes mean, or the numbers to predict, which rise with the codes.
        """
        keys = np.empty(len(codes), np.uint64)
        binned = join(_with_keys(parts, keys), len(codes))
        numbers, outcome = (target, target.classes) if isinstance(target, NumberTarget) else (None, target)
        labels = codes if numbers is None else np.unique(numbers.values, return_inverse=True)[1]
        order = _order_by_content(binned, keys, labels, weights)
        is_new = np.append(True, _differ(binned, keys, labels, order))
        number = np.zeros(len(codes), np.intp)
        number[order] = np.cumsum(is_new) - 1
        kept = order[is_new]
        del order, is_new
        sums = np.bincount(number, weights, len(kept)).astype(np.float64)
        binned, own_codes = binned.take(kept), codes[kept].astype(np.int32)
        begins = _begins(encoding, first)
        sample = sample_rows(keys[kept], own_codes, MOST_MACHINE_ROWS)
        decides = binned.deciding(own_codes, len(outcome.classes))[:, np.tile(begins, 2)]
        for_machines = MachineRows(sample, _with_columns(binned.literals(sample), begins), decides)
        table = binned.search_table(encoding, begins)
        rows = cls(own_codes, sums, encoding, outcome, table, for_machines, first=first)
        if numbers is not None:
            own = Numbers.of(numbers.values[kept], sums, numbers.loss)
            rows = replace(rows, outcome=NumericOutcome(), numbers=own, machine_outcome=outcome)
        return rows, number

    @property
    def targets(self) -> Floats:
        """What a search finds scores for, [banks, k]."""
        if self.numbers is not None:
            return self.numbers.targets
        return np.ascontiguousarray(self.outcome.shares(self.codes).T)

    @property
    def begins(self) -> NDArray[np.bool_]:
        """Whether a search begins with a column, [columns]."""
        return _begins(self.encoding, self.first)

    @property
    def classes(self) -> NDArray[Any]:
        """The class labels in order."""
        return self.outcome.classes

    @property
    def n_sampled(self) -> int | None:
        """The number of rows of machines if these are a sample; None if they are all."""
        n_rows = len(self.for_machines.rows)
        return n_rows if n_rows < len(self.codes) else None

    def with_weights(self, weights: Floats, class_factors: Floats | None = None) -> SearchRows:
        """The same rows with other weights [k]."""
        return replace(self, weights=weights, class_factors=class_factors)


def _begins(encoding: Encoding, first: Encoding | None) -> NDArray[np.bool_]:
    if first is None:
        return np.ones(encoding.n_columns, bool)
    columns = set(first.columns)
    return np.array([column in columns for column in encoding.columns])


def _with_columns(literals: NDArray[np.uint64], columns: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The literals of some columns."""
    if columns.all():
        return literals
    return pack_bits(unpack_bits(literals, 2 * len(columns))[:, np.tile(columns, 2)])


def _with_keys(parts: Iterable[BinnedPart], keys: NDArray[np.uint64]) -> Iterator[BinnedRows]:
    """The rows of the parts; their keys are put into an array of all."""
    start = 0
    for part in parts:
        keys[start : start + len(part.keys)] = part.keys
        start += len(part.keys)
        yield part.rows


def _order_by_content(
    binned: BinnedRows, keys: NDArray[np.uint64], codes: NDArray[np.integer], weights: Floats
) -> Indices:
    """The rows of weight above 0 by class and key, so that equal ones are next to each other."""
    weighted = np.flatnonzero(weights > 0)
    all_rows = len(weighted) == len(codes)
    own = (keys, codes) if all_rows else (keys[weighted], codes[weighted])
    order: Indices = np.lexsort(own)
    order = order if all_rows else weighted[order]
    same = np.flatnonzero((np.diff(keys[order]) == 0) & (np.diff(codes[order]) == 0))
    if binned.differ(order[same + 1], order[same]).any():  # two different rows have the same key
        return weighted[np.lexsort((*binned.literals(weighted).T, codes[weighted]))]
    return order


def _differ(
    binned: BinnedRows, keys: NDArray[np.uint64], codes: NDArray[np.integer], order: Indices
) -> NDArray[np.bool_]:
    """Whether each row, from the second on, differs from the one before."""
    differ: NDArray[np.bool_] = (np.diff(keys[order]) != 0) | (np.diff(codes[order]) != 0)
    same = np.flatnonzero(~differ)
    differ[same] = binned.differ(order[same + 1], order[same])
    return differ


# --- rows for machines ---

MOST_MACHINE_ROWS = 131_072
"""Machines are trained on all rows up to this number of distinct ones, else on a sample of that size."""


def sample_rows(keys: NDArray[np.uint64], codes: Codes, n_most: int) -> Indices:
    """The positions, ascending, of at most `n_most` rows: those with the smallest draws in each class.

    The draw of a row depends on its key only, so it does not matter where the row is, and samples of the
    parts of a table can be joined: the sample of the table is among them. One half of the rows is dealt out
    to the classes in equal numbers, the other in proportion to theirs.
    """
    if len(keys) <= n_most:
        return np.arange(len(keys))
    draws = words(np.uint64(child_key(0, Purpose.SAMPLE)), keys)
    counts = np.bincount(codes)
    quotas = n_most // (2 * np.count_nonzero(counts)) + n_most // 2 * counts // counts.sum()
    taken = []
    for code, quota in enumerate(np.minimum(quotas, counts).tolist()):
        rows = np.flatnonzero(codes == code)
        taken.append(rows if quota == len(rows) else rows[np.argsort(draws[rows], kind="stable")[:quota]])
    return np.sort(np.concatenate(taken))
