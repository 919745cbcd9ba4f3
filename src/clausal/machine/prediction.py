"""The votes of machines and of rules, by compiled clauses that are made when they pay.

Compiled clauses are kept as long as what they came from, beside the models, not in them: nothing here is
ever copied or pickled, and another model is another key. Not here: compiling and voting (engine).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple
from weakref import ref

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.encoding.batches import DenseRows
from clausal.encoding.column_choice import OWNER
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import NEITHER
from clausal.encoding.nearly import nearly_special, warn_of_nearly_special
from clausal.encoding.patches import view_of
from clausal.encoding.remarks import Unseen, unseen_in_parts, warn_of_unseen
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.stream import StreamedTable, is_stream
from clausal.encoding.table import AnyTable, Header, Table, batch_tables, check_header
from clausal.engine.backends import Backend, backend_named
from clausal.engine.protocol import ClauseLists, Clauses
from clausal.machine.clause_model import ClauseModel
from clausal.machine.encode import backend_of, encode_read, thread_count
from clausal.machine.inputs import row_count
from clausal.machine.memory import require_table_memory
from clausal.machine.read import encode_table
from clausal.rules.rule_set import RuleSet


class _Made(NamedTuple):
    source: ref[Any]
    backend: Backend
    value: Any


_KEPT: dict[int, _Made] = {}  # by the id of the source, for as long as it lives


def _kept(source: Any, backend: Backend, make: Callable[[], Any]) -> Any:
    """What `make` gives, made anew for another source or backend."""
    key = id(source)
    made = _KEPT.get(key)
    if made is None or made.source() is not source or made.backend is not backend:
        made = _Made(ref(source, lambda _: _KEPT.pop(key, None)), backend, make())
        _KEPT[key] = made
    return made.value


_LARGE = 2**20  # automata; with fewer, compiling takes about a millisecond
_BACKEND = backend_named("auto")  # of rules
_DLPACK_CUDA = 2  # the kind of device, as DLPack numbers it
_FEW_ROWS = 64  # that a large machine votes on before it is compiled, which takes as long as 200 of them


class _MachineClauses:
    """The compiled clauses of a machine, None until they are made; it does not keep the machine alive."""

    def __init__(self) -> None:
        self.compiled: Clauses | None = None
        self.n_rows = 0

    def compile(self, model: ClauseModel, backend: Backend) -> Clauses:
        if self.compiled is None:
            n_columns = model.states.shape[2] // 2
            include = model.packed_include  # [clause sets, clauses, words]
            of_banks = np.broadcast_to(include, (model.n_banks, *include.shape[1:]))
            self.compiled = backend.clauses(of_banks, model.signed_points, n_columns, model.view)
        return self.compiled

    def for_rows(self, n_rows: int | None, model: ClauseModel, backend: Backend) -> Clauses | None:
        """The compiled clauses; None for the first few rows of a large machine. `n_rows` None: unknown."""
        self.n_rows += _FEW_ROWS + 1 if n_rows is None else n_rows
        if self.compiled is None and model.states.size >= _LARGE and self.n_rows <= _FEW_ROWS:
            return None
        return self.compile(model, backend)


def compiled_model(model: ClauseModel, backend: Backend) -> Clauses:
    """The clauses of a machine."""
    kept: _MachineClauses = _kept(model, backend, _MachineClauses)
    return kept.compile(model, backend)


def machine_votes(settings: Any, model: ClauseModel, encoding: Encoding, X: Any) -> NDArray[np.int64]:
    """Votes [n, banks] of a machine on a table, in units of 1 / scale; `settings` is the estimator."""
    votes = _clause_votes(settings, model, encoding, X)
    votes += model.constants
    return votes


def _clause_votes(settings: Any, model: ClauseModel, encoding: Encoding, X: Any) -> NDArray[np.int64]:
    """The same without the constants."""
    owner, n_threads = type(settings).__name__, thread_count(settings)
    if is_on_gpu(X):
        return _votes_on_gpu(settings, model, encoding, X)
    if is_empty_batch(X, encoding, owner):
        return np.zeros((0, model.n_banks), np.int64)
    backend = backend_of(settings)
    kept: _MachineClauses = _kept(model, backend, _MachineClauses)
    clauses = kept.for_rows(None if is_stream(X) else row_count(X), model, backend)
    if clauses is None:
        rows = encoding.boolean_rows(X, owner)
        if isinstance(rows, DenseRows) and rows.bits.max() <= 1:
            return _votes_by_clause(model, backend, backend.pack(rows.bits, n_threads), n_threads)
    elif (votes := votes_as_they_are(clauses, encoding, X, n_threads, owner)) is not None:
        return votes
    if not is_stream(X):
        require_table_memory(X, encoding.n_columns)
    used = encoding.features_of(model.used_columns)

    def read_votes(table: Table | SparseTable) -> Voted:
        encoded = encode_read(settings, encoding, table, used)
        literals, rows = encoded.literals, encoded.unseen_rows
        if clauses is None:
            return _votes_by_clause(model, backend, literals, n_threads), encoded.unseen
        votes = clauses.votes(literals, n_threads)
        if len(rows):  # compiled clauses take a column that does not hold for its negation
            votes[rows] = _votes_by_clause(model, backend, literals[rows], n_threads)
        return votes, encoded.unseen

    reading = _Reading(encoding, used, model.n_banks)
    return _votes_with_warning(encoding.read(X, owner), reading, read_votes)


def is_on_gpu(X: Any) -> bool:
    """Whether a table is an array that another package has on an NVIDIA GPU."""
    if hasattr(X, "__cuda_array_interface__"):
        return True
    return hasattr(X, "__dlpack_device__") and X.__dlpack_device__()[0] == _DLPACK_CUDA


def _votes_on_gpu(settings: Any, model: ClauseModel, encoding: Encoding, X: Any) -> NDArray[np.int64]:
    """Votes without the constants on boolean columns that are on the GPU, read where they are."""
    backend, owner = backend_of(settings), type(settings).__name__
    if backend.array_of is None:
        raise ValueError(
            f"The 'backend' parameter of {owner} must be 'cuda' for an X on a GPU. Got {settings.backend!r}."
        )
    if not encoding.is_boolean or model.view is not None:
        raise ValueError(
            "X on a GPU must consist of boolean columns, as which the model was fitted. Got features that "
            "must be encoded; give them as a NumPy array or a data frame."
        )
    rows = backend.array_of(X)
    if rows.shape[1] != encoding.n_columns:
        raise ValueError(
            f"X has {rows.shape[1]} features, but {owner} is expecting {encoding.n_columns} features as "
            "input."
        )
    votes = compiled_model(model, backend).votes_of_bits(rows)
    if votes is None:
        raise ValueError("X on a GPU must hold only 0 and 1. Got other values.")
    return votes


def machine_outputs(settings: Any, model: ClauseModel, encoding: Encoding, X: Any) -> NDArray[np.uint8]:
    """Which clauses of a machine fire on a table, [n, clause sets * clauses]; `settings` is the estimator."""
    if is_empty_batch(X, encoding, type(settings).__name__):
        return np.zeros((0, model.include[..., 0].size), np.uint8)
    literals = encode_table(settings, encoding, X, encoding.features_of(model.used_columns))
    outputs = backend_of(settings).clause_outputs
    return outputs(model.packed_include, literals, thread_count(settings), model.view)


def _votes_by_clause(
    model: ClauseModel, backend: Backend, literals: NDArray[np.uint64], n_threads: int
) -> NDArray[np.int64]:
    """Votes [n, banks] on packed rows, from the output of every clause."""
    fires = backend.clause_outputs(model.packed_include, literals, n_threads, model.view)
    fires = fires.reshape(len(literals), -1, model.n_clauses)  # [n, clause sets, clauses]
    fires = np.broadcast_to(fires, (len(literals), model.n_banks, model.n_clauses))
    votes: NDArray[np.int64] = np.einsum("nbc,bc->nb", fires, model.signed_points, dtype=np.int64)
    return votes


Voted = tuple[NDArray[Any], tuple[Unseen, ...]]
"""Votes [n, banks], and the values that were not seen in training."""


class _Reading(NamedTuple):
    """How a table is read, the features that are, and the number of banks that vote."""

    encoding: Encoding
    used: Collection[int]
    n_banks: int


def _votes_with_warning(
    table: AnyTable, reading: _Reading, read_votes: Callable[[Table | SparseTable], Voted]
) -> NDArray[Any]:
    """Votes on a table, batch by batch if it is read so, with one warning about unseen values."""
    encoding, used, n_banks = reading
    if not isinstance(table, StreamedTable):
        votes, unseen = read_votes(table)
        warn_of_unseen(unseen)
        warn_of_nearly_special([nearly_special(encoding, used, table)])
        return votes
    parts, near = [], []
    for batch in batch_tables(table, "predicting"):
        parts.append(read_votes(batch))
        near.append(nearly_special(encoding, used, batch))
    warn_of_unseen(unseen_in_parts((len(votes), unseen) for votes, unseen in parts))
    warn_of_nearly_special(near)
    return np.concatenate([np.zeros((0, n_banks), np.int64), *(votes for votes, _ in parts)])


class CompiledRules(NamedTuple):
    """Rules with whole points: clauses, and what every row gets, int64 [banks]."""

    clauses: Clauses
    constants: NDArray[np.int64]


def compiled_rules(rules: RuleSet, backend: Backend) -> CompiledRules | None:
    """The rules, or None where points or constants are not whole."""
    compiled: CompiledRules | None = _kept(rules, backend, lambda: _compile_rules(rules, backend))
    return compiled


def _compile_rules(rules: RuleSet, backend: Backend) -> CompiledRules | None:
    if not all(isinstance(number, int) for number in (*rules.constants, *(rule.points for rule in rules))):
        return None
    constants = np.array(rules.constants, np.int64)
    testing = [rule for rule in rules if rule.literals]
    for rule in rules:
        if not rule.literals:  # holds always
            constants[rule.bank] += rule.points
    n_columns = len(rules.columns)
    literals = [lit.position + n_columns * lit.negated for rule in testing for lit in rule.literals]
    lists = ClauseLists(
        np.cumsum([0, *(len(rule.literals) for rule in testing)], dtype=np.int64),
        np.array(literals, np.uint32),
        np.array([rule.bank for rule in testing], np.uint32),
        np.array([rule.points for rule in testing], np.int64),
    )
    return CompiledRules(backend.clauses_from_lists(lists, len(constants), n_columns), constants)


def is_empty_batch(X: Any, encoding: Encoding, owner: str) -> bool:
    """Whether a table with the features of the training table has no rows; it need not be encoded then."""
    if row_count(X) != 0 or view_of(encoding) is not None:
        return False
    header = Header(encoding.n_features, encoding.names)
    check_header(X, header, owner, ensure_min_samples=0, accept_sparse=True)
    return True


def votes_as_they_are(
    clauses: Clauses, encoding: Encoding, X: Any, n_threads: int, owner: str = OWNER
) -> NDArray[np.int64] | None:
    """Votes [n, banks] on a table that holds boolean columns already, or None where it must be encoded."""
    rows = encoding.boolean_rows(X, owner)
    if rows is None:
        return None
    if isinstance(rows, DenseRows):
        return clauses.votes_of_bits(rows.bits, n_threads)
    return clauses.votes_of_sparse(rows.starts, rows.columns, n_threads)


def rule_votes(
    rules: RuleSet, X: Any, owner: str = OWNER, backend: Backend = _BACKEND, *, by_name: bool = False
) -> NDArray[Any]:
    """What `rules.votes(X)` gives, faster where points are whole; [n, banks].

    With `by_name`, a data frame may have any columns, in any order, if it has those that the rules test.
    """
    named = _other_columns(rules, X) if by_name else None
    if named is None and is_empty_batch(X, rules.encoding, owner):
        return np.zeros((0, len(rules.constants)), np.int64)
    compiled = compiled_rules(rules, backend) if view_of(rules.encoding) is None else None
    if compiled is None:
        return rules.outcome.banked(rules.votes(X))
    if named is not None:
        return _encoded_votes(rules, compiled, named)
    votes = votes_as_they_are(compiled.clauses, rules.encoding, X, 1, owner)
    if votes is None:
        return _encoded_votes(rules, compiled, rules.encoding.read(X, owner))
    votes += compiled.constants
    return votes


def _other_columns(rules: RuleSet, X: Any) -> AnyTable | None:
    """A data frame with other columns than the training table, as the rules read it by name; else None."""
    names = rules.encoding.names
    if names is None or not nw.dependencies.is_into_dataframe(X):
        return None
    if tuple(nw.from_native(X, eager_only=True).columns) == names:
        return None
    return rules.encoding.read_by_name(X, rules.used_features)


def _encoded_votes(rules: RuleSet, compiled: CompiledRules, table: AnyTable) -> NDArray[np.int64]:
    """Votes [n, banks] on a table that must be encoded."""
    encoding, used = rules.encoding, rules.used_features

    def read_votes(table: Table | SparseTable) -> Voted:
        bits = encoding.table_bits(table, encoding.policy, used)
        if isinstance(table, SparseTable):
            return compiled.clauses.votes_of_sparse(bits.indptr, bits.indices) + compiled.constants, ()
        votes, has_unseen = _compiled_votes(rules, compiled, bits)
        return votes, encoding.unseen(table, used) if has_unseen else ()

    reading = _Reading(encoding, used, len(compiled.constants))
    return _votes_with_warning(table, reading, read_votes)


def _compiled_votes(
    rules: RuleSet, compiled: CompiledRules, bits: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], bool]:
    """Votes [n, banks] on boolean columns, and whether some rows have values not seen in training."""
    # Compiled clauses take a column that does not hold for its negation.
    rows = np.flatnonzero((bits == NEITHER).any(axis=1))
    votes = compiled.clauses.votes_of_bits(bits if not len(rows) else (bits == 1).view(np.uint8))
    assert votes is not None, "an encoding gives 0 and 1"
    votes += compiled.constants
    if len(rows):
        votes[rows] = rules.outcome.banked(rules.votes_of(rules.fires_on(bits[rows])))
    return votes, bool(len(rows))


def votes_on_bits(rules: RuleSet, bits: NDArray[np.uint8], backend: Backend = _BACKEND) -> NDArray[Any]:
    """What `rules.votes_of(rules.fires_on(bits))` gives, faster where points are whole; [n, banks]."""
    compiled = compiled_rules(rules, backend)
    if compiled is None:
        return rules.outcome.banked(rules.votes_of(rules.fires_on(bits)))
    return _compiled_votes(rules, compiled, bits)[0]
