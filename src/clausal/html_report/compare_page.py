"""The page of `CompareResult.to_html`.

Not here: the comparison (evaluation/compare.py), how a page is written (rendering.py).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from clausal.evaluation.compare import CompareResult
from clausal.evaluation.intervals import sign_test
from clausal.html_report.form import NOT_DEFINED, signed_text
from clausal.html_report.page_tables import read_about
from clausal.html_report.rendering import write_page
from clausal.rules.render import RuleDifference
from clausal.rules.rule import Rule
from clausal.wording import label_text

_MAX_RULES, _MAX_ROWS = 400, 50


@dataclass(frozen=True)
class RuleRow:
    """A rule or a constant, and its points in both models; a dash where it is absent."""

    text: str
    class_name: str
    here: str
    there: str


@dataclass(frozen=True)
class Pair:
    """The first model and another one."""

    name: str
    changes: RuleDifference
    n_shared: int
    rows: tuple[RuleRow, ...]
    n_left_out: int
    n_different: int
    only_first: int
    only_other: int
    p: float


@dataclass(frozen=True)
class DecisionRow:
    """A row that is not decided alike."""

    number: int
    true: str
    decisions: tuple[str, ...]


def write_compare_page(result: CompareResult, path: str | os.PathLike[str], title: str | None) -> None:
    """Write the page."""
    shown = result.differing[:_MAX_ROWS]
    truths, *decided = (list(map(label_text, each.tolist())) for each in (result.y, *result.decisions))
    content = {
        "title": read_about(title, None).title or "Comparison of models",
        "result": result,
        "several": result.rules[0].outcome.positive is None,
        "pairs": [_pair(result, index) for index in range(1, len(result.names))],
        "rows": [
            DecisionRow(row + 1, truths[row], tuple(names[row] for names in decided))
            for row in shown.tolist()
        ],
        "n_rows_left_out": len(result.differing) - len(shown),
    }
    write_page(path, "compare.html.j2", content)


def _pair(result: CompareResult, index: int) -> Pair:
    changes, first = result.changes[index - 1], result.rules[0]
    names = first.outcome.class_names
    rows = [
        RuleRow("constant, always", name, signed_text(here), signed_text(there))
        for name, here, there in changes.constants
    ]
    moved = {id(here): there for here, there in changes.changed}
    gone = set(map(id, changes.only_here))
    for rule in first:
        there = NOT_DEFINED if id(rule) in gone else signed_text(moved.get(id(rule), rule).points)
        rows.append(RuleRow(str(rule), _class_name(rule, names), signed_text(rule.points), there))
    rows += [
        RuleRow(str(rule), _class_name(rule, names), NOT_DEFINED, signed_text(rule.points))
        for rule in changes.only_there
    ]
    one, other = result.right_and_wrong(index)
    return Pair(
        name=result.names[index],
        changes=changes,
        n_shared=result.n_shared(index),
        rows=tuple(rows[:_MAX_RULES]),
        n_left_out=max(0, len(rows) - _MAX_RULES),
        n_different=int((result.decisions[0] != result.decisions[index]).sum()),
        only_first=one,
        only_other=other,
        p=sign_test(one, other),
    )


def _class_name(rule: Rule, names: tuple[str, ...]) -> str:
    return names[rule.bank] if len(names) > 2 else ""
