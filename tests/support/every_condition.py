"""A model with a rule for every kind of condition, under every policy."""

from __future__ import annotations

from itertools import product

import pandas as pd

from clausal import Booleanizer
from clausal.encoding.column_choice import PARAMETERS
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.export_scoring import ExportedRules

TABLE = pd.DataFrame(
    {
        "number": [1.0, 2.5, 4.0, 6.0] * 2,
        "nullable number": [0.1, 0.2, None, 0.30000000000000004] * 2,
        "text": ["a", "b", "c", "d"] * 2,
        "nullable text": ["a", None, "c", "a"] * 2,
        "code": [-1, 0, 2, 7] * 2,
        "order": pd.Categorical(["low", "mid", "top", "mid"] * 2, ["low", "mid", "top"], ordered=True),
        "yes": [True, False, True, False] * 2,
        "nullable yes": pd.array([True, None, False, True] * 2, "boolean"),
        "special": [1.0, -1, 4.0, 99, 2.0, -1, 5.0, 6.0],
        "nullable special": [1.0, 0.1, None, 99, 2.0, -1, 5.0, 6.0],
        "grouped": ["a", "b", "c", "d"] * 2,
        "nullable grouped code": [1, 2, 3, None] * 2,
    }
)
KNOWLEDGE = {
    "cut_points": {"nullable special": [1.5, 4]},
    "special_values": {"special": [-1, 99], "nullable special": [0.1, 99]},
    "groups": {
        "grouped": {"b": ["b", "c"], "more": ["e"]},
        "nullable grouped code": {"one": [1], "more": [3, 7, 8]},
    },
}
POLICIES = list(product(*(PARAMETERS[name][0].options for name in ("handle_unknown", "handle_missing"))))
CLASSES = {2: ["no", "yes"], 3: ["a", "b", "c"]}


def every_condition(n_classes: int, unknown: str, missing: str) -> ExportedRules:
    """A rule for each condition and its negation, with points that tell most sets of rules apart."""
    categorical = ["text", "nullable text", "code", "order"]
    booleanizer = Booleanizer(
        categorical_features=categorical, handle_unknown=unknown, handle_missing=missing, **KNOWLEDGE
    )
    columns = booleanizer.fit(TABLE).columns_
    literals = [Literal(column, k, negated) for k, column in enumerate(columns) for negated in (False, True)]
    n_banks = 1 if n_classes == 2 else n_classes
    rules = [
        Rule((literal,), (-1) ** index * 3**index % 1000 - 500, bank=index % n_banks)
        for index, literal in enumerate(literals)
    ]
    return ExportedRules(RuleSet(rules, booleanizer, CLASSES[n_classes], [1] * n_banks))
