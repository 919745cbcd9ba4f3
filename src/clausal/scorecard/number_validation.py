"""The choice among scorecards of numbers by cross-validation, and the scorecard on all rows.

As for classes: in each fold, machines are trained and scorecards are searched on the training part. Not here:
what classes and numbers share (validation.py), the losses (numbers.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clausal.engine.card_search import SCORE_UNIT
from clausal.machine.classifier import TsetlinClassifier
from clausal.outcome import NumericOutcome
from clausal.progress import Advance
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import reduce_encoding
from clausal.scorecard.calibration import MAX_RATIO, MIN_SLOPE, Floats, exact_sum, spread_of
from clausal.scorecard.final_card import simplified
from clausal.scorecard.held_out import FoldPredictions, Key
from clausal.scorecard.numbers import SQUARED, NumberLoss, Numbers, residual_quantiles
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.search_space import Clauses, Limits, Search, SearchSpace
from clausal.scorecard.validation import (
    CLEAR_ERRORS,
    Plan,
    Validated,
    Validation,
    choose,
    mean_and_error,
    predict_folds,
)

_CHANGED_SHARE = 0.01  # of the weight at or below its predicted quantile, by the rounding of the constant
_NEARLY_EQUAL = 1e-9  # units of the scale
_ROUNDED_LOSS = 1.001  # of the loss with a unit in full; it is rounded as far as this allows
_SMALL_LOSS = 1e-6  # of the loss of the constant, which is allowed, too
_MOST_DIGITS = 15

NOT_INFORMATIVE = (
    "In cross-validation, the rules do not predict the number at all. Therefore the scorecard has no rules "
    "and always predicts the same number. The columns may tell nothing about it, or the rows may be too few "
    "to say."
)
ONLY_FIXED = (
    "In cross-validation, the rules do not predict the number at all. Therefore the scorecard has no rules "
    "but the fixed ones. The columns may tell nothing about it, or the rows may be too few to say."
)


@dataclass(frozen=True, eq=False)
class NumberCalibration:
    """How the scores of the chosen search and size become numbers.

    Attributes
    ----------
    slope : the numbers are an offset + slope * score, both in units of the scale
    spread : the standard deviation of the scores of the held-out rows; 0 if they are all equal
    residuals : float64 [levels], the quantiles of numbers minus predictions of held-out rows
    remarks : what the user should know
    """

    slope: float
    spread: float
    residuals: Floats
    remarks: tuple[str, ...]

    @property
    def is_informative(self) -> bool:
        """Whether higher scores went with higher numbers in the validation rows."""
        return self.spread > 0.0 and self.slope > MIN_SLOPE


class _HeldOut:
    """The validation rows of all folds, one after the other; numbers are in units of the scale."""

    def __init__(self, numbers: Numbers, folds: list[FoldPredictions]) -> None:
        self.folds = folds
        self.rows = np.concatenate([fold.rows for fold in folds])
        self.numbers = (numbers.values[self.rows] - numbers.center) / numbers.scale
        self.weights = np.concatenate([fold.weights for fold in folds])
        ends = np.cumsum([len(fold.rows) for fold in folds]).tolist()
        self.parts = [slice(end - len(fold.rows), end) for end, fold in zip(ends, folds, strict=True)]
        constant = numbers.loss.constant(self.numbers, self.weights)
        self.of_constant = numbers.loss.of_rows(self.numbers, np.full(len(self.numbers), constant))

    def values(self, key: Key) -> Floats:
        """The scores of a search at a size, in units of the scale."""
        return np.concatenate([fold.scores[key][0] for fold in self.folds]) / SCORE_UNIT

    def fold_scores(self, loss: NumberLoss, predicted: Floats) -> Floats:
        """The share of the loss that is explained, of each fold in which the numbers differ."""
        shares = [
            loss.share_explained(self.numbers[part], predicted[part], self.weights[part])
            for part in self.parts
        ]
        return np.array([share for share in shares if share is not None] or [0.0])


def cross_validate_numbers(
    machine: TsetlinClassifier, space: SearchSpace, limits: Limits, plan: Plan, advance: Advance
) -> Validation[NumberCalibration]:
    """Validate all searches at all sizes, choose a search and a size, and calibrate them."""
    numbers = numbers_of(space.rows)
    folds = predict_folds(machine, space, limits, plan, advance)
    validated, key, calibration = choose_of_numbers(space.rows, folds, plan.parsimony)
    names = [one.name for one in plan.searches]
    path = CompactionPath.of(validated, names, limits.sizes, key, numbers.loss.score_name, numbers.loss.name)
    search, size = plan.searches[key[0]], limits.sizes[key[1]]
    return Validation(path, search, size, key, calibration, folds, validated).of_the_chosen()


def choose_of_numbers(
    rows: SearchRows, folds: list[FoldPredictions], parsimony: float
) -> tuple[dict[Key, Validated], Key, NumberCalibration]:
    """The validated searches and sizes, the chosen ones, both as indices, and their calibration."""
    numbers = numbers_of(rows)
    held_out = _HeldOut(numbers, folds)
    validated = _validate(held_out, numbers)
    key = choose(validated, parsimony)
    return validated, key, _calibrate(held_out, numbers, key)


def numbers_of(rows: SearchRows) -> Numbers:
    """The numbers of rows that have some."""
    assert rows.numbers is not None, "these are rows of classes"
    return rows.numbers


def _validate(held_out: _HeldOut, numbers: Numbers) -> dict[Key, Validated]:
    """Score each search at each size, both as indices, on the validation rows of all folds."""
    loss = numbers.loss
    kept, index = np.unique(held_out.rows, return_inverse=True)
    weights = np.bincount(index, held_out.weights, len(kept)).astype(np.float64)
    unit = mean_and_error(held_out.of_constant, held_out.weights)[0] or 1.0
    result: dict[Key, Validated] = {}
    folds = held_out.folds
    for key in ((search, size) for search, size in np.ndindex(folds[0].n_rules.shape)):
        smaller = (key[0], key[1] - 1)
        if key[1] > 0 and all(np.array_equal(fold.scores[key], fold.scores[smaller]) for fold in folds):
            result[key] = result[smaller]
            continue
        values = held_out.values(key)
        slope, offset = loss.fit_line(values, held_out.numbers, held_out.weights)
        predicted = slope * values + offset
        find_losses = _relative(held_out, loss, values, (slope, offset), (index, weights, unit))
        mean = mean_and_error(find_losses(), weights)[0] * unit * numbers.unit_of_loss
        n_rules = float(np.mean([fold.n_rules[key] for fold in folds]))
        result[key] = Validated(held_out.fold_scores(loss, predicted), mean, weights, n_rules, find_losses)
    return result


def _relative(
    held_out: _HeldOut,
    loss: NumberLoss,
    values: Floats,
    line: tuple[float, float],
    by_row: tuple[NDArray[np.intp], Floats, float],
) -> Callable[[], Floats]:
    """Gives the mean loss of each row that was ever held out, as a share of that of the constant."""

    def losses() -> Floats:
        index, weights, unit = by_row
        own = loss.of_rows(held_out.numbers, line[0] * values + line[1]) / unit
        return np.asarray(np.bincount(index, held_out.weights * own, len(weights)) / weights)

    return losses


def _calibrate(held_out: _HeldOut, numbers: Numbers, key: Key) -> NumberCalibration:
    loss, values, weights = numbers.loss, held_out.values(key), held_out.weights
    slope, offset = loss.fit_line(values, held_out.numbers, weights)
    predicted = slope * values + offset
    quantiles = residual_quantiles(held_out.numbers - predicted, weights)
    spread = spread_of(values[:, None], weights)
    found = NumberCalibration(slope, spread, quantiles * numbers.scale, ())
    if not found.is_informative:
        return replace(found, remarks=(NOT_INFORMATIVE,))
    return replace(found, remarks=_remarks(held_out, loss.of_rows(held_out.numbers, predicted)))


def _remarks(held_out: _HeldOut, losses: Floats) -> tuple[str, ...]:
    """A sentence if the loss is not clearly below that of a constant; else nothing."""
    before, after = (
        np.array([np.average(of_rows[part], weights=held_out.weights[part]) for part in held_out.parts])
        for of_rows in (held_out.of_constant, losses)
    )
    gains = before - after
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else 0.0
    if gains.mean() > CLEAR_ERRORS * error:
        return ()
    return (
        "In cross-validation, the rules do not predict clearly better than a constant: the loss is "
        f"{after.mean() / before.mean():.1%} of that of the constant. The columns may tell nothing about the "
        "number, or the rows may be too few to say.",
    )


# --- the scorecard on all rows ---


def final_number_card(
    space: SearchSpace,
    search: Search,
    size: int,
    clauses: Clauses,
    limits: Limits,
    calibration: NumberCalibration,
) -> RuleSet:
    """The scorecard of a search and a size; without rules but fixed ones if scores say nothing."""
    rows, numbers = space.rows, numbers_of(space.rows)
    sizes = tuple(one for one in limits.sizes if one <= size)
    cards = space.find_cards(search, rows.weights, clauses, limits, sizes, thorough=True)
    terms, value = cards.terms(0), int(cards.values[0])
    if not calibration.is_informative:
        terms = terms[: len(space.constraints.fixed)]
    rules = simplified(RuleSet((), rows.encoding, NumericOutcome()).with_rules(space.rules_of(terms)), space)
    votes = space.points_of(terms)[:, 0] - rules.constants[0]
    unit = value / SCORE_UNIT if terms else 1.0
    if terms and calibration.is_informative:
        spread = spread_of(votes[:, None] * unit, rows.weights)
        unit *= calibration.slope * calibration.spread / max(spread, calibration.spread / MAX_RATIO)
    outcome = NumericOutcome(*rounded_line(unit * numbers.scale, votes, numbers, rows.weights))
    return reduce_encoding(RuleSet(rules, rules.encoding, outcome))


def rounded_line(unit: float, votes: Floats, numbers: Numbers, weights: Floats) -> tuple[float, float]:
    """The unit and the offset with as few digits as raise the loss by hardly more than nothing.

    They also leave the share of numbers at or below their prediction as it is, if a quantile is predicted.
    Where many numbers are equal, the loss alone would let a prediction fall just below all of them.
    """
    loss, values, scale = numbers.loss, numbers.values, numbers.scale

    def mean(unit: float, offset: float) -> float:
        return loss.mean((values - (offset + unit * votes)) / scale, 0.0 * votes, weights)

    def offset_for(unit: float) -> float:
        return loss.constant(values - unit * votes, weights)

    def share_below(offset: float) -> float:
        below = values <= offset + shorter * votes
        return float(exact_sum(weights * below) / exact_sum(weights))

    def keeps_share(short: float) -> bool:
        if loss.name == SQUARED:
            return True
        least, most = loss.of_search[1], share_below(offset + _NEARLY_EQUAL * scale)
        return least - _CHANGED_SHARE <= share_below(short) <= most + _CHANGED_SHARE

    of_constant = loss.mean((values - numbers.center) / scale, 0.0 * votes, weights)
    allowed = _ROUNDED_LOSS * mean(unit, offset_for(unit)) + _SMALL_LOSS * of_constant
    shorter = next((short for short in _shortened(unit) if mean(short, offset_for(short)) <= allowed), unit)
    offset = offset_for(shorter)
    allowed = max(allowed, _ROUNDED_LOSS * mean(shorter, offset))
    shorts = (
        short for short in _shortened(offset, up=loss.name != SQUARED) if mean(shorter, short) <= allowed
    )
    return shorter, next(filter(keeps_share, shorts), offset)


def _shortened(number: float, *, up: bool = False) -> Iterator[float]:
    """A number rounded to 1, 2, 3, ... digits; if `up`, then also by one more in the last digit."""
    for digits in range(_MOST_DIGITS):
        short = f"{number:.{digits}e}"
        yield float(short)
        if up and float(short) < number:
            mantissa, exponent = short.split("e")
            yield float(f"{float(mantissa) + 10.0**-digits:.{digits}f}e{exponent}")
