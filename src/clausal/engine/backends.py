"""The backends by name: what each offers an estimator, with the same functions and the same bits.

A CUDA backend would be one more entry here. Not here: how they compute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.batches import Batches
from clausal.engine import native, reference
from clausal.engine.config import EngineConfig
from clausal.engine.protocol import Clauses, Engine

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Backend:
    """Training, encoding (None: the Booleanizer does it), packing and prediction."""

    engine: Callable[[EngineConfig, int], Engine]
    encode: Callable[[Batches, int], Words | None] | None
    pack: Callable[[NDArray[np.uint8], int], Words]
    pack_csr: Callable[[NDArray[np.int64], NDArray[np.int64], int, int], Words]
    clauses: Callable[[Words, NDArray[np.int32], int], Clauses]
    clause_outputs: Callable[[Words, Words, int], NDArray[np.uint8]]


_CPU = Backend(
    native.NativeEngine,
    native.encode,
    native.pack,
    native.pack_csr,
    native.NativeClauses,
    native.clause_outputs,
)
_REFERENCE = Backend(
    reference.ReferenceEngine,
    None,
    reference.pack,
    reference.pack_csr,
    reference.ReferenceClauses,
    reference.clause_outputs,
)
BACKENDS = {"auto": _CPU, "cpu": _CPU, "reference": _REFERENCE}
