"""The epochs of one fit: which rows each visits and in which order; scores, callbacks, stopping, progress.

The loop is the same for every machine and backend. Interrupted, it leaves the engine and the history at the
last whole epoch. Not here: what happens within an epoch (engine), held-out rows and their scores (train.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.engine import random_stream
from clausal.engine.protocol import Engine, EngineState
from clausal.engine.random_stream import CHANCE_BITS, Purpose, child_key, halves, words
from clausal.engine.weight_rule import WeightRule
from clausal.machine.inputs import Weights
from clausal.progress import progress

Scorer = Callable[[EngineState], Mapping[str, float]]
Shuffled = Callable[[NDArray[np.int64], NDArray[np.uint64]], NDArray[np.int64]]

_CALL_SIZE = 1 << 16  # visits, or levels, of the epochs that are run in one call


# --- which rows, how often, in which order ---


class EpochOrder:
    """The visits of each epoch of `fit` over one table.

    They are functions of the rows' content, their weights, the seed and the epoch, never of the order in
    which the rows were given: an integer weight gives the very model that repeating the row gives, and weight
    0 the one that leaving it out gives.
    """

    def __init__(
        self,
        literals: NDArray[np.uint64],
        targets: NDArray[np.int32],
        weights: Weights | None,
        seed: int,
        shuffled: Shuffled = random_stream.shuffled,
    ) -> None:
        self._seed, self._shuffled = seed, shuffled
        self._rows = rows_by_content(literals, targets, weights)
        self._weights = None if weights is None else weights[self._rows]
        if self._weights is not None and np.all(self._weights == np.floor(self._weights)):
            self._rows, self._weights = np.repeat(self._rows, self._weights.astype(np.int64)), None

    @property
    def n_visits(self) -> float:
        """Visits of an epoch, on average."""
        return len(self._rows) if self._weights is None else float(self._weights.sum())

    def visits(self, epochs: range) -> list[NDArray[np.int64]]:
        """For each epoch, row indices in visiting order."""
        indices = np.arange(epochs.start, epochs.stop, dtype=np.uint64)
        keys = words(np.uint64(child_key(self._seed, Purpose.ORDER)), indices)
        if self._weights is None:
            return list(self._shuffled(self._rows, keys))
        return [
            self._shuffled(np.repeat(self._rows, self._drawn_counts(epoch)), keys[[i]])[0]
            for i, epoch in enumerate(epochs)
        ]

    def _drawn_counts(self, epoch: int) -> NDArray[np.int64]:
        """How often an epoch visits each row."""
        assert self._weights is not None
        # Only rows whose weight is not whole draw, so that other rows do not move their draws.
        whole = self._weights == np.floor(self._weights)
        draws = np.zeros(len(self._rows), np.uint64)
        draws[~whole] = halves(child_key(self._seed, Purpose.REPEAT, epoch), int((~whole).sum()))
        return _counts(self._weights, draws)


def rows_by_content(
    literals: NDArray[np.uint64], targets: NDArray[np.int32], weights: Weights | None
) -> NDArray[np.int64]:
    """The rows of weight above 0 in an order that depends on what they hold, not on where they stand."""
    content = row_contents(literals, targets)
    if weights is None:
        return np.argsort(content, kind="stable").astype(np.int64, copy=False)
    rows = np.lexsort((weights, content)).astype(np.int64, copy=False)
    return rows[weights[rows] > 0]


def visits_in_order(weights: Weights | None, n_rows: int, seed: int, first_row: int) -> NDArray[np.int64]:
    """The visits of `partial_fit`; `first_row` rows came before, so that chunks do not matter."""
    rows = np.arange(n_rows, dtype=np.int64)
    if weights is None:
        return rows
    key = np.uint64(child_key(seed, Purpose.ROW_REPEAT))
    draws = words(key, (rows + first_row).astype(np.uint64)) >> np.uint64(CHANCE_BITS)
    return np.repeat(rows, _counts(weights, draws))


def _counts(weights: Weights, draws: NDArray[np.uint64]) -> NDArray[np.int64]:
    """floor(w) visits, and one more with probability w - floor(w)."""
    whole = np.floor(weights)
    chance = np.rint((weights - whole) * 2.0**CHANCE_BITS).astype(np.uint64)
    return whole.astype(np.int64) + (draws < chance)


def row_contents(literals: NDArray[np.uint64], targets: NDArray[np.int32]) -> NDArray[np.uint64]:
    """A 64-bit summary of each row and its target: equal rows agree, others practically never."""
    summary = words(np.uint64(0), targets.astype(np.uint64))
    for column in literals.T:
        summary = words(summary, column)
    return summary


# --- the epochs ---


@dataclass(frozen=True)
class EpochEnd:
    """What a callback sees after each epoch.

    Attributes
    ----------
    epoch : whole epochs of this fit so far, from 1
    n_epochs : epochs this fit was asked for
    scores : accuracy on each held-out set, by name; empty when there is none. Of a regressor the share of the
        loss of the best constant that its predictions save (R2 for squared errors)
    weights : the clauses' weights [banks, clauses], read-only
    """

    epoch: int
    n_epochs: int
    scores: Mapping[str, float]
    weights: NDArray[Any]


Callback = Callable[[EpochEnd], object]


@dataclass(frozen=True)
class Stopping:
    """Stop when a score has not risen by more than `tol` for `patience` epochs; keep the best epoch."""

    score: str
    patience: int
    tol: float


@dataclass(frozen=True, eq=False)
class Standing:
    """Where a fit stands after a whole epoch: all it needs to go on to the same bits.

    Attributes
    ----------
    state : the engine's
    records : one entry of the history per epoch
    best : the best score and its state under early stopping
    reference_score : the last score that was an improvement
    epochs_without_gain : epochs since then
    stopped : early stopping or a callback has ended the fit
    """

    state: EngineState
    records: Sequence[Mapping[str, float]]
    best: tuple[float, EngineState] | None
    reference_score: float
    epochs_without_gain: int
    stopped: bool


@dataclass(frozen=True)
class Plan:
    """How a fit is run."""

    n_epochs: int
    first_epoch: int
    score: Scorer | None
    rule: WeightRule
    callbacks: Sequence[Callback] = ()
    stopping: Stopping | None = None
    show_progress: bool = False
    factors: NDArray[np.int64] | int = 1  # of the weights that callbacks see
    shared: bool = False  # whether a clause votes in all banks

    @property
    def is_watched(self) -> bool:
        """Whether anybody looks at what an epoch led to."""
        return self.score is not None or bool(self.callbacks) or self.show_progress


class _Call(NamedTuple):
    """Some epochs that the engine runs in one call.

    Attributes
    ----------
    ends : int64 [epochs], the engine's step at the end of each
    levels : int32 [epochs, banks, clauses], which the engine fills
    """

    ends: NDArray[np.int64]
    levels: NDArray[np.int32]


@dataclass
class Training:
    """One fit under way: the epochs done and the state they led to.

    Epochs after which nobody looks are run in one call of the engine. An interrupt may come anywhere, so what
    counts as done changes in one assignment, of `_done`: the epochs, the state where it was asked for (else
    the engine has it), and the call under way, whose epochs count when the engine has ended them.
    """

    engine: Engine
    plan: Plan
    keep: Callable[[], None] | None = None  # called after each epoch, to write a checkpoint
    _done: tuple[int, EngineState | None, _Call | None] = (0, None, None)
    _records: list[dict[str, float]] = field(default_factory=list)
    _best: tuple[float, EngineState] | None = None
    _reference_score: float = -np.inf
    _epochs_without_gain: int = 0
    _stopped: bool = False

    @property
    def epoch(self) -> int:
        """Whole epochs done, also those that the engine had ended when an interrupt came."""
        epoch, _, call = self._done
        if call is None or self.plan.score is not None:
            return epoch
        return epoch + int(np.searchsorted(call.ends, self.engine.step, side="right"))

    @property
    def state(self) -> EngineState | None:
        """The state to keep: the best epoch's under early stopping, else that of the last whole epoch."""
        kept = self._done[1]
        return self.engine.export_state() if kept is None and self.epoch else kept

    @property
    def history(self) -> dict[str, list[float]]:
        """One value per whole epoch under each name."""
        n_done, _, call = self._done
        records = self._records[: self.epoch]
        if call is not None:
            records += self._records_of(call, n_done, {})[len(records) - n_done : self.epoch - n_done]
        return {name: [record[name] for record in records] for name in (records[0] if records else ())}

    @property
    def is_over(self) -> bool:
        """Whether the plan or a callback has ended it."""
        return self._stopped or self.epoch >= self.plan.n_epochs

    @property
    def standing(self) -> Standing:
        """Where it stands, after a whole epoch."""
        return Standing(
            self.engine.export_state(),
            tuple(self._records),
            self._best,
            self._reference_score,
            self._epochs_without_gain,
            self._stopped,
        )

    def go_on_from(self, standing: Standing) -> None:
        """Continue where another training of the same plan stood."""
        self.engine.import_state(standing.state)
        self._records = [dict(record) for record in standing.records]
        self._best, self._reference_score = standing.best, standing.reference_score
        self._epochs_without_gain, self._stopped = standing.epochs_without_gain, standing.stopped
        kept = standing.state if self._best is None else self._best[1]
        self._done = (len(self._records), None if self.plan.score is None else kept, None)

    def run(self, literals: NDArray[np.uint64], targets: NDArray[np.int32], order: EpochOrder) -> None:
        """Train until the plan or a callback ends it."""
        with progress(self.plan.n_epochs, self.plan.show_progress) as advance:
            for _ in range(self.epoch):
                advance("")
            while not self.is_over:
                epoch, kept, _ = self._done
                first = self.plan.first_epoch + epoch
                orders = order.visits(range(first, first + self._n_epochs_of_next_call(order.n_visits)))
                call = self._call(orders)
                self._done = (epoch, kept, call)
                self.engine.fit_epochs(literals, targets, orders, call.levels)
                self._stopped = self._end_call(call, epoch, advance)
                if self.keep is not None:
                    self.keep()

    def _n_epochs_of_next_call(self, n_visits: float) -> int:
        """One if anybody looks at what it led to; else as many as are left, or as a call may hold."""
        plan = self.plan
        if plan.is_watched or self.keep is not None:
            return 1
        at_most = int(_CALL_SIZE / max(n_visits, self.engine.levels.size, 1))
        return max(1, min(at_most, plan.n_epochs - self.epoch))

    def _call(self, orders: Sequence[NDArray[np.int64]]) -> _Call:
        ends = self.engine.step + np.cumsum([len(order) for order in orders])
        return _Call(ends, np.empty((len(orders), *self.engine.levels.shape), np.int32))

    def _end_call(self, call: _Call, n_before: int, advance: Callable[[str], None]) -> bool:
        """Score, record, call back; whether to stop."""
        plan, epoch = self.plan, n_before + len(call.ends)
        stop, state, scores = False, None, {}
        if plan.score is not None:
            state = self.engine.export_state()
            scores = dict(plan.score(state))
        self._records += self._records_of(call, n_before, scores)
        kept = state
        if plan.stopping is not None and state is not None:
            stop = self._judge(state, scores[plan.stopping.score], plan.stopping)
            kept = state if self._best is None else self._best[1]
        self._done = (epoch, kept, None)
        advance("  ".join(f"{name} {value:.3f}" for name, value in scores.items()))
        return stop | self._call_back(epoch, scores) if plan.callbacks else stop

    def _call_back(self, epoch: int, scores: Mapping[str, float]) -> bool:
        """Call every callback; whether any asks to stop."""
        weights = np.array(self.plan.rule.weights(self.engine.levels) * self.plan.factors)
        weights.setflags(write=False)
        event = EpochEnd(epoch, self.plan.n_epochs, MappingProxyType(dict(scores)), weights)
        answers = [callback(event) for callback in self.plan.callbacks]
        return any(isinstance(answer, (bool, np.bool_)) and bool(answer) for answer in answers)

    def _records_of(self, call: _Call, n_before: int, scores: Mapping[str, float]) -> list[dict[str, float]]:
        """An entry of the history for each epoch of a call; scores are those of a single one."""
        live = self.plan.rule.is_live(call.levels)  # [epochs, banks, clauses]
        counts = (live.any(axis=1).sum(axis=1) if self.plan.shared else live.sum(axis=(1, 2))).tolist()
        return [
            {"epoch": n_before + 1 + i, "n_live_clauses": count, **scores} for i, count in enumerate(counts)
        ]

    def _judge(self, state: EngineState, score: float, stopping: Stopping) -> bool:
        if self._best is None or score > self._best[0]:
            self._best = (score, state)
        if score > self._reference_score + stopping.tol:
            self._reference_score, self._epochs_without_gain = score, 0
        else:
            self._epochs_without_gain += 1
        return self._epochs_without_gain >= stopping.patience
