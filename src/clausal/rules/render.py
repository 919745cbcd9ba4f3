"""A rule set as plain text, Markdown and HTML, each with a sentence on how points become a decision.

Names and categories from the user's table are escaped: a column named `<script>` is shown as text. Also here:
the difference between two rule sets. Two rules are equal if they have the same conditions and the same bank;
the indices of their columns may differ. Not here: the text of conditions (rule.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from clausal.encoding.patches import PatchEncoding
from clausal.outcome import Outcome
from clausal.rules.rule import ALWAYS, Override, Rule
from clausal.wording import Number, label_text, points_text, signed_text

if TYPE_CHECKING:
    from clausal.rules.rule_set import RuleSet


_NO_RULES = "(no rules)"
_MAX_HTML_ROWS = 50
_MARKDOWN_CHARACTERS = re.compile(r"([\\`*_\[\]<>|~&$#!])")
_MISSING_IS_FALSE = (
    "In a feature that was never missing in training, a missing value counts as above every cut point, "
    "as none of the listed categories, and as not true."
)
_UNKNOWN_IS_NOTHING = (
    "A category not seen in training satisfies no condition, not even one with `not`: no rule that tests its "
    "feature holds."
)
_UNKNOWN_IS_ABOVE = "An ordered category not seen in training counts as above all others."
_UNKNOWN_IS_MISSING = "A category not seen in training counts as missing."


def to_text(rules: RuleSet) -> str:
    """How to decide, then one rule per line (points, class if needed, conditions), overrides, footnotes."""
    lines = [decision_text(rules), *rule_lines(rules, rules.outcome)]
    if rules.overrides:
        lines += [OVERRIDES, *override_lines(rules.overrides)]
    return "\n".join([*lines, *footnotes(rules)])


def to_markdown(rules: RuleSet) -> str:
    """Like `to_text`, with the rules in a Markdown table."""
    rows = [_markdown_row([*map(plain_markdown, cells), _code(text)]) for cells, text in _cells(rules)]
    head = _head(rules.outcome)
    lines = ["---:", *("---" for _ in head[1:])]
    table = [_markdown_row(head), _markdown_row(lines), *rows] if rows else [_NO_RULES]
    notes = [plain_markdown(note) for note in footnotes(rules)]
    paragraphs = [plain_markdown(decision_text(rules)), "\n".join(table)]
    if rules.overrides:
        cells = [[plain_markdown(label_text(each.label)), _code(str(each))] for each in rules.overrides]
        listed = map(_markdown_row, [("decides for", "if"), ("---", "---"), *cells])
        paragraphs += [plain_markdown(OVERRIDES), "\n".join(listed)]
    paragraphs += notes
    return "\n\n".join(paragraphs) + "\n"


def to_html(rules: RuleSet) -> str:
    """An HTML table for notebooks, of the rules with the most points."""
    shown = rules[:_MAX_HTML_ROWS]
    rows = [
        f'<tr><td style="text-align: right">{points}</td>'
        f"{''.join(f'<td>{escape(name)}</td>' for name in names)}"
        f'<td style="text-align: left">{escape(text)}</td></tr>'
        for (points, *names), text in _cells(shown)
    ]
    notes = list(footnotes(rules))
    if len(rules) > len(shown):
        notes.insert(0, f"... and {len(rules) - len(shown)} rules of fewer points.")
    head = "".join(f"<th>{name}</th>" for name in _head(rules.outcome)[:-1])
    head += '<th style="text-align: left">if</th>'
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return "".join(
        [
            "<div>",
            f"<p>{escape(decision_text(rules))}</p>",
            table if rows else f"<p>{_NO_RULES}</p>",
            _overrides_html(rules.overrides),
            *(f"<p>{escape(note)}</p>" for note in notes),
            "</div>",
        ]
    )


OVERRIDES = "Overrides, whatever the total; the first one that holds decides:"


def override_lines(overrides: Sequence[Override]) -> list[str]:
    """One line per override, aligned in columns: `bad  if age <= 18`."""
    labels = [label_text(override.label) for override in overrides]
    width = max(map(len, labels), default=0)
    return [f"{label:<{width}}  if {override}" for label, override in zip(labels, overrides, strict=True)]


def _overrides_html(overrides: Sequence[Override]) -> str:
    """A table; nothing without overrides."""
    if not overrides:
        return ""
    cells = ((escape(label_text(each.label)), escape(str(each))) for each in overrides)
    rows = "".join(
        f'<tr><td>{name}</td><td style="text-align: left">{text}</td></tr>' for name, text in cells
    )
    head = '<tr><th>decides for</th><th style="text-align: left">if</th></tr>'
    return f"<p>{escape(OVERRIDES)}</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def rule_lines(rules: Sequence[Rule], outcome: Outcome, *, together: bool = True) -> list[str]:
    """One line per rule, aligned in columns: `+12  if age > 54`, or `+12 for a  if age > 54` if need be.

    Rules with the same conditions come together, unless that is not wanted; only the first line has them.
    """
    texts = [
        (
            signed_text(rule.points),
            "".join(f" for {name}" for name in outcome.class_cells(rule.bank)),
            "" if index else _if_text(rule),
        )
        for group in (rules_together(rules, outcome) if together else [[rule] for rule in rules])
        for index, rule in enumerate(group)
    ]
    points_width, name_width = (max((len(text[i]) for text in texts), default=0) for i in (0, 1))
    lines = [f"{number:>{points_width}}{name:<{name_width}}  {text}".rstrip() for number, name, text in texts]
    return lines or [_NO_RULES]


def _if_text(rule: Rule) -> str:
    return f"{'if ' if rule.literals else ''}{rule}"


def rules_together(rules: Iterable[Rule], outcome: Outcome) -> list[list[Rule]]:
    """The rules, those with the same conditions for different banks together, where the first of them is."""
    if outcome.n_banks == 1:
        return [[rule] for rule in rules]
    return list(_grouped(rules).values())


def _grouped(rules: Iterable[Rule]) -> dict[object, list[Rule]]:
    """Rules by their conditions and how many rules of the bank have had these conditions before."""
    groups: dict[object, list[Rule]] = {}
    counts: Counter[object] = Counter()
    for rule in rules:
        meaning = frozenset(map(str, rule.literals))
        groups.setdefault((meaning, counts[rule.bank, meaning]), []).append(rule)
        counts[rule.bank, meaning] += 1
    return groups


def decision_text(rules: RuleSet) -> str:
    """A few sentences that say how points become a decision."""
    outcome = rules.outcome
    how_to_vote = [*points_note(outcome), outcome.how_to_vote(rules.constants)] if len(rules) else []
    if isinstance(rules.encoding, PatchEncoding) and len(rules):
        how_to_vote.append(rules.encoding.sentence)
    return " ".join([*how_to_vote, always_text(rules) or outcome.how_to_decide(), *override_note(rules)])


def override_note(rules: RuleSet) -> list[str]:
    """One sentence that says that overrides come first, if there are any."""
    return ["An override that holds comes first."] if rules.overrides else []


def points_note(outcome: Outcome) -> list[str]:
    """One sentence that says which class points are for, unless each rule says so itself."""
    return [] if outcome.positive is None else [f"Points are for {label_text(outcome.pos_label)}."]


def always_text(rules: RuleSet) -> str | None:
    """A sentence that says that the votes predict the same class for every row, or None.

    The check uses only the sums of all positive and of all negative points. It misses models that always
    predict one class because some of their rules never hold together.
    """
    lows, highs = list(rules.constants), list(rules.constants)
    for rule in rules:  # in the order in which votes are summed, for the same rounding
        bounds = highs if rule.points > 0 else lows
        bounds[rule.bank] += rule.points
    found = rules.outcome.always(lows, highs)
    return f"Always predicts {found[0]}: {found[1]}." if found else None


def footnotes(rules: RuleSet) -> list[str]:
    """Effects of the policy for missing values and unknown categories that the rules do not mention."""
    encoding, notes = rules.encoding, []
    policy = encoding.policy
    as_false = policy.handle_missing == "as_false"
    tested = (*rules, *rules.overrides)
    negated = {literal.column for each in tested for literal in each.literals if literal.negated}
    if as_false and any(not column.nullable for column in negated):
        notes.append(_MISSING_IS_FALSE)
    if policy.handle_unknown == "no_rule" and any(column.kind in ("is", "upto") for column in negated):
        notes.append(_UNKNOWN_IS_NOTHING)
    if policy.handle_unknown == "no_match" and any(column.ordered for column in negated):
        notes.append(_UNKNOWN_IS_ABOVE)
    used = [encoding.features[index] for index in rules.used_features]
    if policy.handle_unknown == "missing" and any(
        feature.kind in ("nominal", "ranked") and (feature.nullable or as_false) for feature in used
    ):
        notes.append(_UNKNOWN_IS_MISSING)
    return notes


def _head(outcome: Outcome) -> list[str]:
    """The head of a table of rules."""
    return ["points", *("for" for _ in outcome.class_cells(0)), "if"]


def _cells(rules: RuleSet) -> Iterator[tuple[list[str], str]]:
    """What a table says of rules with the same conditions: points and, if there are several, classes; if."""
    for together in rules_together(rules, rules.outcome):
        columns = zip(
            *((signed_text(r.points), *rules.outcome.class_cells(r.bank)) for r in together), strict=True
        )
        yield [", ".join(cells) for cells in columns], str(together[0])


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def plain_markdown(text: str) -> str:
    """Text with the special characters of Markdown and HTML escaped."""
    return _MARKDOWN_CHARACTERS.sub(r"\\\1", text)


def _code(text: str) -> str:
    """Text as inline code in a table cell, with enough backticks to enclose it and escaped bars."""
    if text == ALWAYS:
        return text
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if fence != "`" else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")


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
    policy : tuple of (name, here, there)
        What differs in how values that training did not have are treated, by the name of the parameter; and
        the numbers with which votes become predictions, such as the cut-off, if they differ.
    overrides : pair of tuples of str, (here, there)
        The overrides in words, if they differ; else empty.
    outcome : Outcome
        What the votes of both mean.
    """

    only_here: tuple[Rule, ...]
    only_there: tuple[Rule, ...]
    changed: tuple[tuple[Rule, Rule], ...]
    constants: tuple[tuple[str, Number, Number], ...]
    policy: tuple[tuple[str, Any, Any], ...]
    outcome: Outcome
    overrides: tuple[tuple[str, ...], ...] = ()

    def __bool__(self) -> bool:
        parts = (self.only_here, self.only_there, self.changed, self.constants, self.policy, self.overrides)
        return any(map(bool, parts))

    def __str__(self) -> str:
        if not self:
            return "No difference."
        lines = points_note(self.outcome)
        lines += [
            f"Start of {name}: {points_text(here)} here, {points_text(there)} there"
            for name, here, there in self.constants
        ]
        lines += [f"{name}: {here!r} here, {there!r} there" for name, here, there in self.policy]
        for title, rules in (("Only here:", self.only_here), ("Only there:", self.only_there)):
            lines += [title, *(f"  {line}" for line in rule_lines(rules, self.outcome))] if rules else []
        if self.changed:
            lines += ["Other points:", *(f"  {self._change_text(*pair)}" for pair in self.changed)]
        for where, texts in zip(("here", "there"), self.overrides, strict=False):
            lines += [f"Overrides {where}:", *(f"  {text}" for text in texts or ("none",))]
        return "\n".join(lines)

    def _change_text(self, here: Rule, there: Rule) -> str:
        name = "".join(f" for {name}" for name in self.outcome.class_cells(here.bank))
        points = f"{signed_text(here.points)} here, {signed_text(there.points)} there{name}"
        return f"{points}  {_if_text(here)}"


