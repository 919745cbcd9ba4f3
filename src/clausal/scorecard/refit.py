"""Points of a scorecard and what totals mean, fitted again to rows: its rules stay what they are.

Points are found by the search for scorecards, with all rules fixed. It reads a table in which a column per
rule says where the rule holds. The penalty and the calibration follow from cross-validation, as in
RuleClassifier and RuleRegressor; of classes also the cut-off and the risk table, of numbers also the unit,
the constant and the quantiles of residuals. Not here: the search itself (engine/card_search.py), its
validation (validation.py, number_validation.py), changes by hand (changes.py).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.encoding.features import BooleanFeature
from clausal.encoding.remarks import order_remarks, warn_of_table
from clausal.encoding.stream import refuse_stream
from clausal.engine.card_search import MAX_POINTS, CardConstraints, FixedRule
from clausal.engine.protocol import pack_bits
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.inputs import (
    check_classes_left,
    check_numbers_vary,
    check_sample_weight,
    encode_labels,
    read_labels,
    read_numbers,
    row_count,
)
from clausal.outcome import NumericOutcome, Outcome, make_outcome
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.bins import BinnedPart
from clausal.scorecard.calibration import Codes, Floats, Indices, exact_sum, fit_row_slope, spread_of
from clausal.scorecard.changes import Key, key_of, with_cut_off
from clausal.scorecard.final_card import FinalCard, final_card, integer_constants
from clausal.scorecard.folds import stratified_folds
from clausal.scorecard.held_out import FoldPredictions, fold_predictions
from clausal.scorecard.number_validation import choose_of_numbers, final_number_card, rounded_line
from clausal.scorecard.numbers import NumberLoss, Numbers, NumberTarget, classes_of, residual_quantiles
from clausal.scorecard.risk_table import RiskErrors, RiskTable, calibration_variances, risk_table_of
from clausal.scorecard.rows import SearchRows, take_rows
from clausal.scorecard.rule_constraints import RuleConstraints
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search_space import NO_CLAUSES, SEARCHES, Limits, SearchSpace
from clausal.scorecard.validation import calibrate, choose, validate

if TYPE_CHECKING:
    from clausal.scorecard.scorecard import Scorecard

_PARSIMONY = 0.5  # standard errors by which a stronger penalty may be worse
SCALE = "scale"
"""What a scaled scorecard says about itself, by this name."""


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows with labels or numbers, and weights above 0.

    Attributes
    ----------
    X : the table
    labels : [n], or the numbers as float64
    weights : float64 [n]
    """

    X: Any
    labels: NDArray[Any]
    weights: Floats

    @classmethod
    def read(cls, X: Any, y: Any, sample_weight: Any, outcome: Outcome) -> GivenRows:
        """Rows with labels that are classes of a model, of two classes at least; or with numbers."""
        refuse_stream(X)
        labels = read_numbers(y, row_count(X)) if outcome.is_numeric else read_labels(y, row_count(X))
        weights = check_sample_weight(sample_weight, len(labels))
        if not outcome.is_numeric:
            check_classes_left(outcome.labels, encode_labels(labels, outcome.labels)[1], weights)
        warn_of_table(order_remarks(X, y=y, sample_weight=sample_weight))
        if weights is None:
            return cls(X, labels, np.ones(len(labels)))
        rows = np.flatnonzero(weights > 0)
        return cls(take_rows(X, rows), labels[rows], weights[rows])

    def with_weights(self, weights: Floats) -> tuple[GivenRows, Indices]:
        """The rows whose weights are above 0, and their positions."""
        rows = np.flatnonzero(weights > 0)
        return GivenRows(take_rows(self.X, rows), self.labels[rows], weights[rows]), rows

    def codes(self, outcome: Outcome) -> Codes:
        """The index of each row's class; of numbers, that of the third to which it belongs."""
        if outcome.is_numeric:
            check_numbers_vary(self.labels, self.weights)
            return classes_of(self.labels, self.weights)[0]
        return encode_labels(self.labels, outcome.classes)[1]


