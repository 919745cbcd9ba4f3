"""`clausal.fairness`: decisions, errors, calibration and ranking of a model for each group of people.

The groups come from a protected column, such as sex, which the rules do not test. Here: the figures of each
group with intervals, and its differences to one group. Not here: what difference is lawful or fair, which no
figure says; the page (html_report/fairness.html.j2), the formulas (intervals.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.remarks import order_remarks, warn_of_table
from clausal.evaluation.groups import Groups, group_text, read_groups
from clausal.evaluation.intervals import (
    UNKNOWN,
    Interval,
    area,
    area_interval,
    calibration_ratio,
    difference,
    holm,
    ratio_of,
    share,
    share_difference,
    share_ratio,
)
from clausal.evaluation.predictions import (
    MISSING,
    Indices,
    Predictions,
    check_model,
    model_table,
    predict_table,
    read_known_labels,
)
from clausal.frames import FrameBackend, make_frame
from clausal.parameters import Whole, check_value
from clausal.wording import label_text

MIN_ROWS = 30
"""A share of fewer rows is not compared."""

SELECTION, TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE = (
    "selection rate",
    "true positive rate",
    "false positive rate",
    "false negative rate",
)
RATIO, AREA = "observed / expected", "ROC AUC"
MEASURES = {
    SELECTION: "share of rows decided as positive",
    TRUE_POSITIVE: "of the positive rows, the share decided as positive",
    FALSE_POSITIVE: "of the negative rows, the share decided as positive",
    FALSE_NEGATIVE: "of the positive rows, the share decided as negative",
    RATIO: "positive rows divided by those that the probabilities expect; 1 is calibrated",
    AREA: "how often a positive row has a higher score than a negative one; 0.5 is guessing",
}
"""The measures and what they mean."""


@dataclass(frozen=True)
class GroupFigure:
    """One measure of one group, and its difference to the group that it is compared with.

    Attributes
    ----------
    group, measure : their names
    count, rows : the share's number of rows and total; those of the group for other measures
    value : the measure with its interval; NaN if not defined
    difference, ratio : to the group of comparison, with intervals; NaN for that group itself, if not defined,
        or if either group has too few rows
    p, p_adjusted : of the difference, and corrected for all differences of the result
    too_few : whether there are too few rows for a comparison
    """

    group: str
    measure: str
    count: int
    rows: int
    value: Interval
    difference: Interval = UNKNOWN
    ratio: Interval = UNKNOWN
    p: float = math.nan
    p_adjusted: float = math.nan
    too_few: bool = False

    @property
    def differs(self) -> bool:
        """Whether the difference is significant at 5 %, corrected for all differences."""
        return self.p_adjusted <= 0.05


@dataclass(frozen=True, eq=False)
class FairnessResult:
    """What `fairness` found.

    Attributes
    ----------
    column : the name of the protected column
    positive : the class whose decisions are counted, as printed
    groups : dict of the number of rows by group, the largest first
    compared_with : the group that the others are compared with
    figures : tuple of GroupFigure
        Every measure of every group.
    min_rows : the number of rows from which a share is compared
    """

    column: str
    positive: str
    groups: dict[str, int]
    compared_with: str
    figures: tuple[GroupFigure, ...]
    min_rows: int

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per group and measure.

        The columns are the attributes of `GroupFigure`; the ends of its intervals are `low`, `high`,
        `difference_low` and so on.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of data frame; None uses the first that is installed.
        """
        columns: dict[str, list[Any]] = {
            name: [getattr(each, name) for each in self.figures]
            for name in ("group", "measure", "count", "rows")
        }
        for name, prefix in (("value", ""), ("difference", "difference_"), ("ratio", "ratio_")):
            intervals = [getattr(each, name) for each in self.figures]
            columns[name] = [each.value for each in intervals]
            columns[f"{prefix}low"] = [each.low for each in intervals]
            columns[f"{prefix}high"] = [each.high for each in intervals]
        for name in ("p", "p_adjusted", "too_few"):
            columns[name] = [getattr(each, name) for each in self.figures]
        return make_frame(columns, backend)

    def of(self, measure: str) -> tuple[GroupFigure, ...]:
        """One measure of every group."""
        return tuple(each for each in self.figures if each.measure == measure)

    @property
    def small_groups(self) -> tuple[str, ...]:
        """The groups that have too few rows for any comparison."""
        return tuple(group for group, rows in self.groups.items() if rows < self.min_rows)

    @property
    def remark(self) -> str:
        """Which groups have too few rows, in a sentence; nothing if none has."""
        listed = ", ".join(self.small_groups)
        return f"Groups of fewer than {self.min_rows} rows are not compared: {listed}." if listed else ""

    def __str__(self) -> str:
        lines = [f"By {self.column}, decisions for {self.positive}, compared with {self.compared_with}"]
        for measure in MEASURES:
            rows = self.of(measure)
            if rows:
                lines += [f"{measure} ({MEASURES[measure]})", *(f"  {_text(each)}" for each in rows)]
        return "\n".join([*lines, *([self.remark] if self.remark else [])])

    def __repr__(self) -> str:
        return f"FairnessResult: {len(self.groups)} groups of {self.column}"


