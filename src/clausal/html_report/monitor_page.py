"""The page of `MonitorResult.to_html`.

Not here: the checks (evaluation/monitor.py), how a page is written (rendering.py).
"""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from clausal.evaluation.monitor import MonitorResult, difference_text
from clausal.evaluation.verdicts import VERDICTS, Check, Share
from clausal.html_report.charts import bar, paired_bars, whisker
from clausal.html_report.fairness_section import fairness_section
from clausal.html_report.form import interval_text, p_text
from clausal.html_report.page_tables import read_about
from clausal.html_report.rendering import write_page

_MAX_RULES = 200
_PARTS = (
    *("feature", "missing", "new values", "rule", "score", "decision", "class"),
    *("calibration", "discrimination"),
)
_FULL_WHISKER = 0.5  # the PSI at the end of the line


@dataclass(frozen=True)
class BinRow:
    """A bin of a check with the shares of both samples."""

    name: str
    reference: int
    current: int
    reference_share: float
    current_share: float
    reference_bar: Markup
    current_bar: Markup


@dataclass(frozen=True)
class CheckRow:
    """A check and how the page shows it."""

    check: Check
    difference: str
    interval: str
    p: str
    whisker: Markup
    bins: tuple[BinRow, ...]


def write_monitor_page(result: MonitorResult, path: str | os.PathLike[str], title: str | None) -> None:
    """Write the page."""
    heading = read_about(title, None).title or "Monitoring"
    outcome = result.rules.outcome
    rules = sorted((c for c in result.checks if c.part == "rule"), key=lambda check: -_size(check))
    shown = {name: [c for c in result.checks if c.part == name] for name in _PARTS} | {
        "rule": rules[:_MAX_RULES]
    }
    rows = {name: [_row(check) for check in checks] for name, checks in shown.items()}
    counts = Counter(check.verdict for check in result.checks)
    attention = [_row(c) for name in reversed(VERDICTS[1:]) for c in result.checks if c.verdict == name]
    sides: dict[str, dict[str, Any]] = {}
    for figure in result.figures:
        sides.setdefault(figure.name, {})[figure.of] = figure.interval
    content = {
        "title": heading,
        "result": result,
        "counts": {name: counts[name] for name in reversed(VERDICTS)},
        "parts": rows,
        "attention": attention,
        "n_rules_left_out": max(0, len(rules) - _MAX_RULES),
        "band_chart": _band_chart(result),
        "score_name": "Score" if outcome.positive is not None else "Probability of the decided class",
        "target": "right decisions" if outcome.positive is None else outcome.class_names[1],
        "figures": sides,
        "known": {figure.of: figure.rows for figure in result.figures},
        **fairness_section(result.fairness),
    }
    write_page(path, "monitor.html.j2", content)


def _size(check: Check) -> float:
    return check.size if math.isfinite(check.size) else 0.0


def _row(check: Check) -> CheckRow:
    line = Markup("")
    if check.bins and math.isfinite(check.low):
        value, low, high = (min(each, _FULL_WHISKER) for each in (check.value, check.low, check.high))
        line = whisker(value, low, high, _FULL_WHISKER)
    return CheckRow(
        check=check,
        difference=difference_text(check) if math.isfinite(check.value) else "not defined",
        interval=interval_text(check.low, check.high),
        p=p_text(check.p_adjusted),
        whisker=line,
        bins=tuple(_bin_row(each, check.bins) for each in check.bins),
    )


def _bin_row(each: Share, bins: tuple[Share, ...]) -> BinRow:
    shares = []
    for side in ("reference", "current"):
        total = sum(getattr(other, side) for other in bins)
        shares.append(getattr(each, side) / total if total else math.nan)
    bars = (bar(0.0 if math.isnan(share) else share, 1.0, signed=False) for share in shares)
    return BinRow(each.name, each.reference, each.current, shares[0], shares[1], *bars)


def _band_chart(result: MonitorResult) -> Markup:
    pairs = [(band.reference.value, band.current.value) for band in result.bands]
    title = "Shares of rows by band of scores, reference and current."
    return paired_bars(pairs, "band of scores", "share of rows", title)
