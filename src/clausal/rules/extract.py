"""Rules read off a fitted model's arrays: every clause that can vote, as it is.

Not here: simplification (simplify.py); a rule has the literals its clause includes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from clausal.encoding.columns import Column
from clausal.model.clause_model import ClauseModel
from clausal.rules.rule_set import Literal, Rule, RuleSet


def extract_rules(
    model: ClauseModel, columns: Sequence[Column], speakers: Mapping[tuple[int, int], str]
) -> RuleSet:
    """One rule per clause that is not empty and has weight above 0, by falling weight.

    Parameters
    ----------
    model : the fitted arrays
    columns : the meaning of each boolean column
    speakers : for (bank, polarity), whom such a clause speaks for
    """
    rules = []
    for bank, clause in np.argwhere((model.points > 0) & model.include.any(axis=2)):
        polarity = int(model.polarity[clause])
        literals = tuple(
            Literal(columns[k % len(columns)], k % len(columns), k >= len(columns))
            for k in np.flatnonzero(model.include[bank, clause]).tolist()
        )
        points = polarity * model.weights[bank, clause].item()
        rules.append(Rule(literals, points, speakers[int(bank), polarity], int(bank)))
    return RuleSet(sorted(rules, key=lambda rule: -abs(rule.points)))
