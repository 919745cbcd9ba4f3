"""Successive halving within a time budget: many settings on few rows, then the best third on more rows.

Not here: what a setting is and how it is validated (trials.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed

from clausal.scorecard.logistic import Indices
from clausal.scorecard.rows import LabeledRows
from clausal.tuning.trials import Setting, Task, Validation

_FACTOR = 3  # each round keeps a third of the settings and uses three times the rows
_FINALISTS = 3
MIN_ROWS = 500  # in the first round


@dataclass(frozen=True)
class Round:
    """A round validates `n_settings` settings on `n_rows` rows."""

    number: int
    n_settings: int
    n_rows: int


def plan_rounds(n_settings: int, n_rows: int) -> list[Round]:
    """The rounds, from all settings on few rows to a few settings on all rows."""
    counts = [n_settings]
    while counts[-1] > _FINALISTS:
        counts.append(-(-counts[-1] // _FACTOR))
    last = len(counts) - 1
    return [
        Round(number, count, min(n_rows, max(MIN_ROWS, n_rows // _FACTOR ** (last - number))))
        for number, count in enumerate(counts)
    ]


@dataclass(frozen=True)
class Trial:
    """A setting, by its index, in one round.

    `score` and `error` are means over all rounds with the same number of rows: on small data, later rounds
    add folds instead of rows.
    """

    setting: int
    round: Round
    score: float
    error: float
    validation: Validation


@dataclass(eq=False)
class Halving:
    """Successive halving over settings.

    Attributes
    ----------
    task : how a setting is validated
    settings : the default one first
    rows : all rows
    n_jobs : number of settings in parallel
    end : the time (as in `time.time()`) at which everything should be done, with the fit on all rows
    trials : in the order of validation
    """

    task: Task
    settings: list[Setting]
    rows: LabeledRows
    n_jobs: int | None
    end: float | None = None
    trials: list[Trial] = field(default_factory=list)

    @property
    def rounds(self) -> list[Round]:
        """The planned rounds."""
        return plan_rounds(len(self.settings), len(self.rows.codes))

    @property
    def n_trials(self) -> int:
        """The number of planned trials."""
        return sum(planned.n_settings for planned in self.rounds)

    def run(self, advance: Callable[[str], None]) -> None:
        """Validate settings round by round until the last round is done or the time is over."""
        rounds = self.rounds
        order = stratified_order(self.rows.codes, self.task.seed)
        remaining = list(range(len(self.settings)))
        for current in rounds:
            part = self.rows.take(np.sort(order[: current.n_rows]))
            for trial in self._run_round(remaining, current, part):
                self.trials.append(trial)
                advance(f"best so far {max(one.score for one in self.of_round(current.number)):.3f}")
            done = self.of_round(current.number)
            if len(done) < len(remaining) or current == rounds[-1]:
                break
            ranked = sorted(done[1:], key=lambda trial: -trial.score)
            n_others = rounds[current.number + 1].n_settings - 1  # the default setting is always kept
            remaining = [0, *(trial.setting for trial in ranked[:n_others])]

    def _run_round(self, remaining: list[int], current: Round, part: LabeledRows) -> Iterator[Trial]:
        """The trials of a round, the default setting first, without those for which there is no time."""
        seed = (self.task.seed + current.number) % 2**32
        for group in (remaining[:1], remaining[1:]):
            work = (
                delayed(self.task.validate)(
                    self.settings[setting],
                    part,
                    seed,
                    self._latest_start(setting, current.n_rows),
                )
                for setting in group
            )
            results = Parallel(n_jobs=self.n_jobs, return_as="generator")(work)
            for setting, validation in zip(group, results, strict=True):
                if validation is not None:
                    yield self._trial(setting, current, validation)
            if not self.of_round(current.number):
                return  # there is no time for the default setting, which the others are compared with

    def _trial(self, setting: int, current: Round, validation: Validation) -> Trial:
        """A trial with the mean over the setting's trials on this number of rows."""
        earlier = [
            trial.validation
            for trial in self.trials
            if trial.setting == setting and trial.round.n_rows == current.n_rows
        ]
        all_of_them = [*earlier, validation]
        score = float(np.mean([one.score for one in all_of_them]))
        error = float(np.sqrt(sum(one.error**2 for one in all_of_them)) / len(all_of_them))
        return Trial(setting, current, score, error, validation)

    def of_round(self, number: int) -> list[Trial]:
        """The trials of one round."""
        return [trial for trial in self.trials if trial.round.number == number]

    def best(self) -> Trial:
        """The trial with the highest score in the last round that has at least two trials.

        If time is short, settings that need more than twice the time of the default setting to fit all rows
        are excluded.
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
        """An estimate of the time of a fit on all rows, from this trial."""
        return trial.validation.fit_seconds * len(self.rows.codes) / trial.round.n_rows

    def _latest_start(self, setting: int, n_rows: int) -> float:
        """The latest start of a fit such that it and the final fit on all rows end in time."""
        if self.end is None or not self.trials:
            return np.inf
        best = max(self.trials, key=lambda trial: (trial.round.number, trial.score))
        own = [one.validation.fit_seconds / one.round.n_rows for one in self.trials if one.setting == setting]
        return self.end - self._refit_seconds(best) - (own[-1] * n_rows if own else 0.0)


def stratified_order(codes: Indices, seed: int) -> Indices:
    """Row indices in a random order: two rows of each class first, and every prefix is stratified."""
    rng = np.random.default_rng(seed)
    key = np.empty(len(codes))
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        rank = rng.permutation(len(rows))
        key[rows] = np.where(rank < 2, 0.0, (rank + rng.random()) / len(rows))
    order: Indices = np.argsort(key, kind="stable")
    return order
