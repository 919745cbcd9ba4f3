"""Why one row was decided as it was, to be read in a terminal, in a notebook or by a program.

Not here: how the parts are found (ledger.py, reasons.py, counterfactual.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from clausal.encoding.columns import name_text
from clausal.explain.counterfactual import Counterfactual, label_text, plain_label, value_text
from clausal.explain.given_rows import Value
from clausal.explain.ledger import NearMiss, rule_to_dict
from clausal.explain.reasons import Reason
from clausal.rules.rule import Rule

Points = int | float


@dataclass(frozen=True)
class Explanation:
    """Why one row was decided as it was.

    Attributes
    ----------
    values : the row's values by name of the feature, None where missing; of a sparse table only the features
        that rules use
    label : the class that is predicted
    votes : the vote of each bank; two classes share one bank, whose vote decides for the second from 0 on
    constants : what every row gets, for each bank
    fired : the rules that hold, the weightiest first; constant and points add up to the vote
    near_misses : rules that do not hold, those with the fewest failed conditions first
    counterfactual : the fewest changes that lead to another decision, or None
    no_counterfactual : why there is no counterfactual, or None where there is one
    reasons : the features that pushed most towards the decision
    class_names : the classes as printed
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
    class_names: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values that JSON can hold."""
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
        }

    def __str__(self) -> str:
        values = ", ".join(f"{name_text(name)} = {value_text(value)}" for name, value in self.values.items())
        lines = [self._headline, f"Values: {values}", f"Rules that hold, besides the {self._constants_text}:"]
        lines += _columns(self._fired_cells()) or ["  none"]
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
            _table(
                f"Rules that hold, besides the {self._constants_text}",
                ("points", "speaks for", "rule"),
                self._fired_cells(),
            ),
            _table(
                "Closest rules that do not hold",
                ("points", "speaks for", "rule", "fails"),
                self._near_cells(),
            ),
            f"<p>{escape(self._counterfactual_text)}</p>",
        ]
        if self.reasons:
            listed = "".join(f"<li>{escape(str(reason))}</li>" for reason in self.reasons)
            parts.append(f"<p>Main reasons</p><ol>{listed}</ol>")
        return f'<div class="clausal-explanation">{"".join(parts)}</div>'

    @property
    def _headline(self) -> str:
        return f"Decided for {label_text(self.label)} with {self._per_bank('vote', 'votes', self.votes)}"

    @property
    def _constants_text(self) -> str:
        return self._per_bank("constant", "constants", self.constants)

    @property
    def _counterfactual_text(self) -> str:
        found = self.counterfactual
        if found is None:
            return f"Counterfactual: {self.no_counterfactual}"
        note = "" if found.minimal else " (fewer or smaller changes may do)"
        return f"Decided for {label_text(found.label)} instead with {found}{note}"

    def _per_bank(self, one: str, many: str, numbers: Sequence[Points]) -> str:
        if len(numbers) == 1:
            return f"{one} {signed(numbers[0])}"
        listed = (f"{name} {signed(number)}" for name, number in zip(self.class_names, numbers, strict=True))
        return f"{many} {', '.join(listed)}"

    def _fired_cells(self) -> list[tuple[str, ...]]:
        return [(signed(rule.points), rule.speaks_for, str(rule)) for rule in self.fired]

    def _near_cells(self) -> list[tuple[str, ...]]:
        return [
            (signed(miss.rule.points), miss.rule.speaks_for, str(miss.rule), miss.failed_text)
            for miss in self.near_misses
        ]


def signed(points: Points) -> str:
    """Points with their sign; whole ones in full, others to four digits."""
    return f"{points:+d}" if isinstance(points, int) else f"{points:+.4g}"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Points, class, `if` rule and what fails, one line each, the first two in columns."""
    if not rows:
        return []
    wide, name = (max(len(row[place]) for row in rows) for place in (0, 1))
    return [
        f"  {row[0]:>{wide}}  {row[1]:<{name}}  if {row[2]}" + "".join(f"; fails: {part}" for part in row[3:])
        for row in rows
    ]


def _table(title: str, head: Iterable[str], rows: Sequence[Iterable[str]]) -> str:
    """An HTML table, nothing where it would be empty."""
    if not rows:
        return ""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    caption = f"<caption>{escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
