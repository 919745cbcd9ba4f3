"""A small table of loans and a scorecard of it by hand, for tests of scorecards that are owned and edited."""

from __future__ import annotations

import numpy as np
import pandas as pd

from clausal import Booleanizer, RuleSet, Scorecard, parse_rule
from clausal.rules.rule import Override
from clausal.scorecard.risk_table import RiskTable

CLASSES = ["good", "bad"]  # bad is the positive class


def loans(n_rows: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Age, income (sometimes missing), state and owner of a home, and whether the loan went bad."""
    rng = np.random.default_rng(seed)
    income = rng.choice([10, 20, 30, 40, 50, 60], n_rows).astype(float)
    income[rng.random(n_rows) < 0.1] = np.nan
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows),
            "income": income,
            "state": rng.choice(["north", "south", "east", "west"], n_rows),
            "owner": rng.random(n_rows) < 0.4,
        }
    )
    log_odds = 1.2 - 0.04 * table["age"] + 1.5 * (income <= 20) + 0.8 * (table["state"] == "north")
    log_odds -= 1.0 * table["owner"]
    bad = rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))
    return table, np.where(bad, "bad", "good")


RULES = [
    ("age <= 30", 4),
    ("age > 50", -3),
    ("income <= 20", 5),
    ("state is north", 3),
    ("not owner and age <= 40", 2),
    ("income is missing", 1),
]


def card(overrides: bool = False) -> Scorecard:
    """A scorecard of these rules, with the risks of the table."""
    X, y = loans()
    encoding = Booleanizer(max_columns=100).fit(X).encoding_
    rules = RuleSet((), encoding, CLASSES, [-5])
    rules = rules.with_rules([parse_rule(words, rules, points) for words, points in RULES])
    if overrides:
        literals = parse_rule("age <= 20 and income <= 10", rules).literals
        rules = rules.with_overrides([Override(literals, "bad")])
    slope, offset = 0.35, -0.2
    table = RiskTable.of(rules.votes(X), (y == "bad").astype(int), np.ones(len(y)), slope, offset, "bad")
    return Scorecard(rules, slope, offset, risk_table=table)
