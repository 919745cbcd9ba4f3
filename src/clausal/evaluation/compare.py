"""`clausal.compare`: two or more models on the same rows: measures, rules and decisions side by side.

Differences of measures are paired: each bootstrap sample draws the same rows for every model. Not here: the
measures (metrics.py), the difference of rule sets (rules/render.py), the page (html_report/compare_page.py).
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.remarks import order_remarks, warn_of_table
from clausal.evaluation.intervals import UNKNOWN, Interval
from clausal.evaluation.metrics import Metrics, measure_together
from clausal.evaluation.predictions import check_model, evaluate, model_table
from clausal.frames import FrameBackend, make_frame
from clausal.rules.render import RuleDifference
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.card_prediction import CardVotes
from clausal.scorecard.scale import turned
from clausal.scorecard.scorecard import Scorecard

_MAX_LISTED = 10  # rows in text


@dataclass(frozen=True)
class PairedMeasure:
    """A measure of one model, and by how much it differs from that of the first model.

    Attributes
    ----------
    model, measure : their names
    value : with its 95 % interval
    difference : to the first model, with the interval of the same bootstrap samples; NaN for the first model
    """

    model: str
    measure: str
    value: Interval
    difference: Interval

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference does not contain 0."""
        return self.difference.low > 0 or self.difference.high < 0