# --- points ---


def refitted(
    card: Scorecard, rows: GivenRows, kept: Collection[Key], scoring: Any, n_folds: int, max_points: int
) -> Scorecard:
    """A scorecard with the points of its rules fitted again, except those of the rules that are `kept`.

    Rules that hold on none of the rows, or on all of them, also keep theirs. The others keep to the
    constraints of the scorecard. A scorecard on a scale is scaled again, unless points are kept.
    """
    rules, outcome = card.rules_, card.rules_.outcome
    fires, codes = rules.fires(rows.X), rows.codes(outcome)
    varies = np.flatnonzero(fires.any(axis=0) & ~fires.all(axis=0)).tolist()
    if not varies:
        raise ValueError(
            "Points are fitted to rules that hold on some of the rows, not on all. Got no such rule."
        )
    ranges = _ranges(card, varies, kept, max_points)
    constraints = replace(card._constraints, factor=1.0)
    target: Outcome | NumberTarget = outcome
    if outcome.is_numeric:
        target = NumberTarget(
            rows.labels, loss_of(card), make_outcome(classes_of(rows.labels, rows.weights)[1])
        )
    space = _space(
        fires[:, varies],
        codes,
        rows.weights,
        [rules[index].bank for index in varies],
        ranges,
        max_points,
        target,
    )
    largest = max(max(-low, high) for low, high in ranges)  # points that are kept may be more
    limits = Limits(len(varies), len(varies), None, max(max_points, largest))
    if outcome.is_numeric:
        of_numbers, residuals = _number_card(space, limits, n_folds)
        changed = _with_fitted_points(rules, of_numbers, varies, fires)
        bounds = {name: outcome.numbers[name] for name in ("low", "high")}
        own = _with_numbers(changed, of_numbers.outcome.numbers | bounds)
        return card.replace(rules=own, residual_quantiles=residuals, constraints=constraints)
    found, table = _found(space, limits, Scoring(scoring, outcome), n_folds)
    changed = _with_fitted_points(rules, found.rules, varies, fires)
    two = outcome.positive is not None
    fitted = card.replace(
        rules=changed.with_cut_off(0) if two else changed,
        slope=found.slope,
        offset=found.offset if two else 0.0,
        risk_table=table,
        about=without_scale(card),
        constraints=constraints,
        class_weight=None,
        cut_off_by_hand=False,
    )
    return fitted if card._scale is None or kept else _on_scale(fitted, card)


def _on_scale(own: Scorecard, before: Scorecard) -> Scorecard:
    """A scorecard on the scale of another one, with its cut-off if that was set by hand.

    Itself where whole points cannot be on that scale.
    """
    scale = before._scale
    assert scale is not None
    try:
        found = own.scaled(scale.base_score, scale.base_odds, scale.points_to_double)
    except ValueError:
        return own
    return with_cut_off(found, before.rules_.outcome.cut_off) if before.cut_off_by_hand_ else found


def _ranges(
    card: Scorecard, varies: list[int], kept: Collection[Key], max_points: int
) -> list[tuple[int, int]]:
    """The least and the most points of each rule that varies."""
    rules, found = card.rules_, []
    for rule in (rules[index] for index in varies):
        if key_of(rule) not in kept:
            found.append(card._constraints.range_of(rule, rules, max_points))
        elif abs(rule.points) <= MAX_POINTS:
            found.append((int(rule.points), int(rule.points)))
        else:
            raise ValueError(
                f"Points that are kept must be at most {MAX_POINTS} in size where others are fitted. Got "
                f"{abs(rule.points)}; fit the points first and scale them afterwards."
            )
    return found


