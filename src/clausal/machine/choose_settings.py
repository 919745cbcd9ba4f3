"""The settings of a machine that are left to `fit`: chosen by validation inside the training rows.

Candidates differ in T per clause and in s. They are trained on some of the rows and validated on the others
after a sixteenth, an eighth, a quarter, half and all of the epochs that there is time for. Each time the
worst stop; all stop when the log-loss of the sum of the best three rises. Where it was lowest, the number of
epochs is taken, and the three become groups of clauses of one machine, which is trained on all rows. Each
group's votes count so often that all have the same T.

All of it is a function of the rows' content, their weights and the seed, and the same on every backend. Not
here: the engine of groups (engine/grouped_engine.py), when settings are left to `fit` (settings.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.engine.exact_math import exact_exp, exact_log
from clausal.engine.protocol import Engine, EngineConfig, TrainingJob
from clausal.engine.random_stream import Purpose, child_key, words
from clausal.machine.clause_model import to_model
from clausal.machine.configure import make_config, make_engine
from clausal.machine.encode import backend_of, thread_count
from clausal.machine.equal_rows import Units, units_of
from clausal.machine.inputs import Weights
from clausal.machine.loop import EpochOrder
from clausal.machine.prediction import compiled_model
from clausal.machine.read import Samples, TrainingRows
from clausal.machine.settings import Chosen, Group
from clausal.outcome import Outcome
from clausal.progress import progress

Votes = NDArray[np.int64]

_N_CLAUSES = 400  # of a group
_GRID = [
    (2, 2.0),
    (2, 4.0),
    (2, 8.0),
    (2, 16.0),
    (8, 2.0),
    (8, 4.0),
    (8, 8.0),
    (8, 16.0),
    (32, 4.0),
    (32, 8.0),
]
"""T per clause, and s. Each T is a multiple of the smaller ones, so that votes have whole factors."""
_STAYING = (6, 4, 3, 3, 3)  # candidates, after each comparison
_N_GROUPS = 3
_N_FOLDS = 3
_MANY_ROWS = 3_000  # from here on, one fold is enough
_MOST_ROWS = 20_000  # to choose by
_FEWEST_ROWS = 30
_VISITS = (160_000, 80_000)  # rows times epochs where rows are few, and many; within the next two limits
_FEWEST_EPOCHS, _MOST_EPOCHS = 16, 320
_SLOPES = 2.0 ** np.arange(-2, 8, 0.25)  # log-odds per T of votes
_MOST_LOG_ODDS = 16.0
_CLEAR_ERRORS = 2.0  # standard errors by which a machine is clearly better than the shares of the classes


class _Fold(NamedTuple):
    """Weights [n] of the rows to train on, 0 for the others; the rows held out and their weights."""

    training: NDArray[np.float64]
    rows: NDArray[np.int64]
    weights: NDArray[np.float64]


@dataclass(eq=False)
class _Candidate:
    """A setting, with a machine in training for each fold, and what its votes on held-out rows are worth."""

    group: Group
    config: EngineConfig
    engines: list[Engine]
    votes: Votes
    loss: float = np.inf


class _Validation(NamedTuple):
    """The log-loss of votes, and the slope with which it is lowest, in log-odds per T."""

    loss: float
    slope: float


class Choice(NamedTuple):
    """What was chosen, None where there are too few rows, and what the user should know about it."""

    chosen: Chosen | None = None
    remarks: tuple[str, ...] = ()


def choose(settings: Any, rows: TrainingRows, samples: Samples, seed: int, factors: Weights | None) -> Choice:
    """Choose the settings.

    Parameters
    ----------
    settings : the other parameters
    rows : their encoding and outcome
    samples : the rows to train on, with their sample weights
    seed : of the fit
    factors : the class weights [classes], or None
    """
    dealt = _dealt(samples, rows.encoding, seed, factors)
    if dealt is None:
        return Choice()
    folds = _folds(dealt, samples.codes, factors)
    codes = np.concatenate([samples.codes[fold.rows] for fold in folds])
    held_out = _HeldOut(rows.outcome, codes, np.concatenate([fold.weights for fold in folds]))
    alive = _candidates(settings, rows, len(folds), seed)
    orders = [
        EpochOrder(samples.literals, samples.codes, fold.training, seed, backend_of(settings).shuffled)
        for fold in folds
    ]
    best, lowest, done = Choice(), np.inf, 0
    ends = _stages(float(dealt.weights.sum()))
    with progress(len(ends), bool(settings.verbose), "choosing settings", "stages") as advance:
        for stage, end in enumerate(ends):
            visits = [np.concatenate(order.visits(range(done, end))) for order in orders]
            _train(settings, alive, samples, visits)
            for candidate in alive:
                candidate.votes = _votes(settings, candidate, samples, folds)
                candidate.loss = held_out.validate(candidate.votes, candidate.config.threshold).loss
            alive = sorted(alive, key=lambda candidate: candidate.loss)
            found, votes = _together(alive[:_N_GROUPS], held_out, end)
            alive, done = alive[: _STAYING[stage]], end
            advance(f"log-loss {found.log_loss:.3f}")
            if found.log_loss >= lowest:
                break
            best, lowest = Choice(found, held_out.remarks(votes, found.slope)), found.log_loss
    return best


def _stages(n_rows: float) -> list[int]:
    """The epochs after which candidates are compared."""
    visits = _VISITS[0 if n_rows < _MANY_ROWS else 1]
    most = int(np.clip(visits // n_rows, _FEWEST_EPOCHS, _MOST_EPOCHS))
    return [most // 2**halvings for halvings in range(len(_STAYING) - 1, -1, -1)]


def _candidates(settings: Any, rows: TrainingRows, n_folds: int, seed: int) -> list[_Candidate]:
    found = []
    for index, (ratio, specificity) in enumerate(_GRID):
        group = Group(_N_CLAUSES, ratio * _N_CLAUSES, specificity)
        own = child_key(seed, Purpose.GROUP, index)
        config = make_config(settings, rows.encoding, rows.outcome, own, [group]).groups[0]
        engines = [make_engine(settings, config, None) for _ in range(n_folds)]
        found.append(_Candidate(group, config, engines, np.zeros((0, rows.outcome.n_banks), np.int64)))
    return found


def _train(
    settings: Any, alive: Sequence[_Candidate], samples: Samples, visits: Sequence[NDArray[np.int64]]
) -> None:
    """Train the machines of all candidates in one call."""
    jobs = [
        TrainingJob(engine, samples.literals, samples.codes, order)
        for candidate in alive
        for engine, order in zip(candidate.engines, visits, strict=True)
    ]
    backend_of(settings).train_many(jobs, thread_count(settings))


def _votes(settings: Any, candidate: _Candidate, samples: Samples, folds: Sequence[_Fold]) -> Votes:
    """The votes of a candidate on the held-out rows of all folds."""
    found = []
    for engine, fold in zip(candidate.engines, folds, strict=True):
        model = to_model(candidate.config, engine.export_state(), epoch=0, row=0)
        clauses = compiled_model(model, backend_of(settings))
        found.append(clauses.votes(samples.literals[fold.rows], thread_count(settings)))
    return np.concatenate(found)


def _together(best: Sequence[_Candidate], held_out: _HeldOut, n_epochs: int) -> tuple[Chosen, Votes]:
    """The best candidates as groups of one machine, and its votes on the held-out rows."""
    largest = max(candidate.group.threshold for candidate in best)
    factors = [largest // candidate.group.threshold for candidate in best]
    votes = np.sum([factor * one.votes for factor, one in zip(factors, best, strict=True)], axis=0)
    threshold = largest * len(best)
    found = held_out.validate(votes, threshold)
    groups = tuple(
        Group(one.group.n_clauses, one.group.threshold, one.group.specificity, factor)
        for factor, one in zip(factors, best, strict=True)
    )
    chosen = Chosen(groups, n_epochs, found.slope / threshold, found.loss, held_out.accuracy(votes))
    return chosen, votes


# --- which rows are held out ---


def _dealt(samples: Samples, encoding: Encoding, seed: int, factors: Weights | None = None) -> Units | None:
    """The units to choose by, in the order in which they are dealt to folds; None where they are too few.

    Rows of classes whose factor is 0 are left out.
    """
    if factors is not None:
        counted = np.where(factors[samples.codes] > 0, 1.0, 0.0)
        weights = counted if samples.weights is None else counted * samples.weights
        samples = replace(samples, weights=weights)
    units = units_of(samples, encoding)
    draws = words(np.uint64(child_key(seed, Purpose.FOLD)), np.arange(len(units.rows), dtype=np.uint64))
    order = np.argsort(draws, kind="stable")
    order = order[np.cumsum(units.weights[order]) <= _MOST_ROWS]
    codes = samples.codes[units.rows[order]]
    if len(order) < _FEWEST_ROWS or (np.bincount(codes) >= _N_FOLDS).sum() < 2:
        return None
    return units.take(order[np.argsort(codes, kind="stable")])


def _folds(dealt: Units, codes: NDArray[np.int32], factors: Weights | None = None) -> list[_Fold]:
    """The folds, with about the same share of every class; class weights count within units.

    Parameters
    ----------
    dealt : the units in the order of `_dealt`
    codes : of all rows
    factors : the class weights [classes], or None
    """
    if factors is not None:
        dealt = Units(dealt.rows, dealt.weights * factors[codes[dealt.rows]])
    number = np.arange(len(dealt.rows)) % _N_FOLDS
    n_used = _N_FOLDS if len(dealt.rows) < _MANY_ROWS else 1
    return [_fold(dealt, number == index, len(codes)) for index in range(n_used)]


def _fold(dealt: Units, is_held_out: NDArray[np.bool_], n_rows: int) -> _Fold:
    kept = dealt.take(~is_held_out)
    training = np.bincount(kept.rows, kept.weights, n_rows).astype(np.float64, copy=False)
    return _Fold(training, *dealt.take(is_held_out).merged)


# --- what votes are worth ---


class _HeldOut:
    """The classes and weights of the held-out rows of all folds, one after the other."""

    def __init__(self, outcome: Outcome, codes: NDArray[np.int32], weights: NDArray[np.float64]) -> None:
        self._outcome, self._codes, self._weights = outcome, codes, weights
        self._total = self._sum(np.ones(len(codes)))

    def accuracy(self, votes: Votes) -> float:
        """The share of rows whose class the votes decide for."""
        right = self._outcome.decide(votes) == self._codes
        return self._sum(right.astype(np.float64)) / self._total

    def validate(self, votes: Votes, threshold: int) -> _Validation:
        """The lowest log-loss over the slopes; the loss falls to it and rises again."""
        behind = self._behind(votes, threshold)
        low, high = 0, len(_SLOPES) - 1
        while low < high:
            middle = (low + high) // 2
            if self._loss(behind, _SLOPES[middle]) <= self._loss(behind, _SLOPES[middle + 1]):
                high = middle
            else:
                low = middle + 1
        return _Validation(self._loss(behind, _SLOPES[low]), float(_SLOPES[low]))

    def remarks(self, votes: Votes, slope: float) -> tuple[str, ...]:
        """A sentence if the log-loss is not clearly below that of the shares of the classes; else nothing."""
        shares = np.bincount(self._codes, self._weights) / self._weights.sum()
        losses, of_shares = self._losses(self._behind(votes, 1), slope), -np.log(shares[self._codes])
        before, after = (float(np.average(one, weights=self._weights)) for one in (of_shares, losses))
        error = np.linalg.norm(self._weights * (of_shares - losses - (before - after))) / self._weights.sum()
        if before - after > _CLEAR_ERRORS * error:
            return ()
        return (
            "On held-out rows, the machine does not predict clearly better than the shares of the classes: "
            f"the log-loss is {after:.3f}, that of the shares {before:.3f}. The columns may tell nothing "
            "about the class, or the rows may be too few to say.",
        )

    def _behind(self, votes: Votes, threshold: int) -> NDArray[np.float64]:
        """How far each class is ahead of that of the row, in T, [n, classes]."""
        of_classes = self._outcome.class_votes(votes) / threshold
        own = of_classes[np.arange(len(self._codes)), self._codes]
        behind: NDArray[np.float64] = of_classes - own[:, None]
        return behind

    def _loss(self, behind: NDArray[np.float64], slope: float) -> float:
        return self._sum(self._losses(behind, slope)) / self._total

    def _losses(self, behind: NDArray[np.float64], slope: float) -> NDArray[np.float64]:
        """The log-loss of each row, from how far each class is ahead of that of the row.

        Of all rows as if together there were one more that is right and one that is wrong, so that no slope
        is infinite. The same bits on every computer: exact functions, and (`_sum`) a sum of integers.
        """
        odds = exact_exp(np.clip(slope * behind, -_MOST_LOG_ODDS, _MOST_LOG_ODDS))
        total = np.zeros(len(odds))
        for column in odds.T:
            total = total + column
        wrong = 1.0 / (self._total + 2.0)
        losses: NDArray[np.float64] = exact_log(total) - wrong * exact_log(total - 1.0)
        return losses

    def _sum(self, values: NDArray[np.float64]) -> float:
        """The weighted sum over the rows, in units of 2^-20: in any order, and the same for repeated rows."""
        units = np.rint(self._weights * np.rint(values * 2.0**20)).astype(np.int64)
        return float(units.sum()) / 2.0**20
