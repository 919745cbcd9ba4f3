"""`clausal.monitor`: whether the rows of a new period are still those that a model was made for.

Features, rules, scores and decisions of two samples are compared, and calibration and discrimination where
classes are known. Not here: the counts (counted.py), the tests (intervals.py), the limits (verdicts.py), the
page (html_report/monitor_page.py).
"""

from __future__ import annotations

import math
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from clausal.encoding.patches import require_table
from clausal.encoding.remarks import order_remarks, warn_of_table
from clausal.encoding.values import UnseenValueWarning
from clausal.evaluation.counted import (
    Bands,
    NewValues,
    Sample,
    count_codes,
    count_features,
    count_missing,
    count_new_values,
    count_rules,
    score_bands,
)
from clausal.evaluation.fairness import FairnessResult, fairness_of
from clausal.evaluation.groups import read_groups
from clausal.evaluation.performance import BandRow, Figure, Known, band_rows, figures, performance_checks
from clausal.evaluation.predictions import check_model, model_table, predict_table, read_known_labels
from clausal.evaluation.verdicts import (
    ACT,
    PSI,
    RATIO,
    VERDICTS,
    WATCH,
    Check,
    check_limits,
    judge,
    shift,
    worst,
)
from clausal.frames import FrameBackend, make_frame
from clausal.parameters import OneOf, check_value
from clausal.rules.rule_set import RuleSet


@dataclass(frozen=True, eq=False)
class MonitorResult:
    """What `monitor` found.

    Attributes
    ----------
    verdict : "stable", "watch" or "act": the worst of all checks
    checks : tuple of Check
        Every comparison, with its size, interval, test and verdict.
    bands : tuple of BandRow
        The bands of scores with shares, expected and observed shares of the positive class.
    figures : tuple of Figure
        The measures of each sample with their intervals, where classes are known.
    new_values : tuple of NewValues
        The categories that the reference does not have.
    n_reference, n_current : int
        The number of rows.
    fairness : FairnessResult or None
        Of the current rows, if a protected column was given.
    rules : RuleSet
        The rules of the model.
    limits : dict
        The limits of each measure.
    """

    verdict: str
    checks: tuple[Check, ...]
    bands: tuple[BandRow, ...]
    figures: tuple[Figure, ...]
    new_values: tuple[NewValues, ...]
    n_reference: int
    n_current: int
    fairness: FairnessResult | None
    rules: RuleSet
    limits: Mapping[str, tuple[float, float]]

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per check, with the attributes of `Check` except `bins`, `size` and `error`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of data frame; None uses the first that is installed.
        """
        names = [each.name for each in fields(Check) if each.name not in ("bins", "size", "error")]
        columns = {name: [getattr(each, name) for each in self.checks] for name in names}
        return make_frame(columns, backend)

    def bins_to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per bin of each check that counts rows: `part`, `name`, `bin`, `reference`, `current`."""
        rows = [(check, each) for check in self.checks for each in check.bins]
        columns: dict[str, list[Any]] = {
            "part": [check.part for check, _ in rows],
            "name": [check.name for check, _ in rows],
            "bin": [each.name for _, each in rows],
            "reference": [each.reference for _, each in rows],
            "current": [each.current for _, each in rows],
        }
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
        from clausal.html_report.monitor_page import write_monitor_page

        write_monitor_page(self, path, title)

    @property
    def n_tests(self) -> int:
        """The number of tests, for which p-values are corrected."""
        return sum(not math.isnan(check.p) for check in self.checks)

    @property
    def sample_remark(self) -> str:
        """What these numbers of rows can show, in a sentence."""
        found = [
            check.smallest
            for check in self.checks
            if check.part == "feature" and check.smallest == check.smallest
        ]
        if not found:
            return "Nothing could be tested."
        largest, watch = max(found), self.limits[PSI][0]
        rows = f"{self.n_reference:,} and {self.n_current:,} rows"
        text = f"With {rows}, a PSI of {largest:.2g} of any feature would be found in 4 of 5 cases"
        if largest <= watch:
            return f"{text}."
        return f"{text}; smaller shifts, also above the limit of {watch:g}, may go unseen."

    def __str__(self) -> str:
        counts = Counter(check.verdict for check in self.checks)
        lines = [f"Verdict: {self.verdict} ({', '.join(f'{counts[name]} {name}' for name in VERDICTS)})"]
        lines.append(self.sample_remark)
        for verdict in (ACT, WATCH):
            lines += [f"{verdict}: {_check_text(check)}" for check in self.checks if check.verdict == verdict]
        for new in self.new_values:
            listed = ", ".join(f"{value} ({count})" for value, count in new.values[:3])
            more = " and more" if len(new.values) > 3 else ""
            lines.append(f"new values of {new.counted.name}: {listed}{more}")
        lines += [_figure_text(figure) for figure in self.figures]
        if self.fairness is not None:
            lines += ["", str(self.fairness)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"MonitorResult: {self.verdict}, {len(self.checks)} checks"


def monitor(
    model: Any,
    reference: Any,
    current: Any,
    y_reference: Any = None,
    y_current: Any = None,
    *,
    bins: str = "rules",
    limits: Mapping[str, tuple[float, float]] | None = None,
    protected: Any = None,
) -> MonitorResult:
    """Compare the rows of a new period with those that a model was made for.

    Every row counts once: there are no sample weights.

    Parameters
    ----------
    model : TsetlinClassifier, RuleClassifier or Scorecard
        The fitted model.
    reference : table of shape (n, n_features)
        Rows of the earlier period, such as the held-out rows of training.
    current : table of shape (m, n_features)
        Rows of the new period.
    y_reference, y_current : array-like, default=None
        Their classes, as far as they are known: None or NaN for a row whose class is not known yet.
    bins : {"rules", "values"}, default="rules"
        How features are counted: in the parts of their range that the rules tell apart, or, whatever the
        rules, numbers by the tenths of the reference and categories one by one.
    limits : dict, default=None
        Limits `(watch, act)` of "PSI", "observed / expected", "ROC AUC", "log loss" or "Brier score" instead
        of the usual ones.
    protected : array-like of shape (m,) or str, default=None
        A protected column of the current rows, such as sex, for `fairness`: an array, or the name of a column
        of `current` that the rules do not test.

    Returns
    -------
    MonitorResult
        Can be printed; see its `verdict`, `checks`, `to_frame()` and `to_html(path)`.

    Notes
    -----
    A check is to be watched or acted on only if its difference is both large (`limits`) and significant at
    5 % after Holm's correction for all tests of the result: if nothing has changed, 19 of 20 results have no
    significant check at all. See docs/monitoring.md.
    """
    check_model(model, "monitor")
    require_table(model.encoding_, "monitor")
    check_value("monitor", "bins", bins, (OneOf("rules", "values"),))
    used = check_limits("monitor", limits)
    warn_of_table(order_remarks(reference, "reference", y_reference=y_reference))
    warn_of_table(order_remarks(current, "current", y_current=y_current))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValueWarning)  # the result lists new values
        return _monitor(model, (reference, current), (y_reference, y_current), bins, used, protected)


