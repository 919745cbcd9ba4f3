"""What each feature does: its share of all points, and its mean effect in each part of its range.

Not here: how effects are worked out (explain/effects.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from clausal.explain.effects import EffectCurve, effect_curves, feature_importances
from clausal.report.charts import bar
from clausal.report.form import Field
from clausal.rules.rule_set import RuleSet

MOST_CLASSES = 6
"""With more classes the effects are left out: a table of them would be too wide."""

_MOST_PARTS = 24  # of one feature
_SHOWN_FEATURES = 12  # whose effects are written out


@dataclass(frozen=True)
class Part:
    """A part of a feature's range: what holds there, the rows there, the mean effect on each vote."""

    text: str
    count: int
    effects: tuple[float, ...]
    bar: Markup


@dataclass(frozen=True)
class FeatureRow:
    """One feature that rules test, and how many parts of its range are left out."""

    name: str
    importance: float
    bar: Markup
    parts: tuple[Part, ...]
    n_left_out: int


def make_features(rules: RuleSet, fields: Sequence[Field], X: Any) -> tuple[FeatureRow, ...]:
    """The features that rules test, the weightiest first; only the first of many have their effects."""
    importances = feature_importances(rules)
    curves = effect_curves(rules, X) if len(rules.classes) <= MOST_CLASSES else []
    by_name = {curve.feature: curve for curve in curves}
    order = sorted(fields, key=lambda field: (-importances[field.index], field.index))
    most = max((abs(curve.means).max() for curve in curves if len(curve.means)), default=1.0)
    top = max((float(importances[field.index]) for field in fields), default=1.0)
    rows = []
    for place, field in enumerate(order):
        curve = by_name.get(field.feature) if place < _SHOWN_FEATURES else None
        parts = () if curve is None else _parts(curve, float(most))
        importance = float(importances[field.index])
        rows.append(
            FeatureRow(
                name=field.name,
                importance=importance,
                bar=bar(importance, top, signed=False),
                parts=parts[:_MOST_PARTS],
                n_left_out=max(0, len(parts) - _MOST_PARTS),
            )
        )
    return tuple(rows)


def _parts(curve: EffectCurve, most: float) -> tuple[Part, ...]:
    parts = []
    for text, count, means in zip(curve.texts, curve.counts.tolist(), curve.means.tolist(), strict=True):
        effects = tuple(means) if isinstance(means, list) else (means,)
        parts.append(Part(text, count, effects, bar(effects[0], most, signed=True)))
    return tuple(parts)
