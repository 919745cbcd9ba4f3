"""The tables of the page: the scorecard, how each rule does on data, and what each feature does.

Not here: how that is counted (rules/statistics.py, explain/effects.py), how well the model does (metrics.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from clausal.explain.effects import EffectCurve, effect_curves, feature_importances
from clausal.html_report.charts import bar
from clausal.html_report.form import Field
from clausal.html_report.metrics import Evaluation
from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.statistics import RuleMeasures, RuleStatistics

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
        name = None if rules.outcome.positive is not None else rules.class_names[bank]
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


MOST_MEASURED_RULES = 200
"""Rules in the table, the first of the model, which are its weightiest."""

_MOST_PAIRS = 5
_LEAST_OVERLAP = 0.5  # of pairs worth telling


@dataclass(frozen=True)
class Measured:
    """What one set of rows says of a rule.

    Attributes
    ----------
    support, share : rows on which it holds, and their share of all
    precision, low, high : share of them that it is right on, with its 95 % interval; NaN where it never holds
    lift : the precision over the share of all rows that it would be right on; NaN where not defined
    """

    support: int
    share: float
    precision: float
    low: float
    high: float
    lift: float


@dataclass(frozen=True)
class RuleLine:
    """One rule, its number in the scorecard, and what each set of rows says of it."""

    number: int
    rule: Rule
    parts: tuple[Measured, ...]


@dataclass(frozen=True)
class RuleTable:
    """All of it.

    Attributes
    ----------
    names : what the sets of rows are called, with their sizes
    lines : a line per rule
    n_left_out : rules without a line
    pairs : numbers of two rules that mostly hold together, and the share of the rows of either where both do
    """

    names: tuple[tuple[str, int], ...]
    lines: tuple[RuleLine, ...]
    n_left_out: int
    pairs: tuple[tuple[int, int, float], ...]


def make_rule_table(statistics: RuleStatistics, rules: RuleSet, names: tuple[str, ...]) -> RuleTable:
    """The table of these statistics on the first rules of a model; `names` say what its parts are."""
    parts = [part for part in (statistics.train, statistics.test) if part is not None]
    lines = tuple(
        RuleLine(place + 1, rule, tuple(_measured(part, place) for part in parts))
        for place, rule in enumerate(statistics.rules)
    )
    sizes = tuple((name, part.n_rows) for name, part in zip(names, parts, strict=True))
    return RuleTable(sizes, lines, len(rules) - len(lines), tuple(_pairs(statistics)))


def _measured(part: RuleMeasures, place: int) -> Measured:
    precision, lift = part.precision, float(part.lift.value[place])
    return Measured(
        support=int(part.support[place]),
        share=float(part.share.value[place]),
        precision=float(precision.value[place]),
        low=float(precision.low[place]),
        high=float(precision.high[place]),
        lift=lift if np.isfinite(lift) else float("nan"),
    )


def _pairs(statistics: RuleStatistics) -> Iterator[tuple[int, int, float]]:
    for pair in statistics.most_overlapping(_MOST_PAIRS):
        if pair.overlap >= _LEAST_OVERLAP:
            yield pair.first + 1, pair.second + 1, pair.overlap


MOST_CLASSES = 6
"""With more classes the effects are left out: a table of them would be too wide."""

_MOST_PARTS = 24  # of one feature
_SHOWN_FEATURES = 12  # whose effects are written out


@dataclass(frozen=True)
class Part:
    """A part of a feature's range: what holds there, the rows there, the mean effect on each vote."""

    text: str
    count: int
    effects: tuple[float, ...]
    bar: Markup


@dataclass(frozen=True)
class FeatureRow:
    """One feature that rules test, and how many parts of its range are left out."""

    name: str
    importance: float
    bar: Markup
    parts: tuple[Part, ...]
    n_left_out: int


def make_features(rules: RuleSet, fields: Sequence[Field], X: Any) -> tuple[FeatureRow, ...]:
    """The features that rules test, the weightiest first; only the first of many have their effects."""
    importances = feature_importances(rules)
    curves = effect_curves(rules, X) if len(rules.classes) <= MOST_CLASSES else []
    by_name = {curve.feature: curve for curve in curves}
    order = sorted(fields, key=lambda field: (-importances[field.index], field.index))
    most = max((abs(curve.means).max() for curve in curves if len(curve.means)), default=1.0)
    top = max((float(importances[field.index]) for field in fields), default=1.0)
    rows = []
    for place, field in enumerate(order):
        curve = by_name.get(field.feature) if place < _SHOWN_FEATURES else None
        parts = () if curve is None else _parts(curve, float(most))
        importance = float(importances[field.index])
        rows.append(
            FeatureRow(
                name=field.name,
                importance=importance,
                bar=bar(importance, top, signed=False),
                parts=parts[:_MOST_PARTS],
                n_left_out=max(0, len(parts) - _MOST_PARTS),
            )
        )
    return tuple(rows)


def _parts(curve: EffectCurve, most: float) -> tuple[Part, ...]:
    parts = []
    for text, count, means in zip(curve.texts, curve.counts.tolist(), curve.means.tolist(), strict=True):
        effects = tuple(means) if isinstance(means, list) else (means,)
        parts.append(Part(text, count, effects, bar(effects[0], most, signed=True)))
    return tuple(parts)
