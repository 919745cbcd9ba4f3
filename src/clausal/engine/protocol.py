"""What every engine gets and can do: its config; train whole epochs, hand its state out and take one in.

The config is plain validated values, made from the estimator's parameters (machine/configure.py). The
compiled core reads the fields that core/config.hpp lists from it, by name. Also here: booleans as 64-bit
words.

The reference engine (reference.py) and the compiled one (native.py) satisfy it and agree bit for bit.
Finished clauses predict apart from any engine: they are compiled from a ClauseModel's arrays, or from rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.patch_view import PatchView
from clausal.engine.feedback import NumericLoss
from clausal.engine.random_stream import AUTOMATON_BITS, CHANCE_BITS, Purpose, child_key, halves
from clausal.engine.weight_rule import WeightRule


def pack_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The last axis of a boolean array as words: bit k of word q is entry 64 q + k, the rest is 0."""
    as_bytes = np.packbits(bits, axis=-1, bitorder="little")
    n_words = -(-bits.shape[-1] // 64)
    padded = np.zeros((*bits.shape[:-1], n_words * 8), np.uint8)
    padded[..., : as_bytes.shape[-1]] = as_bytes
    return padded.view("<u8").astype(np.uint64)


def unpack_bits(words: NDArray[np.uint64], n_bits: int) -> NDArray[np.bool_]:
    """The inverse of `pack_bits`: the first `n_bits` entries of the last axis."""
    as_bytes = np.ascontiguousarray(words, "<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, count=n_bits, bitorder="little").astype(bool)


@dataclass(frozen=True, eq=False)
class EngineConfig:
    """Shape, law and seed of one machine.

    Attributes
    ----------
    n_banks, n_clauses, n_columns : banks of `n_clauses` clauses over `n_columns` columns
    n_states : N; an automaton has 2N states, the upper N include its literal
    threshold : T in vote units (T times the weight rule's scale)
    down_chance : uint32 [n_clauses], 1/s of each clause in units of 2^-24
    drop_chance : probability that a clause sits out a block of steps, in units of 2^-32
    max_clause_literals : a longer clause gets Type Ib instead of Type Ia feedback; None for no limit
    loss : of a machine that learns numbers, all of whose clauses vote for; None for classes
    allowed : bool [2, 2 * n_columns], literals that clauses for (row 0) and against (row 1) may include; the
        rows are equal where clauses have no polarity
    label_sets : uint8 [targets, banks], 1 for the labels of each target, where a row may have several; None
        where targets are classes
    shared : whether all banks have the same clauses, each bank with levels of its own, whose sign says
        whether a clause votes for or against the bank
    groups : configs of the machines that make up this one, in the order of its clauses; none if it is plain
    factor : how often a vote of this group counts in the votes of the whole machine
    view : the patches of a sample, of which `n_columns` are the columns; None where a sample is a row
    """

    n_banks: int
    n_clauses: int
    n_columns: int
    n_states: int
    threshold: int
    down_chance: NDArray[np.uint32]
    rule: WeightRule
    seed: int
    boost_true_positive: bool = False
    max_clause_literals: int | None = None
    drop_chance: int = 0
    focused_negatives: bool = False
    loss: NumericLoss | None = None
    allowed: NDArray[np.bool_] | None = None
    groups: tuple[EngineConfig, ...] = ()
    factor: int = 1
    label_sets: NDArray[np.uint8] | None = None
    shared: bool = False
    view: PatchView | None = None

    @property
    def n_clause_sets(self) -> int:
        """How many sets of `n_clauses` clauses there are: one per bank, or one that all share."""
        return 1 if self.shared else self.n_banks

    @property
    def factors(self) -> NDArray[np.int64]:
        """How often the vote of each clause counts, int64 [n_clauses]."""
        parts = self.groups or (self,)
        return np.repeat([part.factor for part in parts], [part.n_clauses for part in parts])

    def points(self, levels: NDArray[np.int32]) -> NDArray[np.int64]:
        """What each clause votes at these levels [..., n_clauses], in vote units."""
        return self.rule.points(levels) * self.factors

    @property
    def polarity(self) -> NDArray[np.int8]:
        """1 for clauses that vote for (1-based odd ones), -1 for those that vote against, int8 [n_clauses].

        All 1 where numbers are learned, or where levels have a sign.
        """
        against = (np.arange(self.n_clauses) % 2 == 1) & (self.loss is None and not self.shared)
        return np.where(against, -1, 1).astype(np.int8)

    @property
    def n_literals(self) -> int:
        """Literals of one clause: every column and its negation."""
        return 2 * self.n_columns

    @property
    def literal_mask(self) -> NDArray[np.bool_]:
        """The `allowed` mask, all true where none was given."""
        return np.ones((2, self.n_literals), bool) if self.allowed is None else self.allowed

    @property
    def allowed_words(self) -> NDArray[np.uint64]:
        """The same as bits, uint64 [2, words]."""
        return pack_bits(self.literal_mask)


def down_chances(specificity: float | tuple[float, float], n_clauses: int) -> NDArray[np.uint32]:
    """1/s per clause in units of 2^-24; a pair (low, high) is spread linearly over the clauses."""
    low, high = specificity if isinstance(specificity, (tuple, list)) else (specificity, specificity)
    share = np.arange(n_clauses) / max(n_clauses - 1, 1)
    s = float(low) + (float(high) - float(low)) * share
    return np.rint(2.0**AUTOMATON_BITS / s).astype(np.uint32)


def drop_chance(probability: float) -> int:
    """A probability in units of 2^-32."""
    return int(np.rint(probability * 2.0**CHANCE_BITS))


@dataclass(frozen=True, eq=False)
class EngineState:
    """All that learning changes.

    Attributes
    ----------
    states : uint8 [clause sets, clauses, literals], each automaton's state - 1
    levels : int32 [banks, clauses], the level of each clause under its weight rule
    step : steps taken so far; the keyed randomness goes on from here
    """

    states: NDArray[np.uint8]
    levels: NDArray[np.int32]
    step: int


def first_state(config: EngineConfig) -> EngineState:
    """The state before learning: automata just excluded, weights at their start (shared: of drawn sign)."""
    states = np.full(
        (config.n_clause_sets, config.n_clauses, config.n_literals), config.n_states - 1, np.uint8
    )
    levels = np.full((config.n_banks, config.n_clauses), config.rule.start, np.int32)
    if config.shared:
        for bank, own in enumerate(levels):
            key = child_key(config.seed, Purpose.SIGN, bank)
            own[halves(key, config.n_clauses) < 1 << CHANCE_BITS - 1] *= -1
    return EngineState(states, levels, 0)


class Engine(Protocol):
    """A machine in training."""

    def fit_epoch(
        self, literals: NDArray[np.uint64], targets: NDArray[np.int32], order: NDArray[np.int64]
    ) -> None:
        """Visit rows in the order given, one step each; interrupted, the state is as before the call.

        Parameters
        ----------
        literals : [n, words], packed by `pack`, or by the `PatchView` where there is one
        targets : [n], 0 or 1 with one bank, the class index with several, or an index of `label_sets`;
            a number as its share of the range in units of 2^-30
        order : [visits], row indices
        """

    def fit_epochs(
        self,
        literals: NDArray[np.uint64],
        targets: NDArray[np.int32],
        orders: Sequence[NDArray[np.int64]],
        levels: NDArray[np.int32],
    ) -> None:
        """Run an epoch per order; interrupted, the state is that of the last whole epoch.

        Parameters
        ----------
        literals, targets : as in `fit_epoch`
        orders : one array of row indices per epoch
        levels : [epochs, banks, clauses], filled with the levels at the end of each epoch
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
        """Votes [n, banks] on packed rows, or samples with patches, [n, words]."""

    def votes_of_bits(self, bits: NDArray[np.uint8], n_threads: int = 1) -> NDArray[np.int64] | None:
        """Votes on rows of bytes [n, columns]; None where a byte is neither 0 nor 1."""

    def votes_of_sparse(
        self, row_starts: NDArray[np.integer], columns: NDArray[np.integer], n_threads: int = 1
    ) -> NDArray[np.int64]:
        """Votes on rows given as the indices of their true columns, both int32 or both int64."""
