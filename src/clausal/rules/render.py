"""A set of rules on paper: plain text, Markdown and HTML, each with how the points become a decision.

Everything that comes from the user's table is text in each of them: a column named `<script>` stays a name.
Not here: the conditions' own words (wording.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from clausal.rules.rule import Rule
from clausal.rules.wording import ALWAYS

if TYPE_CHECKING:
    from clausal.rules.rule_set import RuleSet

_NO_RULES = "(no rules)"
_MOST_HTML_ROWS = 50
_MOST_LISTED_CLASSES = 10
_MARKS = re.compile(r"([\\`*_\[\]<>|~&$#!])")  # that mean something in Markdown

_MISSING_IS_FALSE = (
    "A value that is missing, in a feature that never was in training, counts as above every cut point, "
    "as none of the listed categories, and as not true."
)
_UNKNOWN_IS_ABOVE = "An ordered category that training did not have counts as above all others."
_UNKNOWN_IS_MISSING = "A category that training did not have counts as missing."


def to_text(rules: RuleSet) -> str:
    """How to decide, then one rule per line: points, whom they speak for, conditions; then footnotes."""
    return "\n".join([decision_text(rules), *rule_lines(rules), *footnotes(rules)])


def to_markdown(rules: RuleSet) -> str:
    """As `to_text`, with the rules in a table."""
    rows = [
        f"| +{points_text(abs(rule.points))} | {_plain_markdown(rule.speaks_for)} | {_code(str(rule))} |"
        for rule in rules
    ]
    table = ["| points | for | if |", "| ---: | --- | --- |", *rows] if rows else [_NO_RULES]
    notes = [_plain_markdown(note) for note in footnotes(rules)]
    paragraphs = [_plain_markdown(decision_text(rules)), "\n".join(table), *notes]
    return "\n\n".join(paragraphs) + "\n"


def to_html(rules: RuleSet) -> str:
    """A small table for notebooks: the weightiest rules."""
    shown = rules[:_MOST_HTML_ROWS]
    rows = [
        f'<tr><td style="text-align: right">+{points_text(abs(rule.points))}</td>'
        f"<td>{escape(rule.speaks_for)}</td>"
        f'<td style="text-align: left">{escape(str(rule))}</td></tr>'
        for rule in shown
    ]
    notes = list(footnotes(rules))
    if len(rules) > len(shown):
        notes.insert(0, f"... and {len(rules) - len(shown)} rules of fewer points.")
    head = '<th>points</th><th>for</th><th style="text-align: left">if</th>'
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return "".join(
        [
            "<div>",
            f"<p>{escape(decision_text(rules))}</p>",
            table if rows else f"<p>{_NO_RULES}</p>",
            *(f"<p>{escape(note)}</p>" for note in notes),
            "</div>",
        ]
    )


def rule_lines(rules: Sequence[Rule]) -> list[str]:
    """One line per rule, in columns: `+12  presence  if age > 54`."""
    points = [points_text(abs(rule.points)) for rule in rules]
    wide, name = max(map(len, points), default=0), max((len(rule.speaks_for) for rule in rules), default=0)
    return [
        f"+{number:>{wide}}  {rule.speaks_for:<{name}}  {'if ' if rule.literals else ''}{rule}"
        for number, rule in zip(points, rules, strict=True)
    ] or [_NO_RULES]


def points_text(points: int | float) -> str:
    """Whole points in full, others to four digits."""
    return str(points) if isinstance(points, int) else f"{points:.4g}"


def decision_text(rules: RuleSet) -> str:
    """How the points become a decision, in a sentence or two."""
    return _decision_of_two(rules) if rules.n_banks == 1 else _decision_of_many(rules)


def always_text(rules: RuleSet) -> str | None:
    """That the model decides for one class whatever the row, in a sentence; None where it may not.

    Known from the sums of all points up and of all points down alone; rules that never hold together may make
    a decision constant too, which is not looked into.
    """
    lows, highs = list(rules.constants), list(rules.constants)
    for rule in rules:  # in the order in which votes are summed, so that rounding cannot tell them apart
        ends = highs if rule.points > 0 else lows
        ends[rule.bank] += rule.points
    names = rules.class_names
    if rules.n_banks == 1:
        always = [(names[1], "never below 0")] if lows[0] >= 0 else []
        always += [(names[0], "always below 0")] if highs[0] < 0 else []
        return f"Always predicts {always[0][0]}: the total is {always[0][1]}." if always else None
    for k, low in enumerate(lows):
        if all(high < low for high in highs[:k]) and all(high <= low for high in highs[k + 1 :]):
            return f"Always predicts {names[k]}: no other class can get more points."
    return None


def _decision_of_two(rules: RuleSet) -> str:
    """The one vote, from the point of view of the second class."""
    other, positive = rules.class_names
    (constant,) = rules.constants
    steps = [f"start at {points_text(constant)}"] if constant else []
    steps += [f"add the points for {positive}"] if any(rule.points > 0 for rule in rules) else []
    steps += [f"subtract the points for {other}"] if any(rule.points < 0 for rule in rules) else []
    decision = always_text(rules) or f"Predicts {positive} if the total is 0 or more, else {other}."
    return f"{_capital(', '.join(steps))}. {decision}" if steps else decision


def _decision_of_many(rules: RuleSet) -> str:
    """One total per class."""
    names = rules.class_names
    starts = [
        f"{name} at {points_text(constant)}"
        for name, constant in zip(names, rules.constants, strict=True)
        if constant
    ]
    others = "" if len(starts) == len(names) else ", others at 0"
    start = f"Start {', '.join(starts)}{others}. " if starts else ""
    against = any(rule.points < 0 for rule in rules)
    add = "Add up the points of each class"
    add += '; those for "not" a class are subtracted from it. ' if against else ". "
    order = f" of {', '.join(names)}" if len(names) <= _MOST_LISTED_CLASSES else " in their order"
    decision = f"Predicts the class with the most points, the first{order} on a tie."
    return f"{start}{add}{always_text(rules) or decision}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def footnotes(rules: RuleSet) -> list[str]:
    """What the booleanizer's policies make true beyond the rules' own words."""
    booleanizer, notes = rules.booleanizer, []
    as_false = booleanizer.handle_missing == "as_false"
    negated = {literal.column for rule in rules for literal in rule.literals if literal.negated}
    if as_false and any(not column.nullable for column in negated):
        notes.append(_MISSING_IS_FALSE)
    if booleanizer.handle_unknown == "no_match" and any(column.ordered for column in negated):
        notes.append(_UNKNOWN_IS_ABOVE)
    used = [booleanizer.features_[index] for index in {index for rule in rules for index in rule.features}]
    if booleanizer.handle_unknown == "missing" and any(
        feature.kind in ("nominal", "ranked") and (feature.nullable or as_false) for feature in used
    ):
        notes.append(_UNKNOWN_IS_MISSING)
    return notes


def _plain_markdown(text: str) -> str:
    """Text in which nothing is Markdown or HTML."""
    return _MARKS.sub(r"\\\1", text)


def _code(text: str) -> str:
    """Text as code, which nothing in it can end; a bar would end the table's cell."""
    if text == ALWAYS:
        return text
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if fence != "`" else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")
