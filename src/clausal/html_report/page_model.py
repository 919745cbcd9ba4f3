"""The model as the page holds it: plain values from which score.js computes what Python computes.

Not here: the document of a rule model (export/document.py), the computation (score.js), what may be typed
(form.py).
"""

from __future__ import annotations

from typing import Any

from clausal.export.document import rule_document
from clausal.machine.classifier import TsetlinClassifier
from clausal.rules.rule_set import RuleSet


def page_model(clf: Any, rules: RuleSet) -> dict[str, Any]:
    """The document of a classifier's rules, and how votes become probabilities."""
    return {**rule_document(rules).to_dict(), "probability": _probability(clf)}


def _probability(clf: Any) -> dict[str, Any]:
    """A machine's own estimate, or a scorecard's calibrated curve."""
    if isinstance(clf, TsetlinClassifier):
        return {"kind": "machine", "threshold": clf.model_.threshold, "scale": clf.model_.scale}
    offset = float(clf.risk_table_.offset) if clf.rules_.outcome.positive is not None else 0.0
    return {"kind": "logistic", "slope": float(clf.slope_), "offset": offset}
