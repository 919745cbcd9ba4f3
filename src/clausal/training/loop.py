"""The epochs of one fit: order, scores, callbacks, early stopping, progress.

The loop is the same for every machine and backend. Interrupted, it leaves the engine and the history at the
last whole epoch. Not here: what happens within an epoch (engine) and what a score means (estimators).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.engine.protocol import Engine, EngineState
from clausal.training.order import EpochOrder
from clausal.training.progress import progress

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


@dataclass(frozen=True)
class Plan:
    """How a fit is run."""

    n_epochs: int
    first_epoch: int
    score: Scorer
    weights: Callable[[NDArray[np.int32]], NDArray[Any]]
    callbacks: Sequence[Callback] = ()
    stopping: Stopping | None = None
    show_progress: bool = False


@dataclass
class Training:
    """One fit under way: its history, and the state it stands at."""

    engine: Engine
    plan: Plan
    epoch: int = 0
    history: dict[str, list[float]] = field(default_factory=dict)
    best: EngineState | None = None
    best_score: float = -np.inf
    _reference_score: float = -np.inf
    _epochs_without_gain: int = 0

    def state(self) -> EngineState:
        """The state to keep: the best epoch's under early stopping, else the last whole epoch's."""
        return self.engine.export_state() if self.best is None else self.best

    def run(self, literals: NDArray[np.uint64], targets: NDArray[np.int32], order: EpochOrder) -> None:
        """Train until the plan or a callback ends it."""
        with progress(self.plan.n_epochs, self.plan.show_progress) as advance:
            while self.epoch < self.plan.n_epochs:
                visits = order.visits(self.plan.first_epoch + self.epoch)
                self.engine.fit_epoch(literals, targets, visits)
                self.epoch += 1
                if self._end_epoch(advance):
                    break

    def _end_epoch(self, advance: Callable[[str], None]) -> bool:
        """Score, record, call back; whether to stop."""
        plan = self.plan
        state = self.engine.export_state()
        weights = plan.weights(state.levels)
        scores = plan.score(state)
        self._record({"epoch": self.epoch, "n_live_clauses": int((weights > 0).sum()), **scores})
        stop = plan.stopping is not None and self._judge(state, scores[plan.stopping.score], plan.stopping)
        advance("  ".join(f"{name} {value:.3f}" for name, value in scores.items()))
        weights.setflags(write=False)
        event = EpochEnd(self.epoch, plan.n_epochs, MappingProxyType(dict(scores)), weights)
        for callback in plan.callbacks:
            stop = callback(event) is True or stop
        return stop

    def _record(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self.history.setdefault(name, []).append(value)

    def _judge(self, state: EngineState, score: float, stopping: Stopping) -> bool:
        if score > self.best_score:
            self.best, self.best_score = state, score
        if score > self._reference_score + stopping.tol:
            self._reference_score, self._epochs_without_gain = score, 0
        else:
            self._epochs_without_gain += 1
        return self._epochs_without_gain >= stopping.patience
