"""clausal: integer-weighted Tsetlin machines, classifiers of short AND-rules with whole-number votes."""

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