@dataclass(frozen=True, eq=False)
class CompareResult:
    """What `compare` found.

    Attributes
    ----------
    names : tuple of str
        The names of the models, the first one that others are compared with first.
    rules : tuple of RuleSet
        Their rules.
    measures : tuple of PairedMeasure
        Every measure of every model.
    differing : int array
        The rows, counted from 0, in which not all models decide alike.
    decisions : array [n_models, n]
        The decision of each model for each row.
    y : array [n]
        The true classes.
    n_rows, n_resamples : int
        The numbers of rows and of bootstrap samples.
    """

    names: tuple[str, ...]
    rules: tuple[RuleSet, ...]
    measures: tuple[PairedMeasure, ...]
    differing: NDArray[np.intp]
    decisions: NDArray[Any]
    y: NDArray[Any]
    n_rows: int
    n_resamples: int

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per model and measure, with intervals, and the difference to the first model.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of data frame; None uses the first that is installed.
        """
        columns: dict[str, list[Any]] = {
            "model": [each.model for each in self.measures],
            "measure": [each.measure for each in self.measures],
        }
        for name, prefix in (("value", ""), ("difference", "difference_")):
            intervals = [getattr(each, name) for each in self.measures]
            columns[name] = [each.value for each in intervals]
            columns[f"{prefix}low"] = [each.low for each in intervals]
            columns[f"{prefix}high"] = [each.high for each in intervals]
        return make_frame(columns, backend)

    def decisions_to_frame(self, backend: FrameBackend | None = None) -> Any:
        """The rows that are not decided alike: `row`, counted from 0, `true`, and a column per model."""
        decided = self.decisions[:, self.differing]
        columns: dict[str, list[Any]] = {
            "row": self.differing.tolist(),
            "true": self.y[self.differing].tolist(),
        }
        columns |= {f"decision {name}": row.tolist() for name, row in zip(self.names, decided, strict=True)}
        return make_frame(columns, backend)

    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the result as one HTML page that works offline.

        Parameters
        ----------
        path : str or path-like
            The file to write.
        title : str, default=None
            The heading of the page.
        """
        from clausal.html_report.compare_page import write_compare_page

        write_compare_page(self, path, title)

    def of(self, measure: str) -> tuple[PairedMeasure, ...]:
        """One measure of every model."""
        return tuple(each for each in self.measures if each.measure == measure)

    @property
    def measure_names(self) -> tuple[str, ...]:
        """The measures, in display order."""
        return tuple(dict.fromkeys(each.measure for each in self.measures))

    @property
    def changes(self) -> tuple[RuleDifference, ...]:
        """The rules of the first model compared with those of each other one."""
        return tuple(self.rules[0].diff(other) for other in self.rules[1:])

    def n_shared(self, index: int) -> int:
        """The number of rules that the first model and another one, counted from 1, both have."""
        return len(self.rules[0]) - len(self.changes[index - 1].only_here)

    def right_and_wrong(self, index: int) -> tuple[int, int]:
        """In how many rows only the first model is right, and only another one, counted from 1."""
        first, other = self.decisions[0] == self.y, self.decisions[index] == self.y
        return int((first & ~other).sum()), int((other & ~first).sum())

    def __str__(self) -> str:
        lines = [f"{len(self.names)} models on {self.n_rows:,} rows, compared with {self.names[0]}"]
        for name in self.measure_names:
            lines += [name, *(f"  {_measure_text(each)}" for each in self.of(name))]
        for index, (name, change) in enumerate(zip(self.names[1:], self.changes, strict=True), 1):
            one, other = self.right_and_wrong(index)
            n = int((self.decisions[0] != self.decisions[index]).sum())
            lines.append(
                f"{self.names[0]} and {name} decide {n:,} of {self.n_rows:,} rows differently: only "
                f"{self.names[0]} is right in {one:,}, only {name} in {other:,}"
            )
            lines.append(f"rules in both: {self.n_shared(index)}; {self.names[0]} (here) and {name} (there):")
            lines += [f"  {line}" for line in str(change).splitlines()]
        if len(self.differing):
            listed = ", ".join(str(row + 1) for row in self.differing[:_MAX_LISTED].tolist())
            more = " and more" if len(self.differing) > _MAX_LISTED else ""
            lines.append(f"rows that are decided differently, counted from 1: {listed}{more}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"CompareResult of {', '.join(self.names)} on {self.n_rows} rows"


def compare(models: Mapping[str, Any] | Sequence[Any], X: Any, y: Any) -> CompareResult:
    """Two or more models on the same rows, side by side.

    Every row counts once: there are no sample weights.

    Parameters
    ----------
    models : dict of name and model, or list of models
        Two or more fitted models of the same classes: TsetlinClassifier, RuleClassifier or Scorecard. The
        others are compared with the first, also scorecards with points for the other class. In a list, they
        are called "model 1" and so on.
    X : table of shape (n, n_features)
        Rows that no model was trained on. Of a data frame, each model reads the columns that it knows.
    y : array-like of shape (n,)
        Their classes.

    Returns
    -------
    CompareResult
        Can be printed; see its `measures`, `differing`, `changes`, `to_frame()` and `to_html(path)`.
    """
    return compare_tables(models, None, X, y)


def compare_tables(models: Any, tables: Sequence[Any] | None, X: Any, y: Any) -> CompareResult:
    """`compare` with a table for each model; None for the same one, X."""
    named = _named(models)
    first = next(iter(named.values())).rules_
    named = {name: _aligned(model, first, name) for name, model in named.items()}
    evaluations = []
    for index, model in enumerate(named.values()):
        table = model_table(model, X) if tables is None else tables[index]
        evaluations.append(evaluate(model, model.rules_, table, y, "y"))
    warn_of_table(order_remarks(X, y=y))
    results = measure_together(evaluations)
    decided = np.array([each.decided for each in evaluations])
    labels = first.classes
    return CompareResult(
        names=tuple(named),
        rules=tuple(model.rules_ for model in named.values()),
        measures=_measures(tuple(named), results.metrics, results.differences),
        differing=np.flatnonzero((decided != decided[0]).any(axis=0)),
        decisions=labels[decided],
        y=labels[evaluations[0].codes],
        n_rows=len(evaluations[0].codes),
        n_resamples=results.metrics[0].n_resamples,
    )


def _aligned(model: Any, first: RuleSet, name: str) -> Any:
    """The model with the positive class of the first one, for which the points of a scorecard are turned."""
    own = model.rules_.class_names
    if own == first.class_names:
        return model
    other_positive = own == first.class_names[::-1]
    points = (*model.rules_.constants, *(rule.points for rule in model.rules_))
    if other_positive and isinstance(model, CardVotes) and all(isinstance(each, int) for each in points):
        card: Any = model
        return turned(model if isinstance(model, Scorecard) else card.to_scorecard())
    what = "positive class, the last one," if other_positive else "classes,"
    raise ValueError(
        f"The models of compare must have the same {what} here {list(first.class_names)}. "
        f"Got {list(own)} for {name!r}."
    )


def _named(models: Any) -> dict[str, Any]:
    """The models by name, two or more."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    elif isinstance(models, (list, tuple)):
        named = {f"model {number}": model for number, model in enumerate(models, 1)}
    else:
        raise TypeError(f"models must be a dict or a list of fitted models. Got {type(models).__name__}.")
    if len(named) < 2:
        raise ValueError(f"models must be 2 or more models. Got {len(named)}.")
    for model in named.values():
        check_model(model, "compare")
    return named


def _measures(
    names: tuple[str, ...], metrics: Sequence[Metrics], differences: Sequence[Mapping[str, Interval]]
) -> tuple[PairedMeasure, ...]:
    """Each measure of each model, by measure."""
    return tuple(
        PairedMeasure(
            name,
            item.name,
            Interval(own[item.name].value, own[item.name].low, own[item.name].high),
            gaps.get(item.name, UNKNOWN),
        )
        for item in metrics[0].items
        for name, own, gaps in zip(names, metrics, differences, strict=True)
    )


def _measure_text(each: PairedMeasure) -> str:
    value, low, high = each.value
    text = f"{each.model}: {value:.3f} [{low:.3f}, {high:.3f}]"
    gap = each.difference
    if math.isnan(gap.value):
        return text
    return (
        f"{text}; difference {gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]{' *' if each.differs else ''}"
    )
