"""Extraction of rules from a fitted machine: one rule per clause that can vote, with the same literals.

Not here: simplification (simplify.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clausal.encoding.encoding import Encoding
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

if TYPE_CHECKING:
    from clausal.machine.clause_model import ClauseModel


def extract_rules(model: ClauseModel, encoding: Encoding, classes: Any) -> RuleSet:
    """One rule per clause that has literals and a weight above 0, by decreasing weight.

    Parameters
    ----------
    model : the fitted arrays
    encoding : the meaning of the columns
    classes : class labels in order, or an Outcome
    """
    constants = (0 if model.scale == 1 else 0.0,) * model.n_banks
    rules = RuleSet((), encoding, classes, constants)
    all_literals = [
        Literal(column, index, negated)
        for negated in (False, True)
        for index, column in enumerate(rules.columns)
    ]
    found = []
    for bank, clause in np.argwhere((model.points > 0) & model.include.any(axis=2)).tolist():
        literals = tuple(all_literals[k] for k in np.flatnonzero(model.include[bank, clause]).tolist())
        points = int(model.polarity[clause]) * model.weights[bank, clause].item()
        found.append(Rule(literals, points, bank=bank))
    return rules.with_rules(sorted(found, key=lambda rule: -abs(rule.points)))
