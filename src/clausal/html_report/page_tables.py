"""The tables of the page: the scorecard, the statistics of rules, effects; and what the user says at its top.

Texts are plain: the template escapes them. Not here: the risks (ranking.py), the statistics
(rules/statistics.py, explain/reasons.py), measures of the whole model (evaluation/metrics.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from clausal.explain.reasons import EffectCurve, effect_curves, feature_importances
from clausal.html_report.charts import bar
from clausal.html_report.form import Field
from clausal.parameters import check_about, check_text
from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.statistics import RuleMeasures, RuleStatistics

KNOWN_KEYS = ("purpose", "owner", "data", "period")
"""What a reader wants to know first; the page says which of them are not stated."""

_MAX_TITLE = 200  # characters

_MAX_CLASSES = 20  # in the table of classes


@dataclass(frozen=True)
class About:
    """What the user says about the model.

    Attributes
    ----------
    title : the heading of the page; None for the standard one
    entries : names and texts, the known ones first
    not_stated : the known names without a text
    """

    title: str | None
    entries: tuple[tuple[str, str], ...]
    not_stated: tuple[str, ...]


def read_about(title: Any, about: Any) -> About:
    """Check a title and a dict of texts; ValueError says what is wrong."""
    if title is not None:
        check_text("title", title, _MAX_TITLE)
    if about is None:
        about = {}
    check_about(about)
    entries: dict[str, str] = {}
    for key, value in about.items():
        name = key.strip().lower() if key.strip().lower() in KNOWN_KEYS else key.strip()
        if name in entries:
            raise ValueError(f"about must have each key once. Got {name!r} twice.")
        entries[name] = value.strip()
    known = [(name.capitalize(), entries.pop(name)) for name in KNOWN_KEYS if name in entries]
    missing = tuple(name for name in KNOWN_KEYS if name.capitalize() not in dict(known))
    return About(None if title is None else title.strip(), (*known, *entries.items()), missing)


@dataclass(frozen=True)
class ClassShare:
    """A class, and its number and share of rows in each set of rows."""

    name: str
    parts: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Balance:
    """The classes of the rows.

    Attributes
    ----------
    names : of the sets of rows, with their sizes
    classes : one line per class
    n_left_out : the number of classes that are not listed
    """

    names: tuple[tuple[str, int], ...]
    classes: tuple[ClassShare, ...]
    n_left_out: int


def class_balance(class_names: Sequence[str], parts: Mapping[str, NDArray[np.integer]]) -> Balance:
    """The number of rows of each class, given as class indices, in each set of rows."""
    counts = {name: np.bincount(codes, minlength=len(class_names)) for name, codes in parts.items()}
    classes = tuple(
        ClassShare(name, tuple((int(count[k]), float(count[k] / count.sum())) for count in counts.values()))
        for k, name in enumerate(class_names[:_MAX_CLASSES])
    )
    sizes = tuple((name, len(codes)) for name, codes in parts.items())
    return Balance(sizes, classes, max(0, len(class_names) - _MAX_CLASSES))


MAX_RULES = 1000
"""Maximum number of rules in the scorecard; the what-if form uses all rules."""

_MAX_OPEN_RULES = 40  # in all cards together; the others are in a collapsed list


@dataclass(frozen=True)
class RuleRow:
    """One line of the scorecard; `side` is 0 or 1 and selects the color."""

    number: int
    points: int | float
    text: str
    side: int
    bar: Markup


@dataclass(frozen=True)
class Card:
    """The rules that contribute to one vote.

    Attributes
    ----------
    class_name : the class of the vote; None if there is one vote only
    constant : added for every row
    shown, folded : visible and collapsed rules, those with the most points first
    n_left_out : number of rules that are not listed
    """

    class_name: str | None
    constant: int | float
    shown: tuple[RuleRow, ...]
    folded: tuple[RuleRow, ...]
    n_left_out: int


def make_cards(rules: RuleSet) -> tuple[Card, ...]:
    """One card for two classes, one per class for more. Rules have their numbers in `rules_`."""
    largest = max((abs(rule.points) for rule in rules), default=1)
    n_open = max(1, _MAX_OPEN_RULES // rules.n_banks)
    n_listed = max(n_open, MAX_RULES // rules.n_banks)
    cards = []
    for bank, constant in enumerate(rules.constants):
        rows = [
            RuleRow(
                number,
                rule.points,
                str(rule),
                int(rule.points > 0),
                bar(rule.points, largest, signed=True),
            )
            for number, rule in enumerate(rules, start=1)
            if rule.bank == bank
        ]
        rows.sort(key=lambda row: -abs(row.points))
        name = None if rules.n_banks == 1 else rules.class_names[bank]
        listed = tuple(rows[:n_listed])
        cards.append(Card(name, constant, listed[:n_open], listed[n_open:], len(rows) - len(listed)))
    return tuple(cards)


MAX_MEASURED_RULES = 200
"""Maximum number of rules with statistics: the first of the model, which have the most points."""

_MAX_PAIRS = 5
_MIN_OVERLAP = 0.5  # of pairs that are shown


@dataclass(frozen=True)
class Measured:
    """The statistics of a rule on one set of rows.

    Attributes
    ----------
    support, share : number of rows on which it holds, and their share of all rows
    precision, low, high : share of these rows of its class, with a 95 % interval; NaN if it never holds
    lift : the precision divided by the share of its class among all rows; NaN if not defined
    """

    support: int
    share: float
    precision: float
    low: float
    high: float
    lift: float


@dataclass(frozen=True)
class RuleLine:
    """One rule, its number in the scorecard, and its statistics on each set of rows."""

    number: int
    rule: Rule
    parts: tuple[Measured, ...]


@dataclass(frozen=True)
class RuleTable:
    """The statistics of all rules.

    Attributes
    ----------
    names : the names of the sets of rows, with their sizes
    lines : one line per rule
    n_left_out : number of rules without a line
    pairs : numbers of two rules that often hold together, and the share of rows with both among rows with any
    """

    names: tuple[tuple[str, int], ...]
    lines: tuple[RuleLine, ...]
    n_left_out: int
    pairs: tuple[tuple[int, int, float], ...]


def make_rule_table(statistics: RuleStatistics, rules: RuleSet, names: tuple[str, ...]) -> RuleTable:
    """The table of these statistics on the first rules of a model; `names` are those of the sets of rows."""
    parts = [part for part in (statistics.train, statistics.test) if part is not None]
    lines = tuple(
        RuleLine(index + 1, rule, tuple(_measured(part, index) for part in parts))
        for index, rule in enumerate(statistics.rules)
    )
    sizes = tuple((name, part.n_rows) for name, part in zip(names, parts, strict=True))
    return RuleTable(sizes, lines, len(rules) - len(lines), tuple(_pairs(statistics)))


def _measured(part: RuleMeasures, index: int) -> Measured:
    precision, lift = part.precision, float(part.lift.value[index])
    return Measured(
        support=int(part.support[index]),
        share=float(part.share.value[index]),
        precision=float(precision.value[index]),
        low=float(precision.low[index]),
        high=float(precision.high[index]),
        lift=lift if np.isfinite(lift) else float("nan"),
    )


def _pairs(statistics: RuleStatistics) -> Iterator[tuple[int, int, float]]:
    for pair in statistics.most_overlapping(_MAX_PAIRS):
        if pair.overlap >= _MIN_OVERLAP:
            yield pair.first + 1, pair.second + 1, pair.overlap


MAX_EFFECT_CLASSES = 6
"""With more classes, effects are not shown: their table would be too wide."""

_MAX_PARTS = 24  # of one feature
_MAX_EFFECT_FEATURES = 12  # features with effects


@dataclass(frozen=True)
class Part:
    """A part of the range of a feature: its condition, the number of rows, the mean effect on each vote."""

    text: str
    count: int
    effects: tuple[float, ...]
    bar: Markup


@dataclass(frozen=True)
class FeatureRow:
    """One feature that rules use, and the number of parts of its range that are not shown."""

    name: str
    importance: float
    bar: Markup
    parts: tuple[Part, ...]
    n_left_out: int


def make_features(rules: RuleSet, fields: Sequence[Field], X: Any) -> tuple[FeatureRow, ...]:
    """The features that rules use, the most important first; only the first of many have effects."""
    importances = feature_importances(rules)
    curves = effect_curves(rules, X) if rules.n_banks <= MAX_EFFECT_CLASSES else []
    by_name = {curve.feature: curve for curve in curves}
    order = sorted(fields, key=lambda field: (-importances[field.index], field.index))
    largest = max((abs(curve.means).max() for curve in curves if len(curve.means)), default=1.0)
    top = max((float(importances[field.index]) for field in fields), default=1.0)
    rows = []
    for rank, field in enumerate(order):
        curve = by_name.get(field.feature) if rank < _MAX_EFFECT_FEATURES else None
        parts = () if curve is None else _parts(curve, float(largest))
        importance = float(importances[field.index])
        rows.append(
            FeatureRow(
                name=field.name,
                importance=importance,
                bar=bar(importance, top, signed=False),
                parts=parts[:_MAX_PARTS],
                n_left_out=max(0, len(parts) - _MAX_PARTS),
            )
        )
    return tuple(rows)


def _parts(curve: EffectCurve, largest: float) -> tuple[Part, ...]:
    parts = []
    for text, count, means in zip(curve.texts, curve.counts.tolist(), curve.means.tolist(), strict=True):
        effects = tuple(means) if isinstance(means, list) else (means,)
        parts.append(Part(text, count, effects, bar(effects[0], largest, signed=True)))
    return tuple(parts)
