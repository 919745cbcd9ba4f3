"""The difference between two rule sets: rules that only one of them has, changed points, constants.

Two rules are equal if they have the same conditions and the same bank; the indices of their columns may
differ. Not here: whether two rule sets give the same votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausal.outcome import Number, points_text
from clausal.rules.render import rule_lines
from clausal.rules.rule import Rule

if TYPE_CHECKING:
    from clausal.rules.rule_set import RuleSet


@dataclass(frozen=True)
class RuleDifference:
    """The difference between two rule sets; its truth value is False if there is none.

    Attributes
    ----------
    only_here, only_there : tuple of Rule
        Rules that only one of the two has.
    changed : tuple of pairs of Rule
        Rules that both have, with different points, as (here, there).
    constants : tuple of (class, here, there)
        Constants that differ, with the class that the bank votes for.
    """

    only_here: tuple[Rule, ...]
    only_there: tuple[Rule, ...]
    changed: tuple[tuple[Rule, Rule], ...]
    constants: tuple[tuple[str, Number, Number], ...]

    def __bool__(self) -> bool:
        return bool(self.only_here or self.only_there or self.changed or self.constants)

    def __str__(self) -> str:
        if not self:
            return "No difference."
        lines = [
            f"Start of {name}: {points_text(here)} here, {points_text(there)} there"
            for name, here, there in self.constants
        ]
        for title, rules in (("Only here:", self.only_here), ("Only there:", self.only_there)):
            lines += [title, *(f"  {line}" for line in rule_lines(rules))] if rules else []
        if self.changed:
            lines += ["Other points:", *(f"  {_change_text(*pair)}" for pair in self.changed)]
        return "\n".join(lines)


def difference(here: RuleSet, there: RuleSet) -> RuleDifference:
    """The difference between `here` and `there`, which must have the same classes."""
    if here.class_names != there.class_names:
        raise ValueError(
            f"Rule sets must have the same classes to be compared, here {list(here.class_names)}. "
            f"Got {list(there.class_names)}."
        )
    rules_here, rules_there = _by_meaning(here), _by_meaning(there)
    constants = zip(here.outcome.bank_names, here.constants, there.constants, strict=True)
    return RuleDifference(
        only_here=tuple(rule for key, rule in rules_here.items() if key not in rules_there),
        only_there=tuple(rule for key, rule in rules_there.items() if key not in rules_here),
        changed=tuple(
            (rule, rules_there[key])
            for key, rule in rules_here.items()
            if key in rules_there and rules_there[key].points != rule.points
        ),
        constants=tuple((name, a, b) for name, a, b in constants if a != b),
    )


def _by_meaning(rules: Sequence[Rule]) -> dict[object, Rule]:
    """Rules by (bank and set of conditions, number of equal rules before this one)."""
    found: dict[object, Rule] = {}
    counts: Counter[object] = Counter()
    for rule in rules:
        meaning = (rule.bank, frozenset(map(str, rule.literals)))
        found[meaning, counts[meaning]] = rule
        counts[meaning] += 1
    return found


def _change_text(here: Rule, there: Rule) -> str:
    texts = [f"+{points_text(abs(rule.points))} {rule.speaks_for}" for rule in (here, there)]
    return f"{texts[0]} here, {texts[1]} there  if {here}"
