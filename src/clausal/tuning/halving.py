"""Successive halving: many settings on few rows first, the best third of them on more, within a time budget.

Not here: what a setting is and how one is judged (trials.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed

from clausal.scorecard.compaction import Table
from clausal.scorecard.logistic import Places
from clausal.tuning.trials import Judgement, Setting, Task

_FACTOR = 3  # a third goes on, on three times the rows
_FINALISTS = 3
FEWEST_ROWS = 500  # in the first round, if there are as many


@dataclass(frozen=True)
class Round:
    """How many settings are judged on how many rows."""

    number: int
    n_settings: int
    n_rows: int


def plan_rounds(n_settings: int, n_rows: int) -> list[Round]:
    """From all settings on few rows to a few on all rows."""
    counts = [n_settings]
    while counts[-1] > _FINALISTS:
        counts.append(-(-counts[-1] // _FACTOR))
    last = len(counts) - 1
    return [
        Round(place, count, min(n_rows, max(FEWEST_ROWS, n_rows // _FACTOR ** (last - place))))
        for place, count in enumerate(counts)
    ]


@dataclass(frozen=True)
class Trial:
    """A setting, by its place among all, in one round.

    `score` and `error` are over all rounds on as many rows: on small tables later rounds add folds, not rows.
    """

    setting: int
    round: Round
    score: float
    error: float
    judgement: Judgement


@dataclass(eq=False)
class Halving:
    """The search.

    Attributes
    ----------
    task : how a setting is judged
    settings : the default one first
    table : all rows
    n_jobs : settings judged at a time
    end : when everything should be over, the fit on all rows included, as `time.time()` counts
    trials : what was judged, in order
    """

    task: Task
    settings: list[Setting]
    table: Table
    n_jobs: int | None
    end: float | None = None
    trials: list[Trial] = field(default_factory=list)

    @property
    def rounds(self) -> list[Round]:
        """What is planned."""
        return plan_rounds(len(self.settings), len(self.table.codes))

    @property
    def n_trials(self) -> int:
        """How many trials are planned."""
        return sum(planned.n_settings for planned in self.rounds)

    def run(self, advance: Callable[[str], None]) -> None:
        """Judge settings round by round until the last round is over or time is."""
        rounds = self.rounds
        order = spread_rows(self.table.codes, self.task.seed)
        alive = list(range(len(self.settings)))
        for current in rounds:
            part = self.table.take(np.sort(order[: current.n_rows]))
            for trial in self._judged(alive, current, part):
                self.trials.append(trial)
                advance(f"best so far {max(one.score for one in self.of_round(current.number)):.3f}")
            done = self.of_round(current.number)
            if len(done) < len(alive) or current == rounds[-1]:
                break
            ranked = sorted(done[1:], key=lambda trial: -trial.score)
            seats = rounds[current.number + 1].n_settings - 1  # one is the default's, to compare with
            alive = [0, *(trial.setting for trial in ranked[:seats])]

    def _judged(self, alive: list[int], current: Round, part: Table) -> Iterator[Trial]:
        """Trials of a round, the default setting's first, those left out for which there is no time."""
        seed = (self.task.seed + current.number) % 2**32
        for group in (alive[:1], alive[1:]):
            work = (
                delayed(self.task.judge)(
                    self.settings[setting],
                    part,
                    seed,
                    self._latest_start(setting, current.n_rows),
                )
                for setting in group
            )
            results = Parallel(n_jobs=self.n_jobs, return_as="generator")(work)
            for setting, judgement in zip(group, results, strict=True):
                if judgement is not None:
                    yield self._trial(setting, current, judgement)
            if not self.of_round(current.number):
                return  # no time for the default setting, with which the others would be compared

    def _trial(self, setting: int, current: Round, judgement: Judgement) -> Trial:
        """A trial, averaged with the setting's former ones on as many rows."""
        former = [
            trial.judgement
            for trial in self.trials
            if trial.setting == setting and trial.round.n_rows == current.n_rows
        ]
        both = [*former, judgement]
        score = float(np.mean([one.score for one in both]))
        error = float(np.sqrt(sum(one.error**2 for one in both)) / len(both))
        return Trial(setting, current, score, error, judgement)

    def of_round(self, number: int) -> list[Trial]:
        """The trials of one round."""
        return [trial for trial in self.trials if trial.round.number == number]

    def best(self) -> Trial:
        """The highest score in the last round of two trials or more.

        Where time is short, settings that would take over twice as long to fit on all rows as the default are
        left out.
        """
        last = max(
            number for number in range(len(self.rounds)) if number == 0 or len(self.of_round(number)) > 1
        )
        default, *others = self.of_round(last)
        left = np.inf if self.end is None else self.end - time.time()
        allowed = max(left, 2 * self._refit_seconds(default))
        affordable = [trial for trial in others if self._refit_seconds(trial) <= allowed]
        return max([default, *affordable], key=lambda trial: trial.score)

    def _refit_seconds(self, trial: Trial) -> float:
        """What a fit on all rows will take, going by this trial."""
        return trial.judgement.fit_seconds * len(self.table.codes) / trial.round.n_rows

    def _latest_start(self, setting: int, n_rows: int) -> float:
        """When a fit of a setting must have begun so that it, and the best one's on all rows, end in time."""
        if self.end is None or not self.trials:
            return np.inf
        best = max(self.trials, key=lambda trial: (trial.round.number, trial.score))
        own = [one.judgement.fit_seconds / one.round.n_rows for one in self.trials if one.setting == setting]
        return self.end - self._refit_seconds(best) - (own[-1] * n_rows if own else 0.0)


def spread_rows(codes: Places, seed: int) -> Places:
    """All rows in a random order of which every first part has each class's share, and two rows of each."""
    rng = np.random.default_rng(seed)
    place = np.empty(len(codes))
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        rank = rng.permutation(len(own))
        place[own] = np.where(rank < 2, 0.0, (rank + rng.random()) / len(own))
    order: Places = np.argsort(place, kind="stable")
    return order
