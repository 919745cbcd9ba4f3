"""Cross-validation of scorecards: the choice of the search and the size, and the calibration.

In each fold, machines are trained and searched on the training part, so that no validation row is scored by
rules that saw it. Search, number of literals, calibration and cut-off follow from the predictions for all
validation rows. Not here: the folds (folds.py), and the final scorecard on all rows (rule_classifier.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from clausal.machine.classifier import TsetlinClassifier
from clausal.progress import Advance
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import reduce_encoding, simplify
from clausal.scorecard.cut_off import choose_cut_off, constant_at
from clausal.scorecard.folds import Split
from clausal.scorecard.logistic import Floats, Indices, Targets, fit_slope
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.points import integer_constants
from clausal.scorecard.rows import LabeledRows
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search import SEARCHES, Limits, Search, SearchSpace

_MIN_PROBABILITY = 1e-6
_MIN_SLOPE = 0.05  # of the calibration, if the validation scores carry no information
_CLEAR_ERRORS = 2.0  # standard errors by which rules must be better than the shares of the classes
_MAX_ERRORS = 0.5  # a smaller scorecard may be this many standard errors of the difference below the best


@dataclass(frozen=True, eq=False)
class FoldPredictions:
    """The predictions of a fold's scorecards for its validation rows.

    Attributes
    ----------
    rows : intp [v]
    weights : float64 [v]
    log_odds : float64 [searches, sizes, v, banks]
    n_rules : intp [searches, sizes]
    """

    rows: Indices
    weights: Floats
    log_odds: Floats
    n_rules: Indices


@dataclass(frozen=True, eq=False)
class Validated:
    """The validation of one search at one size.

    Attributes
    ----------
    scores : float64 [folds]
    losses : float64 [folds], log-loss of the calibrated probabilities
    slope, offsets : the calibration of the log-odds
    cut_off : the probability from which on the positive class is predicted
    n_rules : float, mean over the folds
    share_losses : float64 [folds], log-loss of the shares of the classes
    """

    scores: Floats
    losses: Floats
    slope: float
    offsets: Floats
    cut_off: float
    n_rules: float
    share_losses: Floats

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence if the log-loss is not clearly below that of the shares of the classes; else nothing."""
        gains = self.share_losses - self.losses
        error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else 0.0
        if gains.mean() > _CLEAR_ERRORS * error:
            return ()
        return (
            "In cross-validation, the rules predict hardly better than the shares of the classes alone: the "
            f"log-loss is {self.losses.mean():.3f} instead of {self.share_losses.mean():.3f}. The columns "
            "may tell nothing about the class, or the rows may be too few.",
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """How to cross-validate."""

    splits: list[Split]
    n_jobs: int | None
    seed: int

    def n_steps(self, n_machines: int) -> int:
        """The number of steps of a fit: trainings of a machine and searches, the final ones included."""
        return len(self.splits) * _steps_of_a_fold(n_machines) + n_machines + 1


def _steps_of_a_fold(n_machines: int) -> int:
    return n_machines + len(SEARCHES)


def cross_validate(
    machines: list[TsetlinClassifier],
    rows: LabeledRows,
    limits: Limits,
    scoring: Scoring,
    plan: Plan,
    advance: Advance,
) -> tuple[CompactionPath, Search, int, Validated]:
    """Validate all searches at all sizes; returns the path and the chosen search, size and calibration."""
    folds = _predict_folds(machines, rows, limits, plan, advance)
    validated = validate(rows, folds, scoring)
    search, size = choose(validated)
    names = [one.name for one in SEARCHES]
    path = CompactionPath.of(validated, names, limits.sizes, (search, size), scoring.name)
    return path, SEARCHES[search], limits.sizes[size], validated[search, size]


def _predict_folds(
    machines: list[TsetlinClassifier], rows: LabeledRows, limits: Limits, plan: Plan, advance: Advance
) -> list[FoldPredictions]:
    """All folds, one after the other or in parallel; other processes do not report steps within a fold."""
    seeds = [plan.seed + 100 * index for index in range(len(plan.splits))]
    if effective_n_jobs(plan.n_jobs) == 1:
        parts = zip(plan.splits, seeds, strict=True)
        return [predict_fold(machines, rows, split, limits, seed, advance) for split, seed in parts]
    folds = []
    work = (
        delayed(predict_fold)(machines, rows, split, limits, seed)
        for split, seed in zip(plan.splits, seeds, strict=True)
    )
    for fold in Parallel(n_jobs=plan.n_jobs, return_as="generator")(work):
        folds.append(fold)
        for _ in range(_steps_of_a_fold(len(machines))):
            advance("")
    return folds


def _silent(note: str) -> None:
    """No progress."""


def predict_fold(
    machines: list[TsetlinClassifier],
    rows: LabeledRows,
    split: Split,
    limits: Limits,
    seed: int,
    advance: Advance = _silent,
) -> FoldPredictions:
    """Train and search on the training part of a split; predict its validation part."""
    train, validation = rows.with_weights(split.train), rows.with_weights(split.validation)
    with threadpool_limits(1, "blas"):  # in a process of its own, too
        space = SearchSpace(train.train(machines, seed, advance), train, seed)
        bits = space.bits(validation.X)
        n_banks = train.targets.n_banks
        log_odds = np.empty((len(SEARCHES), len(limits.sizes), len(validation.codes), n_banks))
        n_rules = np.empty(log_odds.shape[:2], np.intp)
        for index, search in enumerate(SEARCHES):
            for size, card in enumerate(space.scorecards(search, limits.sizes, limits)):
                log_odds[index, size] = card.log_odds_of_rules(space.outputs(search, card, bits))
                n_rules[index, size] = len(card.rules)
            advance("")
    return FoldPredictions(np.flatnonzero(split.validation > 0), validation.weights, log_odds, n_rules)


def validate(
    rows: LabeledRows, folds: list[FoldPredictions], scoring: Scoring
) -> dict[tuple[int, int], Validated]:
    """Calibrate and score each search at each size, both as indices, on the validation rows of all folds.

    If a class has no validation row, the log-odds of the scorecards are not calibrated.
    """
    indices = np.concatenate([fold.rows for fold in folds])
    codes, weights = rows.codes[indices], np.concatenate([fold.weights for fold in folds])
    targets = Targets.of(codes, rows.outcome, weights)
    has_every_class = len(np.unique(codes)) == len(rows.classes)
    shares = np.bincount(codes, weights, len(rows.classes)) / weights.sum()
    parts = np.split(np.arange(len(indices)), np.cumsum([len(fold.rows) for fold in folds])[:-1])
    share_losses = _fold_losses(np.tile(shares, (len(codes), 1)), codes, weights, parts)
    result = {}
    for key in np.ndindex(folds[0].n_rules.shape):
        log_odds = np.concatenate([fold.log_odds[key] for fold in folds])
        slope, offsets = 1.0, np.zeros(targets.n_banks)
        if has_every_class:
            slope, offsets, _ = fit_slope(log_odds, targets)
            slope = max(slope, _MIN_SLOPE)
        p = targets.probabilities(slope * log_odds + offsets)
        if rows.outcome.positive is not None:
            cut_off = choose_cut_off(scoring, p[:, 0], codes, weights) if has_every_class else 0.5
            predicted = (p[:, 0] >= cut_off).astype(np.intp)
            p = np.hstack([1.0 - p, p])
        else:
            cut_off, predicted = np.nan, p.argmax(axis=1)
        scores = scoring.fold_scores(p, predicted, codes, weights, parts)
        losses = _fold_losses(p, codes, weights, parts)
        n_rules = float(np.mean([fold.n_rules[key] for fold in folds]))
        result[key] = Validated(scores, losses, slope, offsets, cut_off, n_rules, share_losses)
    return result


def _fold_losses(p: Floats, codes: Indices, weights: Floats, parts: list[Indices]) -> Floats:
    """The mean log-loss of probabilities [n, classes] in each part of the rows."""
    losses = -np.log(np.maximum(p[np.arange(len(codes)), codes], _MIN_PROBABILITY))
    return np.array([np.average(losses[part], weights=weights[part]) for part in parts])


# --- the choice of the search and the size ---


def choose(validated: dict[tuple[int, int], Validated]) -> tuple[int, int]:
    """The search with the lowest log-loss at its best size, then its smallest size that is close to its best.

    A size is close to the best if its score and its log-loss are at most half a standard error of the paired
    difference over the folds worse. On small folds, log-loss discriminates better between sizes than metrics
    such as F1.
    """
    search, _ = min(sorted(validated), key=lambda key: validated[key].losses.mean())
    sizes = {key: one for key, one in validated.items() if key[0] == search}
    by_loss = _close_to_best({key: -one.losses for key, one in sizes.items()})
    by_score = _close_to_best({key: one.scores for key, one in sizes.items()})
    return min((by_score & by_loss) or by_loss)


def _close_to_best(values: dict[tuple[int, int], Floats]) -> set[tuple[int, int]]:
    """The keys whose values [folds] are at most _MAX_ERRORS standard errors below the best mean."""
    best = max(values.values(), key=lambda one: one.mean())
    close = set()
    for key, one in values.items():
        difference = best - one
        error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
        if difference.mean() <= _MAX_ERRORS * error:
            close.add(key)
    return close


def final_rules(
    space: SearchSpace, no_rules: RuleSet, search: Search, size: int, limits: Limits, validated: Validated
) -> tuple[RuleSet, float, float]:
    """The scorecard as a RuleSet, and the slope and offset from its votes to calibrated log-odds."""
    (card,) = space.scorecards(search, (size,), limits)
    slope = max(validated.slope * card.slope, 1e-9)
    rules, constant = space.rules(search, card)
    offsets = validated.slope * card.offsets + validated.offsets + slope * constant
    if no_rules.outcome.positive is not None:
        constants = [constant_at(validated.cut_off, slope, float(offsets[0]))]
        offset = float(offsets[0] - slope * constants[0])
    else:
        constants = integer_constants(card, space.candidates(search).fires, space.targets, slope, offsets)
        offset = 0.0
    return reduce_encoding(simplify(no_rules.with_rules(rules, constants))), slope, offset
