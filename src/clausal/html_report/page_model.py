"""The model as the page holds it: plain values from which score.js computes what Python computes.

Not here: the computation itself (score.js) and what may be typed (form.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clausal.html_report.form import Field, column_code
from clausal.machine.classifier import TsetlinClassifier
from clausal.rules.rule_set import RuleSet


def model_document(clf: Any, rules: RuleSet, fields: Sequence[Field]) -> dict[str, Any]:
    """Fields, tested columns, rules, constants and the way to probabilities, in values that JSON can hold.

    A rule's literals are numbers: c for column c of the list, -1 - c for its negation.
    """
    tested = {literal.position: literal.column for rule in rules for literal in rule.literals}
    place = {position: c for c, position in enumerate(sorted(tested))}
    field_of = {field.index: f for f, field in enumerate(fields)}
    return {
        "classes": list(rules.class_names),
        "constants": list(rules.constants),
        "fields": [{"name": field.name, "kind": field.kind, "nullable": field.nullable} for field in fields],
        "columns": [
            _column(rules, tested[position], field_of[tested[position].feature_index])
            for position in sorted(tested)
        ],
        "rules": [
            {
                "text": str(rule),
                "points": rule.points,
                "bank": rule.bank,
                "for": rule.speaks_for,
                "literals": [
                    -1 - place[literal.position] if literal.negated else place[literal.position]
                    for literal in rule.literals
                ],
            }
            for rule in rules
        ],
        "handle_missing": rules.encoding.policy.handle_missing,
        "handle_unknown": rules.encoding.policy.handle_unknown,
        "probability": _probability(clf),
    }


def _column(rules: RuleSet, column: Any, field: int) -> dict[str, Any]:
    """What is tested; a category is compared by its place among all."""
    value = column.value
    if column.kind in ("is", "upto"):
        value = column_code(column, rules.encoding.features[column.feature_index].categories)
    texts = [column.text(), column.text(negated=True)]
    return {"field": field, "kind": column.kind, "value": value, "texts": texts}


def _probability(clf: Any) -> dict[str, Any]:
    """How votes become probabilities: a machine's own estimate, or a scorecard's calibrated curve."""
    if isinstance(clf, TsetlinClassifier):
        return {"kind": "machine", "threshold": clf.model_.threshold, "scale": clf.model_.scale}
    offset = float(clf.risk_table_.offset) if clf.rules_.outcome.positive is not None else 0.0
    return {"kind": "logistic", "slope": float(clf.slope_), "offset": offset}
