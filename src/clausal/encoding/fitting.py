"""Learning an encoding from a table: chooses the kind of each feature, then its columns.

The result depends on the values and their total weights only; rows of weight zero are ignored.
Not here: the encoding itself (encoding.py, features.py), reading tables (table.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from clausal.encoding.batches import Batches, KnownNumbers
from clausal.encoding.columns import Category, categorical_mask
from clausal.encoding.cut_points import (
    FLOAT32_EXACT,
    are_codes,
    chosen_gaps,
    distinct_with_weights,
    gaps_of_columns,
    short_cuts,
)
from clausal.encoding.encoding import OWNER, ColumnChoice, Encoding
from clausal.encoding.features import (
    BooleanFeature,
    EmptyFeature,
    Feature,
    NominalFeature,
    NumericFeature,
    RankedFeature,
)
from clausal.encoding.remarks import ColumnFacts, is_date, like_id, like_numbers, like_row_number, remarks
from clausal.encoding.table import SparseTable, Table, read_table
from clausal.encoding.values import (
    LENIENT,
    FeatureValues,
    Policy,
    find_codes,
    plain_categories,
    plain_category,
)

Weights = NDArray[np.float64] | None

_MAX_SHOWN_NAMES = 10
_MAX_WEIGHT_SUM = 1e300


@dataclass(frozen=True, eq=False)
class Learned:
    """An encoding, and the table that it was learned from.

    Attributes
    ----------
    encoding : the encoding
    table : the training table
    numbers : the numbers of each feature that had to be computed, else None; see `Encoding.batches`
    remarks : what the user should know about the table
    """

    encoding: Encoding
    table: Table | SparseTable
    numbers: KnownNumbers
    remarks: tuple[str, ...] = ()

    @property
    def bits(self) -> Any:
        """The boolean columns of the training table, as in `Encoding.bits`."""
        return self.encoding.table_bits(self.table, self.encoding.training_policy)

    @property
    def batches(self) -> Batches | None:
        """The training table in the form that the compiled encoder reads; None if it is sparse."""
        if isinstance(self.table, SparseTable):
            return None
        return self.encoding.batches(self.table, self.encoding.training_policy, self.numbers)


@dataclass(frozen=True, eq=False)
class NumericGaps:
    """A numeric feature before its cut points are chosen: the gaps from `lows` to `highs`, shapes (g,)."""

    lows: NDArray[Any]
    highs: NDArray[Any]
    nullable: bool


Fitted = tuple[Feature | NumericGaps, NDArray[Any] | None]
"""A feature, and its numbers if they had to be computed."""


def learn_encoding(
    X: Any,
    choice: ColumnChoice,
    policy: Policy,
    sample_weight: Any = None,
    owner: str = OWNER,
    chosen_by: str = OWNER,
) -> Learned:
    """Choose the boolean columns of a table.

    Parameters
    ----------
    X : the user's table
    choice, policy : the parameters of the Booleanizer
    sample_weight : weights of the rows, at least one above zero; None if all are 1
    owner : name of the calling estimator, for messages
    chosen_by : name of the estimator whose parameter `categorical_features` is, for messages
    """
    table, header = read_table(X, None, owner)
    said = f"The 'categorical_features' parameter of {chosen_by}"
    weights = _read_weights(sample_weight, table.n_rows)
    mask = categorical_mask(choice.categorical_features, header.names, header.n_features, said)
    if isinstance(table, SparseTable) or choice.mode == "boolean":
        passed_through = (BooleanFeature(shown=True, nullable=False),) * header.n_features
        return Learned(Encoding(passed_through, header.names, policy.strict, choice), table, ())
    names = header.names or [f"x{index}" for index in range(header.n_features)]
    learner = _Learner(table, weights, choice, policy)
    fitted = learner.learn_numbers(names, mask) or [
        learner.learn(index, name, None if mask is None else bool(mask[index]))
        for index, name in enumerate(names)
    ]
    learner.refuse_unexpected_text(said)
    features = tuple(finish_features([feature for feature, _ in fitted]))
    numbers = [known for _, known in fitted]
    told = tuple(remarks(learner.facts))
    return Learned(Encoding(features, header.names, policy, choice), table, numbers, told)


def _read_weights(sample_weight: Any, n_rows: int) -> Weights:
    """The weights as float64 of shape (n_rows,), or None if all rows have weight 1."""
    if sample_weight is None or (np.isscalar(sample_weight) and sample_weight == 1):
        return None
    if np.isscalar(sample_weight):
        sample_weight = np.full(n_rows, sample_weight)
    weights: NDArray[np.float64] = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), one per row. Got {weights.shape}.")
    if weights.min() < 0:
        raise ValueError(f"sample_weight must not be negative. Got {weights.min()}.")
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not 0 < total < _MAX_WEIGHT_SUM:
        raise ValueError(
            "sample_weight must have a sum above zero and below 1e300: at least one weight must not be zero. "
            f"Got the sum {total}."
        )
    return weights


class _Learner:
    """Learns the features of a table, one at a time or all at once."""

    def __init__(self, table: Table, weights: Weights, choice: ColumnChoice, policy: Policy) -> None:
        self._table, self._choice, self._policy = table, choice, policy
        self._rows = None if weights is None else weights > 0
        self._weights = None if weights is None else weights[self._rows]
        self._unexpected_text: list[str] = []
        self.facts: list[ColumnFacts] = []

    def learn_numbers(self, names: Sequence[str], mask: NDArray[np.bool_] | None) -> list[Fitted]:
        """What `learn` says of each feature, if all are plainly numbers of weight 1; else nothing.

        It takes a fraction of the time that `learn` takes for each.
        """
        plain = self._choice.mode == "auto" and self._weights is None and (mask is None or not mask.any())
        numbers = self._table.numbers() if plain else None
        if numbers is None:
            return []
        lows, highs, n_gaps = gaps_of_columns(numbers, self._choice.max_columns)
        cuts = iter(short_cuts(lows, highs))
        for name, n_cuts, counts in zip(names, n_gaps, like_row_number(numbers).tolist(), strict=True):
            self.facts.append(ColumnFacts(name, "number", n_cuts > 0, like_row_number=counts))
        return [(NumericFeature(tuple(islice(cuts, n_cuts)), nullable=False), None) for n_cuts in n_gaps]

    def learn(self, index: int, name: str, categorical: bool | None) -> Fitted:
        """One feature; `categorical=None`: its type decides."""
        values = self._table.feature(index, name)
        weighted = values if self._rows is None else values.take(self._rows)
        chosen = categorical is not None or weighted.categorical
        if categorical is None:
            categorical = weighted.categorical or weighted.kind == "text"
        if weighted.kind == "text" and not categorical and not weighted.missing.all():
            self._unexpected_text.append(name)
            return EmptyFeature(), None
        feature = self._fit(weighted, categorical, chosen)
        if isinstance(feature, (NumericGaps, NumericFeature, BooleanFeature)):
            return feature, None if self._table.plain(index) is not None else values.numbers()
        return feature, _as_float32(feature.numbers(values, LENIENT))

    def _fit(self, values: FeatureValues, categorical: bool, chosen: bool) -> Feature | NumericGaps:
        """A feature; keeps the facts about it. `chosen`: the user has said whether it is categorical."""
        if values.kind == "text" and self._choice.mode == "auto" and not chosen:
            ignored = self._ignored_text(values)
            if ignored is not None:
                self.facts.append(ignored)
                return EmptyFeature()
        feature = fit_feature(values, self._weights, categorical, self._choice, self._policy)
        if isinstance(feature, EmptyFeature):
            facts = ColumnFacts(values.name, "date" if values.kind == "date" else "empty")
        elif isinstance(feature, NumericGaps):
            varies = feature.nullable or len(feature.lows) > 0
            counts = bool(like_row_number(values.values))
            facts = ColumnFacts(values.name, "number", varies, like_row_number=counts)
        else:
            facts = self._category_facts(values, feature, chosen)
        self.facts.append(facts)
        return feature

    def _category_facts(self, values: FeatureValues, feature: Feature, chosen: bool) -> ColumnFacts:
        facts = ColumnFacts(values.name, "category", varies=feature.n_columns > 0)
        if not isinstance(feature, NominalFeature) or not self._leaves_out(feature, values):
            return facts
        free = values.kind == "text" and not values.declared and not chosen
        numbers = free and like_numbers([*map(str, feature.categories)])
        return facts._replace(like_numbers=numbers, most_frequent=self._choice.max_columns)

    def _leaves_out(self, feature: NominalFeature, values: FeatureValues) -> bool:
        """Whether some categories of the values have no column because there are too many of them."""
        if not len(feature.own) == self._choice.max_columns < len(feature.categories):
            return False
        return len(set(values.values[~values.missing].tolist())) > self._choice.max_columns

    def _ignored_text(self, values: FeatureValues) -> ColumnFacts | None:
        """The facts about text that is not used: dates, and what differs from row to row."""
        present = ~values.missing
        distinct = set(values.values[present].tolist())
        if distinct and all(map(is_date, distinct)):
            return ColumnFacts(values.name, "date")
        n_present = float(present.sum())
        if self._weights is not None:  # rows that were merged count as often as they occurred
            n_present = max(n_present, float(self._weights[present].sum()))
        if not like_id(len(distinct), n_present):
            return None
        return ColumnFacts(values.name, "category", like_id=True, like_numbers=like_numbers(distinct))

    def refuse_unexpected_text(self, said: str) -> None:
        """Refuse text in features that are not categorical."""
        names = self._unexpected_text
        if names:
            more = f" and {len(names) - _MAX_SHOWN_NAMES} more" if len(names) > _MAX_SHOWN_NAMES else ""
            raise ValueError(
                f"{said} must include every feature that holds text. "
                f"Got text also in {', '.join(map(repr, names[:_MAX_SHOWN_NAMES]))}{more}."
            )


def _as_float32(codes: NDArray[np.float64]) -> NDArray[Any]:
    """Codes as float32, which takes half the memory, unless that would round them."""
    return codes if np.nanmax(codes, initial=0.0) >= FLOAT32_EXACT else codes.astype(np.float32)


def fit_feature(
    values: FeatureValues, weights: Weights, categorical: bool, choice: ColumnChoice, policy: Policy
) -> Feature | NumericGaps:
    """Learn a feature; if `categorical`, numbers and text are categories (booleans stay booleans)."""
    present = ~values.missing
    if not present.any():
        return EmptyFeature()
    nullable = not present.all()
    if nullable:
        values = values.take(present)
        weights = None if weights is None else weights[present]
    if values.kind == "bool" and choice.mode != "paper":
        return BooleanFeature(bool(values.values.any() and not values.values.all()), nullable)
    if values.kind == "bool" or not categorical:
        return fit_numeric(values, weights, nullable, choice)
    if values.ordered:
        return fit_ranked(values, values.declared, weights, nullable, choice)
    if choice.mode == "paper":
        return fit_ranked(values, _known_categories(values), weights, nullable, choice)
    return fit_nominal(values, weights, nullable, choice, policy)


def fit_numeric(
    values: FeatureValues, weights: Weights, nullable: bool, choice: ColumnChoice
) -> NumericFeature | NumericGaps:
    """Cut between consecutive values; in mode "paper", cut at every value."""
    distinct, totals = distinct_with_weights(values.numbers(), weights)
    if choice.mode == "paper":
        return NumericFeature(tuple(distinct.tolist()), nullable)
    codes = are_codes(distinct.astype(np.float64, copy=False), totals)
    gaps = chosen_gaps(totals, choice.max_columns, codes)
    return NumericGaps(distinct[gaps], distinct[gaps + 1], nullable)


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
