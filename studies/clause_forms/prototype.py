"""Integer-weighted Tsetlin machines with three forms of clauses, compiled by Numba for a trial.

- "ordinary": all included literals must hold.
- "fuzzy": a clause votes `tolerance` minus the number of its literals that fail, times its weight, at least 0
  (arXiv 2508.08350). A tolerance of 1 is the ordinary clause.
- "intervals": a number has two literals, low <= x and x <= high over its bins, with an automaton each. A
  bound is a point that steps along the line (the idea of Electronics 10(17) 2107; the steps are ours): Type
  Ia moves it towards the sample with probability 1/s, or as far as the sample if the literal is false; Type
  Ib loosens it with probability 1/s; Type II tightens it if the literal is true.

Everything else is docs/algorithm.md. The draws are not keyed and no bit is promised: this is a prototype, and
only its machines are compared with each other. Not here: which settings are tried (__main__.py).
"""

# ruff: noqa: NPY002 - Numba compiles these draws of NumPy

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

N_STATES = 128  # of automata that exclude, and as many that include


@dataclass(frozen=True)
class Form:
    """A form of clauses with its settings."""

    n_clauses: int
    threshold: int
    specificity: float
    tolerance: int = 1
    intervals: bool = False


@dataclass(frozen=True, eq=False)
class Rows:
    """Literals [n, literals], and numbers as bins [n, numbers] with the number of bins of each."""

    literals: NDArray[np.uint8]
    bins: NDArray[np.int16]
    n_bins: NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Machine:
    """What was learned: automata [banks, clauses, literals], bounds [banks, clauses, numbers, 2], weights.

    The last automata of a clause are those of the bounds, low and high of each number.
    """

    form: Form
    states: NDArray[np.int16]
    bounds: NDArray[np.int16]
    weights: NDArray[np.int64]

    def votes(self, rows: Rows) -> NDArray[np.int64]:
        """The votes [n, banks]; empty clauses have none."""
        found: NDArray[np.int64] = _all_votes(
            rows.literals,
            rows.bins,
            self.states,
            self.bounds,
            self.weights,
            self.form.tolerance,
            self._empty(),
        )
        return found

    def _empty(self) -> NDArray[np.bool_]:
        return np.asarray(~(self.states >= N_STATES).any(axis=2))

    def n_literals(self, feature: NDArray[np.int64]) -> int:
        """Literals of all clauses with a vote; of the ordered literals of a group in a clause one counts.

        `feature` [literals] is the same number, from 0 on, for literals of which the tightest implies the
        others (as x <= 3 and x <= 5); it is -1 for a literal on its own.
        """
        included = (self.states >= N_STATES) & (self.weights > 0)[..., None]
        own, of_bounds = included[..., : len(feature)], included[..., len(feature) :]
        total = int(own[..., feature < 0].sum()) + int(of_bounds.sum())
        for group in range(int(feature.max(initial=-1)) + 1):
            total += int(own[..., feature == group].any(axis=2).sum())
        return total


class _Sample(NamedTuple):
    x: NDArray[np.uint8]
    bins: NDArray[np.int16]


class _Bank(NamedTuple):
    states: NDArray[np.int16]
    bounds: NDArray[np.int16]
    weights: NDArray[np.int64]
    n_bins: NDArray[np.int16]


class _Law(NamedTuple):
    threshold: int
    s: float
    tolerance: int


def train(form: Form, rows: Rows, targets: NDArray[np.int64], n_epochs: int, seed: int) -> Machine:
    """Train a machine: one bank for two classes, a bank per class for more."""
    n_classes = int(targets.max()) + 1
    n_banks = 1 if n_classes == 2 else n_classes
    n_numbers = rows.bins.shape[1] if form.intervals else 0
    shape = (n_banks, form.n_clauses)
    states = np.full((*shape, rows.literals.shape[1] + 2 * n_numbers), N_STATES - 1, np.int16)
    bounds = np.zeros((*shape, n_numbers, 2), np.int16)
    bounds[..., 1] = rows.n_bins[:n_numbers] - 1
    weights = np.ones(shape, np.int64)
    law = _Law(form.threshold, form.specificity, form.tolerance)
    bins = rows.bins[:, :n_numbers]
    _train(rows.literals, bins, targets, _Bank(states, bounds, weights, rows.n_bins), law, n_epochs, seed)
    return Machine(form, states, bounds, weights)


