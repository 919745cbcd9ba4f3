"""The model itself as tables: its rules with their points, its constants, and its score-to-risk table.

Not here: how well it does (metrics.py), how often each rule holds (rule statistics).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from clausal.report.charts import bar
from clausal.report.evaluation import Evaluation
from clausal.rules.rule_set import RuleSet

MOST_RULES = 1000
"""Rules written out in the scorecard; the what-if form uses all."""

_SHOWN_RULES = 40  # of all cards together; more are folded away
_MOST_SCORES = 200


@dataclass(frozen=True)
class RuleRow:
    """One line of the scorecard; `side` is 0 or 1, the colour of whom the points speak for."""

    number: int
    points: int | float
    text: str
    speaks_for: str
    side: int
    bar: Markup


@dataclass(frozen=True)
class Card:
    """The rules that add to one vote.

    Attributes
    ----------
    class_name : whose vote it is; None where two classes share it
    constant : what every row gets
    shown, folded : the rules, the weightiest first
    n_left_out : rules that are not listed
    """

    class_name: str | None
    constant: int | float
    shown: tuple[RuleRow, ...]
    folded: tuple[RuleRow, ...]
    n_left_out: int


def make_cards(rules: RuleSet) -> tuple[Card, ...]:
    """One card for two classes, one per class for more; rules are numbered through as in `rules_`."""
    most = max((abs(rule.points) for rule in rules), default=1)
    shown = max(1, _SHOWN_RULES // rules.n_banks)
    most_rules = max(shown, MOST_RULES // rules.n_banks)
    cards = []
    for bank, constant in enumerate(rules.constants):
        rows = [
            RuleRow(
                number,
                rule.points,
                str(rule),
                rule.speaks_for,
                int(rule.points > 0),
                bar(rule.points, most, signed=True),
            )
            for number, rule in enumerate(rules, start=1)
            if rule.bank == bank
        ]
        rows.sort(key=lambda row: -abs(row.points))
        name = None if rules.n_banks == 1 else rules.class_names[bank]
        listed = tuple(rows[:most_rules])
        cards.append(Card(name, constant, listed[:shown], listed[shown:], len(rows) - len(listed)))
    return tuple(cards)


@dataclass(frozen=True)
class RiskRow:
    """One line of the score-to-risk table: rows (in training their weight), and the positive among them."""

    score: int
    risk: float
    train: float
    train_positive: float
    test: int
    test_positive: int


@dataclass(frozen=True)
class Risks:
    """The score-to-risk table, and how many of its lines are left out."""

    rows: tuple[RiskRow, ...]
    n_left_out: int


def make_risks(clf: Any, evaluation: Evaluation) -> Risks | None:
    """What each total means, in training and on the test rows; None where the model has no such table."""
    table = getattr(clf, "risk_table_", None)
    if table is None or evaluation.n_classes != 2:
        return None
    scores = np.asarray(table.scores)
    places: Sequence[int] = range(len(scores))
    if len(scores) > _MOST_SCORES:
        places = np.unique(np.linspace(0, len(scores) - 1, _MOST_SCORES).round().astype(int)).tolist()
    rows = []
    for place in places:
        own = evaluation.votes == scores[place]
        rows.append(
            RiskRow(
                score=int(scores[place]),
                risk=float(table.risks[place]),
                train=float(table.counts[place]),
                train_positive=float(table.positives[place]),
                test=int(own.sum()),
                test_positive=int((own & (evaluation.codes == 1)).sum()),
            )
        )
    return Risks(tuple(rows), len(scores) - len(rows))
