"""Scorecards that are about as good as the chosen one but test other features, so that an expert can choose.

They are searched for with one important feature of the chosen scorecard forbidden, at the chosen size, and
taken from the smaller sizes of the path. Each is validated and calibrated like the chosen one. Not here: the
searches (search_space.py), the validation (validation.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from clausal.encoding.columns import name_text
from clausal.explain.reasons import feature_importances
from clausal.progress import Advance
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.final_card import FinalCard, final_card
from clausal.scorecard.folds import Split
from clausal.scorecard.held_out import FoldPredictions, Key, fold_predictions
from clausal.scorecard.path import standard_error
from clausal.scorecard.risk_table import RiskTable, risk_table_of
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search_space import Clauses, Limits, Search, SearchSpace
from clausal.scorecard.stability import feature_names
from clausal.scorecard.validation import (
    SMALL_DIFFERENCE,
    Plan,
    Validated,
    Validation,
    calibrate,
    paired_difference,
    validate,
)

CLOSE_ERRORS = 2.0
"""An alternative's log-loss is at most this many standard errors above that of the chosen scorecard."""


@dataclass(frozen=True, eq=False)
class Alternative:
    """A scorecard that is about as good as the chosen one and tests other features.

    Attributes
    ----------
    rules : RuleSet
        The rules, points and constants. It predicts by itself: `rules.predict(X)`, `rules.votes(X)`.
    risk_table : RiskTable or None
        The risk of each score; None with more than two classes.
    slope : float
        Log-odds per point.
    without : str or None
        The feature that was forbidden; None if this is the same search with fewer literals.
    score, error : float
        The mean validated score and its standard error over the folds, as in `path_`.
    loss : float
        The validated log-loss, after calibration.
    worse_by, worse_by_error : float
        How much `loss` is above that of the chosen scorecard on the same rows, and the standard error of this
        difference over the rows.
    """

    rules: RuleSet
    risk_table: RiskTable | None
    slope: float
    without: str | None
    score: float
    error: float
    loss: float
    worse_by: float
    worse_by_error: float

    @property
    def n_literals(self) -> int:
        """The number of literals."""
        return self.rules.n_literals

    @property
    def features(self) -> tuple[str, ...]:
        """The features that the rules test, in the order of the table."""
        return feature_names(self.rules)

    def __repr__(self) -> str:
        made = "of fewer literals" if self.without is None else f"without {self.without}"
        return (
            f"Alternative {made}: {self.n_literals} literals, score {self.score:.3f} ± {self.error:.3f}, "
            f"log-loss {self.loss:.3f} ({self.worse_by:+.3f} ± {self.worse_by_error:.3f})"
        )


@dataclass(frozen=True, eq=False)
class Task:
    """What the search for alternatives needs of a fit."""

    space: SearchSpace
    limits: Limits
    scoring: Scoring
    plan: Plan
    clauses: Clauses


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A validated scorecard that may be an alternative; it is searched for on all rows only if it is one."""

    space: SearchSpace
    size: int
    folds: list[FoldPredictions]
    key: Key
    validated: Validated
    without: str | None


def n_searches(n_alternatives: int) -> int:
    """The number of features that are forbidden one by one, at most."""
    return 2 * n_alternatives


def find_alternatives(
    task: Task, validation: Validation[Any], chosen: FinalCard, n_alternatives: int, advance: Advance
) -> tuple[Alternative, ...]:
    """At most `n_alternatives` scorecards that are close to the chosen one, by ascending loss."""
    if n_alternatives == 0:
        return ()
    candidates = list(_smaller(task, validation))
    others = _forbidding(task, validation, chosen)
    for _ in range(n_searches(n_alternatives)):
        candidates += islice(others, 1)
        advance("")
    reference = validation.validated[validation.key]
    found: list[Alternative] = []
    known = {chosen.rules.used_features}
    for candidate in sorted(candidates, key=lambda one: one.validated.loss):
        worse_by, error = paired_difference(candidate.validated, reference)
        if len(found) == n_alternatives or worse_by > CLOSE_ERRORS * (error + SMALL_DIFFERENCE):
            continue
        alternative = _finish(task, validation.search, candidate, (worse_by, error))
        if alternative.rules.used_features not in known:
            known.add(alternative.rules.used_features)
            found.append(alternative)
    return tuple(found)


def _smaller(task: Task, validation: Validation[Any]) -> Iterator[_Candidate]:
    """The sizes below the chosen one."""
    search, chosen = validation.key
    for index in range(chosen):
        key = search, index
        size = task.limits.sizes[index]
        yield _Candidate(task.space, size, validation.folds, key, validation.validated[key], None)


def _forbidding(task: Task, validation: Validation[Any], chosen: FinalCard) -> Iterator[_Candidate]:
    """The chosen search and size without one feature, for the features with the most points first."""
    importances = feature_importances(chosen.rules)
    names = {column.feature_index: column.feature for column in task.space.rows.encoding.columns}
    for feature in np.argsort(-importances, kind="stable").tolist():
        space = task.space.without(feature) if importances[feature] > 0 else None
        if space is None:
            continue
        sizes = tuple(size for size in task.limits.sizes if size <= validation.size)
        work = (
            delayed(_predict)(space, validation.search, split, fold.clauses, task.limits, sizes)
            for split, fold in zip(task.plan.splits, validation.folds, strict=True)
        )
        folds = list(Parallel(n_jobs=task.plan.n_jobs, prefer="threads")(work))
        validated = validate(space.rows, folds, task.scoring)[0, 0]
        yield _Candidate(space, validation.size, folds, (0, 0), validated, name_text(names[feature]))


def _predict(
    space: SearchSpace, search: Search, split: Split, clauses: Clauses, limits: Limits, sizes: tuple[int, ...]
) -> FoldPredictions:
    """Search on the training part of a split; predict its validation part at the last size."""
    cards = space.find_cards(search, split.train, clauses, limits, sizes)
    return fold_predictions(space, split, (cards.only(len(sizes) - 1),), clauses)


def _finish(
    task: Task, search: Search, candidate: _Candidate, difference: tuple[float, float]
) -> Alternative:
    """The scorecard on all rows."""
    space, validated = candidate.space, candidate.validated
    calibration = calibrate(space.rows, candidate.folds, candidate.key, task.scoring)
    card = final_card(space, search, candidate.size, task.clauses, task.limits, calibration)
    return Alternative(
        card.rules,
        risk_table_of(space, candidate.folds, candidate.key, calibration, card),
        card.slope,
        candidate.without,
        float(validated.scores.mean()),
        standard_error(validated.scores),
        validated.loss,
        *difference,
    )
