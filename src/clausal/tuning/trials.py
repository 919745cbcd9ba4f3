"""The cross-validation of one setting, and successive halving.

The encoding is learned again in each fold. Successive halving within a time budget tries many settings on few
rows, then the best third on more rows. Not here: the settings (settings.py), what a user calls (tune.py).
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from clausal.encoding.remarks import TableWarning
from clausal.encoding.values import UnseenValueWarning
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.settings import PartOf
from clausal.scorecard.calibration import Indices
from clausal.scorecard.folds import Split, stratified_folds
from clausal.scorecard.knowledge_file import OF_SCORECARDS
from clausal.scorecard.rows import LabeledRows
from clausal.scorecard.rule_classifier import RuleClassifier
from clausal.scorecard.rule_constraints import encoding_with_fixed
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search_space import MANY_ROWS
from clausal.tuning.settings import Setting


@dataclass(frozen=True)
class Validation:
    """The cross-validation of a setting on some rows.

    Attributes
    ----------
    score, error : mean over the folds and its standard error
    fit_seconds : time of one fit on these rows
    seconds : time of the cross-validation
    """

    score: float
    error: float
    fit_seconds: float
    seconds: float


@dataclass(frozen=True)
class Task:
    """The kind of model to tune, how it is validated, and what an expert knows.

    Attributes
    ----------
    scoring, max_literals, cv : as in `tune`
    seed : of the models
    known : parameters that are not tuned, as `Knowledge.parameters`
    known_of_codes : the same for trials, which are fitted on class codes
    """

    scoring: Any
    max_literals: int | None
    cv: int | None
    seed: int
    known: Mapping[str, Any] = field(default_factory=dict)
    known_of_codes: Mapping[str, Any] = field(default_factory=dict)

    def params(self, setting: Setting) -> dict[str, Any]:
        """The constructor parameters of the model, to be fitted on labels."""
        return self._params(setting, self.known)

    def _params(self, setting: Setting, known: Mapping[str, Any]) -> dict[str, Any]:
        own = setting.params(known)
        if self.max_literals is None:
            return {**own, "random_state": self.seed}
        machine = own if setting.n_clauses is None else {"estimator": TsetlinClassifier(**own)}
        arguments = {"max_literals": self.max_literals, "scoring": self.scoring, "cv": self.cv}
        of_cards = {name: known[name] for name in OF_SCORECARDS if name in known}
        return {**machine, **arguments, **of_cards, "random_state": self.seed}

    @property
    def kind(self) -> type[TsetlinClassifier | RuleClassifier]:
        """The class of the model."""
        return TsetlinClassifier if self.max_literals is None else RuleClassifier

    def estimator(self, setting: Setting) -> TsetlinClassifier | RuleClassifier:
        """The unfitted model of a setting, to be fitted on class codes."""
        return self.kind(**self._params(setting, self.known_of_codes))

    def can_read_rules(self, setting: Setting, rows: LabeledRows) -> bool:
        """Whether the fixed rules, if there are any, are about columns that a table of these rows has."""
        fixed = self.known_of_codes.get("fixed_rules")
        if not fixed:
            return True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)
            encoding = setting.params(self.known_of_codes)["booleanizer"].fit(rows.X).encoding_
        try:
            encoding_with_fixed(fixed, encoding, "tune")
        except ValueError:
            return False
        return True

    def validate(
        self, setting: Setting, rows: LabeledRows, fold_seed: int, latest: float
    ) -> Validation | None:
        """Cross-validate a setting; None if a fit would start after the time `latest`."""
        validate = self._validate_machine if self.max_literals is None else self._validate_scorecard
        return validate(setting, rows, fold_seed, latest)

    def _validate_machine(
        self, setting: Setting, rows: LabeledRows, fold_seed: int, latest: float
    ) -> Validation | None:
        begin, scores, fit_seconds = time.time(), [], 0.0
        scoring = Scoring(self.scoring, rows.outcome)
        for split in self._splits(rows, fold_seed):
            fit_begin = time.time()
            if fit_begin > latest:
                return None
            train, test = rows.with_weights(split.train), rows.with_weights(split.validation)
            clf = self.estimator(setting)
            clf._part_of = PartOf()
            clf.fit(train.X, train.codes, sample_weight=train.weights)
            fit_seconds += (time.time() - fit_begin) * len(rows.codes) / len(train.codes)
            clf.set_policy(**asdict(clf.encoding_.policy.accepting))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UnseenValueWarning)
                scores.append(scoring.of(clf, test.X, test.codes, test.weights))
        error = float(np.std(scores, ddof=1)) / math.sqrt(len(scores))
        return Validation(float(np.mean(scores)), error, fit_seconds / len(scores), time.time() - begin)

    def _validate_scorecard(
        self, setting: Setting, rows: LabeledRows, fold_seed: int, latest: float
    ) -> Validation | None:
        """A scorecard cross-validates itself: its score is that of the chosen size."""
        begin = time.time()
        if begin > latest:
            return None
        clf = self.estimator(setting).set_params(random_state=fold_seed)
        clf._part_of = PartOf()
        path = clf.fit(rows.X, rows.codes, sample_weight=rows.weights).path_
        index = int(np.flatnonzero(path.n_literals == path.chosen)[0])
        seconds = time.time() - begin
        return Validation(float(path.scores[index]), float(path.errors[index]), seconds, seconds)

    def _splits(self, rows: LabeledRows, seed: int) -> list[Split]:
        """The folds with validation rows of every class, or all folds if fewer than two have them."""
        n_folds = self.cv if self.cv is not None else (3 if len(rows.codes) >= MANY_ROWS else 5)
        splits = stratified_folds(rows.codes, rows.weights, n_folds, seed)
        complete = [
            split for split in splits if _has_every_class(rows.codes[split.validation > 0], len(rows.classes))
        ]
        return complete if len(complete) > 1 else splits


def _has_every_class(codes: Indices, n_classes: int) -> bool:
    return len(np.unique(codes)) == n_classes


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

    @cached_property
    def rounds(self) -> list[Round]:
        """The planned rounds; on all rows if the first rows lack a category that a fixed rule names."""
        n_rows = len(self.rows.codes)
        planned = plan_rounds(len(self.settings), n_rows)
        if self.task.can_read_rules(self.settings[0], self._first_rows(planned[0].n_rows)):
            return planned
        return [replace(each, n_rows=n_rows) for each in planned]

    @cached_property
    def _order(self) -> Indices:
        return stratified_order(self.rows.codes, self.task.seed)

    def _first_rows(self, n: int) -> LabeledRows:
        return self.rows.take(np.sort(self._order[:n]))

    @property
    def n_trials(self) -> int:
        """The number of planned trials."""
        return sum(planned.n_settings for planned in self.rounds)

    def run(self, advance: Callable[[str], None]) -> None:
        """Validate settings round by round until the last round is done or the time is over."""
        rounds = self.rounds
        remaining = list(range(len(self.settings)))
        for current in rounds:
            part = self._first_rows(current.n_rows)
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
