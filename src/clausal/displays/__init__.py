"""Pictures of models in the style of scikit-learn's displays; matplotlib is imported when one is drawn."""

from clausal.displays.compaction import CompactionDisplay
from clausal.displays.history import HistoryDisplay
from clausal.displays.rules import RuleDisplay
from clausal.displays.votes import VoteDisplay

__all__ = ["CompactionDisplay", "HistoryDisplay", "RuleDisplay", "VoteDisplay"]
