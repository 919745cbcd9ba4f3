"""clausal: integer-weighted Tsetlin machines, classifiers of short AND-rules with whole-number votes."""

from clausal.encoding.booleanizer import Booleanizer
from clausal.estimators.classifier import TsetlinClassifier
from clausal.estimators.persistence import load
from clausal.model.clause_model import ClauseModel
from clausal.training.loop import EpochEnd

__version__ = "0.1.0"

__all__ = ["Booleanizer", "ClauseModel", "EpochEnd", "TsetlinClassifier", "load"]
