"""Example rows with explanations: clear cases, the closest decision, the worst error.

Here: the choice of the rows, and their names: a number, counted from 1, or the user's own id. Not here: the
explanations (explain).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clausal.encoding.columns import name_text, number_text
from clausal.evaluation.predictions import Evaluation
from clausal.explain.counterfactual import value_text
from clausal.explain.explain_rows import explain_rows
from clausal.explain.explanation import Explanation
from clausal.html_report.form import Field
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.rows import take_rows

MAX_VALUES = 30
"""Maximum number of values of an example."""


@dataclass(frozen=True)
class RowNames:
    """The names of rows.

    Attributes
    ----------
    ids : the id of each row as printed, None where it is missing; None for row numbers
    column : the name of the ids, if they have one
    """

    ids: Sequence[str | None] | None = None
    column: str | None = None

    @classmethod
    def of(cls, ids: Any, n_rows: int) -> RowNames:
        """Check the user's ids, one for each row; None for row numbers."""
        if ids is None:
            return cls()
        values = _listed(ids)
        if len(values) != n_rows:
            raise ValueError(f"ids must have one id for each of the {n_rows} rows. Got {len(values)}.")
        column = getattr(ids, "name", None)
        return cls([_id_text(value) for value in values], column if isinstance(column, str) else None)

    def __getitem__(self, index: int) -> str:
        """The name of the row with this index, which is counted from 0."""
        own = None if self.ids is None else self.ids[index]
        return f"row {index + 1}" if own is None else f"row {own}"

    @property
    def sentence(self) -> str:
        """How rows are named, as one sentence."""
        if self.ids is None:
            return "Test rows are counted from 1."
        named = "id" if self.column is None else name_text(self.column)
        without = " Rows without one are counted from 1." if None in self.ids else ""
        return f"Test rows are named by their {named}.{without}"


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
                values=values[:MAX_VALUES],
                n_values_left_out=max(0, len(values) - MAX_VALUES),
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


_MAX_LENGTH = 80  # characters of an id


def _listed(ids: Any) -> list[Any]:
    if isinstance(ids, (str, bytes, dict, set)):
        raise ValueError(f"ids must be an array or a list with one id per row. Got {type(ids).__name__}.")
    array = np.array(ids, dtype=object) if isinstance(ids, (list, tuple)) else np.asarray(ids)
    if array.ndim != 1:
        raise ValueError(f"ids must be one-dimensional, one id per row. Got shape {array.shape}.")
    values: list[Any] = array.tolist() if array.dtype.kind != "M" else array.astype(str).tolist()
    return values


def _id_text(value: Any) -> str | None:
    """An id as printed; None if it is missing."""
    if value is None or str(value) in ("", "NaT", "<NA>") or value != value:
        return None
    text = name_text(number_text(value) if isinstance(value, float) else str(value))
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"
