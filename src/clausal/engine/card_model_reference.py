"""Rules, their loss in fixed-point numbers, and how their coefficients are fitted, in plain NumPy.

The twin of table.cpp, loss.cpp, model.cpp and gains.cpp in core/scorecard: sums over rows are
sums of integers, and everything else is the same operations on doubles in the same order. Not here: which
rules are tried (card_search_reference.py), whole points (card_points_reference.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.engine.card_search import MAX_POINTS, NEGATIVE, POSITIVE, SCORE_UNIT, CardSearch
from clausal.engine.exact_math import exact_exp, exact_log
from clausal.engine.protocol import unpack_bits

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Literals = tuple[int, ...]

FRACTION_BITS = 20
ONE = 1 << FRACTION_BITS  # of probabilities, curvatures and losses
PACKED_BITS = 30  # of sums of derivatives that are compared
MAX_SCORE = 16 * SCORE_UNIT  # larger scores count as this
MAX_TOTAL_WEIGHT, MAX_NUMBER_WEIGHT, MAX_WEIGHT_BITS = 2.0**37, 2.0**34, 24
SMOOTH = SCORE_UNIT // 8  # within it, the quantile loss is a parabola
MAX_SHIFT = 12 * SCORE_UNIT  # farther targets of a quantile count as this
MAX_STEP, MAX_COEFFICIENT = SCORE_UNIT, 8 * SCORE_UNIT
MIN_GAIN = 1e-3  # of the loss; smaller gains are ignored
MAX_SWEEPS, SMALL_CHANGE = 8, 2  # sweeps end if no coefficient changes by more


POWERS = exact_exp(np.arange(-MAX_SCORE, MAX_SCORE + 1) / SCORE_UNIT)  # of scores from -MAX_SCORE on


def _fixed(values: Floats) -> Ints:
    return np.rint(values * ONE).astype(np.int64)


class Rule(NamedTuple):
    """Literals that must all be true."""

    literals: Literals
    rows: Bools  # where all literals are true
    signs: int  # that are allowed
    low: int = -MAX_POINTS  # the least points that are allowed
    high: int = MAX_POINTS
    fixed: bool = False  # whether the rule stays in every model, as it is


@dataclass(frozen=True, eq=False)
class Term:
    """A rule of a bank with its coefficient."""

    rule: Rule
    bank: int
    coefficient: int  # in units of scores


class Gain(NamedTuple):
    """How much a rule lowers the objective, and its coefficient in log-odds."""

    gain: float = 0.0
    coefficient: float = 0.0


class Table:
    """Which literals are true, [rows, literals], their features, and those that a search begins with."""

    def __init__(
        self, literals: NDArray[np.uint64], feature_of: NDArray[np.uint32], begins: Bools | None = None
    ) -> None:
        self.n_columns = len(feature_of)
        self.true = unpack_bits(literals, 2 * self.n_columns)
        first = np.ones(self.n_columns, bool) if begins is None else begins
        self.first_literals: list[int] = np.flatnonzero(np.tile(first, 2)).tolist()
        self.feature_of = [*feature_of.tolist(), *feature_of.tolist()]  # of each literal

    def rows(self, literals: Sequence[int]) -> Bools:
        """The rows where all literals are true."""
        return np.asarray(self.true[:, list(literals)].all(axis=1))

    def neighbours(self, literal: int) -> list[int]:
        """The literals next to it of the same feature, the fourth at most where a search has more cuts.

        A negation has negations.
        """
        first = literal // self.n_columns * self.n_columns
        has_more = len(self.first_literals) < 2 * self.n_columns
        return [
            literal + step
            for step in ((-1, 1, -2, 2, -4, 4) if has_more else (-1, 1))
            if first <= literal + step < first + self.n_columns
            and self.feature_of[literal + step] == self.feature_of[literal]
        ]

    def same_split(self, one: Literals, two: Literals) -> bool:
        """Whether two rules are equal, or single literals of a feature that divide the rows alike."""
        if one == two or len(one) > 1 or len(two) > 1 or self.feature_of[one[0]] != self.feature_of[two[0]]:
            return one == two
        equal = self.true[:, one[0]] == self.true[:, two[0]]
        return bool(equal.all() or not equal.any())

    def simplified(self, literals: Iterable[int]) -> Literals:
        """The literals without those that the others of the same feature imply."""
        kept = sorted(set(literals))
        for literal in tuple(kept):
            feature = self.feature_of[literal]
            others = [other for other in kept if other != literal and self.feature_of[other] == feature]
            if others and (self.rows(others) <= self.true[:, literal]).all():
                kept.remove(literal)
        return tuple(kept)


class Loss:
    """The logistic loss in fixed-point numbers."""

    def __init__(self, weights: Floats, shares: Floats) -> None:
        self.set_weights(weights, weights, MAX_TOTAL_WEIGHT)
        self.shares = np.rint(self.weights * shares).astype(np.int64)
        self.n_banks = len(shares)

    def set_weights(self, weights: Floats, sizes: Floats, max_total: float) -> None:
        """Weights as whole numbers, so that sums of sizes are at most `max_total`."""
        total = 0.0
        for size in sizes.tolist():
            total += math.ceil(size)  # exact in any order
        bits = MAX_WEIGHT_BITS
        while bits > -64 and total * 2.0**bits > max_total:
            bits -= 1
        self.unit = 2.0**-bits / ONE
        self.weights = np.rint(weights * 2.0**bits).astype(np.int64)

    def real(self, total: int) -> float:
        """A sum of derivatives or losses as a real number."""
        return float(total) * self.unit

    def packing_bits(self, scores: Ints) -> int:
        """By how many bits derivatives are shortened so that sums of them have at most 31."""
        return max(0, int(self.weights.sum()).bit_length() + FRACTION_BITS - PACKED_BITS)

    def derivatives(self, scores: Ints, bank: int) -> tuple[Ints, Ints]:
        """Minus the first derivative, and the second one, in each row."""
        powers = POWERS[_within_limits(scores) + MAX_SCORE]
        if self.n_banks == 1:
            ratio = powers[0] / (1.0 + powers[0])
            p, curvature = _fixed(ratio), _fixed(ratio / (1.0 + powers[0]))
        else:
            p = _fixed(powers[bank] / _total(powers))
            curvature = (p * (ONE - p)) >> 20
        return self.shares[bank] * ONE - self.weights * p, self.weights * np.maximum(curvature, 1)

    def total(self, scores: Ints) -> int:
        """The loss of all rows."""
        scores = _within_limits(scores)
        powers = POWERS[scores + MAX_SCORE]
        logs = exact_log(1.0 + powers[0] if self.n_banks == 1 else _total(powers))
        return int((self.weights * _fixed(logs)).sum() - (self.shares * (ONE // SCORE_UNIT) * scores).sum())


class NumberLoss(Loss):
    """What the losses of numbers have in common."""

    def packing_bits(self, scores: Ints) -> int:
        """By how many bits derivatives are shortened so that sums of them have at most 31."""
        gradient, curvature = self.derivatives(scores, 0)
        return max(0, int(np.maximum(np.abs(gradient), curvature).sum()).bit_length() - PACKED_BITS)


class SquaredLoss(NumberLoss):
    """Half the squared error, without the part that no score changes."""

    def __init__(self, weights: Floats, targets: Floats) -> None:
        self.set_weights(weights, weights * np.maximum(np.abs(targets[0]), 1.0), MAX_NUMBER_WEIGHT)
        self.shares = np.rint(self.weights * targets).astype(np.int64)  # weight times target
        self.n_banks = 1

    def derivatives(self, scores: Ints, bank: int) -> tuple[Ints, Ints]:
        """Minus the first derivative, and the second one, in each row."""
        own = _within_limits(scores[0])
        return self.shares[0] * ONE - self.weights * own * (ONE // SCORE_UNIT), self.weights * ONE

    def total(self, scores: Ints) -> int:
        """The loss of all rows."""
        own = _within_limits(scores[0])
        squares = self.weights * own * own * (ONE // SCORE_UNIT**2 // 2)
        return int((squares - self.shares[0] * (ONE // SCORE_UNIT) * own).sum())


class QuantileLoss(NumberLoss):
    """Twice the pinball loss, which is a parabola within SMOOTH of the target.

    Newton steps use the curvature of the parabola that touches the loss at a score and is nowhere below it.
    """

    def __init__(self, weights: Floats, targets: Floats, quantile: float) -> None:
        self.set_weights(weights, weights, MAX_NUMBER_WEIGHT)
        self.shares = np.rint(self.weights * (2.0 * quantile - 1.0)).astype(np.int64)[None]
        self.targets = np.rint(np.clip(targets[0] * SCORE_UNIT, -MAX_SHIFT, MAX_SHIFT)).astype(np.int64)
        self.n_banks = 1

    def derivatives(self, scores: Ints, bank: int) -> tuple[Ints, Ints]:
        """Minus the first derivative, and the curvature of a Newton step, in each row."""
        too_high = _within_limits(scores[0] - self.targets)
        slope = np.clip(too_high, -SMOOTH, SMOOTH) * (ONE // SMOOTH)
        curvature = ONE // np.maximum(np.abs(too_high), SMOOTH) * SCORE_UNIT
        return self.shares[0] * ONE - self.weights * slope, self.weights * curvature

    def total(self, scores: Ints) -> int:
        """The loss of all rows."""
        too_high = _within_limits(scores[0] - self.targets)
        size = np.abs(too_high)
        parabola = size * size * (ONE // SCORE_UNIT // SMOOTH // 2)
        line = (2 * size - SMOOTH) * (ONE // SCORE_UNIT // 2)
        losses = self.weights * np.where(size < SMOOTH, parabola, line)
        return int((losses - self.shares[0] * (ONE // SCORE_UNIT) * too_high).sum())


def loss_of(search: CardSearch) -> Loss:
    """The loss of a search."""
    if search.loss == "squared_error":
        return SquaredLoss(search.weights, search.shares)
    if search.loss == "quantile":
        return QuantileLoss(search.weights, search.shares, search.quantile)
    return Loss(search.weights, search.shares)


def _within_limits(scores: Ints) -> Ints:
    return np.asarray(np.clip(scores, -MAX_SCORE, MAX_SCORE))


def _total(powers: Floats) -> Floats:
    """The sum over banks, in their order."""
    total = np.zeros(powers.shape[1])
    for bank in powers:
        total = total + bank
    return total


def _newton(step: float) -> int:
    return round(min(max(step, -MAX_STEP), MAX_STEP))


class Model:
    """A sum of terms and an offset of each bank. Without offsets, those that fit best."""

    def __init__(
        self, loss: Loss, ridge: float, terms: Sequence[Term] = (), offsets: Sequence[int] | None = None
    ) -> None:
        self.loss, self.ridge, self.terms = loss, ridge, list(terms)
        self.offsets = list(offsets or [0] * loss.n_banks)
        if offsets is None:
            self.fit_offsets(30)

    def scores(self) -> Ints:
        """[banks, rows]."""
        scores: Ints = np.zeros(self.loss.shares.shape, np.int64) + np.array(self.offsets)[:, None]
        for term in self.terms:
            scores[term.bank] += term.coefficient * term.rule.rows
        return scores

    def objective(self) -> float:
        """The loss and the ridge penalty."""
        penalty = 0.0
        for term in self.terms:
            coefficient = term.coefficient / SCORE_UNIT
            penalty += coefficient * coefficient
        return self.loss.real(self.loss.total(self.scores())) + 0.5 * self.ridge * penalty

    def without(self, index: int) -> Model:
        """The model without one of its terms, not fitted again."""
        terms = [term for k, term in enumerate(self.terms) if k != index]
        return Model(self.loss, self.ridge, terms, self.offsets)

    def fit(self) -> None:
        """Newton steps for the offsets and all coefficients in turn; terms without one are removed.

        Fixed rules stay.
        """
        for _ in range(MAX_SWEEPS):
            changes = [self._fit_offset(bank) for bank in range(len(self.offsets))]
            changes += [self._fit_term(index) for index in range(len(self.terms))]
            if max(changes) <= SMALL_CHANGE:
                break
        self.fit_offsets(2)
        self.terms = [term for term in self.terms if term.coefficient != 0 or term.rule.fixed]

    def fit_offsets(self, max_steps: int) -> None:
        """Newton steps for the offsets alone."""
        for _ in range(max_steps):
            changes = [self._fit_offset(bank) for bank in range(len(self.offsets))]
            if not any(changes):
                break

    def _fit_offset(self, bank: int) -> int:
        """The size of the change."""
        gradient, curvature = (int(of_row.sum()) for of_row in self.loss.derivatives(self.scores(), bank))
        if curvature == 0:
            return 0
        change = _newton(float(gradient) / float(curvature) * SCORE_UNIT)
        if abs(self.offsets[bank] + change) > MAX_SCORE:
            return 0
        self.offsets[bank] += change
        return abs(change)

    def _fit_term(self, index: int) -> int:
        """The size of the change."""
        term = self.terms[index]
        of_rows = self.loss.derivatives(self.scores(), term.bank)
        gradient, curvature = (self.loss.real(int(of_row[term.rule.rows].sum())) for of_row in of_rows)
        divisor = curvature + self.ridge
        if divisor <= 0.0:
            return 0
        penalty = self.ridge * (term.coefficient / SCORE_UNIT)
        changed = term.coefficient + _newton((gradient - penalty) / divisor * SCORE_UNIT)
        changed = min(changed, MAX_COEFFICIENT if term.rule.signs & POSITIVE else 0)
        changed = max(changed, -MAX_COEFFICIENT if term.rule.signs & NEGATIVE else 0)
        self.terms[index] = replace(term, coefficient=changed)
        return abs(changed - term.coefficient)


def count_literals(terms: Sequence[Term]) -> int:
    """The literals of all terms."""
    return sum(len(term.rule.literals) for term in terms)


class Gains:
    """How much a rule would lower the objective of a model: one Newton step for it and a bank's offset."""

    def __init__(self, model: Model, bank: int) -> None:
        self.real, self.ridge = model.loss.real, model.ridge
        rows = model.loss.derivatives(model.scores(), bank)
        bits = model.loss.packing_bits(model.scores())
        self.gradient, self.curvature = (of_row >> bits << bits for of_row in rows)  # rounded down
        self.all_gradient, self.all_curvature = int(self.gradient.sum()), int(self.curvature.sum())

    def of(self, rule: Rule) -> Gain:
        """The gain, 0 if the sign of the coefficient is not allowed."""
        if self.all_curvature <= 0:
            return Gain()
        curvature = self.real(int(self.curvature[rule.rows].sum()))
        share = curvature / self.real(self.all_curvature)
        gradient = self.real(int(self.gradient[rule.rows].sum())) - share * self.real(self.all_gradient)
        own_curvature = curvature * (1.0 - share) + max(self.ridge, MIN_GAIN)
        if not rule.signs & (POSITIVE if gradient > 0.0 else NEGATIVE):
            return Gain()
        return Gain(gradient * gradient / (2.0 * own_curvature), gradient / own_curvature)