def _with_fitted_points(
    rules: RuleSet, found: RuleSet, varies: list[int], fires: NDArray[np.bool_]
) -> RuleSet:
    """Rules with the points found for those that vary, whose places are the features of the search."""
    fitted = {rule.features[0]: rule.points for rule in found}
    new = [
        replace(rule, points=fitted[varies.index(index)]) if index in varies else rule
        for index, rule in enumerate(rules)
    ]
    constants = list(found.constants)
    for index, rule in enumerate(rules):
        if index not in varies and fires[:, index].all():
            constants[rule.bank] -= rule.points
    return rules.with_rules(new, constants)


def _space(
    fires: NDArray[np.bool_],
    codes: Codes,
    weights: Floats,
    banks: list[int],
    ranges: list[tuple[int, int]],
    max_points: int,
    target: Outcome | NumberTarget,
) -> SearchSpace:
    """The distinct rows of a table that says where rules hold [n, rules], all of which are fixed."""
    n_rules = fires.shape[1]
    encoding = Encoding(tuple(BooleanFeature(shown=True, nullable=False) for _ in range(n_rules)))
    literals = pack_bits(np.hstack([fires, ~fires]))
    search_rows, _ = SearchRows.of([BinnedPart.of(encoding, literals)], codes, weights, encoding, target)
    places = list(enumerate(zip(banks, ranges, strict=True)))
    in_search = tuple(FixedRule((place,), bank, low, high) for place, (bank, (low, high)) in places)
    fixed = tuple(
        Rule((Literal(encoding.columns[place], place, False),), low if low == high else 0, bank=bank)
        for place, (bank, (low, high)) in places
    )
    bounds = {place: ends for place, ends in enumerate(ranges) if ends != (-max_points, max_points)}
    constraints = RuleConstraints(CardConstraints(fixed=in_search), fixed, bounds)
    return SearchSpace(TsetlinClassifier(), search_rows, constraints)


def _found(
    space: SearchSpace, limits: Limits, scoring: Scoring, n_folds: int
) -> tuple[FinalCard, RiskTable | None]:
    """The scorecard on all rows and its risks, with the penalty that does best in cross-validation."""
    rows, size = space.rows, limits.max_literals or 0
    folds = _folds(space, limits, n_folds)
    key = choose(validate(rows, folds, scoring), _PARSIMONY)
    calibration = calibrate(rows, folds, key, scoring)
    card = final_card(space, SEARCHES[key[0]], size, NO_CLAUSES, limits, calibration)
    return card, risk_table_of(space, folds, key, calibration, card)


def _folds(space: SearchSpace, limits: Limits, n_folds: int) -> list[FoldPredictions]:
    """The scorecards of all searches on the training part of each fold, and their predictions."""
    rows, size = space.rows, limits.max_literals or 0
    folds, of_numbers = [], rows.numbers is not None
    for split in stratified_folds(rows.codes, rows.weights, n_folds, 0, of_numbers=of_numbers):
        cards = tuple(
            space.find_cards(search, split.train, NO_CLAUSES, limits, (size,)) for search in SEARCHES
        )
        folds.append(fold_predictions(space, split, cards, NO_CLAUSES))
    return folds


def _number_card(space: SearchSpace, limits: Limits, n_folds: int) -> tuple[RuleSet, Floats]:
    """The same for numbers: the rules with their unit and constant, and the quantiles of residuals."""
    _, key, calibration = choose_of_numbers(space.rows, _folds(space, limits, n_folds), _PARSIMONY)
    size = limits.max_literals or 0
    rules = final_number_card(space, SEARCHES[key[0]], size, NO_CLAUSES, limits, calibration)
    return rules, calibration.residuals


# --- probabilities, the unit and the constant ---


