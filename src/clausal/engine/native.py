"""The compiled engine; the only module that imports the C++ core.

Holds the choice of instruction set (`CLAUSAL_ISA` overrides it), encoding, packing, training and prediction
as thin calls. Not here: validation of user data, and the number of threads a user asked for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal import _core
from clausal.encoding.batches import Batch, Batches
from clausal.encoding.patch_view import PatchView
from clausal.engine.card_search import LOSSES, CardConstraints, Cards, CardSearch
from clausal.engine.protocol import ClauseLists, EngineConfig, EngineState, TrainingJob, first_state

INSTRUCTION_SETS = ("portable", "avx2", "avx512", "neon")


def available_instruction_sets() -> tuple[str, ...]:
    """The instruction sets that can run here, best first."""
    return tuple(_core.instruction_sets())


def cuda_sources() -> dict[str, str]:
    """The sources of CUDA kernels, by their paths in the repository (engine/cuda/program.py)."""
    return _core.cuda_sources()


def instruction_set() -> str:
    """The instruction set to use: `CLAUSAL_ISA` where it is set, else the best."""
    wanted = os.environ.get("CLAUSAL_ISA", "")
    available = available_instruction_sets()
    if not wanted:
        return available[0]
    if wanted not in INSTRUCTION_SETS:
        raise ValueError(f"CLAUSAL_ISA must be one of {', '.join(INSTRUCTION_SETS)}. Got {wanted!r}.")
    if wanted not in available:
        raise ValueError(
            f"CLAUSAL_ISA must be one of {', '.join(available)} on this machine. Got {wanted!r}."
        )
    return wanted


class NativeEngine:
    """Trains a machine in C++, bank by bank on `n_threads` threads."""

    def __init__(self, config: EngineConfig, n_threads: int = 1) -> None:
        self.config = config
        self.n_threads = n_threads
        # As plain values: a thread that Python ends must not be in a property while the core reads it.
        values = SimpleNamespace(**{name: getattr(config, name) for name in _core.config_fields()})
        self._machine = _core.Machine(values, instruction_set())
        self.import_state(first_state(config))

    @property
    def isa(self) -> str:
        """The instruction set whose kernels this engine runs, as their own compilation saw it."""
        return self._machine.backend

    def fit_epoch(
        self, literals: NDArray[np.uint64], targets: NDArray[np.int32], order: NDArray[np.int64]
    ) -> None:
        """Visit rows in the order given, one step each; interrupted, the state is as before the call."""
        _core.train([(self._machine, literals, targets, order)], self.n_threads)

    def fit_epochs(
        self,
        literals: NDArray[np.uint64],
        targets: NDArray[np.int32],
        orders: Sequence[NDArray[np.int64]],
        levels: NDArray[np.int32],
    ) -> None:
        """Run an epoch per order, filling `levels`; interrupted, the state is that of the last whole one."""
        _core.train_epochs(self._machine, literals, targets, list(orders), levels, self.n_threads)

    @property
    def step(self) -> int:
        """Steps taken so far."""
        return self._machine.step

    @property
    def levels(self) -> NDArray[np.int32]:
        """The clauses' levels, [banks, clauses]."""
        return self._machine.levels()

    def export_state(self) -> EngineState:
        """A copy of the state."""
        return EngineState(*self._machine.export_state(self.n_threads))

    def import_state(self, state: EngineState) -> None:
        """Go on from a state."""
        states, levels = np.ascontiguousarray(state.states), np.ascontiguousarray(state.levels)
        self._machine.import_state(states, levels, state.step, self.n_threads)


def train_many(jobs: Sequence[TrainingJob[NativeEngine]], n_threads: int = 1) -> None:
    """Train different machines in one call, one on each thread; interrupted, all are as before the call."""
    _core.train([(job.engine._machine, job.literals, job.targets, job.order) for job in jobs], n_threads)


