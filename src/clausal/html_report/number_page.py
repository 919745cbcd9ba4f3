"""The content of the report of a model that predicts numbers: measures, residuals, rules, single rows.

A residual is the number minus the prediction. Not here: the head of the page and how it is written (page.py),
the measures (evaluation/intervals.py), the charts (charts.py), the explanations (explain).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.values import UnseenValueWarning
from clausal.evaluation.intervals import Interval, around, mean, number_measures, quantile_of, share
from clausal.evaluation.metrics import bands
from clausal.explain.counterfactual import value_text
from clausal.explain.explain_rows import explain_rows
from clausal.explain.explanation import Explanation
from clausal.html_report import charts
from clausal.html_report.examples import MAX_VALUES, RowNames
from clausal.html_report.form import Field, make_fields
from clausal.html_report.page_tables import MAX_MEASURED_RULES, make_features
from clausal.machine.inputs import read_numbers, row_count
from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.card_prediction import CardVotes
from clausal.scorecard.rows import take_rows

Floats = NDArray[np.float64]

_MAX_POINTS = 1000  # of a chart
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_CONFIDENCE = 0.9  # of prediction intervals
_MEANINGS = {
    "R²": "1 minus the mean squared error as a share of that of the mean of the test rows",
    "RMSE": "root of the mean squared error",
    "MAE": "mean absolute error",
    "Share not above": "share of the numbers that are not above the prediction; ideally the quantile",
    "Quantile loss": "mean loss of the predicted quantile (pinball loss)",
}


@dataclass(frozen=True, eq=False)
class NumberRows:
    """The numbers and predictions of the test rows and, if given, the numbers of the training rows."""

    X: Any
    y: Floats
    predicted: Floats
    X_train: Any = None
    y_train: Floats | None = None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, X_train: Any, y_train: Any) -> NumberRows:
        """Check the numbers and predict."""
        numbers = read_numbers(y, row_count(X), "y_test")
        if not len(numbers):
            raise ValueError("y_test must have at least one number. Got 0.")
        predicted = np.asarray(model.predict(X), np.float64)
        if X_train is None:
            return cls(X, numbers, predicted)
        return cls(X, numbers, predicted, X_train, read_numbers(y_train, row_count(X_train), "y_train"))

    @property
    def residuals(self) -> Floats:
        """Number minus prediction, of the test rows."""
        return self.y - self.predicted


@dataclass(frozen=True)
class Measure:
    """A measure with its interval and its meaning."""

    name: str
    figure: Interval
    meaning: str


@dataclass(frozen=True)
class Band:
    """Test rows with similar predictions: the lowest and the highest, their mean, and the mean number."""

    low: float
    high: float
    rows: int
    predicted: float
    observed: Interval


@dataclass(frozen=True)
class NumberLine:
    """A rule, its number in the scorecard and, on each set of rows, its support and the mean number there."""

    number: int
    rule: Rule
    parts: tuple[tuple[int, float, Interval], ...]


@dataclass(frozen=True)
class NumberExample:
    """A test row with its explanation; `name` is that of the row, `title` says why it is an example."""

    name: str
    title: str
    true: float
    values: tuple[tuple[str, str], ...]
    n_values_left_out: int
    explanation: Explanation


def number_content(model: Any, data: NumberRows, n_examples: int, ids: Any) -> dict[str, Any]:
    """All that the page shows besides what is said about the model; single rows only with examples."""
    rules, path, names = model.rules_, getattr(model, "path_", None), RowNames.of(ids, len(data.y))
    fields = make_fields(rules)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValueWarning)  # `predict` has warned of them
        return {
            "n_test": len(data.y),
            "kind": "scorecard" if isinstance(model, CardVotes) else "Tsetlin machine",
            "quantile": quantile_of(model),
            "measures": number_measure_table(model, data),
            "residual_quantiles": list(
                zip(_QUANTILES, np.quantile(data.residuals, _QUANTILES).tolist(), strict=True)
            ),
            "bands": tuple(prediction_bands(data)),
            **_charts(data, with_rows=n_examples > 0),
            "path": path,
            "path_chart": None if path is None else charts.path_chart(path),
            "parts": _parts(data),
            "rule_lines": tuple(rule_lines(rules[:MAX_MEASURED_RULES], data)),
            "features": make_features(rules, fields, data.X),
            "with_effects": True,
            "effect_columns": 2,
            **_bins(model, data),
            "fields": fields,
            "examples": number_examples(rules, fields, data, n_examples, names),
            "row_names": names.sentence,
        }


def number_measure_table(model: Any, data: NumberRows) -> tuple[Measure, ...]:
    """The measures on the test rows and, of a scorecard, the share of them within its intervals."""
    found = number_measures(data.y, data.predicted, quantile_of(model))
    measures = [Measure(name, Interval(*figure), _MEANINGS[name]) for name, figure in found.items()]
    if hasattr(model, "predict_interval"):
        low, high = model.predict_interval(data.X, _CONFIDENCE).T
        within = int(((low <= data.y) & (data.y <= high)).sum())
        meaning = f"share of the numbers that are within the intervals of predict_interval(X, {_CONFIDENCE})"
        measures.append(Measure("Within intervals", share(within, len(data.y)), meaning))
    return tuple(measures)


def prediction_bands(data: NumberRows) -> Iterator[Band]:
    """About ten groups of test rows by their prediction; rows of equal prediction are never split."""
    values, place, counts = np.unique(data.predicted, return_inverse=True, return_counts=True)
    for band in bands(counts):
        inside = (place >= band[0]) & (place <= band[-1])
        yield Band(
            low=float(values[band[0]]),
            high=float(values[band[-1]]),
            rows=int(inside.sum()),
            predicted=float(data.predicted[inside].mean()),
            observed=around(*mean(data.y[inside])),
        )


def _charts(data: NumberRows, *, with_rows: bool) -> dict[str, Any]:
    """The charts; those with a point for each row only with rows.

    Of many rows, those are shown whose residuals are evenly spaced among the sorted ones, with both ends.
    """
    order = np.argsort(data.residuals, kind="stable")
    places = np.linspace(0, len(order) - 1, min(len(order), _MAX_POINTS)).round().astype(np.intp)
    shown = order[places]
    x, y, residuals = data.predicted[shown], data.y[shown], data.residuals[shown]
    return {
        "n_points": len(shown),
        "observed_chart": charts.scatter_chart(
            x, y, ("predicted", "observed"), "Observed against predicted numbers of test rows.", line=True
        )
        if with_rows
        else None,
        "residual_chart": charts.scatter_chart(
            x, residuals, ("predicted", "residual"), "Residuals against predictions of test rows.", line=False
        )
        if with_rows
        else None,
        "residual_histogram": charts.histogram(
            data.residuals, ("residual", "rows"), "How many test rows have which residual."
        ),
    }


def _parts(data: NumberRows) -> tuple[tuple[str, int, float, float], ...]:
    """The name, number of rows, mean and standard deviation of each set of rows."""
    given = [("Test", data.y)] if data.y_train is None else [("Training", data.y_train), ("Test", data.y)]
    return tuple((name, len(y), float(y.mean()), float(y.std())) for name, y in given)


def _bins(model: Any, data: NumberRows) -> dict[str, Any]:
    """The table of bins of a scorecard, on the training rows if there are any."""
    with_training = data.y_train is not None
    rows = (data.X_train, data.y_train) if with_training else (data.X, data.y)
    return {
        "points_table": model.table(*rows) if isinstance(model, CardVotes) else None,
        "points_table_rows": "training" if with_training else "test",
    }


def rule_lines(rules: RuleSet, data: NumberRows) -> Iterator[NumberLine]:
    """The support of each rule, and the mean number where it holds, on training and test rows."""
    given = [(data.X, data.y)] if data.y_train is None else [(data.X_train, data.y_train), (data.X, data.y)]
    parts = [(rules.fires(X), y) for X, y in given]
    for index, rule in enumerate(rules):
        held = [(y[fires[:, index]], len(y)) for fires, y in parts]
        yield NumberLine(
            index + 1, rule, tuple((len(y), len(y) / total, around(*mean(y))) for y, total in held)
        )


def number_examples(
    rules: RuleSet, fields: tuple[Field, ...], data: NumberRows, n_examples: int, names: RowNames
) -> tuple[NumberExample, ...]:
    """Test rows with their explanations."""
    chosen = _chosen(data, n_examples)
    if not chosen:
        return ()
    rows = list(chosen)
    explained = explain_rows(rules, take_rows(data.X, np.array(rows, np.intp)), counterfactuals=False)
    examples = []
    for row, explanation in zip(rows, explained, strict=True):
        values = tuple((field.name, value_text(explanation.values[field.feature])) for field in fields)
        left_out = max(0, len(values) - MAX_VALUES)
        examples.append(
            NumberExample(
                names[row], chosen[row], float(data.y[row]), values[:MAX_VALUES], left_out, explanation
            )
        )
    return tuple(examples)


def _chosen(data: NumberRows, n_examples: int) -> dict[int, str]:
    """Indices and titles of example rows: a good prediction, the largest errors, the extremes, others."""
    residuals = data.residuals
    chosen: dict[int, str] = {}
    for row, title in (
        (np.abs(residuals).argmin(), "the smallest error"),
        (residuals.argmax(), "predicted too low by the most"),
        (residuals.argmin(), "predicted too high by the most"),
        (data.predicted.argmax(), "the highest prediction"),
        (data.predicted.argmin(), "the lowest prediction"),
        *((row, "another large error") for row in np.argsort(-np.abs(residuals), kind="stable")),
    ):
        if len(chosen) >= n_examples:
            break
        chosen.setdefault(int(row), title)
    return chosen
