"""Learning an encoding from a table: chooses the kind of each feature, then its columns.

The result depends on the values and their total weights only; rows of weight zero are ignored.
Not here: the encoding itself (encoding.py, features.py), one feature (fit_feature.py), tables (table.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from clausal.encoding.batches import Batches, KnownNumbers
from clausal.encoding.category_features import NominalFeature
from clausal.encoding.column_choice import OWNER, ColumnChoice
from clausal.encoding.columns import Category, categorical_mask, plain_selection, selected_indices
from clausal.encoding.cut_points import (
    FLOAT32_EXACT,
    gaps_of_columns,
    short_cuts,
)
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import BooleanFeature, EmptyFeature, Feature, NumericFeature
from clausal.encoding.fit_feature import (
    NumericGaps,
    Observed,
    Weights,
    check_known,
    finish_features,
    fit_feature,
)
from clausal.encoding.knowledge import FeatureKnowledge, knowledge_of_features
from clausal.encoding.likeness import is_date, like_codes, like_id, like_numbers, like_row_number
from clausal.encoding.nearly import nearly_in
from clausal.encoding.remarks import ColumnFacts, name_remarks, remarks
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.stream import StreamedTable
from clausal.encoding.summary import MAX_DISTINCT, MAX_TEXTS, FeatureSummary, summarize, whole_weights
from clausal.encoding.table import Header, Table, pandas_names, read_table
from clausal.encoding.values import (
    LENIENT,
    FeatureValues,
    Policy,
    plain_category,
)

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
    table: Table | SparseTable | StreamedTable
    numbers: KnownNumbers
    remarks: tuple[str, ...] = ()

    @property
    def bits(self) -> Any:
        """The boolean columns of the training table, as in `Encoding.bits`."""
        assert not isinstance(self.table, StreamedTable), "which is packed batch by batch"
        return self.encoding.table_bits(self.table, self.encoding.training_policy)

    @property
    def batches(self) -> Batches | None:
        """The training table in the form that the compiled encoder reads; None if it is sparse."""
        if isinstance(self.table, (SparseTable, StreamedTable)):
            return None
        return self.encoding.batches(self.table, self.encoding.training_policy, self.numbers)


Fitted = tuple[Feature | NumericGaps, NDArray[Any] | None]
"""A feature, and its numbers if they had to be computed."""


def learn_encoding(
    X: Any,
    choice: ColumnChoice,
    policy: Policy,
    sample_weight: Any = None,
    owner: str = OWNER,
    chosen_by: str = OWNER,
    forbidden: Any = None,
) -> Learned:
    """Choose the boolean columns of a table.

    Parameters
    ----------
    X : the user's table
    choice, policy : the parameters of the Booleanizer
    sample_weight : weights of the rows, at least one above zero; None if all are 1
    owner : name of the calling estimator, for messages
    chosen_by : name of the estimator whose parameter `categorical_features` is, for messages
    forbidden : features that no rule may test, as users give them, whose codes are not remarked
    """
    table, header = read_table(X, None, owner)
    said = f"The 'categorical_features' parameter of {chosen_by}"
    weights = _read_weights(sample_weight, table.n_rows)
    mask = categorical_mask(choice.categorical_features, header.names, header.n_features, said)
    if isinstance(table, SparseTable) and any(choice.knowledge.values()):
        raise ValueError(
            f"X must not be sparse with cut points, special values or groups in {OWNER}, since sparse "
            "features are boolean. Got a sparse matrix."
        )
    if isinstance(table, SparseTable) or choice.mode == "boolean":
        passed_through = (BooleanFeature(shown=True, nullable=False),) * header.n_features
        encoding = Encoding(passed_through, header.names, policy.strict, choice)
        return Learned(encoding, table, (), tuple(name_remarks(pandas_names(X))))
    names = header.names or tuple(f"x{index}" for index in range(header.n_features))
    learner = _Learner(
        choice, policy, knowledge_of_features(choice.knowledge, header.names, header.n_features)
    )
    listed = [
        None if mask is None else bool(index) for index in (range(len(names)) if mask is None else mask)
    ]
    if isinstance(table, StreamedTable):
        fitted = learner.learn_stream(table, weights, listed)
    else:
        fitted = learner.learn_table(table, weights, names, listed)
    learner.refuse_unexpected_text(said)
    features = tuple(finish_features([feature for feature, _ in fitted]))
    numbers = [known for _, known in fitted]
    facts = learner.facts
    for index in _forbidden(forbidden, header, owner):
        facts[index] = facts[index]._replace(codes=None)
    told = tuple(name_remarks(pandas_names(X)) + remarks(facts))
    return Learned(Encoding(features, header.names, policy, choice), table, numbers, told)


def _forbidden(parameter: Any, header: Header, owner: str) -> list[int]:
    """The positions of the features in the parameter `forbidden_features`."""
    if parameter is None:
        return []
    said = f"The 'forbidden_features' parameter of {owner}"
    return selected_indices(plain_selection(parameter, said), header.names, header.n_features, said)


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

    def __init__(self, choice: ColumnChoice, policy: Policy, known: Sequence[FeatureKnowledge]) -> None:
        self._choice, self._policy, self._known = choice, policy, known
        self._unexpected_text: list[str] = []
        self._ungrouped: dict[str, Category | None] = {}
        self.facts: list[ColumnFacts] = []

    def learn_table(
        self, table: Table, weights: Weights, names: Sequence[str], listed: Sequence[bool | None]
    ) -> list[Fitted]:
        """The features of a table in memory; `listed`: which are categorical, None if the type decides."""
        plain = self._choice.mode == "auto" and weights is None and not any(listed)
        plain = plain and not any(self._choice.knowledge.values())
        numbers = table.numbers() if plain else None
        if numbers is not None:
            return self._learn_numbers(numbers, names)
        rows = None if weights is None else weights > 0
        weights = None if weights is None else weights[rows]
        fitted = []
        for index, (name, categorical) in enumerate(zip(names, listed, strict=True)):
            values = table.feature(index, name)
            weighted = values if rows is None else values.take(rows)
            feature = self._learn(Observed.of(weighted, weights), categorical, self._known[index])
            fitted.append((feature, self._numbers_of(feature, values, table.plain(index) is not None)))
        return fitted

    def learn_stream(
        self, table: StreamedTable, weights: Weights, listed: Sequence[bool | None]
    ) -> list[Fitted]:
        """The features of a table that is read in batches."""
        whole, unit = (None, 1.0) if weights is None else whole_weights(weights)
        fitted: list[Fitted] = []
        summaries = summarize(table, whole, [known.special for known in self._known])
        for summary, categorical, known in zip(summaries, listed, self._known, strict=True):
            fitted.append((self._learn_summary(summary, unit, categorical, known), None))
        return fitted

    def _learn_summary(
        self, summary: FeatureSummary, unit: float, categorical: bool | None, known: FeatureKnowledge
    ) -> Feature | NumericGaps:
        by_type = categorical is None and summary.has_categorical_type
        name, is_chosen = summary.name, bool(known.groups) or categorical or by_type
        if summary.texts is None:
            if is_chosen or self._choice.mode == "paper":
                raise ValueError(
                    f"A categorical feature must have at most {MAX_TEXTS} different texts in a table that is "
                    f"read in batches. Got more in feature {name!r}; merge rare ones, or leave it out."
                )
            self.facts.append(ColumnFacts(name, "category", like_id=True))
            return EmptyFeature()
        values, weights, highs = summary.distinct(unit)
        if highs is not None and (is_chosen or self._choice.mode == "paper"):
            raise ValueError(
                f"Feature {name!r} must have at most {MAX_DISTINCT} different numbers in a table that is "
                "read in batches, if it is categorical or mode='paper'. Got more."
            )
        n_present = summary.n_rows - summary.n_missing
        observed = Observed(values, weights, n_present, summary.all_differ, highs)
        return self._learn(observed, categorical, known)

    def _learn_numbers(self, numbers: NDArray[np.float64], names: Sequence[str]) -> list[Fitted]:
        """What `_learn` says of each feature, if all are plainly numbers of weight 1.

        It takes a fraction of the time that `_learn` takes for each.
        """
        lows, highs, n_gaps = gaps_of_columns(numbers, self._choice.max_columns)
        cuts = iter(short_cuts(lows, highs))
        counting, found = like_row_number(numbers).tolist(), map(like_codes, numbers)
        for name, n_cuts, counts, codes in zip(names, n_gaps, counting, found, strict=True):
            self.facts.append(ColumnFacts(name, "number", n_cuts > 0, like_row_number=counts, codes=codes))
        return [(NumericFeature(tuple(islice(cuts, n_cuts)), nullable=False), None) for n_cuts in n_gaps]

    def _learn(
        self, observed: Observed, categorical: bool | None, known: FeatureKnowledge
    ) -> Feature | NumericGaps:
        """One feature; `categorical=None`: its type decides."""
        values = observed.values
        declared = categorical or values.categorical
        check_known(values, declared, known)
        if known.groups and not declared:
            self._ungrouped[values.name] = _ungrouped(values, known)
        categorical = True if known.groups else categorical
        chosen = categorical is not None or values.categorical
        if categorical is None:
            categorical = values.categorical or values.kind == "text"
        if values.kind == "text" and not categorical and not values.missing.all():
            self._unexpected_text.append(values.name)
            return EmptyFeature()
        return self._fit(observed, categorical, chosen, known)

    def _numbers_of(
        self, feature: Feature | NumericGaps, values: FeatureValues, is_plain: bool
    ) -> NDArray[Any] | None:
        """The numbers of a feature, if they had to be computed."""
        if isinstance(feature, EmptyFeature) and values.kind == "text":
            return None
        if isinstance(feature, (NumericGaps, NumericFeature, BooleanFeature)):
            return None if is_plain else values.numbers()
        return _as_float32(feature.numbers(values, LENIENT))

    def _fit(
        self, observed: Observed, categorical: bool, chosen: bool, known: FeatureKnowledge
    ) -> Feature | NumericGaps:
        """A feature; keeps the facts about it. `chosen`: the user has said whether it is categorical."""
        values = observed.values
        if values.kind == "text" and self._choice.mode == "auto" and not chosen:
            ignored = self._ignored_text(observed)
            if ignored is not None:
                self.facts.append(ignored)
                return EmptyFeature()
        feature = fit_feature(observed, categorical, self._choice, self._policy, known)
        if values.kind == "date" or values.kind == "other":
            facts = ColumnFacts(values.name, values.kind)
        elif isinstance(feature, EmptyFeature):
            facts = ColumnFacts(values.name, "empty")
        elif isinstance(feature, NumericGaps):
            varies = feature.nullable or len(feature.lows) > 0 or bool(feature.special)
            counts = observed.all_differ and bool(like_row_number(values.values))
            codes = None if known.special else like_codes(values.values, observed.weights)
            facts = ColumnFacts(values.name, "number", varies, like_row_number=counts, codes=codes)
        else:
            facts = self._category_facts(observed, feature, chosen)
        near = nearly_in(values, (*(known.cuts or ()), *known.special))
        self.facts.append(facts._replace(near=near, with_booleans=values.with_booleans))
        return feature

    def _category_facts(self, observed: Observed, feature: Feature, chosen: bool) -> ColumnFacts:
        values = observed.values
        facts = ColumnFacts(
            values.name,
            "category",
            varies=feature.n_columns > 0,
            ungrouped=self._ungrouped.get(values.name),
        )
        if not isinstance(feature, NominalFeature) or not self._leaves_out(feature, values):
            return facts
        chosen = chosen or bool(feature.groups)
        free = values.kind == "text" and not values.declared and not chosen
        numbers = free and like_numbers([*map(str, feature.categories)])
        return facts._replace(
            like_numbers=numbers,
            most_frequent=self._choice.max_columns,
            share_unseen=0.0 if chosen else _share_once(observed),
        )

    def _leaves_out(self, feature: NominalFeature, values: FeatureValues) -> bool:
        """Whether some categories of the values have no column because there are too many of them."""
        room, n_grouped = self._choice.max_columns, sum(size for _, size in feature.groups)
        if feature.groups:  # each is one category, and has a column in any case
            room = max(room - len(feature.groups), 0)
            if len(feature.labels) == 2 or len(feature.categories) - n_grouped <= room:
                return False
        elif not len(feature.own) == room < len(feature.categories):
            return False
        found = set(values.values[~values.missing].tolist())
        return len(found.difference(feature.categories[:n_grouped])) > room

    def _ignored_text(self, observed: Observed) -> ColumnFacts | None:
        """The facts about text that is not used: dates, and what differs from row to row."""
        values, present = observed.values, ~observed.values.missing
        distinct = set(values.values[present].tolist())
        if distinct and all(map(is_date, distinct)):
            return ColumnFacts(values.name, "date")
        n_present = float(observed.n_present)
        if observed.weights is not None:  # rows that were merged count as often as they occurred
            n_present = max(n_present, float(observed.weights[present].sum()))
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


def _ungrouped(values: FeatureValues, known: FeatureKnowledge) -> Category | None:
    """The smallest number that is in no group, None if there is none or the categories are text."""
    if values.kind != "number":
        return None
    members = [member for _, own in known.groups for member in own]
    others = np.setdiff1d(values.values[~values.missing], np.array(members, np.float64))
    return plain_category(float(others[0])) if len(others) else None


def _share_once(observed: Observed) -> float:
    """The share of rows whose category occurs once: Good and Turing's estimate of that of unseen ones."""
    present = ~observed.values.missing
    categories = observed.values.values[present].tolist()
    totals = Counter[object](categories)
    if observed.weights is not None:  # a row of weight w is w rows
        totals.clear()
        for category, weight in zip(categories, observed.weights[present].tolist(), strict=True):
            totals[category] += weight
    return float(sum(total for total in totals.values() if total <= 1) / totals.total())


def _as_float32(codes: NDArray[np.float64]) -> NDArray[Any]:
    """Codes as float32, which takes half the memory, unless that would round them."""
    return codes if np.nanmax(codes, initial=0.0) >= FLOAT32_EXACT else codes.astype(np.float32)
