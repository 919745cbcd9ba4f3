"""Encodings with further columns, which conditions in words need: cut points and categories.

Not here: what conditions mean (conditions.py), columns that are learned (clausal.encoding).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.columns import condition_name
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import BooleanFeature, EmptyFeature, Feature, NumericFeature
from clausal.encoding.knowledge import FeatureKnowledge, knowledge_of_features
from clausal.encoding.patches import PatchEncoding
from clausal.rules.conditions import MISSING, Condition, marks_of, shown, wants_of


def extended(encoding: Encoding, conditions: Iterable[Condition]) -> Encoding:
    """The encoding with the columns that conditions need; all columns that it has stay.

    A feature without columns, such as one that no rule of a model tests, becomes what the condition says:
    numbers, categories of which only those named are known, or a boolean. The columns of patches are those of
    training: others are refused.
    """
    features = list(encoding.features)
    known = knowledge_of_features(encoding.choice.knowledge, encoding.names, encoding.n_features)
    for condition in conditions:
        index = condition.feature
        if isinstance(features[index], EmptyFeature):
            features[index] = _blank(condition, encoding.feature_names[index], known[index])
        present = replace(encoding, features=tuple(features))
        features[index] = _with_values(features[index], condition)
        present = replace(encoding, features=tuple(features))
        for want in wants_of(present, index, [condition]):
            features[index] = _with_mark(features[index], want.mark)
        if isinstance(encoding, PatchEncoding) and features[index] != encoding.features[index]:
            raise ValueError(
                "A rule about images or sequences must test thresholds and places that the model has. "
                f"Got {shown(condition)} of {encoding.feature_names[index]}."
            )
    return replace(encoding, features=tuple(features))


def _blank(condition: Condition, name: str, known: FeatureKnowledge) -> Feature:
    """A feature without columns yet, of the kind that a condition is about, with what is known of it."""
    operator = condition.operator
    if known.groups and operator in ("in", "not in"):
        members = tuple(member for _, own in known.groups for member in own)
        sizes = tuple((group, len(own)) for group, own in known.groups)
        return NominalFeature(members, (*range(len(sizes)),), False, complete=False, groups=sizes)
    if known.special and operator in ("in", "not in"):
        return NumericFeature((), False, known.special)
    if operator in ("true", "false"):
        return BooleanFeature(False, False)
    if operator in ("in", "not in"):
        return NominalFeature((), (), False, complete=False)
    if operator in ("missing", "not missing") or isinstance(condition.values[0], str):
        raise ValueError(
            f"A rule must compare {condition_name(name)}, which has no columns in the model, with a number "
            f"or with categories. Got {shown(condition)}."
        )
    return NumericFeature((), False, known.special)


def _with_values(feature: Feature, condition: Condition) -> Feature:
    """The feature that also knows the categories of a condition, if it knows only those that rules test."""
    if (
        not isinstance(feature, NominalFeature)
        or feature.complete
        or condition.operator not in ("in", "not in")
    ):
        return feature
    kinds = {isinstance(category, str) for category in (*feature.categories, *condition.values)}
    if len(kinds) > 1:
        return feature  # an unknown category, which is refused
    grouped, rest = feature.categories[: feature.n_grouped], feature.labels[len(feature.groups) :]
    names = {name for name, _ in feature.groups}
    known = tuple(sorted({*rest, *condition.values} - names - set(grouped)))
    texts = tuple(text for text in feature.not_missing if text not in known)
    own = tuple(range(len(names) + len(known)))
    return replace(feature, categories=(*grouped, *known), own=own, not_missing=texts)


def _with_mark(feature: Feature, mark: Any) -> Feature:
    """The feature with a column for a mark."""
    if mark is MISSING or mark in marks_of(feature):
        return feature
    if isinstance(feature, NumericFeature):
        return replace(feature, cuts=tuple(sorted((*feature.cuts, float(mark)))))
    if isinstance(feature, RankedFeature):
        return replace(feature, cuts=tuple(sorted((*feature.cuts, mark))))
    if isinstance(feature, NominalFeature):
        code = feature.labels.index(mark)
        return replace(feature, own=tuple(sorted((*feature.own, code))))
    assert isinstance(feature, BooleanFeature)
    return replace(feature, shown=True)
