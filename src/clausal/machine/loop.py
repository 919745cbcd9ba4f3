"""The epochs of one fit: order, scores, callbacks, early stopping, progress.

The loop is the same for every machine and backend. Interrupted, it leaves the engine and the history at the
last whole epoch. Not here: what happens within an epoch (engine) and what a score means (classifier.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.engine.protocol import Engine, EngineState
from clausal.engine.weight_rule import WeightRule
from clausal.machine.visits import EpochOrder
from clausal.progress import progress

Scorer = Callable[[EngineState], Mapping[str, float]]


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


@dataclass
class Training:
    """One fit under way: the epochs done and the state they led to.

    An interrupt may come anywhere, so what counts as done changes in one assignment, of `_done`: the epochs,
    the state where it was asked for (else the engine has it), and the engine's step at the end of the epoch
    under way.
    """

    engine: Engine
    plan: Plan
    keep: Callable[[], None] | None = None  # called after each epoch, to write a checkpoint
    _done: tuple[int, EngineState | None, int | None] = (0, None, None)
    _records: list[dict[str, float]] = field(default_factory=list)
    _best: tuple[float, EngineState] | None = None
    _reference_score: float = -np.inf
    _epochs_without_gain: int = 0
    _stopped: bool = False

    @property
    def epoch(self) -> int:
        """Whole epochs done, also one that the engine had just ended when an interrupt came."""
        epoch, _, goal = self._done
        return epoch + (self.plan.score is None and goal is not None and self.engine.step == goal)

    @property
    def state(self) -> EngineState | None:
        """The state to keep: the best epoch's under early stopping, else that of the last whole epoch."""
        kept = self._done[1]
        return self.engine.export_state() if kept is None and self.epoch else kept

    @property
    def history(self) -> dict[str, list[float]]:
        """One value per whole epoch under each name."""
        records = self._records[: self.epoch]
        if len(records) < self.epoch:
            records.append(self._record(self.epoch, {}))
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
                visits = order.visits(self.plan.first_epoch + epoch)
                self._done = (epoch, kept, self.engine.step + len(visits))
                self.engine.fit_epoch(literals, targets, visits)
                self._stopped = self._end_epoch(epoch + 1, advance)
                if self.keep is not None:
                    self.keep()

    def _end_epoch(self, epoch: int, advance: Callable[[str], None]) -> bool:
        """Score, record, call back; whether to stop."""
        plan = self.plan
        stop, state, scores = False, None, {}
        if plan.score is not None:
            state = self.engine.export_state()
            scores = dict(plan.score(state))
        self._records.append(self._record(epoch, scores))
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

    def _record(self, epoch: int, scores: Mapping[str, float]) -> dict[str, float]:
        return {"epoch": epoch, "n_live_clauses": self.plan.rule.n_live(self.engine.levels), **scores}

    def _judge(self, state: EngineState, score: float, stopping: Stopping) -> bool:
        if self._best is None or score > self._best[0]:
            self._best = (score, state)
        if score > self._reference_score + stopping.tol:
            self._reference_score, self._epochs_without_gain = score, 0
        else:
            self._epochs_without_gain += 1
        return self._epochs_without_gain >= stopping.patience
