"""Plots of models in the style of scikit-learn's displays; matplotlib is imported when a plot is drawn."""

from clausal.plots.curves import CompactionDisplay, HistoryDisplay
from clausal.plots.patches import PatchDisplay
from clausal.plots.rules import RuleDisplay
from clausal.plots.votes import VoteDisplay

__all__ = ["CompactionDisplay", "HistoryDisplay", "PatchDisplay", "RuleDisplay", "VoteDisplay"]
