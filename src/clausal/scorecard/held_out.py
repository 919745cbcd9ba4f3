"""The predictions of the scorecards of the folds for their validation rows, and what follows from them.

Scores are kept in few bytes, as a large table has many rows and a fold many scorecards. Not here: searching
in the folds, and the choice among scorecards (validation.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.engine.card_search import SCORE_UNIT, Cards
from clausal.scorecard.calibration import (
    Floats,
    Indices,
    exact_sum,
    fit_shared_slope,
    fit_slope,
    row_losses,
)
from clausal.scorecard.cut_off import choose_cut_off
from clausal.scorecard.folds import Split
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search_space import NO_CLAUSES, Clauses, SearchSpace

Key = tuple[int, int]
"""The indices of a search and a size."""


@dataclass(frozen=True, eq=False)
class FoldPredictions:
    """A fold's scorecards, and their predictions for its validation rows.

    Attributes
    ----------
    rows : intp [v]
    weights : float64 [v]
    scores : of each search and size, by their indices: int16 or int32 [banks, v], in units of scores
    n_rules : intp [searches, sizes]
    cards : of each search, a scorecard for each size
    clauses : of the fold's machine
    left_out : the share of all weight that is not in the training part
    """

    rows: Indices
    weights: Floats
    scores: Mapping[Key, NDArray[Any]]
    n_rules: Indices
    cards: tuple[Cards, ...] = ()
    clauses: Clauses = NO_CLAUSES
    left_out: float = 0.0


def fold_predictions(
    space: SearchSpace, split: Split, found: tuple[Cards, ...], clauses: Clauses
) -> FoldPredictions:
    """The predictions of scorecards that were found on the training part of a split."""
    rows = np.flatnonzero(split.validation > 0)
    scores = _scores_by_key(space, found, rows)
    n_rules = np.array([np.diff(cards.term_starts) for cards in found], np.intp)
    left_out = max(1.0 - float(exact_sum(split.train) / exact_sum(space.rows.weights)), 0.0)
    return FoldPredictions(rows, split.validation[rows], scores, n_rules, found, clauses, left_out)


_SCORES_AT_ONCE = 2**24  # of several sizes


def _scores_by_key(space: SearchSpace, found: tuple[Cards, ...], rows: Indices) -> dict[Key, NDArray[Any]]:
    """The scores [banks, v] of the cards of each search and size; equal cards share an array."""
    scores: dict[Key, NDArray[Any]] = {}
    step = max(_SCORES_AT_ONCE // max(len(rows), 1), 1)
    for search, cards in enumerate(found):
        n_cards = len(cards.values)
        for first in range(0, n_cards, step):
            last = min(first + step, n_cards)
            block = space.table.scores(cards.only(first, last), rows)
            for size, own in enumerate(block, first):
                same = size > 0 and cards.are_equal(size - 1, size)
                scores[search, size] = scores[search, size - 1] if same else _narrow(own)
    return scores


def _narrow(scores: NDArray[np.int32]) -> NDArray[Any]:
    """The scores in two bytes each, if they fit."""
    limits = np.iinfo(np.int16)
    fits = limits.min <= scores.min(initial=0) and scores.max(initial=0) <= limits.max
    return scores.astype(np.int16) if fits else scores.copy()


class LogOdds:
    """The log-odds of rows; with one bank, rows of equal scores share them, as there are few scores.

    Attributes
    ----------
    values : float64 [different, banks]
    index : the place of each row [n] among them
    """

    def __init__(self, scores: NDArray[Any]) -> None:
        """Of scores [banks, n], in units of scores."""
        self.scores = scores
        if len(scores) == 1:
            low, high = int(scores.min(initial=0)), int(scores.max(initial=0))
            shifted = scores[0] - np.int32(low)
            present = np.zeros(high - low + 1, bool)
            present[shifted] = True
            self.index: Any = (np.cumsum(present, dtype=np.int32) - np.int32(1))[shifted]
            different = (np.flatnonzero(present) + low)[:, None]
        else:
            self.index, different = slice(None), scores.T
        self.values = different.astype(np.float64) / SCORE_UNIT

    @property
    def of_rows(self) -> Floats:
        """The log-odds [n, banks]."""
        return np.asarray(self.values[self.index])


class HeldOut:
    """The validation rows of all folds, one after the other."""

    def __init__(self, rows: SearchRows, folds: list[FoldPredictions]) -> None:
        self.folds, self.outcome = folds, rows.outcome
        self.rows = np.concatenate([fold.rows for fold in folds])
        self.codes = rows.codes[self.rows]
        self.weights = np.concatenate([fold.weights for fold in folds])
        ends = np.cumsum([len(fold.rows) for fold in folds]).tolist()
        self.parts = [slice(end - len(fold.rows), end) for end, fold in zip(ends, folds, strict=True)]
        self.has_every_class = len(np.unique(self.codes)) == len(rows.classes)

    def log_odds(self, key: Key) -> LogOdds:
        """The log-odds of a search at a size."""
        parts = [fold.scores[key] for fold in self.folds]
        return LogOdds(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1))

    def calibrate(self, log_odds: LogOdds, start: tuple[float, Floats] | None = None) -> tuple[float, Floats]:
        """The slope and the offsets [banks] that fit log-odds best; `start` is near them.

        If a class has no validation row, they are not calibrated.
        """
        values = log_odds.values
        if not self.has_every_class:
            return 1.0, np.zeros(values.shape[1])
        if self.outcome.positive is None:
            return fit_slope(values, self.outcome.shares(self.codes), self.weights, start=start)
        return fit_shared_slope(values, log_odds.index, self.codes, self.weights, start=start)

    def losses(self, log_odds: LogOdds, slope: float, offsets: Floats) -> Floats:
        """The calibrated log-loss of each row."""
        calibrated = slope * log_odds.values + offsets
        if self.outcome.positive is None:
            return row_losses(calibrated, self.codes)
        ones = np.ones(len(calibrated), np.intp)
        by_class = np.stack([row_losses(calibrated, 0 * ones), row_losses(calibrated, ones)])
        return np.asarray(by_class[self.codes, log_odds.index])

    def decide(self, p: Floats, scoring: Scoring) -> tuple[Floats, Indices, float]:
        """The probabilities of all classes, the predicted classes and the cut-off, from p [n, banks]."""
        if self.outcome.positive is None:
            return p, p.argmax(axis=1), np.nan
        positive = p[:, 0]
        cut_off = choose_cut_off(scoring, positive, self.codes, self.weights) if self.has_every_class else 0.5
        return np.hstack([1.0 - p, p]), (positive >= cut_off).astype(np.intp), cut_off
