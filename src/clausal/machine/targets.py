"""What a fit learns: y as whole numbers for the engine, and what its votes then mean.

Classes become their index. Numbers become their share of the range of y, of which a vote of T is the whole:
`unit` times the vote, plus the low end, is the prediction. Here too: the loss of numbers, and their score.
Not here: the checks of labels and numbers (inputs.py), the table (read.py), what the loss does in training
(engine/feedback.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from clausal.encoding.remarks import label_remarks, order_remarks
from clausal.engine.feedback import NumericLoss
from clausal.engine.random_stream import CHANCE_BITS, TARGET_BITS
from clausal.machine.inputs import (
    Codes,
    Weights,
    check_classes_left,
    check_numbers_vary,
    check_sample_weight,
    encode_labels,
    positive_last,
    read_labels,
    read_numbers,
)
from clausal.machine.settings import owner_of, plain_group
from clausal.outcome import LabelsOutcome, NumericOutcome, Outcome, make_outcome

Numbers = NDArray[np.float64]

STEADY_CHANCE = 0.25
"""The chance of feedback, of too low and too high votes together, where it does not depend on the error."""


@dataclass(frozen=True, eq=False)
class Targets:
    """What is known of the rows beside the table.

    Attributes
    ----------
    outcome : what votes mean
    codes : int32 [n], the index of each row's class, or its number as a share of the range in units of 2^-30
    weights : float64 [n], or None where every row weighs 1
    numbers : float64 [n], the numbers themselves; None for classes
    said : what the user should know
    label_sets : uint8 [sets, labels] where a row may have several labels: `codes` are indices of these rows
    """

    outcome: Outcome
    codes: Codes
    weights: Weights | None
    numbers: Numbers | None = None
    said: tuple[str, ...] = ()
    label_sets: NDArray[np.uint8] | None = None


def read_targets(
    settings: Any, X: Any, n_rows: int | None, y: Any, sample_weight: Any, before: Outcome | None, known: Any
) -> Targets:
    """Read y and the weights.

    Parameters
    ----------
    settings : parameters of the machine
    X, n_rows : the table, of which only the order of the rows is looked at, and its rows if it has a number
    y, sample_weight : as given to `fit`
    before : the outcome to keep; None learns one
    known : class labels that may occur; None for those of y
    """
    if settings._predicts_numbers:
        return _read_numbers(settings, X, n_rows, y, sample_weight, before)
    if (indicators := _read_indicators(y, n_rows)) is not None:
        return _read_label_sets(settings, X, y, indicators, sample_weight, before, known)
    if isinstance(before, LabelsOutcome):
        raise ValueError(f"y must be an indicator matrix of {before.n_banks} labels. Got no matrix.")
    labels = read_labels(y, n_rows)
    weights = check_sample_weight(sample_weight, len(labels))
    encoded = encode_labels(labels, before.labels if before is not None else known)
    classes, codes = positive_last(*encoded, settings.pos_label, type(settings).__name__)
    if before is not None:
        _check_positive(settings, before, classes)
        return Targets(before, codes, weights)
    if known is None:
        check_classes_left(classes, codes, None)
    said = tuple(label_remarks(X, y, sample_weight, classes, len(labels)))
    return Targets(make_outcome(classes), codes, weights, said=said)


def _read_indicators(y: Any, n_rows: int | None) -> NDArray[np.uint8] | None:
    """An indicator matrix [n_rows, labels] of 0 and 1 for two or more labels; None if y is no matrix."""
    if isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple)) and len(y[0]) > 1:
        for index, row in enumerate(y):
            found = len(row) if isinstance(row, (list, tuple)) else 1
            if found != len(y[0]):
                raise ValueError(
                    "y must be one-dimensional, or have as many labels in every row. Got "
                    f"{len(y[0])} in row 0 and {found} in row {index}."
                )
    if sparse.issparse(y) or isinstance(y, str) or y is None:
        return None
    try:
        matrix = np.asarray(y)
    except ValueError:  # rows of several lengths; `read_labels` says so
        return None
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        return None
    if n_rows is not None and len(matrix) != n_rows:
        raise ValueError(f"y must have labels for each of the {n_rows} rows of X. Got {len(matrix)}.")
    wrong = [item for item in set(matrix.ravel().tolist()) if item not in (0, 1)]
    if wrong:
        raise ValueError(
            "y must be one-dimensional, or an indicator matrix of 0 and 1 with a column per label. Got "
            f"{wrong[0]!r} in an array of shape {matrix.shape}."
        )
    return matrix.astype(np.uint8)


def _read_label_sets(
    settings: Any,
    X: Any,
    y: Any,
    indicators: NDArray[np.uint8],
    sample_weight: Any,
    before: Outcome | None,
    known: Any,
) -> Targets:
    """Rows of several labels: every set of labels that occurs, and which of them each row has."""
    owner, n_labels = owner_of(settings), indicators.shape[1]
    for name in ("pos_label", "class_weight"):
        if (value := getattr(settings, name)) is not None:
            raise ValueError(
                f"The {name!r} parameter of {owner} must be None for rows of several labels. Got {value!r}."
            )
    if before is None and known is not None:
        raise ValueError("y must be one-dimensional in a first call of partial_fit. Got an indicator matrix.")
    weights = check_sample_weight(sample_weight, len(indicators))
    sets, index_of = np.unique(indicators, axis=0, return_inverse=True)
    codes = index_of.reshape(-1).astype(np.int32)
    if len(sets) < 2:
        raise ValueError(f"y must have rows with different labels. Got {sets[0].tolist()} in all rows.")
    if before is not None and not (isinstance(before, LabelsOutcome) and before.n_banks == n_labels):
        raise ValueError(f"y must have the labels of the present model. Got {n_labels} columns of labels.")
    outcome = LabelsOutcome.of(y, n_labels) if before is None else before
    if isinstance(before, LabelsOutcome):
        before.require_names(y)
    said = () if before is not None else tuple(order_remarks(X, y=y, sample_weight=sample_weight))
    return Targets(outcome, codes, weights, said=said, label_sets=np.ascontiguousarray(sets))


def _check_positive(settings: Any, before: Outcome, classes: NDArray[Any]) -> None:
    """Refuse to go on from a model whose votes are for the other class."""
    if classes[-1] != before.classes[-1]:
        raise ValueError(
            f"The 'pos_label' parameter of {type(settings).__name__} must be {before.pos_label!r}, which the "
            f"votes of the present model are for, to go on from it. Got {settings.pos_label!r}."
        )


def _read_numbers(
    settings: Any, X: Any, n_rows: int | None, y: Any, sample_weight: Any, before: Outcome | None
) -> Targets:
    numbers = read_numbers(y, n_rows)
    weights = check_sample_weight(sample_weight, len(numbers))
    if before is None:
        outcome: Outcome = _outcome_of(settings, numbers, weights)
    else:
        outcome = before
        _check_same_scale(settings, outcome)
    said = [*order_remarks(X, y=y, sample_weight=sample_weight), *_beyond_range(numbers, weights, outcome)]
    return Targets(outcome, shares(numbers, outcome), weights, numbers, tuple(said))


def _outcome_of(settings: Any, numbers: Numbers, weights: Weights | None) -> NumericOutcome:
    """Predictions from one end of the range to the other."""
    if settings.target_range is None:
        check_numbers_vary(numbers, weights)
        counted = numbers if weights is None else numbers[weights > 0]
        low, high = float(counted.min()), float(counted.max())
    else:
        low, high = map(float, settings.target_range)
    return NumericOutcome((high - low) / plain_group(settings).threshold, low, low, high)


def _check_same_scale(settings: Any, before: Outcome) -> None:
    """Refuse another T, or another range, than those with which the votes of a model become numbers."""
    owner, numbers = owner_of(settings), before.numbers
    given, held = settings.target_range, (numbers["low"], numbers["high"])
    if given is not None and tuple(map(float, given)) != held:
        raise ValueError(
            f"The 'target_range' parameter of {owner} must stay {held} to go on from the present model. "
            f"Got {given!r}."
        )
    threshold = plain_group(settings).threshold
    if (held[1] - held[0]) / threshold != numbers["unit"]:
        was = round((held[1] - held[0]) / numbers["unit"])
        raise ValueError(
            f"The 'threshold' parameter of {owner} must stay {was} to go on from the present model, whose "
            f"predictions depend on it. Got {settings.threshold!r}, which means {threshold}."
        )


def _beyond_range(numbers: Numbers, weights: Weights | None, outcome: Outcome) -> list[str]:
    """A sentence if some numbers are not within the range."""
    low, high = outcome.numbers["low"], outcome.numbers["high"]
    beyond = (numbers < low) | (numbers > high)
    if weights is not None:
        beyond &= weights > 0
    if not beyond.any():
        return []
    first = float(numbers[beyond.argmax()])
    return [
        f"{beyond.sum():,} of {len(numbers):,} numbers in y, such as {first:.6g}, are not in the range that "
        f"is predicted, from {low:.6g} to {high:.6g}, and count as its nearest end. The 'target_range' "
        "parameter sets the range."
    ]


def shares(numbers: Numbers, outcome: Outcome) -> Codes:
    """Numbers as shares of the range in units of 2^-30, int32."""
    low, high = outcome.numbers["low"], outcome.numbers["high"]
    share = (np.clip(numbers, low, high) - low) / (high - low)
    return np.rint(share * 2.0**TARGET_BITS).astype(np.int32)


# --- the loss and the score of numbers ---


def make_loss(settings: Any) -> NumericLoss | None:
    """The chance of feedback that the parameters ask for; None where classes are learned."""
    if not settings._predicts_numbers:
        return None
    whole = 1 << CHANCE_BITS
    if settings.loss == "squared_error":
        return NumericLoss(whole, whole, proportional=True)
    rise = round(STEADY_CHANCE * level_of(settings) * whole)
    return NumericLoss(max(1, rise), max(1, round(STEADY_CHANCE * whole) - rise), proportional=False)


def level_of(settings: Any) -> float:
    """The quantile that is predicted where the loss is not the squared error."""
    return 0.5 if settings.loss == "absolute_error" else float(settings.quantile)


def explained(settings: Any, numbers: Numbers, predicted: Numbers, weights: Weights | None) -> float:
    """The share of the loss of the best constant that predictions save, 1 at best: R2 for squared errors."""
    from sklearn.metrics import d2_pinball_score, r2_score  # slow to import, and seldom needed

    if settings.loss == "squared_error":
        return float(r2_score(numbers, predicted, sample_weight=weights))
    return float(d2_pinball_score(numbers, predicted, sample_weight=weights, alpha=level_of(settings)))
