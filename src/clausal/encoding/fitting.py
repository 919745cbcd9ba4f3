"""Learning one feature's columns from its training values: the choice of its kind, then of its columns.

Everything here is a function of the weighted multiset of values; rows of weight zero have been removed.
Not here: the fitted features themselves (features.py), reading tables (table.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category
from clausal.encoding.cut_points import chosen_gaps, distinct_with_weights, short_cuts
from clausal.encoding.features import (
    BooleanFeature,
    EmptyFeature,
    Feature,
    NominalFeature,
    NumericFeature,
    RankedFeature,
)
from clausal.encoding.values import FeatureValues, find_codes, plain_categories, plain_category

Weights = NDArray[np.float64] | None


@dataclass(frozen=True)
class FitRules:
    """How columns are chosen: the Booleanizer's parameters, as far as they matter here."""

    paper: bool
    max_columns: int
    unknown_is_error: bool


@dataclass(frozen=True, eq=False)
class NumericGaps:
    """A numeric feature on its way: the gaps to cut, each from `lows` to `highs`, shapes (g,)."""

    lows: NDArray[Any]
    highs: NDArray[Any]
    nullable: bool


def fit_feature(
    values: FeatureValues, weights: Weights, categorical: bool, rules: FitRules
) -> Feature | NumericGaps:
    """Learn a feature; `categorical` says that numbers or text are categories (booleans stay booleans)."""
    present = ~values.missing
    if not present.any():
        return EmptyFeature()
    nullable = not present.all()
    if nullable:
        values = values.take(present)
        weights = None if weights is None else weights[present]
    if values.kind == "bool" and not rules.paper:
        return BooleanFeature(bool(values.values.any() and not values.values.all()), nullable)
    if values.kind == "bool" or not categorical:
        return fit_numeric(values, weights, nullable, rules)
    if values.ordered:
        return fit_ranked(values, values.declared, weights, nullable, rules)
    if rules.paper:
        return fit_ranked(values, _known_categories(values), weights, nullable, rules)
    return fit_nominal(values, weights, nullable, rules)


def fit_numeric(
    values: FeatureValues, weights: Weights, nullable: bool, rules: FitRules
) -> NumericFeature | NumericGaps:
    """Cut between neighbouring values; in mode "paper" at every value."""
    distinct, totals = distinct_with_weights(values.numbers(), weights)
    if rules.paper:
        return NumericFeature(tuple(distinct.tolist()), nullable)
    gaps = chosen_gaps(totals, rules.max_columns)
    return NumericGaps(distinct[gaps], distinct[gaps + 1], nullable)


def finish_features(fitted: Sequence[Feature | NumericGaps]) -> list[Feature]:
    """Choose the cut points within all gaps at once, which is faster than feature by feature."""
    on_their_way = [feature for feature in fitted if isinstance(feature, NumericGaps)]
    if not on_their_way:
        return [feature for feature in fitted if not isinstance(feature, NumericGaps)]
    lows, highs = (np.concatenate([getattr(f, side) for f in on_their_way]) for side in ("lows", "highs"))
    cuts = iter(short_cuts(lows, highs))
    return [
        NumericFeature(tuple(islice(cuts, len(feature.lows))), feature.nullable)
        if isinstance(feature, NumericGaps)
        else feature
        for feature in fitted
    ]


def fit_ranked(
    values: FeatureValues, order: tuple[Category, ...], weights: Weights, nullable: bool, rules: FitRules
) -> RankedFeature:
    """Cut between neighbouring categories that were seen; in mode "paper" at every one seen."""
    distinct, totals = distinct_with_weights(find_codes(values, order), weights)
    cuts = distinct if rules.paper else distinct[chosen_gaps(totals, rules.max_columns)]
    return RankedFeature(order, tuple(cuts.tolist()), ordered=values.ordered, nullable=nullable)


def fit_nominal(values: FeatureValues, weights: Weights, nullable: bool, rules: FitRules) -> NominalFeature:
    """One column for each of the `max_columns` heaviest categories, the first in sorted order on a tie."""
    categories = _known_categories(values)
    seen, totals = distinct_with_weights(find_codes(values, categories), weights)
    if len(seen) == 1:
        return NominalFeature(categories, (), nullable)
    if len(categories) == 2 and not nullable and rules.unknown_is_error:
        return NominalFeature(categories, (1,), nullable)  # the other column would be its negation
    heaviest = seen[np.argsort(-totals, kind="stable")[: rules.max_columns]]
    return NominalFeature(categories, tuple(sorted(heaviest.tolist())), nullable)


def _known_categories(values: FeatureValues) -> tuple[Category, ...]:
    """Those seen and those the user's table declares, sorted."""
    if values.kind == "text":
        texts = {*values.values.tolist(), *values.declared}
        return tuple(plain_category(text) for text in sorted(map(str, texts)))
    declared = np.array(values.declared, dtype=np.float64)
    return plain_categories(np.unique(np.concatenate([values.numbers(), declared])))
