"""What a fit learns from: a table, targets and weights, each read once, checked and encoded.

Plain functions over plain values; `settings` is an estimator, of which only parameters are read. Not here:
targets and weights (targets.py), the encoding, training (train.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.column_choice import MAX_COLUMNS, OWNER, PARAMETERS, split_params
from clausal.encoding.encoding import Encoding
from clausal.encoding.fitting import Learned, learn_encoding
from clausal.encoding.patch_encoder import PatchEncoder
from clausal.encoding.patches import PatchRows, view_of
from clausal.encoding.remarks import Unseen, unseen_in_parts, warn_of_unseen
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.stream import StreamedTable, open_training_table
from clausal.encoding.table import AnyTable, ArrayTable, FrameTable, Table, read_frame
from clausal.machine.clause_model import ClauseModel
from clausal.machine.encode import Literals, backend_of, encode, encode_read, packed, thread_count
from clausal.machine.inputs import Codes, Weights, encode_labels, read_labels, read_numbers, row_count
from clausal.machine.leaks import Leaks
from clausal.machine.memory import require_memory_of, require_table_memory
from clausal.machine.settings import CHOSEN_COLUMNS, Chosen, are_open, owner_of
from clausal.machine.targets import Numbers, Targets, read_targets, shares
from clausal.outcome import Outcome
from clausal.parameters import check_parameters

T = TypeVar("T")
Parts = Callable[[Callable[[Literals], Any]], Iterator[Any]]
"""Reads a table in parts, see `UnreadRows`."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Encoded rows.

    Attributes
    ----------
    literals : uint64 [n, words]
    codes : int32 [n], the index of each row's class, or its number as in `Targets`
    weights : float64 [n], or None where every row weighs 1
    numbers : float64 [n], the numbers to predict; None for classes
    """

    literals: Literals
    codes: Codes
    weights: Weights | None = None
    numbers: Numbers | None = None

    def __post_init__(self) -> None:
        if len(self.literals) != len(self.codes):
            n_rows, n_labels = len(self.literals), len(self.codes)
            raise ValueError(f"y must have one label for each of the {n_rows} rows of X. Got {n_labels}.")
        if self.literals.flags.writeable:  # a GPU copies an array that cannot change only once
            literals = self.literals.view()
            literals.flags.writeable = False
            object.__setattr__(self, "literals", literals)

    def take(self, rows: NDArray[np.integer], weights: Weights | None) -> Samples:
        """Some of the rows, with these weights."""
        numbers = None if self.numbers is None else self.numbers[rows]
        return Samples(self.literals[rows], self.codes[rows], weights, numbers)


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
            **self.outcome.attributes,
            "_outcome": self.outcome,
            "encoding_": self.encoding,
            "n_features_in_": self.encoding.n_features,
            "model_": self.model,
            "chosen_": self.chosen,
        }
        names = self.encoding.names if view_of(self.encoding) is None else None  # those of a patch
        return attributes if names is None else attributes | {"feature_names_in_": np.array(names, object)}


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Training data, its encoding and outcome, learned or kept, and remarks about the table for the user."""

    encoding: Encoding
    outcome: Outcome
    samples: Samples
    remarks: tuple[str, ...] = ()
    label_sets: NDArray[np.uint8] | None = None  # as in `Targets`


class UnreadRows:
    """Training data whose literals are still to be read, in parts that need not be in memory together.

    Attributes
    ----------
    encoding, outcome : learned or kept
    targets : what is to be learned of the rows, with `codes` and `weights`
    parts : reads the table; `parts(change)` gives `change(literals)` of each part, which is computed where
        its rows are
    said : what the user should know about the table, besides leaks; None where it need not be said
    """

    def __init__(
        self, encoding: Encoding, targets: Targets, parts: Parts, said: tuple[str, ...] | None = None
    ) -> None:
        self.encoding, self.outcome, self.targets = encoding, targets.outcome, targets
        self.codes, self.weights = targets.codes, targets.weights
        self.parts, self.said = parts, said
        of_classes = not self.outcome.is_numeric and targets.label_sets is None
        looks = said is not None and view_of(encoding) is None and of_classes
        rows = (self.codes, self.weights, encoding)
        self._leaks = Leaks(*rows, len(self.outcome.classes)) if looks else None

    def literals(self) -> Iterator[Literals]:
        """The literals [m, words] of each part, once."""
        for part in self.parts(as_literals):
            if self._leaks is not None:
                self._leaks.add(part)
            yield part

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the user should know about the table, when all its literals have been read."""
        return (*(self.said or ()), *(() if self._leaks is None else self._leaks.remarks))


def read_training_rows(
    settings: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    before: Fitted | None,
    known: Any = None,
    may_choose: bool = False,
) -> TrainingRows:
    """Read training data; the parameters are those of `open_training_rows`."""
    rows = open_training_rows(settings, X, y, sample_weight, before, known, may_choose)
    require_memory_of(len(rows.codes), rows.encoding.n_columns)
    literals = _in_one(rows.literals(), len(rows.codes), rows.encoding)
    samples = Samples(literals, rows.codes, rows.weights, rows.targets.numbers)
    return TrainingRows(rows.encoding, rows.outcome, samples, rows.remarks, rows.targets.label_sets)


def open_training_rows(
    settings: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    before: Fitted | None,
    known: Any = None,
    may_choose: bool = False,
) -> UnreadRows:
    """Read targets and weights, and learn the encoding.

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
    outcome = None if before is None else before.outcome
    targets = read_targets(settings, X, row_count(X), y, sample_weight, outcome, known)
    if before is not None:
        table = before.encoding.read(X, type(settings).__name__)
        parts = partial(encoded_parts, settings, before.encoding, table)
        return UnreadRows(before.encoding, targets, parts, targets.said or None)
    chosen = may_choose and are_open(settings) and targets.label_sets is None
    learned = learn_table(settings, X, targets.weights, chosen)
    parts = partial(literal_parts, settings, learned)
    return UnreadRows(learned.encoding, targets, parts, (*targets.said, *learned.remarks))


