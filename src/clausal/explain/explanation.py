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
from clausal.outcome import Outcome
from clausal.rules.render import rule_lines
from clausal.rules.rule import Override, Rule
from clausal.wording import Number, label_text, points_text, signed_text


@dataclass(frozen=True)
class Explanation:
    """The explanation of one prediction.

    Attributes
    ----------
    values : the values of the row by name of the features that rules test, None if missing
    label : the predicted class, or the predicted number
    votes : the vote of each bank; two classes share one bank, and the positive class is predicted if the vote
        is at least `outcome.cut_off`
    constants : the constant of each bank
    fired : the rules that hold, those with the most points first; with the constants they add up to the votes
    near_misses : rules that do not hold, those with the fewest failed conditions first
    counterfactual : the fewest changes that lead to another decision, or None
    no_counterfactual : why there is no counterfactual, or None if there is one
    reasons : the features that contributed most to the decision; if there are none, the features that kept
        rules for the other class from holding; otherwise the constant; none if an override decides
    outcome : what votes mean
    notes : what a missing value or an unknown category counts as, if that makes a rule hold
    override : the override that decides, whatever the votes, or None
    """

    values: Mapping[str, Value]
    label: Any
    votes: tuple[Number, ...]
    constants: tuple[Number, ...]
    fired: tuple[Rule, ...]
    near_misses: tuple[NearMiss, ...]
    counterfactual: Counterfactual | None
    no_counterfactual: str | None
    reasons: tuple[Reason, ...]
    outcome: Outcome
    notes: tuple[str, ...] = ()
    override: Override | None = None

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
            "override": None if self.override is None else str(self.override),
        }

    def __str__(self) -> str:
        values = ", ".join(f"{name_text(name)} = {value_text(value)}" for name, value in self.values.items())
        lines = [
            self._headline,
            *self._override_text,
            *([f"Values: {values}"] if values else []),
            f"{self._fired_title}:",
        ]
        lines += [f"  {line}" for line in self._fired_lines()] if self.fired else ["  none"]
        lines += [f"  Note: {note}" for note in self.notes]
        if self.near_misses:
            near = rule_lines([miss.rule for miss in self.near_misses], self.outcome, together=False)
            fails = [miss.failed_text for miss in self.near_misses]
            lines.append("Closest rules that do not hold:")
            lines += [f"  {line}; fails: {failed}" for line, failed in zip(near, fails, strict=True)]
        lines.append(self._counterfactual_text)
        if self.reasons:
            lines += ["Main reasons:", *(f"  {i}. {reason}" for i, reason in enumerate(self.reasons, 1))]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        values = [(name, value_text(value)) for name, value in self.values.items()]
        parts = [
            f"<p><strong>{escape(self._headline)}</strong></p>",
            *(f"<p>{escape(text)}</p>" for text in self._override_text),
            _table("Values", ("feature", "value"), values),
            _table(self._fired_title, self._fired_head(), self._fired_cells()),
            *(f"<p>Note: {escape(note)}</p>" for note in self.notes),
            _table("Closest rules that do not hold", (*self._head, "rule", "fails"), self._near_cells()),
            f"<p>{escape(self._counterfactual_text)}</p>",
        ]
        if self.reasons:
            listed = "".join(f"<li>{escape(str(reason))}</li>" for reason in self.reasons)
            parts.append(f"<p>Main reasons</p><ol>{listed}</ol>")
        return f'<div class="clausal-explanation">{"".join(parts)}</div>'

    @property
    def _headline(self) -> str:
        """The decision with the votes and, for two classes, their sum."""
        start = f"Decided for {label_text(self.label)} with vote"
        if self.outcome.n_banks > 1:
            return f"{start}s {self._per_class(self.votes)}"
        rises, falls = "that raise it", "that lower it"
        if self.outcome.is_numeric:
            start = f"Predicts {self._number(self.label)} with total"
        else:
            rises, falls = f"for {label_text(self.outcome.pos_label)}", "against it"
        up, down = (
            points_text(sum(abs(rule.points) for rule in self.fired if (rule.points > 0) == rising))
            for rising in (True, False)
        )
        (vote,), (constant,) = self.votes, self.constants
        total = f"{signed_text(constant)} (constant) + {up} (rules {rises}) - {down} (rules {falls})"
        cut_off = self.outcome.cut_off
        mark = f"; the cut-off is {signed_text(cut_off)}" if cut_off else ""
        return f"{start} {signed_text(vote)} = {total}{mark}"

    @property
    def _override_text(self) -> list[str]:
        """A sentence that says which override decides, if one does."""
        if self.override is None:
            return []
        return [f"An override decides, whatever the vote: {self.override}"]

    @property
    def _fired_title(self) -> str:
        """The title of the rules that hold, with the class of two, or the constants of more."""
        if self.outcome.is_numeric:
            return "Rules that hold, with points"
        if self.outcome.positive is not None:
            return f"Rules that hold, with points for {label_text(self.outcome.pos_label)}"
        return f"Rules that hold, besides the constants {self._per_class(self.constants)}"

    @property
    def _counterfactual_text(self) -> str:
        found = self.counterfactual
        if found is None:
            return f"Counterfactual: {self.no_counterfactual}"
        note = "" if found.minimal else " (fewer or smaller changes may do)"
        if self.outcome.is_numeric:
            return f"Predicts {self._number(found.label)} instead with {found}{note}"
        return f"Decided for {label_text(found.label)} instead with {found}{note}"

    def _number(self, predicted: float) -> str:
        """A predicted number without the noise of its last digits."""
        return self.outcome.prediction_text(float(f"{predicted:.12g}"))

    def _per_class(self, numbers: Sequence[Number]) -> str:
        pairs = zip(self.outcome.bank_names, numbers, strict=True)
        return ", ".join(f"{signed_text(number)} for {name}" for name, number in pairs)

    @property
    def _head(self) -> tuple[str, ...]:
        return ("points", *("for" for _ in self.outcome.class_cells(0)))

    def _rule_cells(self, rule: Rule) -> tuple[str, ...]:
        """Points, class if there are more than two, and conditions, as in `RuleSet.to_text`."""
        return signed_text(rule.points), *self.outcome.class_cells(rule.bank), str(rule)

    def _fired_lines(self) -> list[str]:
        return rule_lines(self.fired, self.outcome)

    def _fired_head(self) -> tuple[str, ...]:
        return (*self._head, "rule")

    def _fired_cells(self) -> list[tuple[str, ...]]:
        return [self._rule_cells(rule) for rule in self.fired]

    def _near_cells(self) -> list[tuple[str, ...]]:
        return [(*self._rule_cells(miss.rule), miss.failed_text) for miss in self.near_misses]


def _table(title: str, head: Iterable[str], rows: Sequence[Iterable[str]]) -> str:
    """An HTML table; an empty string if there are no rows."""
    if not rows:
        return ""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    caption = f"<caption>{escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