def _monitor(
    model: Any,
    tables: tuple[Any, Any],
    labels: tuple[Any, Any],
    bins: str,
    limits: Mapping[str, tuple[float, float]],
    protected: Any,
) -> MonitorResult:
    reference, current = tables
    samples = (_sample(model, reference, "reference"), _sample(model, current, "current"))
    codes = [
        None if y is None else read_known_labels(y, sample.n_rows, sample.rules.outcome, name)
        for y, sample, name in zip(labels, samples, ("y_reference", "y_current"), strict=True)
    ]
    one, two = (Known.of(sample.predictions, each) for sample, each in zip(samples, codes, strict=True))
    fair = None
    if protected is not None:
        groups = read_groups(model, current, protected, samples[1].n_rows)
        fair = fairness_of(samples[1].predictions, codes[1], groups)
    bands = score_bands(samples[0].predictions, samples[1].predictions)
    new = tuple(count_new_values(*samples))
    found = (*_population_checks(*samples, bins, bands, new), *performance_checks(one, two))
    checks = judge(found, limits)
    return MonitorResult(
        verdict=worst(checks),
        checks=checks,
        bands=band_rows(bands, one, two),
        figures=(*figures("reference", one), *figures("current", two)),
        new_values=new,
        n_reference=samples[0].n_rows,
        n_current=samples[1].n_rows,
        fairness=fair,
        rules=model.rules_,
        limits=limits,
    )


def _sample(model: Any, X: Any, name: str) -> Sample:
    table = model_table(model, X, name)
    predictions = predict_table(model, table)
    if not len(predictions.decided):
        raise ValueError(f"{name} must have at least one row. Got 0.")
    return Sample(model.rules_, table, predictions)


# --- the rows ---


def _population_checks(
    reference: Sample, current: Sample, bins: str, bands: Bands, new: tuple[NewValues, ...]
) -> Iterator[Check]:
    parts: tuple[tuple[str, Any], ...] = (
        ("feature", count_features(reference, current, bins)),
        ("missing", count_missing(reference, current)),
        ("new values", [each.counted for each in new]),
        ("rule", count_rules(reference, current)),
        ("score", [bands.counted]),
    )
    for part, counted in parts:
        yield from (shift(part, each) for each in counted)
    names = reference.rules.class_names
    decided = [sample.predictions.decided for sample in (reference, current)]
    yield shift("decision", count_codes("decision", names, decided[0], decided[1]))


# --- text ---


def difference_text(check: Check) -> str:
    """The difference of a check with its interval, in a few words."""
    interval = f" [{check.low:.3f}, {check.high:.3f}]" if math.isfinite(check.low) else ""
    if check.measure == PSI:
        return f"PSI {check.value:.3f}{interval}"
    if check.measure != RATIO:
        change = f"{check.current:.3f} after {check.reference:.3f}, difference {check.value:+.3f}"
        return f"{check.measure} {change}{interval}"
    if math.isnan(check.reference):
        return f"{RATIO} {check.value:.3f}{interval}"
    return f"{RATIO} {check.current:.3f} after {check.reference:.3f}, factor {check.value:.3f}{interval}"


def _check_text(check: Check) -> str:
    return f"{check.part}, {check.name}: {difference_text(check)}; {check.reason}"


def _figure_text(figure: Figure) -> str:
    value, low, high = figure.interval
    return f"{figure.of}: {figure.name} {value:.3f} [{low:.3f}, {high:.3f}] in {figure.rows:,} rows"