def recalibrated(card: Scorecard, rows: GivenRows) -> Scorecard:
    """A scorecard whose probabilities are fitted again, and so the constants of more than two classes.

    Of numbers, the unit and the constant are.
    """
    rules, outcome = card.rules_, card.rules_.outcome
    if outcome.is_numeric:
        return _recalibrated_numbers(card, rows)
    codes, votes = rows.codes(outcome), card._votes(rows.X)
    mean = exact_sum(rows.weights[:, None] * votes) / exact_sum(rows.weights)
    spread = spread_of(votes - mean, rows.weights) or 1.0  # with a spread of 1, Newton steps begin well
    factor, offsets = fit_row_slope(outcome, codes, rows.weights, (votes - mean) / spread)
    slope = factor / spread
    offsets = offsets - slope * mean
    if outcome.positive is None:
        own = SearchRows(codes, rows.weights, rules.encoding, outcome, None, None)  # type: ignore[arg-type]
        _, changes = integer_constants(votes, own, slope, offsets, 1)
        least = min(changes)  # the same number for all classes changes nothing
        constants = [old + new - least for old, new in zip(rules.constants, changes, strict=True)]
        with_constants = rules.with_rules(rules, constants)
        return card.replace(rules=with_constants, slope=slope, about=without_scale(card), class_weight=None)
    offset = float(offsets[0])
    flat = outcome.flat(votes)
    table = RiskTable.of(flat, codes, rows.weights, slope, offset, outcome.pos_label)
    if len(np.unique(codes)) == len(outcome.classes):
        table = replace(table, errors=_errors(table, flat, rows.weights, vars(card).get("risk_table_")))
    about = without_scale(card)
    return card.replace(slope=slope, offset=offset, risk_table=table, about=about, class_weight=None)


def _recalibrated_numbers(card: Scorecard, rows: GivenRows) -> Scorecard:
    """A scorecard of numbers whose line from totals to numbers is fitted again, with the same bounds."""
    rules, loss, before = card.rules_, loss_of(card), card.rules_.outcome.numbers
    votes = card._votes(rows.X)[:, 0].astype(np.float64)
    check_numbers_vary(rows.labels, rows.weights)
    numbers = Numbers.of(rows.labels, rows.weights, loss)
    slope, _ = loss.fit_line(
        before["unit"] * votes / numbers.scale, rows.labels / numbers.scale, rows.weights
    )
    unit, offset = rounded_line(slope * before["unit"], votes, numbers, rows.weights)
    own = card.replace(rules=_with_numbers(rules, before | {"unit": unit, "offset": offset}))
    return with_residuals(own, rows)


def _with_numbers(rules: RuleSet, numbers: dict[str, Any]) -> RuleSet:
    """Rules whose totals become numbers in another way."""
    return RuleSet(rules, rules.encoding, NumericOutcome(**numbers), rules.constants)


def with_residuals(card: Scorecard, rows: GivenRows) -> Scorecard:
    """A scorecard of numbers whose residuals are counted on the rows."""
    residuals = rows.labels - card.predict(rows.X)
    return card.replace(residual_quantiles=residual_quantiles(residuals, rows.weights))


def loss_of(card: Scorecard) -> NumberLoss:
    """The loss of a scorecard of numbers."""
    return NumberLoss(card.loss, 0.5 if card.quantile is None else card.quantile)


def _errors(
    table: RiskTable, votes: NDArray[np.int64], weights: Floats, before: RiskTable | None
) -> RiskErrors:
    """The errors of a calibration that was fitted to these rows, and the former spread of scorecards."""
    own, both, offset = calibration_variances(
        votes.astype(np.float64), weights, table.slope, table.offset, (1.0, 1.0)
    )
    spread = np.zeros(len(table.scores))
    if before is not None and before.errors is not None:
        spread = np.interp(table.scores, before.scores, before.errors.spread)
        spread = spread * (table.slope / before.slope) ** 2
    below = table.slope * table.scores + table.offset < 0
    rows_below, rows_above = (float(table.counts[side].sum()) for side in (below, ~below))
    return RiskErrors(own, both, offset, spread, rows_below, rows_above)


def without_scale(card: Scorecard) -> dict[str, str]:
    """What a scorecard says about itself, without its scale, which other probabilities end."""
    return {name: text for name, text in card.about_.items() if name != SCALE}
