"""What a fit learns from: a table, labels and weights, each read once, checked and encoded.

Also here: a remark on a feature that decides every row, and MemoryError before the system runs out of memory.
Plain functions over plain values; `settings` is an estimator, of which only parameters are read. Not here:
checks of labels and weights (inputs.py), encoding, training (train.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse

from clausal.encoding.batches import Batches
from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.encoding import OWNER, PARAMETERS, Encoding, split_params
from clausal.encoding.fitting import Learned, learn_encoding
from clausal.encoding.remarks import Unseen, label_remarks, rows_of, unseen_in_parts, warn_of_unseen
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.stream import StreamedTable, open_training_table
from clausal.encoding.table import ArrayTable, FrameTable, Table, batch_tables, read_frame
from clausal.encoding.values import Policy, UnseenValueError
from clausal.engine.backends import BACKENDS, Backend
from clausal.engine.protocol import pack_bits, unpack_bits
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
from clausal.machine.settings import CHOSEN_COLUMNS, Chosen, are_open, owner_of
from clausal.outcome import Outcome, make_outcome
from clausal.parameters import check_parameters

Literals = NDArray[np.uint64]

_MIN_CLASS_ROWS = 10  # a feature that decides fewer rows of a class may do so by chance
_MOST_LEAKS = 10  # columns that are named
_BLOCK_ROWS = 4096


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
    """What a machine has learned so far, from which a fit may go on; `chosen` if it chose its settings."""

    model: ClauseModel
    encoding: Encoding
    outcome: Outcome
    chosen: Chosen | None = None

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of an estimator that has learned this."""
        attributes = {
            "classes_": self.outcome.labels,
            "pos_label_": self.outcome.pos_label,
            "_outcome": self.outcome,
            "encoding_": self.encoding,
            "n_features_in_": self.encoding.n_features,
            "model_": self.model,
            "chosen_": self.chosen,
        }
        names = self.encoding.names
        return attributes if names is None else attributes | {"feature_names_in_": np.array(names, object)}


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Training data, its encoding and outcome, learned or kept, and remarks about the table for the user."""

    encoding: Encoding
    outcome: Outcome
    samples: Samples
    remarks: tuple[str, ...] = ()


def read_training_rows(
    settings: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    before: Fitted | None,
    known: Any = None,
    may_choose: bool = False,
) -> TrainingRows:
    """Read training data.

    Parameters
    ----------
    settings : parameters of the machine
    X, y, sample_weight : as given to `fit`
    before : what to go on from, whose encoding and classes are kept; None learns them
    known : class labels that may occur; None for those of y
    may_choose : as in `prepare_fit`
    """
    X, y, sample_weight = open_training_table(X, y, sample_weight, bool(settings.verbose))
    if sparse.issparse(X):  # its features are the columns, so this is known before X is read
        require_table_memory(X)
    labels = read_labels(y, row_count(X))
    weights = check_sample_weight(sample_weight, len(labels))
    encoded = encode_labels(labels, before.outcome.labels if before is not None else known)
    classes, codes = positive_last(*encoded, settings.pos_label, type(settings).__name__)
    if before is not None:
        _check_positive(settings, before.outcome, classes)
        literals = encode_table(settings, before.encoding, X).literals
        return TrainingRows(before.encoding, before.outcome, Samples(literals, codes, weights))
    if known is None:
        check_classes_left(classes, codes, None)
    learned = _learn(settings, X, weights, may_choose and are_open(settings))
    samples = Samples(learned_literals(settings, learned), codes, weights)
    leaks = _leak_remarks(samples.literals, codes, weights, learned.encoding, len(classes))
    said = (*label_remarks(X, y, sample_weight, classes, len(labels)), *learned.remarks, *leaks)
    return TrainingRows(learned.encoding, make_outcome(classes), samples, said)


def _leak_remarks(
    literals: Literals, codes: Codes, weights: Weights | None, encoding: Encoding, n_classes: int
) -> tuple[str, ...]:
    """A sentence if a single feature decides the class of every row of weight above 0; else nothing.

    `literals` is uint64 [n, words], `codes` [n] the class of each row, `weights` [n] or None for all 1.
    """
    # A merged row counts as often as it occurred.
    if np.bincount(codes, weights, minlength=n_classes).min() < _MIN_CLASS_ROWS:
        return ()
    deciding = _deciding(literals, codes, weights, n_classes)
    columns = encoding.columns
    decides = unpack_bits(deciding, 2 * len(columns))
    features = np.tile([column.feature_index for column in columns], 2)
    found = []
    for feature in np.unique(features[decides.any(axis=0)]).tolist():
        own = decides & (features == feature)
        if own.any(axis=1).sum() >= n_classes - 1:  # the rest is the last class
            k = int(own[-1].argmax() if own[-1].any() else own.any(axis=0).argmax())
            condition = columns[k % len(columns)].text(negated=k >= len(columns))
            found.append((repr(encoding.feature_names[feature]), condition))
    if not found:
        return ()
    (name, condition), others = found[0], ", ".join(other for other, _ in found[1:_MOST_LEAKS])
    return (
        f"Column {name} alone decides the class of every row, such as by `{condition}`"
        f"{f', and so does each of {others}' if others else ''}. If it is known only after the class is, "
        "leave it out.",
    )


def _deciding(literals: Literals, codes: Codes, weights: Weights | None, n_classes: int) -> Literals:
    """The literals that hold on all rows of a class and on no other row, uint64 [classes, words]."""
    none, all_ = np.uint64(0), ~np.uint64(0)
    decides = np.full((n_classes, literals.shape[1]), all_)
    for start in range(0, len(codes), _BLOCK_ROWS):
        block, classes = literals[start : start + _BLOCK_ROWS], codes[start : start + _BLOCK_ROWS]
        if weights is not None:
            counted = weights[start : start + _BLOCK_ROWS] > 0
            block, classes = block[counted], classes[counted]
        for code in range(n_classes):
            wanted = np.where(classes == code, all_, none)
            decides[code] &= ~np.bitwise_or.reduce(block ^ wanted[:, None], axis=0)
        if not decides.any():
            break
    return decides


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
        literals = encode_table(settings, rows.encoding, X).literals
        return Samples(literals, encode_labels(labels, rows.outcome.classes)[1])
    except ValueError as error:
        raise ValueError(f"In eval_set: {error}") from error


class EncodedRows(NamedTuple):
    """The literals of a table, uint64 [n, words], and the values that were not seen in training."""

    literals: Literals
    unseen: tuple[Unseen, ...] = ()

    @property
    def unseen_rows(self) -> NDArray[np.intp]:
        """The rows with values that were not seen in training."""
        return rows_of(self.unseen)


def encode_table(
    settings: Any, encoding: Encoding, X: Any, used: Collection[int] | None = None
) -> EncodedRows:
    """Encode a table like the one learned from; warns of values that were not seen in training.

    Parameters
    ----------
    settings : parameters of the machine
    encoding : the encoding
    X : the table
    used : indices of the features to read, None for all; the literals of the others are 0
    """
    require_table_memory(X, encoding.n_columns)
    table = encoding.read(X, type(settings).__name__)
    if isinstance(table, StreamedTable):
        literals, unseen = _allocated(table.n_rows, encoding.n_columns), []
        start = 0
        for batch in batch_tables(table, "encoding"):
            encoded = encode_read(settings, encoding, batch, used)
            literals[start : start + batch.n_rows] = encoded.literals
            unseen.append((batch.n_rows, encoded.unseen))
            start += batch.n_rows
        rows = EncodedRows(literals, unseen_in_parts(unseen))
    else:
        rows = encode_read(settings, encoding, table, used)
    warn_of_unseen(rows.unseen)
    return rows


def encode_read(
    settings: Any, encoding: Encoding, table: Table | SparseTable, used: Collection[int] | None = None
) -> EncodedRows:
    """Like `encode_table`, for a table in memory that has been read, without a warning."""
    if isinstance(table, SparseTable):
        return EncodedRows(_packed(settings, None, lambda: encoding.table_bits(table, encoding.policy)))
    try:  # there are unseen values in few tables
        return EncodedRows(_encode(settings, encoding, table, encoding.policy.strict, used))
    except UnseenValueError:
        unseen = encoding.unseen(table, used)
    literals = _encode(settings, encoding, table, encoding.policy.matching_no_column, used)
    _clear_negations(literals, encoding, unseen)
    return EncodedRows(literals, unseen)


def _allocated(n_rows: int, n_columns: int) -> Literals:
    return np.empty((n_rows, -(-2 * n_columns // 64)), np.uint64)


def _encode(
    settings: Any, encoding: Encoding, table: Table, policy: Policy, used: Collection[int] | None
) -> Literals:
    batches = encoding.batches(table, policy, used=used)
    return _packed(settings, batches, lambda: encoding.table_bits(table, policy, used))


def _clear_negations(literals: Literals, encoding: Encoding, unseen: Sequence[Unseen]) -> None:
    """Set the negated literals of unseen values to 0; those that are not negated are 0 already."""
    n_columns = encoding.n_columns
    for each in unseen:
        kept = np.ones(2 * n_columns, bool)
        kept[n_columns:][encoding.column_slice(each.feature)] = False
        literals[each.rows] &= pack_bits(kept)


def _learn(settings: Any, X: Any, weights: Weights | None, chosen: bool) -> Learned:
    """Learn the encoding that the `booleanizer` parameter asks for; `chosen` if settings will be chosen."""
    given, chosen_by = settings.booleanizer, OWNER
    if not isinstance(given, Booleanizer):
        given = Booleanizer(given or "boolean", categorical_features=settings.categorical_features)
        given.max_columns = CHOSEN_COLUMNS if chosen else given.max_columns
        chosen_by = owner_of(settings)
    check_parameters(given, PARAMETERS)
    policy, choice = split_params(vars(given))
    learned = learn_encoding(X, choice, policy, weights, owner_of(settings), chosen_by)
    if not learned.encoding.n_columns:
        raise ValueError(
            "X must have at least one feature that varies. "
            f"Got {learned.encoding.n_features} feature(s). {' '.join(learned.remarks)}"
        )
    return learned


def learned_literals(settings: Any, learned: Learned) -> Literals:
    """The literals of the very table that an encoding was learned from."""
    table, encoding = learned.table, learned.encoding
    require_memory_of(table.n_rows, encoding.n_columns)
    if isinstance(table, StreamedTable):
        literals, start = _allocated(table.n_rows, encoding.n_columns), 0
        for part in table.map(partial(_encode_batch, settings, encoding), "encoding"):
            literals[start : (start := start + len(part))] = part
        return literals
    bits = table.bits() if isinstance(table, ArrayTable) and encoding.is_boolean else None
    if bits is not None:
        return backend_of(settings).pack(bits, thread_count(settings))
    return _packed(settings, learned.batches, lambda: learned.bits)


def _encode_batch(settings: Any, encoding: Encoding, frame: Any, own: None) -> Literals:
    return _encode(settings, encoding, FrameTable(read_frame(frame)), encoding.training_policy, None)


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