def shuffled(rows: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each key, the rows sorted by their draws, as `random_stream.shuffled` does."""
    return _core.shuffled(rows, keys)


def pack(bits: NDArray[np.uint8], n_threads: int = 1) -> NDArray[np.uint64]:
    """Literals of boolean rows [n, columns] as words [n, words]."""
    return _core.pack(np.ascontiguousarray(bits, np.uint8), n_threads, instruction_set())


def pack_csr(
    row_starts: NDArray[np.int64], columns: NDArray[np.int64], n_columns: int, n_threads: int = 1
) -> NDArray[np.uint64]:
    """Literals of rows given as the indices of their true columns."""
    return _core.pack_csr(
        np.require(row_starts, np.int64, ["C", "A"]),
        np.require(columns, np.int64, ["C", "A"]),
        n_columns,
        n_threads,
    )


def encode(batches: Batches, n_threads: int = 1) -> NDArray[np.uint64] | None:
    """Literals of a table's rows as words [n, words], None where a value cannot be encoded."""
    literals = np.zeros((batches.n_rows, (2 * batches.n_columns + 63) // 64), np.uint64)
    for batch in batches.batches:
        arguments = (literals, batches.n_columns, batch.first_column, n_threads, instruction_set())
        if not _core.encode(batch.values, _comparisons(batch), *arguments):
            return None
    return literals


def _comparisons(batch: Batch) -> _core.Comparisons:
    features, marks = batch.features, [feature.marks for feature in batch.features]
    return _core.Comparisons(
        np.array([feature.comparison for feature in features], np.int32),
        np.array([mark for own in marks for mark in own], np.float64),
        np.cumsum([0, *map(len, marks)], dtype=np.int64),
        np.array([feature.n_columns > len(own) for feature, own in zip(features, marks, strict=True)], bool),
        np.array(batch.missing_allowed, bool),
    )


def clause_outputs(
    include: NDArray[np.uint64],
    literals: NDArray[np.uint64],
    n_threads: int,
    view: PatchView | None = None,
) -> NDArray[np.uint8]:
    """Which clauses fire on rows or, with a view, samples, [n, banks * clauses]; empty ones never do."""
    return _core.clause_outputs(include, literals, n_threads, instruction_set(), view)


class NativeClauses:
    """Finished clauses, compiled: what makes prediction fast. Immutable; may be shared between threads.

    Parameters
    ----------
    include : uint64 [banks, clauses, words]
    points : int32 [banks, clauses], signed
    n_columns : int
    view : PatchView or None
        The patches of samples, whose columns these are; None for a table.
    """

    def __init__(
        self,
        include: NDArray[np.uint64],
        points: NDArray[np.int32],
        n_columns: int,
        view: PatchView | None = None,
    ) -> None:
        self._compiled = _core.CompiledClauses(
            np.ascontiguousarray(include), np.ascontiguousarray(points), n_columns, instruction_set(), view
        )

    @classmethod
    def from_lists(cls, lists: ClauseLists, n_banks: int, n_columns: int) -> NativeClauses:
        """Compile clauses that are lists of literals: literal k is column k, `n_columns` + k its negation."""
        clauses = cls.__new__(cls)
        clauses._compiled = _core.CompiledClauses.from_lists(*lists, n_banks, n_columns, instruction_set())
        return clauses

    @property
    def n_operands(self) -> int:
        """Vectors read for each block of rows."""
        return self._compiled.n_operands

    def votes(self, literals: NDArray[np.uint64], n_threads: int = 1) -> NDArray[np.int64]:
        """Votes [n, banks] on packed rows, or samples with patches, [n, words]."""
        return self._compiled.votes_of_literals(literals, n_threads)

    def votes_of_bits(self, bits: NDArray[np.uint8], n_threads: int = 1) -> NDArray[np.int64] | None:
        """Votes on rows of bytes [n, columns]; None where a byte is neither 0 nor 1."""
        return self._compiled.votes_of_bits(bits, n_threads)

    def votes_of_sparse(
        self, row_starts: NDArray[np.integer], columns: NDArray[np.integer], n_threads: int = 1
    ) -> NDArray[np.int64]:
        """Votes on rows given as the indices of their true columns."""
        index = np.int32 if row_starts.dtype == columns.dtype == np.int32 else np.int64
        return self._compiled.votes_of_sparse(
            np.require(row_starts, index, ["C", "A"]), np.require(columns, index, ["C", "A"]), n_threads
        )


def _native_constraints(given: CardConstraints) -> _core.CardConstraints:
    fixed = given.fixed
    literals = [literal for rule in fixed for literal in rule.literals]
    return _core.CardConstraints(
        np.ascontiguousarray(given.low),
        np.ascontiguousarray(given.high),
        np.ascontiguousarray(given.groups),
        given.max_rule_features or 0,
        np.cumsum([0, *(len(rule.literals) for rule in fixed)], dtype=np.int64),
        np.array(literals, np.uint32),
        np.array([rule.bank for rule in fixed], np.uint32),
        np.array([rule.low for rule in fixed], np.int32),
        np.array([rule.high for rule in fixed], np.int32),
    )


def bin_rows(
    literals: NDArray[np.uint64], feature_of: NDArray[np.uint32]
) -> tuple[NDArray[np.uint16], list[NDArray[np.uint8]]]:
    """The bin [features, n] of each row of packed literals [n, words], and what is true in the bins.

    The rows on which the same literals of a feature hold have a bin of it. `feature_of` [columns] is
    ascending. What is true: for each feature, uint8 [2 * its columns, bins], 1 where a literal holds.
    """
    bins, n_bins, truth = _core.bin_rows(  # a cluster may send arrays that are not aligned
        np.require(literals, requirements=["C", "A"]), np.ascontiguousarray(feature_of)
    )
    n_literals = 2 * np.unique(feature_of, return_counts=True)[1]
    ends = np.cumsum(n_literals * n_bins).tolist()
    shapes = zip(n_literals.tolist(), n_bins.tolist(), strict=True)
    return bins, [truth[end - a * b : end].reshape(a, b) for end, (a, b) in zip(ends, shapes, strict=True)]


class NativeSearchTable:
    """The rows of a table for searches of scorecards. Immutable; may be shared between threads.

    Parameters
    ----------
    literals : uint64 [n, words], packed; neither a column nor its negation may be true
    feature_of : uint32 [columns], the feature of each column, ascending
    begins : bool [columns], the columns that a search begins with; None for all. Others are reached where a
        cut point moves.
    """

    def __init__(
        self,
        literals: NDArray[np.uint64],
        feature_of: NDArray[np.uint32],
        begins: NDArray[np.bool_] | None = None,
    ) -> None:
        self._set(*bin_rows(literals, feature_of), feature_of, begins)

    @classmethod
    def of_bins(
        cls,
        bins: NDArray[Any],
        truth: list[NDArray[np.uint8]],
        feature_of: NDArray[np.uint32],
        begins: NDArray[np.bool_],
    ) -> NativeSearchTable:
        """A table of rows as `bin_rows` gives them; bins may be uint8."""
        table = cls.__new__(cls)
        table._set(bins, truth, feature_of, begins)
        return table

    def _set(
        self,
        bins: NDArray[Any],
        truth: list[NDArray[np.uint8]],
        feature_of: NDArray[np.uint32],
        begins: NDArray[np.bool_] | None,
    ) -> None:
        first = np.ones(len(feature_of), np.uint8) if begins is None else begins.astype(np.uint8)
        self._table = _core.SearchTable(
            np.ascontiguousarray(bins),
            np.array([own.shape[1] for own in truth], np.int64),
            np.concatenate([np.zeros(0, np.uint8), *(own.ravel() for own in truth)]),
            np.ascontiguousarray(feature_of),
            np.ascontiguousarray(first),
        )

    def find_cards(self, search: CardSearch) -> Cards:
        """A scorecard for each size, or for the largest one."""
        return Cards(
            *self._table.find_cards(
                np.ascontiguousarray(search.weights),
                np.ascontiguousarray(search.shares),
                np.ascontiguousarray(search.signs),
                np.ascontiguousarray(search.starts),
                np.ascontiguousarray(search.literals),
                search.ridge,
                search.conjunctions,
                np.ascontiguousarray(search.sizes),
                search.max_rules or 0,
                search.max_features or 0,
                search.max_points,
                search.thorough,
                _native_constraints(search.constraints),
                LOSSES.index(search.loss),
                search.quantile,
            )
        )

    def scores(self, cards: Cards, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """The scores [cards, banks, rows] of some rows, in units of scores."""
        return self._table.card_scores(*cards[:7], np.ascontiguousarray(rows))