def fairness(
    model: Any,
    X: Any,
    y: Any,
    protected: Any,
    *,
    pos_label: Any = None,
    compare_with: Any = None,
    min_rows: int = MIN_ROWS,
) -> FairnessResult:
    """Decisions, errors, calibration and ranking of a model for each group of a protected column.

    Every row counts once: there are no sample weights.

    Parameters
    ----------
    model : TsetlinClassifier, RuleClassifier or Scorecard
        The fitted model.
    X : table of shape (n, n_features)
        Rows that the model was not trained on.
    y : array-like of shape (n,) or None
        Their classes; None or NaN for a row whose class is not known. Without classes, only the selection
        rates are compared.
    protected : array-like of shape (n,) or str
        The group of each row, or the name of a column of `X`. The rules must not test that column.
    pos_label : class label, default=None
        The class whose decisions are counted. None is the positive class of two; with more classes it must
        be given, and the others are negative.
    compare_with : value of `protected`, default=None
        The group that the others are compared with; None is the largest one.
    min_rows : int, default=30
        A share of fewer rows is not compared, and neither are calibration and ranking of groups with fewer
        positive or negative rows than a third of it.

    Returns
    -------
    FairnessResult
        Can be printed; see its `figures` and `to_frame()`.
    """
    check_model(model, "fairness")
    check_value("fairness", "min_rows", min_rows, (Whole(1),))
    table = model_table(model, X)
    predictions = predict_table(model, table)
    groups = read_groups(model, X, protected, len(predictions.decided))
    codes = None if y is None else read_known_labels(y, len(groups.names), predictions.outcome, "y")
    warn_of_table(order_remarks(X, y=y, protected=protected))
    return fairness_of(
        predictions, codes, groups, pos_label=pos_label, compare_with=compare_with, min_rows=min_rows
    )


def fairness_of(
    predictions: Predictions,
    codes: Indices | None,
    groups: Groups,
    *,
    pos_label: Any = None,
    compare_with: Any = None,
    min_rows: int = MIN_ROWS,
) -> FairnessResult:
    """`fairness` of predictions, with the indices of the true classes, MISSING where not known."""
    target = _target(predictions, pos_label)
    counts = dict(Counter(groups.names).most_common())
    if len(counts) < 2:
        raise ValueError(f"protected must have at least 2 groups. Got only {next(iter(counts), 'no row')}.")
    chosen = next(iter(counts)) if compare_with is None else group_text(compare_with)
    if chosen not in counts:
        raise ValueError(
            f"The 'compare_with' parameter of fairness must be a group: {', '.join(counts)}. "
            f"Got {compare_with!r}."
        )
    marks = np.array(groups.names, dtype=object)
    parts = {
        group: _Group.of(predictions, codes, target, np.asarray(marks == group, bool)) for group in counts
    }
    figures = [
        figure
        for group, part in parts.items()
        for figure in _figures(group, part, None if group == chosen else parts[chosen], min_rows)
    ]
    adjusted = holm([figure.p for figure in figures])
    corrected = tuple(replace(figure, p_adjusted=p) for figure, p in zip(figures, adjusted, strict=True))
    positive = predictions.outcome.class_names[target]
    return FairnessResult(groups.column, positive, counts, chosen, corrected, min_rows)


def _target(predictions: Predictions, pos_label: Any) -> int:
    labels = predictions.outcome.classes.tolist()
    if pos_label is None:
        if predictions.outcome.positive is None:
            raise ValueError(
                "The 'pos_label' parameter of fairness must be a class if there are more than two: "
                f"{', '.join(predictions.outcome.class_names)}. Got None."
            )
        return predictions.outcome.positive
    if pos_label not in labels:
        listed = ", ".join(map(label_text, labels))
        raise ValueError(
            f"The 'pos_label' parameter of fairness must be a class: {listed}. Got {pos_label!r}."
        )
    return int(labels.index(pos_label))


