"""The backends by name: what each offers an estimator, with the same functions and the same bits.

A CUDA backend would be one more entry here. Not here: how they compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.batches import Batches
from clausal.encoding.patch_view import PatchView
from clausal.engine import native, random_stream, reference
from clausal.engine.protocol import ClauseLists, Clauses, Engine, EngineConfig, TrainingJob

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Backend:
    """Training, encoding (None: the Booleanizer does it), packing and prediction.

    Attributes
    ----------
    engine : a machine in training, from its configuration and the number of threads
    train_many : trains several of them in one call, on a number of threads
    shuffled : rows in the order of their draws, [keys, rows]
    encode, pack, pack_csr : literals of rows as words
    clauses : clauses of a finished model, from included literals [banks, clauses, words], points, columns,
        and the patches of samples, if there are any
    clauses_from_lists : the same from lists of literals (rules), the numbers of banks and of columns
    clause_outputs : which clauses fire on rows, or on samples with patches
    """

    engine: Callable[[EngineConfig, int], Engine]
    train_many: Callable[[Sequence[TrainingJob[Any]], int], None]
    shuffled: Callable[[NDArray[np.int64], Words], NDArray[np.int64]]
    encode: Callable[[Batches, int], Words | None] | None
    pack: Callable[[NDArray[np.uint8], int], Words]
    pack_csr: Callable[[NDArray[np.int64], NDArray[np.int64], int, int], Words]
    clauses: Callable[[Words, NDArray[np.int32], int, PatchView | None], Clauses]
    clauses_from_lists: Callable[[ClauseLists, int, int], Clauses]
    clause_outputs: Callable[[Words, Words, int, PatchView | None], NDArray[np.uint8]]


_CPU = Backend(
    engine=native.NativeEngine,
    train_many=native.train_many,
    shuffled=native.shuffled,
    encode=native.encode,
    pack=native.pack,
    pack_csr=native.pack_csr,
    clauses=native.NativeClauses,
    clauses_from_lists=native.NativeClauses.from_lists,
    clause_outputs=native.clause_outputs,
)
_REFERENCE = Backend(
    engine=reference.ReferenceEngine,
    train_many=reference.train_many,
    shuffled=random_stream.shuffled,
    encode=None,
    pack=reference.pack,
    pack_csr=reference.pack_csr,
    clauses=reference.ReferenceClauses,
    clauses_from_lists=reference.ReferenceClauses.from_lists,
    clause_outputs=reference.clause_outputs,
)
BACKENDS = {"auto": _CPU, "cpu": _CPU, "reference": _REFERENCE}
