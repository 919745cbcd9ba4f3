"""The settings that the tuner tries, and the cross-validation of one setting.

The encoding is learned again in each fold. Not here: which settings are validated on which rows (halving.py).
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterSampler

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.values import UnseenValueWarning
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.settings import PartOf
from clausal.machine.threshold import resolve_threshold
from clausal.scorecard.candidates import MANY_ROWS, MAX_COLUMNS
from clausal.scorecard.folds import Split, stratified_folds
from clausal.scorecard.logistic import Indices
from clausal.scorecard.rows import LabeledRows
from clausal.scorecard.rule_classifier import RuleClassifier
from clausal.scorecard.scoring import Scoring

_MACHINES: dict[str, list[Any]] = {
    "n_clauses": [20, 50, 100, 200, 400],
    "threshold": [1, 4, 16, 64],  # per clause
    "specificity": [1.5, 2.0, 3.0, 4.0, 6.0, 10.0],
    "n_epochs": [15, 30, 50, 75, 100, 150],
    "max_columns": [4, 8, 12, 16, 24, 32],
}
_SHORT_RULES: dict[str, list[Any]] = {
    **_MACHINES,
    "n_clauses": [50, 100, 200],
    "specificity": [1.5, 2.0, 3.0, 5.0],
    "n_epochs": [30, 50, 75, 100],
}
_MAX_COLUMNS = [4, 6, 8, 16, 24]  # of scorecards with the default machines, besides the default


@dataclass(frozen=True)
class Setting:
    """One setting of the hyperparameters.

    If `n_clauses` is None, it is a RuleClassifier with its default machines.
    """

    n_clauses: int | None
    threshold: int | None
    specificity: float | tuple[float, float] | None
    n_epochs: int | None
    max_columns: int

    @property
    def params(self) -> dict[str, Any]:
        """Constructor parameters of a TsetlinClassifier or, if `n_clauses` is None, of a RuleClassifier."""
        params = {name: value for name, value in asdict(self).items() if value is not None}
        params["booleanizer"] = Booleanizer(max_columns=params.pop("max_columns"))
        return params


def machine_settings(n: int, seed: int) -> list[Setting]:
    """Up to n distinct settings of machines, the default one first."""
    default = TsetlinClassifier()
    first = Setting(
        default.n_clauses,
        resolve_threshold(default.threshold, default.n_clauses, default.weighting),
        default.specificity,
        default.n_epochs,
        Booleanizer().max_columns,
    )
    return _distinct([first], _MACHINES, n, seed)


def scorecard_settings(n: int, seed: int) -> list[Setting]:
    """Up to n distinct settings of scorecards, the default one first.

    Then come the default machines with other numbers of columns, and single machines.
    """
    columns = np.random.default_rng(seed).permutation(_MAX_COLUMNS).tolist()
    default_machines = [
        Setting(None, None, None, None, number) for number in (MAX_COLUMNS, *columns[: n // 2])
    ]
    return _distinct(default_machines[:n], _SHORT_RULES, n, seed)


def _distinct(first: list[Setting], space: dict[str, list[Any]], n: int, seed: int) -> list[Setting]:
    """The first settings, and distinct random ones from the space up to n settings."""
    settings = dict.fromkeys(first)
    for drawn in ParameterSampler(space, n, random_state=seed):
        if len(settings) == n:
            break
        settings[Setting(**{**drawn, "threshold": drawn["threshold"] * drawn["n_clauses"]})] = None
    return list(settings)


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
    """The kind of model to tune, and how it is validated."""

    scoring: Any
    max_literals: int | None
    cv: int | None
    seed: int

    def params(self, setting: Setting, pos_label: Any = None) -> dict[str, Any]:
        """The constructor parameters of the model; trials, which are fitted on codes, have no pos_label."""
        own = setting.params if pos_label is None else {**setting.params, "pos_label": pos_label}
        if self.max_literals is None:
            return {**own, "random_state": self.seed}
        machine = own if setting.n_clauses is None else {"estimator": TsetlinClassifier(**own)}
        arguments = {"max_literals": self.max_literals, "scoring": self.scoring, "cv": self.cv}
        return {**machine, **arguments, "random_state": self.seed}

    @property
    def kind(self) -> type[TsetlinClassifier | RuleClassifier]:
        """The class of the model."""
        return TsetlinClassifier if self.max_literals is None else RuleClassifier

    def estimator(self, setting: Setting) -> TsetlinClassifier | RuleClassifier:
        """The unfitted model of a setting, to be fitted on class codes."""
        return self.kind(**self.params(setting))

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
