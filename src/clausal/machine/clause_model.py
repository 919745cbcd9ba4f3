"""The fitted machine as arrays: what it predicts with, and what it needs to go on learning.

A ClauseModel is frozen and its arrays are read-only; copies, pickles, files and rules all follow from it.
Also here: its rules, one per clause that can vote, with the same literals. Not here: simplification of rules
(rules/simplify.py), learning (engine) and the meaning of columns (encoding).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.encoding.patch_view import PatchView
from clausal.engine.protocol import EngineConfig, EngineState, pack_bits, unpack_bits
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet


@dataclass(frozen=True, eq=False)
class ClauseModel:
    """Clauses, weights and automata of a machine.

    Attributes
    ----------
    states : uint8 [clause sets, clauses, literals]
        Each automaton's state - 1; it includes its literal from `n_states` on. A set of clauses per bank, or
        one if all banks share it.
    levels : int32 [banks, clauses]
        The level of each clause under its weight rule: the weight itself for none and integer, the exponent
        of 1 + gain for real.
    points : int32 [banks, clauses]
        What each clause votes, in units of 1 / `scale`; never negative unless clauses are shared.
    n_states : int
        N; an automaton has 2N states.
    threshold : int
        T in units of 1 / `scale`.
    scale : int
        1, or the fixed-point scale of real weights.
    seed : int
        Of the keyed randomness.
    step, epoch, row : int
        Where the keyed randomness goes on: steps taken, epochs of `fit`, rows given to `partial_fit`.
    shared : bool
        Whether all banks have the same clauses, whose weights say by their sign what they vote for.
    view : PatchView or None
        The patches of a sample, of whose literals the clauses are made; None where samples are rows.
    all_for : bool
        Whether no clause votes against, as where a number is predicted.
    """

    states: NDArray[np.uint8]
    levels: NDArray[np.int32]
    points: NDArray[np.int32]
    n_states: int
    threshold: int
    scale: int
    seed: int
    step: int
    epoch: int = 0
    row: int = 0
    shared: bool = False
    view: PatchView | None = None
    all_for: bool = False

    def __post_init__(self) -> None:
        for array in (self.states, self.levels, self.points):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays come back from a pickle writable; freeze them again."""
        self.__dict__.update(state)
        self.__post_init__()

    def __getstate__(self) -> dict[str, Any]:
        """Only the fields: what is derived from them is made again when asked for."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def n_banks(self) -> int:
        """Banks: one for two classes, K for K."""
        return int(self.levels.shape[0])

    @property
    def n_clauses(self) -> int:
        """Clauses of one bank."""
        return int(self.states.shape[1])

    @cached_property
    def include(self) -> NDArray[np.bool_]:
        """Which literals each clause includes, bool [clause sets, clauses, literals]."""
        return _read_only(self.states >= self.n_states)

    @cached_property
    def polarity(self) -> NDArray[np.int8]:
        """1 for clauses that vote for, -1 for those that vote against, int8 [clauses]; 1 if shared."""
        against = (np.arange(self.n_clauses) % 2 == 1) & (not self.shared and not self.all_for)
        return _read_only(np.where(against, -1, 1).astype(np.int8))

    @cached_property
    def weights(self) -> NDArray[Any]:
        """Each clause's weight [banks, clauses]: int64, or float64 under the real rule; signed if shared."""
        return _read_only(self.points.astype(np.int64) if self.scale == 1 else self.points / self.scale)

    @cached_property
    def n_literals(self) -> int:
        """Include actions summed over clauses with a weight other than 0, as the paper counts."""
        live = (self.points != 0).any(axis=0, keepdims=True) if self.shared else self.points != 0
        return int(self.include[live].sum())

    @cached_property
    def used_columns(self) -> NDArray[np.bool_]:
        """Which boolean columns some clause tests, bool [columns]."""
        words = np.bitwise_or.reduce(self.packed_include.reshape(-1, self.packed_include.shape[2]))
        literals = unpack_bits(words, self.states.shape[2])
        return _read_only(np.asarray(literals.reshape(2, -1).any(axis=0)))

    @cached_property
    def packed_include(self) -> NDArray[np.uint64]:
        """`include` as words [clause sets, clauses, words], for prediction."""
        return np.stack(
            [pack_bits(states >= self.n_states) for states in self.states]
        )  # bank by bank: in cache

    @cached_property
    def signed_points(self) -> NDArray[np.int32]:
        """`points` with the clause's sign, int32 [banks, clauses], for prediction."""
        return np.ascontiguousarray(self.points * self.polarity.astype(np.int32))

    @cached_property
    def constants(self) -> NDArray[np.int64]:
        """What every row gets, int64 [banks], in units of 1 / `scale`.

        Where all clauses vote for, an empty one votes as it does in training, where it fires always. Else
        those for and against cancel out in the main, and an empty clause does not vote.
        """
        empty = ~self.include.any(axis=2) & self.all_for
        return _read_only(np.where(empty, self.points, 0).sum(axis=1, dtype=np.int64))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def to_model(config: EngineConfig, state: EngineState, *, epoch: int, row: int) -> ClauseModel:
    """An engine's state as a model."""
    return ClauseModel(
        states=state.states,
        levels=state.levels,
        points=config.points(state.levels).astype(np.int32),
        n_states=config.n_states,
        threshold=config.threshold,
        scale=config.rule.scale,
        seed=config.seed,
        step=state.step,
        epoch=epoch,
        row=row,
        shared=config.shared,
        view=config.view,
        all_for=config.loss is not None,
    )


def extract_rules(model: ClauseModel, encoding: Encoding, classes: Any) -> RuleSet:
    """One rule per clause that has literals and a weight other than 0, by decreasing weight.

    A shared clause is a rule for each bank that it votes in. What every row gets is the constants.

    Parameters
    ----------
    model : the fitted arrays
    encoding : the meaning of the columns
    classes : class labels in order, or an Outcome
    """
    constants = tuple((model.constants if model.scale == 1 else model.constants / model.scale).tolist())
    rules = RuleSet((), encoding, classes, constants)
    all_literals = [
        Literal(column, index, negated)
        for negated in (False, True)
        for index, column in enumerate(rules.columns)
    ]
    filled = model.include.any(axis=2)
    literals_of = {
        (index, clause): tuple(all_literals[k] for k in np.flatnonzero(model.include[index, clause]).tolist())
        for index, clause in np.argwhere(filled).tolist()
    }
    found = []
    for bank, clause in np.argwhere((model.points != 0) & filled).tolist():
        points = int(model.polarity[clause]) * model.weights[bank, clause].item()
        found.append(Rule(literals_of[0 if model.shared else bank, clause], points, bank=bank))
    return rules.with_rules(sorted(found, key=lambda rule: -abs(rule.points)))
