"""The epochs of one fit: order, scores, callbacks, early stopping, progress.

The loop is the same for every machine and backend. Interrupted, it leaves the engine and the history at the
last whole epoch. Not here: what happens within an epoch (engine) and what a score means (classifier.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.engine.protocol import Engine, EngineState
from clausal.engine.weight_rule import WeightRule
from clausal.machine.visits import EpochOrder
from clausal.progress import progress

Scorer = Callable[[EngineState], Mapping[str, float]]

_CALL_SIZE = 1 << 16  # visits, or levels, of the epochs that are run in one call


@dataclass(frozen=True)
class EpochEnd:
    """What a callback sees after each epoch.

    Attributes
    ----------
    epoch : whole epochs of this fit so far, from 1
    n_epochs : epochs this fit was asked for
    scores : accuracy on each held-out set, by name; empty when there is none
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
        if plan.score is not None or plan.callbacks or plan.show_progress or self.keep is not None:
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
        weights = np.array(self.plan.rule.weights(self.engine.levels))
        weights.setflags(write=False)
        event = EpochEnd(epoch, self.plan.n_epochs, MappingProxyType(dict(scores)), weights)
        answers = [callback(event) for callback in self.plan.callbacks]
        return any(isinstance(answer, (bool, np.bool_)) and bool(answer) for answer in answers)

    def _records_of(self, call: _Call, n_before: int, scores: Mapping[str, float]) -> list[dict[str, float]]:
        """An entry of the history for each epoch of a call; scores are those of a single one."""
        n_live = self.plan.rule.is_live(call.levels).sum(axis=(1, 2)).tolist()
        return [
            {"epoch": n_before + 1 + i, "n_live_clauses": count, **scores} for i, count in enumerate(n_live)
        ]

    def _judge(self, state: EngineState, score: float, stopping: Stopping) -> bool:
        if self._best is None or score > self._best[0]:
            self._best = (score, state)
        if score > self._reference_score + stopping.tol:
            self._reference_score, self._epochs_without_gain = score, 0
        else:
            self._epochs_without_gain += 1
        return self._epochs_without_gain >= stopping.patience