def difference(here: RuleSet, there: RuleSet) -> RuleDifference:
    """The difference between `here` and `there`, which must have the same classes in the same order."""
    if here.outcome.is_numeric != there.outcome.is_numeric or here.class_names != there.class_names:
        raise ValueError(
            "Rule sets must have the same classes in the same order to be compared, here "
            f"{list(here.class_names)}. Got {list(there.class_names)}."
        )
    rules_here, rules_there = _by_meaning(here), _by_meaning(there)
    constants = zip(here.outcome.bank_names, here.constants, there.constants, strict=True)
    numbers = there.outcome.numbers
    overrides = tuple(tuple(override_lines(rules.overrides)) for rules in (here, there))
    return RuleDifference(
        only_here=tuple(rule for key, rule in rules_here.items() if key not in rules_there),
        only_there=tuple(rule for key, rule in rules_there.items() if key not in rules_here),
        changed=tuple(
            (rule, rules_there[key])
            for key, rule in rules_here.items()
            if key in rules_there and rules_there[key].points != rule.points
        ),
        constants=tuple((name, a, b) for name, a, b in constants if a != b),
        policy=tuple(
            (name, policy, getattr(there.encoding.policy, name))
            for name, policy in asdict(here.encoding.policy).items()
            if policy != getattr(there.encoding.policy, name)
        )
        + tuple((name, a, numbers[name]) for name, a in here.outcome.numbers.items() if a != numbers[name]),
        outcome=here.outcome,
        overrides=overrides if overrides[0] != overrides[1] else (),
    )


def _by_meaning(rules: Sequence[Rule]) -> dict[object, Rule]:
    """Rules by (bank and set of conditions, number of equal rules before this one)."""
    return {(rule.bank, key): rule for key, rules_of in _grouped(rules).items() for rule in rules_of}
