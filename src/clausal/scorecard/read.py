"""What a scorecard is made from: labels or numbers, weights and distinct rows, each checked, and the folds.

`settings` is a RuleClassifier or RuleRegressor, of which only the parameters are read. Not here: the checks
of labels and weights (machine/inputs.py), the encoding (machine/read.py), distinct rows (rows.py), the folds
themselves (folds.py).
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.encoding.features import NumericFeature
from clausal.encoding.fitting import learn_encoding
from clausal.encoding.nearly import near_remarks
from clausal.encoding.patch_encoder import PatchEncoder
from clausal.encoding.remarks import level_of_user, order_remarks
from clausal.encoding.stream import open_training_table
from clausal.machine.inputs import (
    check_classes_left,
    check_numbers_vary,
    check_sample_weight,
    class_weights,
    combine_weights,
    encode_labels,
    mean_weight,
    positive_last,
    read_labels,
    read_numbers,
    row_count,
    weight_scale,
)
from clausal.machine.leaks import are_enough, leak_remarks
from clausal.machine.read import (
    Fitted,
    Parts,
    encoded_parts,
    learn_table,
    literal_parts,
    open_training_rows,
)
from clausal.outcome import make_outcome
from clausal.scorecard.bins import BinnedPart
from clausal.scorecard.calibration import Codes, Floats, Indices
from clausal.scorecard.folds import Split, stratified_folds, user_folds
from clausal.scorecard.numbers import NumberLoss, NumberTarget, classes_of
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.rule_constraints import encoding_with_fixed
from clausal.scorecard.search_space import (
    FEW_ROWS,
    MANY_ROWS,
    MORE_CUTS,
    NUMBER_CUTS,
    booleanizer_for,
    chooses_columns,
    searches_for,
)
from clausal.scorecard.validation import Plan

_VERY_MANY_ROWS = 200_000  # from here on, one third of the rows is enough to validate
_MAX_NAMED = 5  # classes in one warning


class Read(NamedTuple):
    """The distinct rows with summed weights, how to cross-validate on them, and remarks about the table."""

    rows: SearchRows
    plan: Plan
    remarks: tuple[str, ...]


def read_rows(
    settings: Any, machine: Any, X: Any, y: Any, sample_weight: Any, seed: int, before: Fitted | None = None
) -> Read:
    """Read the table, the labels and the weights.

    Parameters
    ----------
    settings : the RuleClassifier
    machine : the unfitted machine, whose parameters say how the table is encoded
    X, y, sample_weight : as given to `fit`
    seed : of the folds
    before : a fitted machine, whose encoding and classes are kept; None learns them
    """
    _refuse_patches(machine, type(settings).__name__)
    X, y, sample_weight = open_training_table(X, y, sample_weight, bool(settings.verbose))
    known = None if before is None else before.outcome.classes
    labels = read_labels(y, row_count(X))
    weights = check_sample_weight(sample_weight, len(labels))
    classes, codes = encode_labels(labels, known)
    if known is None:
        owner = settings if settings.estimator is None else settings.estimator
        classes, codes = positive_last(classes, codes, owner.pos_label, type(owner).__name__)
    _check_any(weights)
    factors = class_weights(settings.class_weight, classes, codes, weights, type(settings).__name__)
    combined = combine_weights(weights, factors, codes)
    check_classes_left(classes, codes, combined)
    scaled = _scaled(settings, weights, len(codes))
    if combined is not None:
        scaled[combined == 0] = 0.0
    auto = before is None and settings.estimator is None and chooses_columns(settings.booleanizer)
    if auto:
        machine.set_params(booleanizer=booleanizer_for(scaled.sum(), settings.booleanizer))
    weights = _or_none(scaled)
    unread = open_training_rows(machine, X, labels, weights, before)
    encoded = _Encoded(unread.encoding, unread.parts).extended(settings, machine, X, scaled, auto * MORE_CUTS)
    binned = encoded.parts(partial(BinnedPart.of, encoded.encoding))
    rows, number = SearchRows.of(binned, codes, scaled, encoded.encoding, unread.outcome, encoded.first)
    said = (*order_remarks(X, y=y, sample_weight=sample_weight), *_remarks(unread.said, rows), *encoded.said)
    splits = _splits(settings, rows, codes, scaled, number, seed)
    _warn_of_classes_never_held_out(rows, splits)
    if factors is not None:
        rows, splits = _with_class_weights(rows, splits, factors)
    return Read(rows, _plan(settings, splits, rows, seed), said)


def read_number_rows(
    settings: Any, machine: Any, X: Any, y: Any, sample_weight: Any, seed: int, loss: NumberLoss
) -> Read:
    """Read the table, the numbers to predict and the weights.

    The parameters are those of `read_rows`, for a RuleRegressor, and its loss.
    """
    _refuse_patches(machine, type(settings).__name__)
    X, y, sample_weight = open_training_table(X, y, sample_weight, bool(settings.verbose))
    numbers = read_numbers(y, row_count(X))
    weights = check_sample_weight(sample_weight, len(numbers))
    _check_any(weights)
    check_numbers_vary(numbers, weights)
    scaled = _scaled(settings, weights, len(numbers))
    auto = chooses_columns(settings.booleanizer)
    if auto:
        machine.set_params(booleanizer=booleanizer_for(scaled.sum(), settings.booleanizer))
    learned = learn_table(machine, X, _or_none(scaled))
    parts = partial(literal_parts, machine, learned)
    encoded = _Encoded(learned.encoding, parts).extended(settings, machine, X, scaled, auto * NUMBER_CUTS)
    binned = encoded.parts(partial(BinnedPart.of, encoded.encoding))
    codes, classes = classes_of(numbers, scaled)
    target = NumberTarget(numbers, loss, make_outcome(classes))
    rows, number = SearchRows.of(binned, codes, scaled, encoded.encoding, target, encoded.first)
    said = (*order_remarks(X, y=y, sample_weight=sample_weight), *learned.remarks, *encoded.said)
    splits = _splits(settings, rows, codes, scaled, number, seed)
    return Read(rows, _plan(settings, splits, rows, seed), said)


def _check_any(weights: Floats | None) -> None:
    if weights is not None and not weights.any():
        raise ValueError("sample_weight must be above zero in at least one row. Got only zeros.")


def _scaled(settings: Any, weights: Floats | None, n_rows: int) -> Floats:
    """The weights of all rows: a mean below 1 becomes 1, one above 10 becomes 10."""
    scaled = np.ones(n_rows) if weights is None else weights
    if (mean := mean_weight(scaled)) < 1.0:
        scaled = scaled / mean
        whole = np.rint(scaled)
        scaled = np.where(np.abs(scaled - whole) <= 1e-12 * whole, whole, scaled)
    return np.asarray(scaled * (1.0 if settings._part_of else weight_scale(scaled)))


def _or_none(weights: Floats) -> Floats | None:
    return None if (weights == 1).all() else weights


class _Encoded(NamedTuple):
    """How the table is encoded and read, and the encoding that searches begin with if that is another."""

    encoding: Encoding
    parts: Parts
    first: Encoding | None = None
    said: tuple[str, ...] = ()

    def extended(self, settings: Any, machine: Any, X: Any, weights: Floats, n_cuts: int) -> _Encoded:
        """With up to `n_cuts` cut points per number, 0 for no more, and with the columns of fixed rules."""
        encoding, parts, first, said = self
        if (
            n_cuts
            and FEW_ROWS <= weights.sum() < MANY_ROWS
            and (more := _with_more_cuts(machine, encoding, X, _or_none(weights), n_cuts))
        ):
            first, encoding, parts = encoding, *more
        extended = encoding_with_fixed(settings.fixed_rules, encoding, type(settings).__name__)
        if extended != encoding:
            as_trained = replace(extended, policy=extended.training_policy)
            table = as_trained.read(X, type(machine).__name__)
            said = tuple(near_remarks(encoding, extended, table))
            first, encoding = first or encoding, extended
            parts = partial(encoded_parts, machine, as_trained, table)
        return _Encoded(encoding, parts, first, said)


def _splits(
    settings: Any, rows: SearchRows, codes: Codes, weights: Floats, number: Indices, seed: int
) -> list[Split]:
    if settings.cv is None or isinstance(settings.cv, Integral):
        return _folds(settings.cv, rows, seed)
    owner, of_numbers = type(settings).__name__, rows.numbers is not None
    return user_folds(settings.cv, codes, weights, number, owner, of_numbers=of_numbers)


def _plan(settings: Any, splits: list[Split], rows: SearchRows, seed: int) -> Plan:
    searches = searches_for(len(rows.codes))
    return Plan(splits, settings.n_jobs, seed, float(settings.parsimony), searches)


def _refuse_patches(machine: Any, owner: str) -> None:
    if isinstance(machine.booleanizer, PatchEncoder):
        raise ValueError(
            f"The 'booleanizer' parameter of {owner} must not be a PatchEncoder: a scorecard is made of a "
            f"table. Got {machine.booleanizer!r}."
        )


def _remarks(said: tuple[str, ...] | None, rows: SearchRows) -> tuple[str, ...]:
    """What is said of a table, with a feature that decides the class; nothing if nothing need be said."""
    if said is None or not are_enough(rows.codes, rows.weights, len(rows.classes)):
        return said or ()
    return (*said, *leak_remarks(rows.for_machines.decides, rows.first or rows.encoding))


def _with_more_cuts(
    machine: Any, encoding: Encoding, X: Any, weights: Floats | None, n_cuts: int
) -> tuple[Encoding, Parts] | None:
    """The encoding with more cut points of numbers, and its reading; None if there are no more."""
    if not any(isinstance(feature, NumericFeature) for feature in encoding.features):
        return None
    choice = replace(encoding.choice, max_columns=n_cuts)
    learned = learn_encoding(X, choice, encoding.policy, weights, type(machine).__name__)
    more = encoding.with_cuts_of(learned.encoding)
    if more.n_columns == encoding.n_columns:
        return None
    return more, partial(literal_parts, machine, replace(learned, encoding=more))


def _folds(cv: Any, rows: SearchRows, seed: int) -> list[Split]:
    n_rows = len(rows.codes)
    n_folds = int(cv) if cv is not None else (3 if n_rows >= MANY_ROWS else 5)
    n_repeats = 2 if cv is None and n_rows < FEW_ROWS else 1
    of_numbers = rows.numbers is not None
    n_kept = 1 if cv is None and n_rows >= _VERY_MANY_ROWS else n_folds
    return [
        split
        for repeat in range(n_repeats)
        for split in stratified_folds(
            rows.codes, rows.weights, n_folds, seed + repeat, n_kept, of_numbers=of_numbers
        )
    ]


def _with_class_weights(
    rows: SearchRows, splits: list[Split], factors: NDArray[np.float64]
) -> tuple[SearchRows, list[Split]]:
    """Rows and folds with weights times a factor [classes]; the total weight of all rows stays the same."""
    scale = rows.weights.sum() / (rows.weights @ factors[rows.codes])
    factor = factors[rows.codes] * scale
    return rows.with_weights(rows.weights * factor, factors * scale), [
        Split(split.train * factor, split.validation * factor) for split in splits
    ]


def _warn_of_classes_never_held_out(rows: SearchRows, splits: list[Split]) -> None:
    """Warn the caller of `fit`, once, of the classes without a validation row."""
    validation = np.sum([split.validation for split in splits], axis=0)
    labels = rows.classes.tolist()
    missed = [repr(label) for code, label in enumerate(labels) if not np.any(validation[rows.codes == code])]
    if not missed:
        return
    more = f" and {len(missed) - _MAX_NAMED} more" if len(missed) > _MAX_NAMED else ""
    listed = ", ".join(missed[:_MAX_NAMED]) + more
    classes, its = ("class", "its risk") if len(missed) == 1 else ("classes", "their risks")
    warnings.warn(
        f"No row of {classes} {listed} is ever held out (a class needs two rows for that), so neither {its} "
        "nor the decision is validated.",
        UserWarning,
        stacklevel=level_of_user(),
    )
