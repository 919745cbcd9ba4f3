"""Quick scorecards for tests, with explicit settings."""

from __future__ import annotations

from typing import Any

from clausal import Booleanizer, RuleClassifier, TsetlinClassifier

MACHINE = {
    "n_clauses": 10,
    "threshold": 8,
    "specificity": 2.0,
    "n_epochs": 4,
    "booleanizer": Booleanizer(max_columns=6),
}


def machine(**params: Any) -> TsetlinClassifier:
    """An unfitted machine that trains in a few milliseconds."""
    return TsetlinClassifier(**{**MACHINE, **params})


def scorecard(estimator: TsetlinClassifier | None = None, **params: Any) -> RuleClassifier:
    """An unfitted RuleClassifier that fits a small table in a fraction of a second."""
    settings = {"max_literals": 5, "cv": 2, "random_state": 0, **params}
    return RuleClassifier(machine() if estimator is None else estimator, **settings)


def same_scorecard(a: RuleClassifier, b: RuleClassifier) -> bool:
    """Whether two fitted scorecards agree in every point, probability and validated score."""
    same = a.rules_ == b.rules_ and a.slope_ == b.slope_
    same &= a.path_.to_frame("pyarrow").equals(b.path_.to_frame("pyarrow"))
    if len(a.classes_) == 2:
        same &= a.risk_table_.to_frame("pyarrow").equals(b.risk_table_.to_frame("pyarrow"))
        same &= a.risk_table_.offset == b.risk_table_.offset
    return bool(same)
