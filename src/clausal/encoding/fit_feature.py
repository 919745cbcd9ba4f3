"""Learning one feature from its values: its kind, its cut points or categories, and so its columns.

The result depends on the values and their total weights only. Not here: a whole table (fitting.py), where to
cut (cut_points.py), what the kinds of features do (features.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category
from clausal.encoding.cut_points import are_codes, chosen_gaps, distinct_with_weights, short_cuts
from clausal.encoding.encoding import ColumnChoice
from clausal.encoding.features import (
    BooleanFeature,
    EmptyFeature,
    Feature,
    NominalFeature,
    NumericFeature,
    RankedFeature,
)
from clausal.encoding.values import FeatureValues, Policy, find_codes, plain_categories, plain_category

Weights = NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class NumericGaps:
    """A numeric feature before its cut points are chosen: the gaps from `lows` to `highs`, shapes (g,)."""

    lows: NDArray[Any]
    highs: NDArray[Any]
    nullable: bool


@dataclass(frozen=True, eq=False)
class Observed:
    """The values of a feature in all rows of weight above 0, or its distinct values.

    Attributes
    ----------
    values : the values
    weights : float64 [n], or None if each weighs 1
    n_present : the number of rows in which the feature is not missing
    all_differ : whether no value stands for several rows
    highs : float64 [n], the upper ends of intervals of numbers whose lower ends are the values; None if each
        number stands for itself
    """

    values: FeatureValues
    weights: Weights
    n_present: int
    all_differ: bool = True
    highs: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, values: FeatureValues, weights: Weights) -> Observed:
        """The values of all rows."""
        return cls(values, weights, int((~values.missing).sum()))


def fit_feature(
    observed: Observed, categorical: bool, choice: ColumnChoice, policy: Policy
) -> Feature | NumericGaps:
    """Learn a feature; if `categorical`, numbers and text are categories (booleans stay booleans)."""
    values, weights, highs = observed.values, observed.weights, observed.highs
    present = ~values.missing
    if not present.any():
        return EmptyFeature()
    nullable = not present.all()
    if nullable:
        values = values.take(present)
        weights = None if weights is None else weights[present]
        highs = None if highs is None else highs[present]
    if values.kind == "bool" and choice.mode != "paper":
        return BooleanFeature(bool(values.values.any() and not values.values.all()), nullable)
    if values.kind == "bool" or not categorical:
        return fit_numeric(values, weights, nullable, choice, highs)
    if values.ordered:
        return fit_ranked(values, values.declared, weights, nullable, choice)
    if choice.mode == "paper":
        return fit_ranked(values, _known_categories(values), weights, nullable, choice)
    return fit_nominal(values, weights, nullable, choice, policy)


def fit_numeric(
    values: FeatureValues,
    weights: Weights,
    nullable: bool,
    choice: ColumnChoice,
    highs: NDArray[np.float64] | None = None,
) -> NumericFeature | NumericGaps:
    """Cut between consecutive values (or intervals up to `highs`); in mode "paper", cut at every value."""
    distinct, totals = distinct_with_weights(values.numbers(), weights)
    if choice.mode == "paper":
        return NumericFeature(tuple(distinct.tolist()), nullable)
    codes = are_codes(distinct.astype(np.float64, copy=False), totals)
    gaps = chosen_gaps(totals, choice.max_columns, codes)
    below = distinct if highs is None else highs
    return NumericGaps(below[gaps], distinct[gaps + 1], nullable)


def finish_features(fitted: Sequence[Feature | NumericGaps]) -> list[Feature]:
    """Choose the cut points of all features at once, which is faster than feature by feature."""
    unfinished = [feature for feature in fitted if isinstance(feature, NumericGaps)]
    if not unfinished:
        return [feature for feature in fitted if not isinstance(feature, NumericGaps)]
    lows, highs = (np.concatenate([getattr(f, side) for f in unfinished]) for side in ("lows", "highs"))
    cuts = iter(short_cuts(lows, highs))
    return [
        NumericFeature(tuple(islice(cuts, len(feature.lows))), feature.nullable)
        if isinstance(feature, NumericGaps)
        else feature
        for feature in fitted
    ]


def fit_ranked(
    values: FeatureValues, order: tuple[Category, ...], weights: Weights, nullable: bool, choice: ColumnChoice
) -> RankedFeature:
    """Cut between consecutive categories that occur; in mode "paper", cut at every one of them."""
    distinct, totals = distinct_with_weights(find_codes(values, order), weights)
    cuts = distinct if choice.mode == "paper" else distinct[chosen_gaps(totals, choice.max_columns)]
    return RankedFeature(order, tuple(cuts.tolist()), ordered=values.ordered, nullable=nullable)


def fit_nominal(
    values: FeatureValues, weights: Weights, nullable: bool, choice: ColumnChoice, policy: Policy
) -> NominalFeature:
    """One column for each of the `max_columns` most frequent categories, by weight, then in sorted order."""
    categories = _known_categories(values)
    seen, totals = distinct_with_weights(find_codes(values, categories), weights)
    if len(seen) == 1:
        return NominalFeature(categories, (), nullable)
    if len(categories) == 2 and not nullable and policy.handle_unknown in ("no_rule", "error"):
        return NominalFeature(categories, (1,), nullable)  # the other column would be its negation
    most_frequent = seen[np.argsort(-totals, kind="stable")[: choice.max_columns]]
    return NominalFeature(categories, tuple(sorted(most_frequent.tolist())), nullable)


def _known_categories(values: FeatureValues) -> tuple[Category, ...]:
    """The categories that occur or that the data type declares, sorted."""
    if values.kind == "text":
        texts = {*values.values.tolist(), *values.declared}
        return tuple(plain_category(text) for text in sorted(map(str, texts)))
    declared = np.array(values.declared, dtype=np.float64)
    return plain_categories(np.unique(np.concatenate([values.numbers(), declared])))
