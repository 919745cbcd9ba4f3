"""The explanation of one prediction, as text, HTML and JSON-compatible values.

Not here: how its parts are computed (reasons.py, counterfactual.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from clausal.encoding.columns import name_text
from clausal.explain.cells import Value
from clausal.explain.counterfactual import Counterfactual, plain_label, value_text
from clausal.explain.reasons import NearMiss, Reason, rule_to_dict
from clausal.outcome import Outcome, label_text, points_text
from clausal.rules.rule import Rule

Points = int | float


@dataclass(frozen=True)
class Explanation:
    """The explanation of one prediction.

    Attributes
    ----------
    values : the values of the row by feature name, None if missing; for a sparse table, only of features that
        rules use
    label : the predicted class
    votes : the vote of each bank; two classes share one bank, and the second is predicted if it is 0 or more
    constants : the constant of each bank
    fired : the rules that hold, those with the most points first; with the constants they add up to the votes
    near_misses : rules that do not hold, those with the fewest failed conditions first
    counterfactual : the fewest changes that lead to another decision, or None
    no_counterfactual : why there is no counterfactual, or None if there is one
    reasons : the features that contributed most to the decision; if there are none, the features that kept
        rules for the other class from holding; otherwise the constant
    outcome : what votes mean
    notes : what a missing value or an unknown category counts as, if that makes a rule hold
    """

    values: Mapping[str, Value]
    label: Any
    votes: tuple[Points, ...]
    constants: tuple[Points, ...]
    fired: tuple[Rule, ...]
    near_misses: tuple[NearMiss, ...]
    counterfactual: Counterfactual | None
    no_counterfactual: str | None
    reasons: tuple[Reason, ...]
    outcome: Outcome
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-compatible values."""
        return {
            "values": dict(self.values),
            "label": plain_label(self.label),
            "votes": list(self.votes),
            "constants": list(self.constants),
            "fired": [rule_to_dict(rule) for rule in self.fired],
            "near_misses": [miss.to_dict() for miss in self.near_misses],
            "counterfactual": None if self.counterfactual is None else self.counterfactual.to_dict(),
            "no_counterfactual": self.no_counterfactual,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        values = ", ".join(f"{name_text(name)} = {value_text(value)}" for name, value in self.values.items())
        lines = [self._headline, f"Values: {values}", f"{self._fired_title}:"]
        lines += _columns(self._fired_cells()) or ["  none"]
        lines += [f"  Note: {note}" for note in self.notes]
        if self.near_misses:
            lines += ["Closest rules that do not hold:", *_columns(self._near_cells())]
        lines.append(self._counterfactual_text)
        if self.reasons:
            lines += ["Main reasons:", *(f"  {i}. {reason}" for i, reason in enumerate(self.reasons, 1))]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        values = [(name, value_text(value)) for name, value in self.values.items()]
        parts = [
            f"<p><strong>{escape(self._headline)}</strong></p>",
            _table("Values", ("feature", "value"), values),
            _table(self._fired_title, ("points", "for", "rule"), self._fired_cells()),
            *(f"<p>Note: {escape(note)}</p>" for note in self.notes),
            _table("Closest rules that do not hold", ("points", "for", "rule", "fails"), self._near_cells()),
            f"<p>{escape(self._counterfactual_text)}</p>",
        ]
        if self.reasons:
            listed = "".join(f"<li>{escape(str(reason))}</li>" for reason in self.reasons)
            parts.append(f"<p>Main reasons</p><ol>{listed}</ol>")
        return f'<div class="clausal-explanation">{"".join(parts)}</div>'

    @property
    def _headline(self) -> str:
        """The decision with the votes and, for two classes, their sum."""
        start = f"Decided for {label_text(self.label)} with"
        if self.outcome.positive is None:
            return f"{start} votes {self._per_class(self.votes)}"
        other, positive = self.outcome.class_names
        up, down = (
            points_text(sum(abs(rule.points) for rule in self.fired if (rule.points > 0) == rising))
            for rising in (True, False)
        )
        (vote,), (constant,) = self.votes, self.constants
        total = f"{signed(constant)} (constant) + {up} (for {positive}) - {down} (for {other})"
        return f"{start} vote {signed(vote)} = {total}"

    @property
    def _fired_title(self) -> str:
        """The title of the rules that hold; for more than two classes also how their points count."""
        if self.outcome.positive is not None:
            return "Rules that hold"
        against = any(rule.points < 0 for rule in self.fired)
        how = '; points for "not" a class are subtracted from its vote' if against else ""
        return f"Rules that hold, besides the constants {self._per_class(self.constants)}{how}"

    @property
    def _counterfactual_text(self) -> str:
        found = self.counterfactual
        if found is None:
            return f"Counterfactual: {self.no_counterfactual}"
        note = "" if found.minimal else " (fewer or smaller changes may do)"
        return f"Decided for {label_text(found.label)} instead with {found}{note}"

    def _per_class(self, numbers: Sequence[Points]) -> str:
        pairs = zip(self.outcome.bank_names, numbers, strict=True)
        return ", ".join(f"{name} {signed(number)}" for name, number in pairs)

    def _fired_cells(self) -> list[tuple[str, ...]]:
        return [_rule_cells(rule) for rule in self.fired]

    def _near_cells(self) -> list[tuple[str, ...]]:
        return [(*_rule_cells(miss.rule), miss.failed_text) for miss in self.near_misses]


def _rule_cells(rule: Rule) -> tuple[str, ...]:
    """Points, class and conditions, as in `RuleSet.to_text`."""
    return f"+{points_text(abs(rule.points))}", rule.speaks_for, str(rule)


def signed(points: Points) -> str:
    """A vote or a constant with its sign: integers in full, others with four significant digits."""
    return f"{points:+d}" if isinstance(points, int) else f"{points:+.4g}"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """One line per row of points, class, rule and possibly the failed conditions; the first two aligned."""
    if not rows:
        return []
    points_width, name_width = (max(len(row[index]) for row in rows) for index in (0, 1))
    return [
        f"  {row[0]:>{points_width}}  {row[1]:<{name_width}}  if {row[2]}"
        + "".join(f"; fails: {part}" for part in row[3:])
        for row in rows
    ]


def _table(title: str, head: Iterable[str], rows: Sequence[Iterable[str]]) -> str:
    """An HTML table; an empty string if there are no rows."""
    if not rows:
        return ""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    caption = f"<caption>{escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
