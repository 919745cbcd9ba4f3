"""Cross-validation of scorecards: the choice of the search and the size, and the calibration.

In each fold, a machine is trained and scorecards are searched on the training part, so that no validation row
is scored by rules that saw it. Search, number of literals, calibration and cut-off follow from the
predictions for all validation rows. The boolean columns are made once, from all rows; they do not depend on
the classes. Not here: the folds (folds.py), the final scorecard (final_card.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from clausal.machine.classifier import TsetlinClassifier
from clausal.progress import Advance
from clausal.scorecard.calibration import (
    Calibration,
    Floats,
    exact_sum,
    probabilities,
    spread_of,
)
from clausal.scorecard.folds import Split
from clausal.scorecard.held_out import FoldPredictions, HeldOut, Key, fold_predictions
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search_space import (
    SEARCHES,
    Clauses,
    Limits,
    Search,
    SearchSpace,
    train_machines,
)

SMALL_DIFFERENCE = 0.001
"""Of log-loss or score; less does not matter."""
_ABOUT_AS_GOOD = 1.0  # standard errors by which a search may be worse than the best one
CLEAR_ERRORS = 2.0  # standard errors by which rules must be better than the shares of the classes


@dataclass(frozen=True, eq=False)
class Validated:
    """The validation of one search at one size.

    Attributes
    ----------
    scores : float64 [folds]
    loss : the mean log-loss
    weights : float64 [rows], the total weight in the folds of each row that was ever held out
    n_rules : float, mean over the folds
    find_losses : gives `losses`, which are not kept, since there are many sizes
    """

    scores: Floats
    loss: float
    weights: Floats
    n_rules: float
    find_losses: Callable[[], Floats]

    @property
    def losses(self) -> Floats:
        """The mean calibrated log-loss of each of the rows, [rows]."""
        return self.find_losses()


C = TypeVar("C")


@dataclass(frozen=True, eq=False)
class Validation(Generic[C]):
    """What cross-validation found.

    Attributes
    ----------
    path : the score of each size
    search, size : the chosen ones
    key : their indices
    calibration : of the chosen search and size, here of classes
    folds : the scorecards of each fold and their predictions
    validated : by the indices of search and size
    """

    path: CompactionPath
    search: Search
    size: int
    key: Key
    calibration: C
    folds: list[FoldPredictions]
    validated: dict[Key, Validated]

    def of_the_chosen(self) -> Validation[C]:
        """The same without the predictions of other searches and sizes, which take memory."""
        folds = [replace(fold, scores={self.key: fold.scores[self.key]}) for fold in self.folds]
        return replace(self, folds=folds, validated={})


@dataclass(frozen=True, eq=False)
class Plan:
    """How to cross-validate."""

    splits: list[Split]
    n_jobs: int | None
    seed: int
    parsimony: float = 0.5
    searches: tuple[Search, ...] = SEARCHES

    @property
    def steps_of_a_fold(self) -> int:
        """A machine and the searches."""
        return 1 + len(self.searches)

    @property
    def n_steps(self) -> int:
        """The number of steps of a fit, with the machine and the search on all rows."""
        return len(self.splits) * self.steps_of_a_fold + 2


def cross_validate(
    machine: TsetlinClassifier,
    space: SearchSpace,
    limits: Limits,
    scoring: Scoring,
    plan: Plan,
    advance: Advance,
) -> Validation[Calibration]:
    """Validate all searches at all sizes, choose a search and a size, and calibrate them."""
    folds = predict_folds(machine, space, limits, plan, advance)
    validated = validate(space.rows, folds, scoring)
    key = choose(validated, plan.parsimony)
    names = [one.name for one in plan.searches]
    path = CompactionPath.of(validated, names, limits.sizes, key, scoring.name)
    search, size = plan.searches[key[0]], limits.sizes[key[1]]
    calibration = calibrate(space.rows, folds, key, scoring)
    return Validation(path, search, size, key, calibration, folds, validated)


def predict_folds(
    machine: TsetlinClassifier, space: SearchSpace, limits: Limits, plan: Plan, advance: Advance
) -> list[FoldPredictions]:
    """All folds: their machines in one call, then the searches, one after the other or on several threads.

    Other threads do not report steps.
    """
    seeds = [plan.seed + 100 * index for index in range(1, len(plan.splits) + 1)]
    parts = [(split.train, seed) for split, seed in zip(plan.splits, seeds, strict=True)]
    n_threads = effective_n_jobs(plan.n_jobs)
    work = list(zip(plan.splits, train_machines(machine, space.rows, parts, n_threads), strict=True))
    for _ in work:
        advance("")
    if n_threads == 1:
        return [
            predict_fold(space, split, clauses, limits, plan.searches, advance) for split, clauses in work
        ]
    folds = []
    calls = (delayed(predict_fold)(space, split, clauses, limits, plan.searches) for split, clauses in work)
    for fold in Parallel(n_jobs=plan.n_jobs, prefer="threads", return_as="generator")(calls):
        folds.append(fold)
        for _ in plan.searches:
            advance("")
    return folds


def _silent(note: str) -> None:
    """No progress."""


def predict_fold(
    space: SearchSpace,
    split: Split,
    clauses: Clauses,
    limits: Limits,
    searches: tuple[Search, ...],
    advance: Advance = _silent,
) -> FoldPredictions:
    """Search on the training part of a split, with the clauses of a machine; predict its validation part."""
    found = []
    for search in searches:
        found.append(space.find_cards(search, split.train, clauses, limits, limits.sizes))
        advance("")
    return fold_predictions(space, split, tuple(found), clauses)


def _mean(values: Floats, weights: Floats) -> float:
    return float(exact_sum(weights * values) / exact_sum(weights))


def validate(rows: SearchRows, folds: list[FoldPredictions], scoring: Scoring) -> dict[Key, Validated]:
    """Score each search at each size, both as indices, on the validation rows of all folds."""
    held_out = HeldOut(rows, folds)
    by_row = _ByRow(held_out)
    result: dict[Key, Validated] = {}
    start: tuple[float, Floats] | None = None
    for key in ((search, size) for search, size in np.ndindex(folds[0].n_rules.shape)):
        smaller = (key[0], key[1] - 1)
        if key[1] > 0 and all(np.array_equal(fold.scores[key], fold.scores[smaller]) for fold in folds):
            result[key] = result[smaller]
            continue
        log_odds = held_out.log_odds(key)
        start = held_out.calibrate(log_odds, start if key[1] > 0 else None)
        p = probabilities(start[0] * log_odds.values + start[1])[log_odds.index]
        p, predicted, _ = held_out.decide(p, scoring)
        scores = scoring.fold_scores(p, predicted, held_out.codes, held_out.weights, held_out.parts)
        n_rules = float(np.mean([fold.n_rules[key] for fold in folds]))
        find_losses = partial(by_row.losses, key, *start)
        result[key] = Validated(
            scores, _mean(find_losses(), by_row.weights), by_row.weights, n_rules, find_losses
        )
    return result


class _ByRow:
    """The losses of the rows that were ever held out, each once."""

    def __init__(self, held_out: HeldOut) -> None:
        self._held_out = held_out
        kept, self._index = np.unique(held_out.rows, return_inverse=True)
        self.weights = np.bincount(self._index, held_out.weights, len(kept)).astype(np.float64)

    def losses(self, key: Key, slope: float, offsets: Floats) -> Floats:
        """The mean loss of each row, calibrated, of a search at a size."""
        held_out = self._held_out
        losses = held_out.weights * held_out.losses(held_out.log_odds(key), slope, offsets)
        return np.asarray(np.bincount(self._index, losses, len(self.weights)) / self.weights)


# --- the choice of the search and the size ---


def choose(validated: dict[Key, Validated], parsimony: float) -> Key:
    """The first search that is about as good as the best, then its smallest size that is close to its best.

    Searches are compared by log-loss and score at the sizes with the lowest log-loss: one standard error of
    the paired difference is about as good. A size is close to the best if its log-loss and its score are
    worse by at most `parsimony` times the standard error of the paired difference and the smallest difference
    that matters. The error is one over rows for the log-loss, over folds for the score.
    """
    search, best = _choose_search(validated)
    sizes = {key: one for key, one in validated.items() if key[0] == search}
    reference = sizes[search, best]
    by_loss = {
        key
        for key, one in sizes.items()
        if _is_close(one.losses - reference.losses, one.weights, parsimony) or key == (search, best)
    }
    best_score = max(sizes.values(), key=lambda one: one.scores.mean()).scores
    if len(best_score) < 2:
        return min(by_loss)
    equal = np.ones(len(best_score))
    by_score = {key for key, one in sizes.items() if _is_close(best_score - one.scores, equal, parsimony)}
    return min((by_score & by_loss) or by_loss)


def _choose_search(validated: dict[tuple[int, int], Validated]) -> tuple[int, int]:
    """The first search that is about as good as the best by log-loss and score, and its best size."""
    by_loss = sorted(sorted(validated), key=lambda key: validated[key].loss)
    best = validated[by_loss[0]]
    for search in range(by_loss[0][0]):
        own = next(key for key in by_loss if key[0] == search)
        one = validated[own]
        if _is_close(one.losses - best.losses, best.weights, _ABOUT_AS_GOOD) and (
            len(best.scores) < 2
            or _is_close(best.scores - one.scores, np.ones(len(best.scores)), _ABOUT_AS_GOOD)
        ):
            return own
    return by_loss[0]


def _is_close(worse_by: Floats, weights: Floats, parsimony: float) -> bool:
    """Whether the mean of paired differences is at most `parsimony` errors above 0."""
    mean, error = mean_and_error(worse_by, weights)
    return mean <= parsimony * (error + SMALL_DIFFERENCE)


def mean_and_error(values: Floats, weights: Floats) -> tuple[float, float]:
    """A weighted mean and its standard error."""
    mean = _mean(values, weights)
    variance = float(exact_sum((weights * (values - mean)) ** 2)) / float(exact_sum(weights)) ** 2
    return mean, float(np.sqrt(variance * len(values) / max(len(values) - 1, 1)))


def paired_difference(one: Validated, other: Validated) -> tuple[float, float]:
    """How much the log-loss of one is above that of the other on the same rows, and its standard error."""
    return mean_and_error(one.losses - other.losses, one.weights)


# --- calibration ---


ONLY_FIXED = (
    "In cross-validation, the rules do not predict the class at all. Therefore the scorecard has no rules "
    "but the fixed ones. The columns may tell nothing about the class, or the rows may be too few to say."
)
_NOT_INFORMATIVE = (
    "In cross-validation, the rules do not predict the class at all. Therefore the scorecard has no rules "
    "and always predicts the largest class. The columns may tell nothing about the class, or the rows may be "
    "too few to say."
)


def calibrate(rows: SearchRows, folds: list[FoldPredictions], key: Key, scoring: Scoring) -> Calibration:
    """Fit slope, offsets and cut-off to the validation rows."""
    held_out = HeldOut(rows, folds)
    codes, weights, log_odds = held_out.codes, held_out.weights, held_out.log_odds(key)
    slope, offsets = held_out.calibrate(log_odds)
    p = probabilities(slope * log_odds.values + offsets)[log_odds.index]
    _, _, cut_off = held_out.decide(p, scoring)
    shares = np.bincount(codes, weights, len(rows.classes)) / weights.sum()
    spread = spread_of(log_odds.of_rows, weights) if held_out.has_every_class else 0.0
    calibration = Calibration(slope, offsets, cut_off, (), spread)
    remarks = _remarks(-np.log(shares[codes]), held_out.losses(log_odds, slope, offsets), held_out)
    return replace(calibration, remarks=remarks if calibration.is_informative else (_NOT_INFORMATIVE,))


def _remarks(share_losses: Floats, losses: Floats, held_out: HeldOut) -> tuple[str, ...]:
    """A sentence if the log-loss is not clearly below that of the shares of the classes; else nothing."""
    parts, weights = held_out.parts, held_out.weights
    before, after = (
        np.array([np.average(values[part], weights=weights[part]) for part in parts])
        for values in (share_losses, losses)
    )
    gains = before - after
    if gains.mean() > CLEAR_ERRORS * (gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else 0.0):
        return ()
    return (
        "In cross-validation, the rules do not predict clearly better than the shares of the classes: the "
        f"log-loss is {after.mean():.4g}, that of the shares {before.mean():.4g}. The columns may tell "
        "nothing about the class, or the rows may be too few to say.",
    )