def read_held_out(settings: Any, rows: TrainingRows, X: Any, y: Any) -> Samples:
    """Read one pair of `eval_set`."""
    outcome = rows.outcome
    try:
        if outcome.is_numeric:
            numbers = read_numbers(y, row_count(X))
            if len(numbers) < 2:
                raise ValueError(f"y must have at least 2 numbers. Got {len(numbers)}.")
            return Samples(encode_table(settings, rows.encoding, X), shares(numbers, outcome), None, numbers)
        labels = read_labels(y, row_count(X))
        literals = encode_table(settings, rows.encoding, X)
        return Samples(literals, encode_labels(labels, outcome.classes)[1])
    except ValueError as error:
        raise ValueError(f"In eval_set: {error}") from error


def encode_table(settings: Any, encoding: Encoding, X: Any, used: Collection[int] | None = None) -> Literals:
    """The literals of a table like the one learned from; warns of values that were not seen in training.

    Parameters
    ----------
    settings : parameters of the machine
    encoding : the encoding
    X : the table
    used : indices of the features to read, None for all; the literals of the others are 0
    """
    require_table_memory(X, encoding.n_columns)
    table = encoding.read(X, type(settings).__name__)
    parts = encoded_parts(settings, encoding, table, as_literals, used)
    return _in_one(parts, table.n_rows, encoding)


def as_literals(literals: Literals) -> Literals:
    """The literals of a part as they are."""
    return literals


def encoded_parts(
    settings: Any,
    encoding: Encoding,
    table: AnyTable,
    change: Callable[[Literals], T],
    used: Collection[int] | None = None,
) -> Iterator[T]:
    """Like `encode_table`, for a table that has been read, batch by batch if it is read so.

    Gives `change(literals)` of each batch.
    """
    read = partial(_encoded_part, settings, encoding, change, used)
    unseen = []
    if isinstance(table, StreamedTable):
        parts = table.map(partial(_encoded_frame, read), "encoding")
    else:
        parts = iter([read(table)])
    for part, n_rows, own in parts:
        unseen.append((n_rows, own))
        yield part
    warn_of_unseen(unseen_in_parts(unseen))


def _encoded_part(
    settings: Any,
    encoding: Encoding,
    change: Callable[[Literals], T],
    used: Collection[int] | None,
    table: Table | SparseTable,
) -> tuple[T, int, tuple[Unseen, ...]]:
    found = encode_read(settings, encoding, table, used)
    return change(found.literals), table.n_rows, found.unseen


def _encoded_frame(read: Callable[[Table], T], frame: Any, own: None) -> T:
    return read(FrameTable(read_frame(frame)))


def _in_one(parts: Iterator[Literals], n_rows: int, encoding: Encoding) -> Literals:
    """All literals in one array; not copied where it is one already."""
    all_rows, start = np.empty((0, -(-2 * encoding.n_columns // 64)), np.uint64), 0
    for part in parts:
        if len(part) == n_rows:
            all_rows = part
            continue
        if not start:
            all_rows = np.empty((n_rows, part.shape[1]), np.uint64)
        all_rows[start : start + len(part)] = part
        start += len(part)
    return all_rows


def learn_table(settings: Any, X: Any, weights: Weights | None, chosen: bool = False) -> Learned:
    """Learn the encoding that the `booleanizer` parameter asks for; `chosen` if settings will be chosen."""
    given, chosen_by = settings.booleanizer, OWNER
    if isinstance(given, PatchEncoder):
        patches = given.encoding(X, owner_of(settings))
        return Learned(patches, patches.read(X, owner_of(settings)), (), patches.remarks(X))
    if not isinstance(given, Booleanizer):
        listed = settings.categorical_features
        given = Booleanizer(given or "boolean", max_columns="auto", categorical_features=listed)
        chosen_by = owner_of(settings)
    check_parameters(given, PARAMETERS)
    policy, choice = split_params(vars(given), CHOSEN_COLUMNS if chosen else MAX_COLUMNS)
    learned = learn_encoding(
        X, choice, policy, weights, owner_of(settings), chosen_by, settings.forbidden_features
    )
    if not learned.encoding.n_columns:
        raise ValueError(
            "X must have at least one feature that varies. "
            f"Got {learned.encoding.n_features} feature(s). {' '.join(learned.remarks)}"
        )
    return learned


def literal_parts(settings: Any, learned: Learned, change: Callable[[Literals], T]) -> Iterator[T]:
    """`change(literals)` of the table that an encoding was learned from, batch by batch if it is read so."""
    table, encoding = learned.table, learned.encoding
    if isinstance(table, StreamedTable):
        yield from table.map(partial(_encode_batch, settings, encoding, change), "encoding")
        return
    if isinstance(table, PatchRows):
        yield change(table.words)
        return
    require_memory_of(table.n_rows, encoding.n_columns)
    bits = table.bits() if isinstance(table, ArrayTable) and encoding.is_boolean else None
    if bits is not None:
        yield change(backend_of(settings).pack(bits, thread_count(settings)))
    else:
        yield change(packed(settings, learned.batches, lambda: learned.bits))


def _encode_batch(
    settings: Any, encoding: Encoding, change: Callable[[Literals], T], frame: Any, own: None
) -> T:
    return change(encode(settings, encoding, FrameTable(read_frame(frame)), encoding.training_policy, None))
