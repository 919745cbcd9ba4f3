"""From a table, or a stack of samples, that has been read to packed literals, on the backend of the settings.

Not here: what a fit reads, in which parts (read.py), and what the literals mean (encoding).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from clausal.encoding.batches import Batches
from clausal.encoding.encoding import Encoding
from clausal.encoding.patches import PatchRows
from clausal.encoding.remarks import Unseen, rows_of
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.table import Table
from clausal.encoding.values import Policy, UnseenValueError
from clausal.engine.backends import Backend, backend_named
from clausal.engine.protocol import pack_bits

Literals = NDArray[np.uint64]


class EncodedRows(NamedTuple):
    """The literals of rows, or samples, uint64 [n, words], and the values that were not seen in training."""

    literals: Literals
    unseen: tuple[Unseen, ...] = ()

    @property
    def unseen_rows(self) -> NDArray[np.intp]:
        """The rows with values that were not seen in training."""
        return rows_of(self.unseen)


def encode_read(
    settings: Any, encoding: Encoding, table: Table | SparseTable, used: Collection[int] | None = None
) -> EncodedRows:
    """Like `encode_table`, for a table in memory that has been read, without a warning."""
    if isinstance(table, PatchRows):
        return EncodedRows(table.words)
    if isinstance(table, SparseTable):
        return EncodedRows(packed(settings, None, lambda: encoding.table_bits(table, encoding.policy)))
    try:  # there are unseen values in few tables
        return EncodedRows(encode(settings, encoding, table, encoding.policy.strict, used))
    except UnseenValueError:
        unseen = encoding.unseen(table, used)
    literals = encode(settings, encoding, table, encoding.policy.matching_no_column, used)
    _clear_negations(literals, encoding, unseen)
    return EncodedRows(literals, unseen)


def encode(
    settings: Any, encoding: Encoding, table: Table, policy: Policy, used: Collection[int] | None
) -> Literals:
    """The literals of a table with any policy, uint64 [n, words]."""
    batches = encoding.batches(table, policy, used=used)
    return packed(settings, batches, lambda: encoding.table_bits(table, policy, used))


def _clear_negations(literals: Literals, encoding: Encoding, unseen: Sequence[Unseen]) -> None:
    """Set the negated literals of unseen values to 0; those that are not negated are 0 already."""
    n_columns = encoding.n_columns
    for each in unseen:
        kept = np.ones(2 * n_columns, bool)
        kept[n_columns:][encoding.column_slice(each.feature)] = False
        literals[each.rows] &= pack_bits(kept)


def packed(settings: Any, batches: Batches | None, bits: Callable[[], Any]) -> Literals:
    """Literals from what a compiled encoder takes or, where it declines, from boolean columns.

    The plain way also finds the words for values that the compiled encoder refused.
    """
    backend, n_threads = backend_of(settings), thread_count(settings)
    if batches is not None and backend.encode is not None:
        literals = backend.encode(batches, n_threads)
        if literals is not None:
            return literals
    columns = bits()
    if hasattr(columns, "indptr"):  # a sparse matrix stays one
        return backend.pack_csr(columns.indptr, columns.indices, columns.shape[1], n_threads)
    return backend.pack(columns, n_threads)


def backend_of(settings: Any) -> Backend:
    """The backend that the parameter names."""
    return backend_named(str(settings.backend))


def thread_count(settings: Any) -> int:
    """The number of threads that `n_jobs` asks for."""
    return int(effective_n_jobs(settings.n_jobs))
