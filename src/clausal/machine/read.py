"""What a fit learns from: a table, labels and weights, each read once, checked and encoded.

Also here: MemoryError before the system runs out of memory, rather than a killed process after. Plain
functions over plain values; `settings` is an estimator, of which only the parameters are read. Not here: the
checks of labels and weights (inputs.py), the encoding itself (clausal.encoding), training (train.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse

from clausal.encoding.batches import Batches
from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.encoding import PARAMETERS, Encoding, split_params
from clausal.encoding.fitting import Learned, learn_encoding
from clausal.encoding.table import SparseTable
from clausal.engine.backends import BACKENDS, Backend
from clausal.machine.clause_model import ClauseModel
from clausal.machine.inputs import (
    Codes,
    Weights,
    check_classes_left,
    check_sample_weight,
    encode_labels,
    positive_last,
    read_labels,
    row_count,
)
from clausal.outcome import Outcome, make_outcome
from clausal.parameters import check_parameters

Literals = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Samples:
    """Encoded rows.

    Attributes
    ----------
    literals : uint64 [n, words]
    codes : int32 [n], the index of each row's class
    weights : float64 [n], or None where every row weighs 1
    """

    literals: Literals
    codes: Codes
    weights: Weights | None = None

    def __post_init__(self) -> None:
        if len(self.literals) != len(self.codes):
            n_rows, n_labels = len(self.literals), len(self.codes)
            raise ValueError(f"y must have one label for each of the {n_rows} rows of X. Got {n_labels}.")


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a machine has learned so far, from which a fit may go on."""

    model: ClauseModel
    encoding: Encoding
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Training data, with the encoding and the outcome that were learned from it, or are kept."""

    encoding: Encoding
    outcome: Outcome
    samples: Samples


def read_training_rows(
    settings: Any, X: Any, y: Any, sample_weight: Any, before: Fitted | None, known: Any = None
) -> TrainingRows:
    """Read training data.

    Parameters
    ----------
    settings : parameters of the machine
    X, y, sample_weight : as given to `fit`
    before : what to go on from, whose encoding and classes are kept; None learns them
    known : class labels that may occur; None for those of y
    """
    if sparse.issparse(X):  # its features are the columns, so this is known before X is read
        require_table_memory(X)
    labels = read_labels(y, row_count(X))
    weights = check_sample_weight(sample_weight, len(labels))
    encoded = encode_labels(labels, before.outcome.labels if before is not None else known)
    classes, codes = positive_last(*encoded, settings.pos_label, type(settings).__name__)
    if before is not None:
        _check_positive(settings, before.outcome, classes)
        literals = encode_table(settings, before.encoding, X)
        return TrainingRows(before.encoding, before.outcome, Samples(literals, codes, weights))
    if known is None:
        check_classes_left(classes, codes, None)
    learned = _learn(settings, X, weights)
    return TrainingRows(
        learned.encoding, make_outcome(classes), Samples(_learned_literals(settings, learned), codes, weights)
    )


def _check_positive(settings: Any, before: Outcome, classes: NDArray[Any]) -> None:
    """Refuse to go on from a model whose votes are for the other class."""
    if classes[-1] != before.classes[-1]:
        raise ValueError(
            f"The 'pos_label' parameter of {type(settings).__name__} must be {before.pos_label!r}, which the "
            f"votes of the present model are for, to go on from it. Got {settings.pos_label!r}."
        )


def read_held_out(settings: Any, rows: TrainingRows, X: Any, y: Any) -> Samples:
    """Read one pair of `eval_set`."""
    try:
        labels = read_labels(y, row_count(X))
        literals = encode_table(settings, rows.encoding, X)
        return Samples(literals, encode_labels(labels, rows.outcome.classes)[1])
    except ValueError as error:
        raise ValueError(f"In eval_set: {error}") from error


def encode_table(settings: Any, encoding: Encoding, X: Any) -> Literals:
    """The literals of a table like the one learned from, uint64 [n, words]."""
    require_table_memory(X, len(encoding.columns))
    table = encoding.read(X, type(settings).__name__)
    batches = None if isinstance(table, SparseTable) else encoding.batches(table, encoding.policy)
    return _packed(settings, batches, lambda: encoding.table_bits(table, encoding.policy))


def _learn(settings: Any, X: Any, weights: Weights | None) -> Learned:
    """Learn the encoding that the `booleanizer` parameter asks for."""
    given = settings.booleanizer
    if not isinstance(given, Booleanizer):
        mode = "boolean" if given is None else given
        given = Booleanizer(mode, categorical_features=settings.categorical_features)
    check_parameters(given, PARAMETERS)
    policy, choice = split_params(vars(given))
    learned = learn_encoding(X, choice, policy, weights, type(settings).__name__)
    if not learned.encoding.columns:
        raise ValueError(
            "X must have at least one feature that varies. Got "
            f"{learned.encoding.n_features} feature(s), each with a single value."
        )
    return learned


def _learned_literals(settings: Any, learned: Learned) -> Literals:
    """The literals of the very table that an encoding was learned from."""
    require_memory_of(learned.table.n_rows, len(learned.encoding.columns))
    return _packed(settings, learned.batches, lambda: learned.bits)


def _packed(settings: Any, batches: Batches | None, bits: Callable[[], Any]) -> Literals:
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
    return BACKENDS[settings.backend]


def thread_count(settings: Any) -> int:
    """The number of threads that `n_jobs` asks for."""
    return int(effective_n_jobs(settings.n_jobs))


def require_table_memory(X: Any, n_columns: int | None = None) -> None:
    """MemoryError where the literals of `X`, with as many columns as it has or as said, would not fit."""
    require_memory_of(row_count(X) or 0, X.shape[-1] if n_columns is None else n_columns)


def require_memory_of(n_rows: int, n_columns: int) -> None:
    """MemoryError where the literals of a table of this size would not fit."""
    require_memory(n_rows * n_columns // 4, f"A table of {n_rows:,} rows and {n_columns:,} boolean columns")


_CONTAINER_LIMITS = (  # of this process's control group, version 2 and 1
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def require_memory(n_bytes: int, what: str) -> None:
    """Raise MemoryError when `what` needs more bytes than this machine, or container, has."""
    limit = _available()
    if limit is not None and n_bytes > limit:
        raise MemoryError(
            f"{what} would need about {n_bytes / 2**30:,.1f} GiB. This machine has {limit / 2**30:,.1f} GiB."
        )


@cache
def _available() -> int | None:
    """Bytes of memory of this machine or container; None where it does not say."""
    limits = [limit for limit in (_physical(), *map(_written, _CONTAINER_LIMITS)) if limit is not None]
    return min(limits, default=None)


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return None


def _written(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # no such limit, or "max"
        return None
