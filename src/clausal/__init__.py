"""clausal: integer-weighted Tsetlin machines, classifiers of short AND-rules with whole-number votes.

The public names. Each is imported on first use, so that `import clausal` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clausal.encoding.booleanizer import Booleanizer
    from clausal.encoding.patch_encoder import PatchEncoder
    from clausal.encoding.remarks import TableWarning
    from clausal.encoding.values import UnseenValueWarning
    from clausal.evaluation.compare import CompareResult, compare
    from clausal.evaluation.fairness import FairnessResult, fairness
    from clausal.evaluation.monitor import MonitorResult, monitor
    from clausal.explain.points_lost import RowReasons
    from clausal.files import load
    from clausal.files.checkpoint import Checkpoint
    from clausal.html_report.page import report
    from clausal.machine.classifier import TsetlinClassifier
    from clausal.machine.clause_model import ClauseModel
    from clausal.machine.loop import EpochEnd
    from clausal.machine.merge import merge
    from clausal.machine.regressor import TsetlinRegressor
    from clausal.plots import CompactionDisplay, HistoryDisplay, PatchDisplay, RuleDisplay, VoteDisplay
    from clausal.rules.parse import parse_rule
    from clausal.rules.rule_set import RuleSet
    from clausal.scorecard.alternatives import Alternative
    from clausal.scorecard.compact import compact, compaction_path
    from clausal.scorecard.edit import Edit
    from clausal.scorecard.edit_log import LogEntry
    from clausal.scorecard.knowledge_file import Knowledge, load_knowledge
    from clausal.scorecard.path import CompactionPath
    from clausal.scorecard.points_table import PointsTable
    from clausal.scorecard.risk_table import RiskTable
    from clausal.scorecard.rule_classifier import RuleClassifier
    from clausal.scorecard.rule_regressor import RuleRegressor
    from clausal.scorecard.scorecard import Scorecard
    from clausal.scorecard.stability import Stability
    from clausal.tuning.tune import TuneResult, tune

__version__ = "0.1.0"

__all__ = [
    "Alternative",
    "Booleanizer",
    "Checkpoint",
    "ClauseModel",
    "CompactionDisplay",
    "CompactionPath",
    "CompareResult",
    "Edit",
    "EpochEnd",
    "FairnessResult",
    "HistoryDisplay",
    "Knowledge",
    "LogEntry",
    "MonitorResult",
    "PatchDisplay",
    "PatchEncoder",
    "PointsTable",
    "RiskTable",
    "RowReasons",
    "RuleClassifier",
    "RuleDisplay",
    "RuleRegressor",
    "RuleSet",
    "Scorecard",
    "Stability",
    "TableWarning",
    "TsetlinClassifier",
    "TsetlinRegressor",
    "TuneResult",
    "UnseenValueWarning",
    "VoteDisplay",
    "compact",
    "compaction_path",
    "compare",
    "fairness",
    "load",
    "load_knowledge",
    "merge",
    "monitor",
    "parse_rule",
    "report",
    "tune",
]

_MODULES = {
    "Alternative": "scorecard.alternatives",
    "Booleanizer": "encoding.booleanizer",
    "Checkpoint": "files.checkpoint",
    "ClauseModel": "machine.clause_model",
    "CompactionDisplay": "plots.curves",
    "CompactionPath": "scorecard.path",
    "CompareResult": "evaluation.compare",
    "Edit": "scorecard.edit",
    "EpochEnd": "machine.loop",
    "FairnessResult": "evaluation.fairness",
    "HistoryDisplay": "plots.curves",
    "Knowledge": "scorecard.knowledge_file",
    "LogEntry": "scorecard.edit_log",
    "MonitorResult": "evaluation.monitor",
    "PatchDisplay": "plots.patches",
    "PatchEncoder": "encoding.patch_encoder",
    "PointsTable": "scorecard.points_table",
    "RiskTable": "scorecard.risk_table",
    "RowReasons": "explain.points_lost",
    "RuleClassifier": "scorecard.rule_classifier",
    "RuleDisplay": "plots.rules",
    "RuleRegressor": "scorecard.rule_regressor",
    "RuleSet": "rules.rule_set",
    "Scorecard": "scorecard.scorecard",
    "Stability": "scorecard.stability",
    "TableWarning": "encoding.remarks",
    "TsetlinClassifier": "machine.classifier",
    "TsetlinRegressor": "machine.regressor",
    "TuneResult": "tuning.tune",
    "UnseenValueWarning": "encoding.values",
    "VoteDisplay": "plots.votes",
    "compact": "scorecard.compact",
    "compaction_path": "scorecard.compact",
    "compare": "evaluation.compare",
    "fairness": "evaluation.fairness",
    "load": "files",
    "load_knowledge": "scorecard.knowledge_file",
    "merge": "machine.merge",
    "parse_rule": "rules.parse",
    "monitor": "evaluation.monitor",
    "report": "html_report.page",
    "tune": "tuning.tune",
}


def __getattr__(name: str) -> object:
    if name in ("cluster", "datasets", "service"):  # for clausal.cluster.fit, clausal.datasets.load_...
        return import_module(f"clausal.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'clausal' has no attribute {name!r}")
    value = getattr(import_module(f"clausal.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
