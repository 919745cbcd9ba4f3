"""How good one setting is on some rows, by cross-validation, and how long that takes.

The booleanizer is fitted anew in each fold. Not here: which settings are judged on which rows (halving.py).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from clausal.estimators.classifier import TsetlinClassifier
from clausal.selection.compaction import Table
from clausal.selection.logistic import Places
from clausal.selection.pool import MANY_ROWS
from clausal.selection.rows import Split, deal_folds
from clausal.selection.rule_classifier import RuleClassifier
from clausal.selection.scoring import Scoring
from clausal.selection.tuning_space import Setting


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
        scoring = Scoring(self.scoring, len(table.classes))
        for split in self._splits(table, fold_seed):
            started = time.time()
            if started > latest:
                return None
            part, rest = table.weighing(split.train), table.weighing(split.held)
            clf = self.estimator(setting).fit(part.X, part.codes, sample_weight=part.weights)
            in_fit += (time.time() - started) * len(table.codes) / len(part.codes)
            clf.booleanizer_.set_params(handle_unknown="no_match", handle_missing="as_false")
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