@dataclass(frozen=True, eq=False)
class _Group:
    """The rows of one group: decisions of all; classes, probabilities and scores of those with a class."""

    selected: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    true: NDArray[np.bool_]
    probabilities: NDArray[np.float64]
    scores: NDArray[Any]

    @classmethod
    def of(
        cls, predictions: Predictions, codes: Indices | None, target: int, rows: NDArray[np.bool_]
    ) -> _Group:
        """Those that are marked."""
        known = np.zeros_like(rows) if codes is None else rows & (codes != MISSING)
        true = known[known] if codes is None else codes[known] == target
        decided = predictions.decided == target
        part = predictions.take(known)
        return cls(
            decided[rows], decided[known], true, part.probabilities[:, target], part.class_scores(target)
        )

    def counts(self, measure: str) -> tuple[int, int]:
        """The number of rows that a share counts, and of those that it is a share of."""
        marked = {
            SELECTION: self.selected,
            TRUE_POSITIVE: self.decided[self.true],
            FALSE_POSITIVE: self.decided[~self.true],
            FALSE_NEGATIVE: ~self.decided[self.true],
        }[measure]
        return int(marked.sum()), len(marked)

    def is_small(self, min_rows: int) -> bool:
        """Whether there are too few positive or negative rows for calibration and ranking."""
        least = min(int(self.true.sum()), int((~self.true).sum()))
        return len(self.true) < min_rows or least < max(1, min_rows // 3)


def _figures(name: str, group: _Group, other: _Group | None, min_rows: int) -> Iterator[GroupFigure]:
    """The measures of one group, compared with another one; None for the group of comparison itself."""
    has_classes = len(group.true) > 0
    for measure in (
        (SELECTION, TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE) if has_classes else (SELECTION,)
    ):
        count, rows = group.counts(measure)
        other_count, other_rows = (count, rows) if other is None else other.counts(measure)
        few = min(rows, other_rows) < min_rows
        figure = GroupFigure(name, measure, count, rows, share(count, rows), too_few=few)
        if other is not None and not few:
            gap = share_difference(count, rows, other_count, other_rows)
            ratio = share_ratio(count, rows, other_count, other_rows)
            figure = replace(figure, difference=gap.interval, ratio=ratio, p=gap.p)
        yield figure
    if has_classes:
        few = group.is_small(min_rows) or (other is not None and other.is_small(min_rows))
        compared = None if few else other
        yield replace(_calibration(name, group, compared), too_few=few)
        yield replace(_ranking(name, group, compared), too_few=few)


def _calibration(name: str, group: _Group, other: _Group | None) -> GroupFigure:
    own = calibration_ratio(group.probabilities, group.true)
    figure = GroupFigure(name, RATIO, int(group.true.sum()), len(group.true), own.interval)
    if other is None:
        return figure
    theirs = calibration_ratio(other.probabilities, other.true)
    ratio = ratio_of(own, theirs)
    gap = Interval(own.value - theirs.value, math.nan, math.nan)  # the interval is that of the ratio
    return replace(figure, difference=gap, ratio=ratio.interval, p=ratio.p)


def _ranking(name: str, group: _Group, other: _Group | None) -> GroupFigure:
    own = area(group.scores, group.true)
    figure = GroupFigure(name, AREA, int(group.true.sum()), len(group.true), area_interval(*own))
    if other is None:
        return figure
    gap = difference(own, area(other.scores, other.true))
    return replace(figure, difference=gap.interval, p=gap.p)


def _text(figure: GroupFigure) -> str:
    value, low, high = figure.value
    text = f"{figure.group}: {value:.3f} [{low:.3f}, {high:.3f}] of {figure.rows:,} rows"
    if figure.too_few:
        return f"{text}; too few rows to compare"
    if math.isnan(figure.difference.value):
        return text
    gap = figure.difference
    text += f"; difference {gap.value:+.3f}" + (
        f" [{gap.low:+.3f}, {gap.high:+.3f}]" if gap.low == gap.low else ""
    )
    if figure.ratio.value == figure.ratio.value:
        text += f", ratio {figure.ratio.value:.2f} [{figure.ratio.low:.2f}, {figure.ratio.high:.2f}]"
    return f"{text}, p = {figure.p_adjusted:.3f}{' *' if figure.differs else ''}"
