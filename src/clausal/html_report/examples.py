"""Example rows with explanations: clear cases, the closest decision, the worst error.

Here: the choice of the rows. Not here: the explanations (explain).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clausal.explain.counterfactual import value_text
from clausal.explain.explain_rows import explain_rows
from clausal.explain.explanation import Explanation
from clausal.html_report.form import Field
from clausal.html_report.metrics import Evaluation
from clausal.html_report.row_names import RowNames
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.rows import take_rows

_MAX_VALUES = 30
_NUMBERS = RowNames()


@dataclass(frozen=True)
class Example:
    """A test row.

    Attributes
    ----------
    row : its index in the test data, counted from 0
    name : its name on the page
    title : why it is an example
    decided, true : the names of the decided class and the true class
    probability : of the decided class
    values : names and values of the features that rules use
    n_values_left_out : the number of features that are not listed
    explanation : of the decision
    """

    row: int
    name: str
    title: str
    decided: str
    true: str
    probability: float
    values: tuple[tuple[str, str], ...]
    n_values_left_out: int
    explanation: Explanation

    @property
    def right(self) -> bool:
        """Whether the decision is correct."""
        return self.decided == self.true


def make_examples(
    rules: RuleSet,
    fields: Sequence[Field],
    X: Any,
    evaluation: Evaluation,
    n_examples: int,
    names: RowNames = _NUMBERS,
) -> tuple[Example, ...]:
    """The example rows with their explanations."""
    chosen = choose_rows(evaluation, n_examples)
    if not chosen:
        return ()
    rows = list(chosen)
    explanations = explain_rows(rules, take_rows(X, np.array(rows, np.intp)))
    examples = []
    for row, explanation in zip(rows, explanations, strict=True):
        decided = int(evaluation.decided[row])
        values = tuple((field.name, value_text(explanation.values[field.feature])) for field in fields)
        examples.append(
            Example(
                row=row,
                name=names[row],
                title=chosen[row],
                decided=evaluation.class_names[decided],
                true=evaluation.class_names[int(evaluation.codes[row])],
                probability=float(evaluation.probabilities[row, decided]),
                values=values[:_MAX_VALUES],
                n_values_left_out=max(0, len(values) - _MAX_VALUES),
                explanation=explanation,
            )
        )
    return tuple(examples)


def choose_rows(evaluation: Evaluation, n_examples: int) -> dict[int, str]:
    """Indices and titles of example rows: two clear cases, the closest decision, the worst error, others."""
    chosen: dict[int, str] = {}
    for row, title in _candidates(evaluation):
        if len(chosen) >= n_examples:
            break
        chosen.setdefault(row, title)
    return chosen


def _candidates(evaluation: Evaluation) -> Iterator[tuple[int, str]]:
    margins, codes = evaluation.margins, evaluation.codes
    correct = evaluation.decided == codes

    def clear(k: int) -> Iterator[tuple[int, str]]:
        rows = np.flatnonzero(correct & (codes == k))
        if len(rows):
            yield int(rows[margins[rows].argmax()]), f"a clear case of {evaluation.class_names[k]}"

    yield from clear(1)
    yield from clear(0)
    yield int(np.abs(margins).argmin()), "the closest decision"
    wrong = np.flatnonzero(~correct)
    if len(wrong):
        yield int(wrong[margins[wrong].argmin()]), "the worst error"
    for k in range(2, evaluation.n_classes):
        yield from clear(k)
    for row in np.argsort(np.abs(margins), kind="stable").tolist():
        yield row, "another close decision"