def decide(votes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The class of each row."""
    found: NDArray[Any] = (votes[:, 0] >= 0).astype(np.int64) if votes.shape[1] == 1 else votes.argmax(axis=1)
    return found


@numba.njit(cache=True)
def _strength(x, bins, states, bounds, tolerance, empty_fires):  # type: ignore[no-untyped-def]
    """What is left of the tolerance after the literals that fail."""
    left, size = tolerance, 0
    for k in range(x.size):
        if states[k] >= N_STATES:
            size += 1
            if x[k] == 0:
                left -= 1
                if left == 0:
                    return 0
    for f in range(bounds.shape[0]):
        for end in range(2):
            if states[x.size + 2 * f + end] >= N_STATES:
                size += 1
                left -= not _holds(bins[f], bounds[f], end)
    if left <= 0:
        return 0
    if size < tolerance:  # a clause of few literals votes as many points at most
        left -= tolerance - max(size, 1)
    return max(left, 0) if size > 0 or empty_fires else 0


@numba.njit(cache=True)
def _holds(value, bounds, end):  # type: ignore[no-untyped-def]
    """Whether a bound of an interval, 0 the low one, allows the value."""
    return value >= bounds[0] if end == 0 else value <= bounds[1]


@numba.njit(cache=True)
def _all_votes(literals, bins, states, bounds, weights, tolerance, empty):  # type: ignore[no-untyped-def]
    votes = np.zeros((len(literals), len(states)), np.int64)
    for i in range(len(literals)):
        for b in range(len(states)):
            for j in range(states.shape[1]):
                if not empty[b, j] and weights[b, j] > 0:
                    own = _strength(literals[i], bins[i], states[b, j], bounds[b, j], tolerance, False)
                    votes[i, b] += own * weights[b, j] * (1 if j % 2 == 0 else -1)
    return votes


@numba.njit(cache=True)
def _train(literals, bins, targets, banks, law, n_epochs, seed):  # type: ignore[no-untyped-def]
    np.random.seed(seed)
    n_banks = len(banks.states)
    for _ in range(n_epochs):
        for i in np.random.permutation(len(targets)):
            sample, target = _Sample(literals[i], bins[i]), targets[i]
            if n_banks == 1:
                _step(sample, target == 1, _bank(banks, 0), law)
                continue
            other = np.random.randint(n_banks - 1)
            _step(sample, True, _bank(banks, target), law)
            _step(sample, False, _bank(banks, other + (other >= target)), law)


@numba.njit(cache=True)
def _bank(banks, k):  # type: ignore[no-untyped-def]
    return _Bank(banks.states[k], banks.bounds[k], banks.weights[k], banks.n_bins)


@numba.njit(cache=True)
def _step(sample, y, bank, law):  # type: ignore[no-untyped-def]
    n_clauses = len(bank.states)
    strength = np.empty(n_clauses, np.int64)
    vote = 0
    for j in range(n_clauses):
        states, bounds = bank.states[j], bank.bounds[j]
        strength[j] = _strength(sample.x, sample.bins, states, bounds, law.tolerance, True)
        vote += strength[j] * bank.weights[j] * (1 if j % 2 == 0 else -1)
    vote = max(-law.threshold, min(law.threshold, vote))
    chance = (law.threshold - vote if y else law.threshold + vote) / (2 * law.threshold)
    for j in range(n_clauses):
        if np.random.random() >= chance:
            continue
        if (j % 2 == 0) == y:
            _type_1(sample, bank, j, strength[j] > 0, law.s)
            bank.weights[j] += strength[j] > 0
        elif strength[j] > 0:
            _type_2(sample, bank, j)
            bank.weights[j] -= bank.weights[j] > 0


@numba.njit(cache=True)
def _true(sample, bank, j, k):  # type: ignore[no-untyped-def]
    """Whether literal k of clause j holds; those of numbers come last, low and high in turns."""
    f, end = (k - sample.x.size) // 2, (k - sample.x.size) % 2
    return sample.x[k] == 1 if f < 0 else _holds(sample.bins[f], bank.bounds[j, f], end)


@numba.njit(cache=True)
def _type_1(sample, bank, j, fired, s):  # type: ignore[no-untyped-def]
    states, bounds = bank.states[j], bank.bounds[j]
    for k in range(states.size):
        true = _true(sample, bank, j, k)
        drawn = np.random.random() * s < 1.0
        if fired and true:
            if not drawn and states[k] < 2 * N_STATES - 1:
                states[k] += 1
        elif drawn and states[k] > 0:
            states[k] -= 1
        f, end = (k - sample.x.size) // 2, (k - sample.x.size) % 2
        if f < 0:
            continue
        value, loosest, inwards = sample.bins[f], 0 if end == 0 else bank.n_bins[f] - 1, 1 if end == 0 else -1
        if fired and not true:
            bounds[f, end] = value
        elif fired and drawn and bounds[f, end] != value:
            bounds[f, end] += inwards
        elif not fired and np.random.random() * s < 1.0 and bounds[f, end] != loosest:
            bounds[f, end] -= inwards


@numba.njit(cache=True)
def _type_2(sample, bank, j):  # type: ignore[no-untyped-def]
    states, bounds = bank.states[j], bank.bounds[j]
    for k in range(states.size):
        f, end = (k - sample.x.size) // 2, (k - sample.x.size) % 2
        if not _true(sample, bank, j, k):
            if states[k] < N_STATES:
                states[k] += 1
        elif f >= 0 and bounds[f, 0] < bounds[f, 1]:
            bounds[f, end] += 1 if end == 0 else -1
