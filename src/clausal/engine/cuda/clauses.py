"""Finished clauses that vote on a GPU, also on arrays that are there already.

Clauses of patches vote on the CPU.

Not here: the kernels (core/cuda/votes.cu).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.patch_view import PatchView
from clausal.engine.cuda.device import DeviceArray, Memory, open_device
from clausal.engine.native import NativeClauses, pack_csr
from clausal.engine.protocol import ClauseLists, Clauses, unpack_bits

_WARP = 32
_ROWS = 1024
"""Rows of a block of kernels."""

_THREADS = 512
_NO_SLOT = np.iinfo(np.uint32).max
_CHUNK_BYTES = 256 << 20
"""Memory of the rows, vectors and votes of one launch."""

_SHARES = 4
"""Blocks of 1,024 rows share the clauses, so that there are this many blocks for each processor."""


class CudaClauses:
    """Clauses compiled for a GPU. Immutable; may be shared between threads."""

    def __init__(self, lists: ClauseLists, n_banks: int, n_columns: int, device: int = 0) -> None:
        self.device, self.n_banks, self.n_columns = open_device(device), n_banks, n_columns
        filled = np.flatnonzero((np.diff(lists.starts) > 0) & (lists.points != 0))
        order = filled[np.argsort(lists.banks[filled], kind="stable")]
        sizes = np.diff(lists.starts)[order]
        at = np.repeat(lists.starts[:-1][order], sizes) + _within(sizes)
        literals = lists.literals[at].astype(np.int64)
        columns = literals % n_columns if n_columns else literals
        used = np.unique(columns)
        slots = np.full(max(n_columns, 1), _NO_SLOT, np.uint32)
        slots[used] = np.arange(len(used))
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
        points = lists.points[order]
        most = np.bincount(lists.banks[order], np.abs(points.astype(np.float64)), 1).max()
        self._wide = bool(most >= 2.0**31)
        self._n_slots, self._n_clauses = len(used), len(order)
        with (gpu := self.device):
            self._slots, self._starts, self._literals, self._banks, self._points = (
                gpu.put(values)
                for values in (
                    slots,
                    starts,
                    (2 * slots[columns].astype(np.int64) + (literals >= n_columns)).astype(np.uint32),
                    lists.banks[order].astype(np.uint32),
                    points.astype(np.int64 if self._wide else np.int32),
                )
            )

    @property
    def n_operands(self) -> int:
        """Vectors read for each block of rows."""
        return self._n_slots

    def votes(self, literals: NDArray[np.uint64], n_threads: int = 1) -> NDArray[np.int64]:
        """Votes [n, banks] on packed rows [n, words]."""

        def slice_rows(
            rows: Memory, n_rows: int, vectors: Memory, seen: Memory
        ) -> tuple[str, tuple[Any, ...]]:
            n_words = np.uint32(2 * literals.shape[1])
            return "slice_words", (rows, np.uint64(n_rows), n_words, *self._columns, vectors)

        return self._votes(literals, slice_rows)[0]

    def votes_of_bits(
        self, bits: NDArray[np.uint8] | DeviceArray, n_threads: int = 1
    ) -> NDArray[np.int64] | None:
        """Votes on rows of bytes [n, columns]; None where a byte is neither 0 nor 1.

        The rows may be an array on this GPU, which is read where it is.
        """
        rows = bits if isinstance(bits, DeviceArray) else np.ascontiguousarray(bits)

        def slice_rows(
            chunk: Memory, n_rows: int, vectors: Memory, seen: Memory
        ) -> tuple[str, tuple[Any, ...]]:
            stride = np.uint64(rows.strides[0])
            return "slice_bytes", (chunk, np.uint64(n_rows), stride, *self._columns, vectors, seen)

        votes, seen = self._votes(rows, slice_rows)
        return votes if seen <= 1 else None

    def votes_of_sparse(
        self, row_starts: NDArray[np.integer], columns: NDArray[np.integer], n_threads: int = 1
    ) -> NDArray[np.int64]:
        """Votes on rows given as the indices of their true columns."""
        starts, indices = row_starts.astype(np.int64), columns.astype(np.int64)
        return self.votes(pack_csr(starts, indices, self.n_columns, n_threads))

    @property
    def _columns(self) -> tuple[Any, ...]:
        return self._slots, np.uint32(self.n_columns), np.uint32(self._n_slots)

    def _votes(self, rows: NDArray[Any] | DeviceArray, slice_rows: Any) -> tuple[NDArray[np.int64], int]:
        """Votes, and all bytes or-ed together; chunk by chunk, so that any number of rows fits."""
        if not (len(rows) and self._n_clauses):
            return np.zeros((len(rows), self.n_banks), np.int64), _largest_byte(rows)
        votes, seen = np.empty((len(rows), self.n_banks), np.int64), np.empty(1, np.uint32)
        per_row = rows.strides[0] + self._n_slots / 8 + 8 * self.n_banks
        n_at_once = max(_ROWS, int(_CHUNK_BYTES / per_row) // _ROWS * _ROWS)
        with self.device as device:
            seen_there = device.zeros(seen.nbytes)
            for first in range(0, len(rows), n_at_once):
                chunk, of_chunk = rows[first : first + n_at_once], votes[first : first + n_at_once]
                device.read(self._votes_of_chunk(chunk, slice_rows, seen_there), of_chunk)
            device.read(seen_there, seen)
        return votes, int(seen[0])

    def _votes_of_chunk(self, rows: NDArray[Any] | DeviceArray, slice_rows: Any, seen: Memory) -> Memory:
        """The votes on rows that fit."""
        device, n_rows = self.device, len(rows)
        n_blocks = -(-n_rows // _ROWS)
        own = device.put(rows) if isinstance(rows, np.ndarray) else rows.memory
        vector_bytes = 4 * _WARP * self._n_slots
        vectors, votes = device.memory(vector_bytes * n_blocks), device.zeros(8 * n_rows * self.n_banks)
        name, arguments = slice_rows(own, n_rows, vectors, seen)
        shared_bytes = vector_bytes if vector_bytes <= device.shared_bytes else 0
        constants = (
            ("THREADS", _THREADS),
            ("IN_SHARED", int(shared_bytes > 0)),
            ("WIDE_POINTS", int(self._wide)),
        )
        device.run(device.kernel("votes", name, constants), n_blocks, _ROWS, arguments)
        n_shares = max(1, min(self._n_clauses // _THREADS, _SHARES * device.n_processors // n_blocks))
        device.run(
            device.kernel("votes", "vote", constants, shared_bytes),
            (n_blocks, n_shares),
            _THREADS,
            (
                vectors,
                np.uint64(n_rows),
                np.uint32(self._n_slots),
                self._starts,
                self._literals,
                self._banks,
                self._points,
                np.uint32(self._n_clauses),
                np.uint32(self.n_banks),
                votes,
            ),
            shared_bytes=shared_bytes,
        )
        return votes


def clauses(
    include: NDArray[np.uint64],
    points: NDArray[np.int32],
    n_columns: int,
    view: PatchView | None = None,
    device: int = 0,
) -> Clauses:
    """Clauses of a model: words [banks, clauses, words] and signed points [banks, clauses]."""
    if view is not None:
        return NativeClauses(include, points, n_columns, view)
    n_banks, n_clauses = points.shape
    used = np.flatnonzero(points)
    bits = unpack_bits(include.reshape(n_banks * n_clauses, -1)[used], 2 * n_columns)
    literals = np.nonzero(bits)[1].astype(np.uint32)
    starts = np.concatenate([[0], np.cumsum(bits.sum(axis=1))]).astype(np.int64)
    banks = (used // max(n_clauses, 1)).astype(np.uint32)
    lists = ClauseLists(starts, literals, banks, points.ravel()[used].astype(np.int64))
    return CudaClauses(lists, n_banks, n_columns, device)


def array_of(rows: Any, device: int) -> DeviceArray:
    """Rows of booleans or bytes [n, columns] that another package has on the GPU of that number."""
    with open_device(device) as opened:
        return opened.array_of(rows)


def _within(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, ... for each size."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)


def _largest_byte(rows: NDArray[Any] | DeviceArray) -> int:
    """Of rows that no clause looks at."""
    if isinstance(rows, DeviceArray) or rows.dtype == np.uint64:
        return 0
    return int(np.max(rows, initial=0))
