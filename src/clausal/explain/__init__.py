"""Explanations of single predictions, and the effects of each feature."""

from clausal.explain.counterfactual import Change, Counterfactual
from clausal.explain.explain_rows import Explainable, explain_rows
from clausal.explain.explanation import Explanation
from clausal.explain.patch_explanation import PatchExplanation
from clausal.explain.points_lost import LostPoints, RowReasons
from clausal.explain.reasons import (
    EffectCurve,
    NearMiss,
    Reason,
    effect_curves,
    feature_effects,
    feature_importances,
)

__all__ = [
    "Change",
    "Counterfactual",
    "EffectCurve",
    "Explainable",
    "Explanation",
    "LostPoints",
    "NearMiss",
    "PatchExplanation",
    "Reason",
    "RowReasons",
    "effect_curves",
    "explain_rows",
    "feature_effects",
    "feature_importances",
]
