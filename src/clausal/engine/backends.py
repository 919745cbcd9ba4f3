"""The backends by name: what each offers an estimator, with the same functions and the same bits.

"cuda" trains and votes on a GPU and leaves the rest to the CPU; "auto" trains large machines on a GPU if
there is one. Not here: how they compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
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
    array_of : rows that another package has where this backend computes, as its clauses take them; None if
        it computes in the memory of the host
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
    array_of: Callable[[Any], Any] | None = None


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
_GPU_WORDS = 1 << 14
"""Words of literals in a bank from which on "auto" takes a GPU."""


@cache
def backend_named(name: str) -> Backend:
    """The backend of a name: "auto", "cpu", "reference", "cuda" or "cuda:N".

    What computes on a GPU says what is missing where it cannot be used.
    """
    kind, _, device = name.partition(":")
    if kind == "cuda":
        return _cuda(int(device or 0))
    return {"auto": _AUTO, "cpu": _CPU, "reference": _REFERENCE}[kind]


def _cuda(device: int) -> Backend:
    """A GPU. Tables are encoded and packed on the CPU, which has them."""
    from clausal.engine.cuda import clauses, machine

    return replace(
        _CPU,
        engine=partial(machine.CudaEngine, device=device),
        train_many=machine.train_many,
        clauses=partial(clauses.clauses, device=device),
        clauses_from_lists=partial(clauses.CudaClauses, device=device),
        array_of=partial(clauses.array_of, device=device),
    )


def _engine_for_size(config: EngineConfig, n_threads: int) -> Engine:
    """The GPU's for a large machine if there is a GPU with room for it, else the CPU's."""
    if config.n_clauses * -(-config.n_literals // 64) >= _GPU_WORDS and find_spec("cuda") is not None:
        from clausal.engine.cuda.device import is_available

        try:
            if is_available():
                return backend_named("cuda").engine(config, n_threads)
        except MemoryError:
            pass
    return _CPU.engine(config, n_threads)


def _train_many_by_engine(jobs: Sequence[TrainingJob[Any]], n_threads: int) -> None:
    on_cpu = [job for job in jobs if isinstance(job.engine, native.NativeEngine)]
    elsewhere = [job for job in jobs if not isinstance(job.engine, native.NativeEngine)]
    _CPU.train_many(on_cpu, n_threads)
    if elsewhere:
        backend_named("cuda").train_many(elsewhere, n_threads)


_AUTO = replace(_CPU, engine=_engine_for_size, train_many=_train_many_by_engine)
