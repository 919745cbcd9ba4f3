"""Learning one feature from its values: its kind, its cut points or categories, and so its columns.

The result depends on the values and their total weights only. Not here: a whole table (fitting.py), where to
cut (cut_points.py), what the kinds of features do (features.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.column_choice import ColumnChoice
from clausal.encoding.columns import Category
from clausal.encoding.cut_points import are_codes, chosen_gaps, distinct_with_weights, short_cuts
from clausal.encoding.features import BooleanFeature, EmptyFeature, Feature, NumericFeature
from clausal.encoding.knowledge import NOTHING, FeatureKnowledge, Groups
from clausal.encoding.values import (
    KIND_WORDS,
    LENIENT,
    NOT_READ,
    FeatureValues,
    Policy,
    find_codes,
    plain_categories,
    plain_category,
)

Weights = NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class NumericGaps:
    """A numeric feature before its cut points are chosen: the gaps from `lows` to `highs`, shapes (g,)."""

    lows: NDArray[Any]
    highs: NDArray[Any]
    nullable: bool
    special: tuple[float, ...] = ()

    def with_cuts(self, cuts: Iterable[float]) -> NumericFeature:
        """The feature with these cut points in the gaps; the lower end of a gap replaces a special value."""
        chosen = (
            low if cut in self.special else cut for cut, low in zip(cuts, self.lows.tolist(), strict=True)
        )
        return NumericFeature(tuple(chosen), self.nullable, self.special)


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
    observed: Observed,
    categorical: bool,
    choice: ColumnChoice,
    policy: Policy,
    known: FeatureKnowledge = NOTHING,
) -> Feature | NumericGaps:
    """Learn a feature; if `categorical`, numbers and text are categories (booleans stay booleans).

    `known` is what the user says of it, which must fit its values: see `check_known`.
    """
    values, weights, highs = observed.values, observed.weights, observed.highs
    present = ~values.missing
    if not present.any():
        return EmptyFeature()
    nullable = not present.all()
    if nullable:
        values = values.take(present)
        weights = None if weights is None else weights[present]
        highs = None if highs is None else highs[present]
    if known.groups:
        return fit_groups(values, weights, nullable, choice, policy, known.groups)
    if known.cuts is not None:
        return NumericFeature(known.cuts, nullable, known.special)
    if known.special:
        ordinary = ~np.isin(values.values, known.special)
        if not ordinary.any():
            return NumericFeature((), nullable, known.special)
        values = values.take(ordinary)
        weights = None if weights is None else weights[ordinary]
        highs = None if highs is None else highs[ordinary]
        gaps = fit_numeric(values, weights, nullable, choice, highs)
        assert isinstance(gaps, NumericGaps), "in mode auto"
        return replace(gaps, special=known.special)
    if values.kind == "bool" and choice.mode != "paper":
        return BooleanFeature(bool(values.values.any() and not values.values.all()), nullable)
    if values.kind == "bool" or not categorical:
        return fit_numeric(values, weights, nullable, choice, highs)
    if values.ordered:
        return fit_ranked(values, values.declared, weights, nullable, choice)
    if choice.mode == "paper":
        return fit_ranked(values, _known_categories(values), weights, nullable, choice)
    return fit_nominal(values, weights, nullable, choice, policy)


def check_known(values: FeatureValues, categorical: bool, known: FeatureKnowledge) -> None:
    """Refuse what the user says of a feature if it does not fit its values; `categorical` if it is so."""
    if known.is_empty or values.missing.all():
        return
    if values.kind in ("bool", *NOT_READ) or (values.kind == "text" and not known.groups):
        raise known.refusal(values.name, f"holds {KIND_WORDS[values.kind]}")
    if known.groups:
        members = [member for _, own in known.groups for member in own]
        if isinstance(members[0], str) != (values.kind == "text"):
            found = f"holds {KIND_WORDS[values.kind]}, with the category {members[0]!r} in a group"
            raise known.refusal(values.name, found)
    elif categorical:
        raise known.refusal(values.name, "is categorical")


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
        feature.with_cuts(islice(cuts, len(feature.lows))) if isinstance(feature, NumericGaps) else feature
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


def fit_groups(
    values: FeatureValues,
    weights: Weights,
    nullable: bool,
    choice: ColumnChoice,
    policy: Policy,
    groups: Groups,
) -> NominalFeature:
    """A column for each group and, up to `max_columns` in all, for the most frequent other categories."""
    grouped = [member for _, members in groups for member in members]
    others = tuple(category for category in _known_categories(values) if category not in set(grouped))
    for name, _ in groups:
        if name in others:
            raise ValueError(
                f"The 'groups' parameter of Booleanizer must have names other than those of categories in no "
                f"group. Got {name!r} for {values.name!r}; add it to a group."
            )
    sizes = tuple((name, len(members)) for name, members in groups)
    feature = NominalFeature((*grouped, *others), (), nullable, groups=sizes)
    labels = feature.labels
    if len(labels) == 1:
        return feature
    if len(labels) == 2 and not nullable and policy.handle_unknown in ("no_rule", "error"):
        return replace(feature, own=(1,))  # the other column would be its negation
    n_groups, codes = len(groups), feature.numbers(values, LENIENT).astype(np.intp)
    seen, totals = distinct_with_weights(codes, weights)
    order = np.argsort(-totals, kind="stable")
    frequent = [code for code in seen[order].tolist() if code >= n_groups]
    frequent = frequent[: max(choice.max_columns - n_groups, 0)]
    return replace(feature, own=(*range(n_groups), *sorted(frequent)))


def _known_categories(values: FeatureValues) -> tuple[Category, ...]:
    """The categories that occur or that the data type declares, sorted."""
    if values.kind == "text":
        texts = {*values.values.tolist(), *values.declared}
        return tuple(plain_category(text) for text in sorted(map(str, texts)))
    declared = np.array(values.declared, dtype=np.float64)
    return plain_categories(np.unique(np.concatenate([values.numbers(), declared])))
