"""What every engine can do: train whole epochs, hand its state out and take one in.

The reference engine (reference.py) and the compiled one (native.py) satisfy it and agree bit for bit.
Finished clauses predict apart from any engine: they are compiled from a ClauseModel's arrays, or from rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from clausal.engine.config import EngineConfig


@dataclass(frozen=True, eq=False)
class EngineState:
    """All that learning changes.

    Attributes
    ----------
    states : uint8 [banks, clauses, literals], each automaton's state - 1
    levels : int32 [banks, clauses], the level of each clause under its weight rule
    step : steps taken so far; the keyed randomness goes on from here
    """

    states: NDArray[np.uint8]
    levels: NDArray[np.int32]
    step: int


def first_state(config: EngineConfig) -> EngineState:
    """The state before learning: automata just excluded, weights at their start."""
    shape = (config.n_banks, config.n_clauses)
    states = np.full((*shape, config.n_literals), config.n_states - 1, np.uint8)
    return EngineState(states, np.full(shape, config.rule.start, np.int32), 0)


class Engine(Protocol):
    """A machine in training."""

    def fit_epoch(
        self, literals: NDArray[np.uint64], targets: NDArray[np.int32], order: NDArray[np.int64]
    ) -> None:
        """Visit rows in the order given, one step each; interrupted, the state is as before the call.

        Parameters
        ----------
        literals : [n, words], packed by `pack`
        targets : [n], 0 or 1 with one bank, the class index with several
        order : [visits], row indices
        """

    @property
    def step(self) -> int:
        """Steps taken so far."""

    @property
    def levels(self) -> NDArray[np.int32]:
        """The clauses' levels, [banks, clauses]; only to be read, before the next epoch."""

    def export_state(self) -> EngineState:
        """A copy of the state."""

    def import_state(self, state: EngineState) -> None:
        """Go on from a state."""


E = TypeVar("E", bound=Engine)


class TrainingJob(NamedTuple, Generic[E]):
    """One machine's share of a call that trains several; the arrays are those of `Engine.fit_epoch`."""

    engine: E
    literals: NDArray[np.uint64]
    targets: NDArray[np.int32]
    order: NDArray[np.int64]


class ClauseLists(NamedTuple):
    """Clauses as lists of literals.

    Attributes
    ----------
    starts : int64 [clauses + 1], where each clause's literals begin
    literals : uint32, k for column k, the number of columns + k for its negation
    banks : uint32 [clauses]
    points : int64 [clauses], signed
    """

    starts: NDArray[np.int64]
    literals: NDArray[np.uint32]
    banks: NDArray[np.uint32]
    points: NDArray[np.int64]


class Clauses(Protocol):
    """Finished clauses, ready to vote. Empty ones never do."""

    def votes(self, literals: NDArray[np.uint64], n_threads: int = 1) -> NDArray[np.int64]:
        """Votes [n, banks] on packed rows [n, words]."""

    def votes_of_bits(self, bits: NDArray[np.uint8], n_threads: int = 1) -> NDArray[np.int64] | None:
        """Votes on rows of bytes [n, columns]; None where a byte is neither 0 nor 1."""

    def votes_of_sparse(
        self, row_starts: NDArray[np.integer], columns: NDArray[np.integer], n_threads: int = 1
    ) -> NDArray[np.int64]:
        """Votes on rows given as the indices of their true columns, both int32 or both int64."""
