"""Aligned text tables for the terminal. Not here: measurements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from speed.goals import Goal
from speed.ratios import Spread
from speed.summary import Line


def number(value: float) -> str:
    """Three significant digits without an exponent: 0.0123, 1.23, 123, 12,300."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    return f"{value:.6f}".rstrip("0") if "e" in text else text


def cell(spread: Spread | None) -> str:
    """median (least-greatest), or the one value."""
    if spread is None:
        return "-"
    middle = number(spread.median)
    return middle if spread.rounds == 1 else f"{middle} ({number(spread.least)}-{number(spread.greatest)})"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with columns as wide as their widest cell."""
    listed = [header, *rows]
    widths = [max(len(row[k]) for row in listed) for k in range(len(header))]
    texts = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in listed]
    return "\n".join(text.rstrip() for text in texts)


def training_table(lines: Mapping[str, Line]) -> str:
    work = ("learner", "clauses touched", "epochs")
    header = (*work, "fit, CPU s", "ns per clause visit", "theirs / ours", "accuracy")
    return table(
        header,
        (
            (
                line.name,
                f"{line.touched:,}" if line.touched else "-",
                str(line.n_epochs) if line.touched else "-",
                cell(line.cpu_s),
                cell(line.ns_per_visit),
                cell(line.train_ratio),
                cell(line.accuracy),
            )
            for line in lines.values()
        ),
    )


def prediction_table(lines: Mapping[str, Line]) -> str:
    rows = ((line.name, cell(line.rows_per_s), cell(line.predict_ratio)) for line in lines.values())
    return table(("learner", "rows predicted per CPU s", "ours / theirs"), rows)


def goals_table(goals: Iterable[Goal]) -> str:
    rows = [
        (
            goal.text,
            number(goal.wanted),
            "-" if goal.verdict == "not measured" else number(goal.measured),
            goal.verdict,
            goal.detail,
        )
        for goal in goals
    ]
    return table(("goal", "at least", "measured", "", ""), rows)
