"""clausal: integer-weighted Tsetlin machines, classifiers of short AND-rules with whole-number votes.

The public names, each imported when it is first used, so that `import clausal` itself costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clausal.displays import CompactionDisplay, HistoryDisplay, RuleDisplay, VoteDisplay
    from clausal.encoding.booleanizer import Booleanizer
    from clausal.estimators.classifier import TsetlinClassifier
    from clausal.model.clause_model import ClauseModel
    from clausal.report.page import report
    from clausal.rules.rule_set import RuleSet
    from clausal.selection.compact import compact, compaction_path
    from clausal.selection.path import CompactionPath
    from clausal.selection.persistence import load
    from clausal.selection.risk_table import RiskTable
    from clausal.selection.rule_classifier import RuleClassifier
    from clausal.selection.tune import tune
    from clausal.selection.tune_result import TuneResult
    from clausal.training.loop import EpochEnd

__version__ = "0.1.0"

__all__ = [
    "Booleanizer",
    "ClauseModel",
    "CompactionDisplay",
    "CompactionPath",
    "EpochEnd",
    "HistoryDisplay",
    "RiskTable",
    "RuleClassifier",
    "RuleDisplay",
    "RuleSet",
    "TsetlinClassifier",
    "TuneResult",
    "VoteDisplay",
    "compact",
    "compaction_path",
    "load",
    "report",
    "tune",
]

_HOMES = {
    "Booleanizer": "encoding.booleanizer",
    "ClauseModel": "model.clause_model",
    "CompactionDisplay": "displays.compaction",
    "CompactionPath": "selection.path",
    "EpochEnd": "training.loop",
    "HistoryDisplay": "displays.history",
    "RiskTable": "selection.risk_table",
    "RuleClassifier": "selection.rule_classifier",
    "RuleDisplay": "displays.rules",
    "RuleSet": "rules.rule_set",
    "TsetlinClassifier": "estimators.classifier",
    "TuneResult": "selection.tune_result",
    "VoteDisplay": "displays.votes",
    "compact": "selection.compact",
    "compaction_path": "selection.compact",
    "load": "selection.persistence",
    "report": "report.page",
    "tune": "selection.tune",
}

# A package puts its name into its parent when it is first imported. This one is imported here, and its name
# taken out again, so that `clausal.report` is always the function.
import_module("clausal.report")
del globals()["report"]


def __getattr__(name: str) -> object:
    if name == "datasets":  # users' other door: clausal.datasets.load_...
        return import_module("clausal.datasets")
    if name not in _HOMES:
        raise AttributeError(f"module 'clausal' has no attribute {name!r}")
    value = getattr(import_module(f"clausal.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
