"""What the tuner tries, and how good one setting is on some rows, by cross-validation.

The encoding is learned anew in each fold. Not here: which settings are judged on which rows (halving.py).
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterSampler

from clausal.encoding.booleanizer import Booleanizer
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.threshold import resolve_threshold
from clausal.scorecard.candidates import MANY_ROWS, MAX_COLUMNS
from clausal.scorecard.compaction import Table
from clausal.scorecard.folds import Split, deal_folds
from clausal.scorecard.logistic import Places
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
_COLUMNS_OF_POOLS = [4, 6, 8, 16, 24]  # besides the default


@dataclass(frozen=True)
class Setting:
    """One point of the search.

    Without `n_clauses` it stands for the several machines that a RuleClassifier takes by default.
    """

    n_clauses: int | None
    threshold: int | None
    specificity: float | tuple[float, float] | None
    n_epochs: int | None
    max_columns: int

    @property
    def params(self) -> dict[str, Any]:
        """Constructor parameters: of a TsetlinClassifier or, without a machine, of a RuleClassifier."""
        params = {name: value for name, value in asdict(self).items() if value is not None}
        params["booleanizer"] = Booleanizer(max_columns=params.pop("max_columns"))
        return params


def machine_settings(n: int, seed: int) -> list[Setting]:
    """So many different settings of machines, the default one first."""
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
    """So many different settings of scorecards: the default, its like with other columns, single machines."""
    columns = np.random.default_rng(seed).permutation(_COLUMNS_OF_POOLS).tolist()
    pools = [Setting(None, None, None, None, number) for number in (MAX_COLUMNS, *columns[: n // 2])]
    return _distinct(pools[:n], _SHORT_RULES, n, seed)


def _distinct(first: list[Setting], space: dict[str, list[Any]], n: int, seed: int) -> list[Setting]:
    """The first settings, filled up to n with others drawn from the space."""
    settings = dict.fromkeys(first)
    for drawn in ParameterSampler(space, n, random_state=seed):
        if len(settings) == n:
            break
        settings[Setting(**{**drawn, "threshold": drawn["threshold"] * drawn["n_clauses"]})] = None
    return list(settings)


@dataclass(frozen=True)
class Judgement:
    """A setting on some rows.

    Attributes
    ----------
    score, error : mean over the folds and its standard error
    fit_seconds : what one fit on these rows takes
    seconds : what the judgement took
    """

    score: float
    error: float
    fit_seconds: float
    seconds: float


@dataclass(frozen=True)
class Task:
    """What is asked for: the kind of model, what it is judged by, and how."""

    scoring: Any
    max_literals: int | None
    cv: int | None
    seed: int

    def params(self, setting: Setting) -> dict[str, Any]:
        """What the constructor of the model takes."""
        own = setting.params
        if self.max_literals is None:
            return {**own, "random_state": self.seed}
        made_of = own if setting.n_clauses is None else {"estimator": TsetlinClassifier(**own)}
        asked = {"max_literals": self.max_literals, "scoring": self.scoring, "cv": self.cv}
        return {**made_of, **asked, "random_state": self.seed}

    def estimator(self, setting: Setting) -> TsetlinClassifier | RuleClassifier:
        """The unfitted model of a setting."""
        made = TsetlinClassifier if self.max_literals is None else RuleClassifier
        return made(**self.params(setting))

    def judge(self, setting: Setting, table: Table, fold_seed: int, latest: float) -> Judgement | None:
        """The setting on the rows of a table, or None if a fit would start after `latest`."""
        judge = self._judge_machine if self.max_literals is None else self._judge_scorecard
        return judge(setting, table, fold_seed, latest)

    def _judge_machine(
        self, setting: Setting, table: Table, fold_seed: int, latest: float
    ) -> Judgement | None:
        begun, scores, in_fit = time.time(), [], 0.0
        scoring = Scoring(self.scoring, table.outcome)
        for split in self._splits(table, fold_seed):
            started = time.time()
            if started > latest:
                return None
            part, rest = table.weighing(split.train), table.weighing(split.held)
            clf = self.estimator(setting).fit(part.X, part.codes, sample_weight=part.weights)
            in_fit += (time.time() - started) * len(table.codes) / len(part.codes)
            clf.set_policy(handle_unknown="no_match", handle_missing="as_false")
            scores.append(scoring.of(clf, rest.X, rest.codes, rest.weights))
        error = float(np.std(scores, ddof=1)) / math.sqrt(len(scores))
        return Judgement(float(np.mean(scores)), error, in_fit / len(scores), time.time() - begun)

    def _judge_scorecard(
        self, setting: Setting, table: Table, fold_seed: int, latest: float
    ) -> Judgement | None:
        """A scorecard validates itself: its score is that of the size it chose."""
        begun = time.time()
        if begun > latest:
            return None
        clf = self.estimator(setting).set_params(random_state=fold_seed)
        path = clf.fit(table.X, table.codes, sample_weight=table.weights).path_
        place = int(np.flatnonzero(path.n_literals == path.chosen)[0])
        seconds = time.time() - begun
        return Judgement(float(path.scores[place]), float(path.errors[place]), seconds, seconds)

    def _splits(self, table: Table, seed: int) -> list[Split]:
        """The folds that hold out every class, or all of them if there are not two such."""
        n_folds = self.cv if self.cv is not None else (3 if len(table.codes) >= MANY_ROWS else 5)
        splits = deal_folds(table.codes, table.weights, n_folds, seed)
        whole = [one for one in splits if _has_every_class(table.codes[one.held > 0], len(table.classes))]
        return whole if len(whole) > 1 else splits


def _has_every_class(codes: Places, n_classes: int) -> bool:
    return len(np.unique(codes)) == n_classes
