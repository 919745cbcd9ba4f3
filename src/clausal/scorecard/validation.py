"""Cross-validation of scorecards: the choice of the search and the size, and the calibration.

In each fold, a machine is trained and scorecards are searched on the training part, so that no validation row
is scored by rules that saw it. Search, number of literals, calibration and cut-off follow from the
predictions for all validation rows. The boolean columns are made once, from all rows; they do not depend on
the classes. Not here: the folds (folds.py), the final scorecard (final_card.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from clausal.engine.card_search import SCORE_UNIT, Cards
from clausal.machine.classifier import TsetlinClassifier
from clausal.progress import Advance
from clausal.scorecard.calibration import (
    Calibration,
    Floats,
    Indices,
    exact_sum,
    fit_row_slope,
    probabilities,
    row_losses,
    spread_of,
)
from clausal.scorecard.cut_off import choose_cut_off
from clausal.scorecard.folds import Split
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search_space import (
    NO_CLAUSES,
    SEARCHES,
    Clauses,
    Limits,
    Search,
    SearchSpace,
    train_machine,
)

SMALL_DIFFERENCE = 0.001
"""Of log-loss or score; less does not matter."""
_ABOUT_AS_GOOD = 1.0  # standard errors by which a search may be worse than the best one
_CLEAR_ERRORS = 2.0  # standard errors by which rules must be better than the shares of the classes

Key = tuple[int, int]
"""The indices of a search and a size."""


@dataclass(frozen=True, eq=False)
class FoldPredictions:
    """A fold's scorecards, and their predictions for its validation rows.

    Attributes
    ----------
    rows : intp [v]
    weights : float64 [v]
    scores : int32 [searches, sizes, banks, v], in units of scores
    n_rules : intp [searches, sizes]
    cards : of each search, a scorecard for each size
    clauses : of the fold's machine
    left_out : the share of all weight that is not in the training part
    """

    rows: Indices
    weights: Floats
    scores: NDArray[np.int32]
    n_rules: Indices
    cards: tuple[Cards, ...] = ()
    clauses: Clauses = NO_CLAUSES
    left_out: float = 0.0


@dataclass(frozen=True, eq=False)
class Validated:
    """The validation of one search at one size.

    Attributes
    ----------
    scores : float64 [folds]
    losses : float64 [rows], the mean calibrated log-loss of each row that was ever held out
    weights : float64 [rows], the total weight of each of these rows in the folds
    n_rules : float, mean over the folds
    """

    scores: Floats
    losses: Floats
    weights: Floats
    n_rules: float

    @property
    def loss(self) -> float:
        """The mean log-loss."""
        return _mean(self.losses, self.weights)


@dataclass(frozen=True, eq=False)
class Validation:
    """What cross-validation found.

    Attributes
    ----------
    path : the score of each size
    search, size : the chosen ones
    key : their indices
    calibration : of the chosen search and size
    folds : the scorecards of each fold and their predictions
    validated : by the indices of search and size
    """

    path: CompactionPath
    search: Search
    size: int
    key: Key
    calibration: Calibration
    folds: list[FoldPredictions]
    validated: dict[Key, Validated]


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
) -> Validation:
    """Validate all searches at all sizes, choose a search and a size, and calibrate them."""
    folds = _predict_folds(machine, space, limits, plan, advance)
    validated = validate(space.rows, folds, scoring)
    key = choose(validated, plan.parsimony)
    names = [one.name for one in plan.searches]
    path = CompactionPath.of(validated, names, limits.sizes, key, scoring.name)
    search, size = plan.searches[key[0]], limits.sizes[key[1]]
    calibration = calibrate(space.rows, folds, key, scoring)
    return Validation(path, search, size, key, calibration, folds, validated)


def _predict_folds(
    machine: TsetlinClassifier, space: SearchSpace, limits: Limits, plan: Plan, advance: Advance
) -> list[FoldPredictions]:
    """All folds, one after the other or on several threads; other threads do not report steps."""
    seeds = [plan.seed + 100 * index for index in range(1, len(plan.splits) + 1)]
    parts = list(zip(plan.splits, seeds, strict=True))
    if effective_n_jobs(plan.n_jobs) == 1:
        return [
            predict_fold(machine, space, split, limits, plan.searches, seed, advance) for split, seed in parts
        ]
    folds = []
    work = (
        delayed(predict_fold)(machine, space, split, limits, plan.searches, seed) for split, seed in parts
    )
    for fold in Parallel(n_jobs=plan.n_jobs, prefer="threads", return_as="generator")(work):
        folds.append(fold)
        for _ in range(plan.steps_of_a_fold):
            advance("")
    return folds


def _silent(note: str) -> None:
    """No progress."""


def predict_fold(
    machine: TsetlinClassifier,
    space: SearchSpace,
    split: Split,
    limits: Limits,
    searches: tuple[Search, ...],
    seed: int,
    advance: Advance = _silent,
) -> FoldPredictions:
    """Train and search on the training part of a split; predict its validation part."""
    clauses = train_machine(machine, space.rows, split.train, seed)
    advance("")
    found = []
    for search in searches:
        found.append(space.find_cards(search, split.train, clauses, limits, limits.sizes))
        advance("")
    return fold_predictions(space, split, tuple(found), clauses)


def fold_predictions(
    space: SearchSpace, split: Split, found: tuple[Cards, ...], clauses: Clauses
) -> FoldPredictions:
    """The predictions of scorecards that were found on the training part of a split."""
    rows = np.flatnonzero(split.validation > 0)
    scores = np.array([space.table.scores(cards, rows) for cards in found])
    n_rules = np.array([np.diff(cards.term_starts) for cards in found], np.intp)
    left_out = max(1.0 - float(exact_sum(split.train) / exact_sum(space.rows.weights)), 0.0)
    return FoldPredictions(rows, split.validation[rows], scores, n_rules, found, clauses, left_out)


def _mean(values: Floats, weights: Floats) -> float:
    return float(exact_sum(weights * values) / exact_sum(weights))


class HeldOut:
    """The validation rows of all folds, one after the other."""

    def __init__(self, rows: SearchRows, folds: list[FoldPredictions]) -> None:
        self.folds, self.outcome = folds, rows.outcome
        self.rows = np.concatenate([fold.rows for fold in folds])
        self.codes = rows.codes[self.rows]
        self.weights = np.concatenate([fold.weights for fold in folds])
        self.parts = np.split(np.arange(len(self.rows)), np.cumsum([len(fold.rows) for fold in folds])[:-1])
        self.has_every_class = len(np.unique(self.codes)) == len(rows.classes)

    def log_odds(self, key: Key) -> Floats:
        """The log-odds [n, banks] of a search at a size."""
        scores = np.concatenate([fold.scores[key] for fold in self.folds], axis=1).T
        return scores.astype(np.float64) / SCORE_UNIT

    def calibrate(self, log_odds: Floats, start: tuple[float, Floats] | None = None) -> tuple[float, Floats]:
        """The slope and the offsets [banks] that fit log-odds [n, banks] best; `start` is near them.

        If a class has no validation row, they are not calibrated.
        """
        if not self.has_every_class:
            return 1.0, np.zeros(log_odds.shape[1])
        return fit_row_slope(self.outcome, self.codes, self.weights, log_odds, start=start)

    def decide(self, p: Floats, scoring: Scoring) -> tuple[Floats, Indices, float]:
        """The probabilities of all classes, the predicted classes and the cut-off, from p [n, banks]."""
        if self.outcome.positive is None:
            return p, p.argmax(axis=1), np.nan
        positive = p[:, 0]
        cut_off = choose_cut_off(scoring, positive, self.codes, self.weights) if self.has_every_class else 0.5
        return np.hstack([1.0 - p, p]), (positive >= cut_off).astype(np.intp), cut_off


def validate(rows: SearchRows, folds: list[FoldPredictions], scoring: Scoring) -> dict[Key, Validated]:
    """Score each search at each size, both as indices, on the validation rows of all folds."""
    held_out = HeldOut(rows, folds)
    kept, index = np.unique(held_out.rows, return_inverse=True)
    weights = np.bincount(index, held_out.weights, len(kept)).astype(np.float64)
    result: dict[Key, Validated] = {}
    start: tuple[float, Floats] | None = None
    for key in ((search, size) for search, size in np.ndindex(folds[0].n_rules.shape)):
        smaller = (key[0], key[1] - 1)
        found = held_out.log_odds(key)
        if key[1] > 0 and np.array_equal(found, held_out.log_odds(smaller)):
            result[key] = result[smaller]
            continue
        start = held_out.calibrate(found, start if key[1] > 0 else None)
        slope, offsets = start
        log_odds = slope * found + offsets
        losses = held_out.weights * row_losses(log_odds, held_out.codes)
        by_row = np.bincount(index, losses, len(kept)) / weights
        p, predicted, _ = held_out.decide(probabilities(log_odds), scoring)
        scores = scoring.fold_scores(p, predicted, held_out.codes, held_out.weights, held_out.parts)
        n_rules = float(np.mean([fold.n_rules[key] for fold in folds]))
        result[key] = Validated(scores, by_row, weights, n_rules)
    return result


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
    mean, error = _mean_and_error(worse_by, weights)
    return mean <= parsimony * (error + SMALL_DIFFERENCE)


def _mean_and_error(values: Floats, weights: Floats) -> tuple[float, float]:
    """A weighted mean and its standard error."""
    mean = _mean(values, weights)
    variance = float(exact_sum((weights * (values - mean)) ** 2)) / float(exact_sum(weights)) ** 2
    return mean, float(np.sqrt(variance * len(values) / max(len(values) - 1, 1)))


def paired_difference(one: Validated, other: Validated) -> tuple[float, float]:
    """How much the log-loss of one is above that of the other on the same rows, and its standard error."""
    return _mean_and_error(one.losses - other.losses, one.weights)


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
    calibrated = slope * log_odds + offsets
    _, _, cut_off = held_out.decide(probabilities(calibrated), scoring)
    shares = np.bincount(codes, weights, len(rows.classes)) / weights.sum()
    spread = spread_of(log_odds, weights) if held_out.has_every_class else 0.0
    calibration = Calibration(slope, offsets, cut_off, (), spread)
    remarks = _remarks(-np.log(shares[codes]), row_losses(calibrated, codes), held_out)
    return replace(calibration, remarks=remarks if calibration.is_informative else (_NOT_INFORMATIVE,))


def _remarks(share_losses: Floats, losses: Floats, held_out: HeldOut) -> tuple[str, ...]:
    """A sentence if the log-loss is not clearly below that of the shares of the classes; else nothing."""
    parts, weights = held_out.parts, held_out.weights
    before, after = (
        np.array([np.average(values[part], weights=weights[part]) for part in parts])
        for values in (share_losses, losses)
    )
    gains = before - after
    if gains.mean() > _CLEAR_ERRORS * (gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else 0.0):
        return ()
    return (
        "In cross-validation, the rules do not predict clearly better than the shares of the classes: the "
        f"log-loss is {after.mean():.4g}, that of the shares {before.mean():.4g}. The columns may tell "
        "nothing about the class, or the rows may be too few to say.",
    )
