"""The charts of the report as inline SVG: coordinates only; colors come from the style sheet of the page.

Every chart has a title for screen readers. Not here: the numbers (evaluation/metrics.py, ...).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from clausal.encoding.columns import number_text
from clausal.evaluation.metrics import Bin
from clausal.evaluation.predictions import Evaluation
from clausal.html_report.ranking import Curve
from clausal.plots.votes import vote_edges

Domain = tuple[float, float]

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 14.0, 22.0, 40.0
_VOTE_BINS = 30


@dataclass(frozen=True)
class Frame:
    """The coordinate system of a chart of this size, with axes and ticks."""

    width: float
    height: float
    x_domain: Domain
    y_domain: Domain

    def x(self, value: float) -> str:
        """The horizontal coordinate of a number."""
        low, high = self.x_domain
        return _short(_LEFT + (value - low) / (high - low) * (self.width - _LEFT - _RIGHT))

    def y(self, value: float) -> str:
        """The vertical coordinate of a number."""
        low, high = self.y_domain
        return _short(self.height - _BOTTOM - (value - low) / (high - low) * (self.height - _TOP - _BOTTOM))

    def axes(self, x_name: str, y_name: str) -> Markup:
        """Grid, ticks and axis labels."""
        bottom, left = _short(self.height - _BOTTOM), _short(_LEFT)
        right, parts = _short(self.width - _RIGHT), []
        for tick in ticks(*self.y_domain):
            y = self.y(tick)
            parts.append(Markup('<path class="grid" d="M{} {}H{}"/>').format(left, y, right))
            parts.append(_text(_short(_LEFT - 8), y, number_text(tick), "tick end middle"))
        below = _short(self.height - _BOTTOM + 17)
        parts += [_text(self.x(tick), below, number_text(tick), "tick") for tick in ticks(*self.x_domain)]
        parts.append(Markup('<path class="axis" d="M{} {}H{}"/>').format(left, bottom, right))
        center = _short((_LEFT + self.width - _RIGHT) / 2)
        parts.append(_text(center, _short(self.height - 6), x_name, "name"))
        parts.append(_text(_short(4), _short(12), y_name, "name start"))
        return _join(parts)


def ticks(low: float, high: float, max_ticks: int = 6) -> list[float]:
    """About `max_ticks` round numbers at most, from `low` to `high`."""
    step = 10.0 ** np.floor(np.log10((high - low) / max_ticks))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= max_ticks)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return [float(f"{step * k:.12g}") for k in np.arange(first, last + 1)]


def path_chart(path: Any) -> Markup:
    """Validated score against the number of literals, with a band of one standard error."""
    sizes, scores = np.asarray(path.n_literals, float), np.asarray(path.scores, float)
    errors = np.asarray(path.errors, float)
    low, high = float((scores - errors).min()), float((scores + errors).max())
    frame = Frame(720, 300, _padded(float(sizes[0]), float(sizes[-1])), _padded(low, high))
    upper = [f"{frame.x(n)} {frame.y(s)}" for n, s in zip(sizes, scores + errors, strict=True)]
    lower = [f"{frame.x(n)} {frame.y(s)}" for n, s in zip(sizes, scores - errors, strict=True)]
    curve = [f"{frame.x(n)} {frame.y(s)}" for n, s in zip(sizes, scores, strict=True)]
    chosen = frame.x(path.chosen)
    parts = [
        frame.axes("conditions in the model", f"validated {path.scoring}"),
        Markup('<path class="band" d="M{}Z"/>').format("L".join(upper + lower[::-1])),
        Markup('<path class="curve" d="M{}"/>').format("L".join(curve)),
        Markup('<path class="mark" d="M{0} {1}V{2}"/>').format(
            chosen, _short(_TOP), _short(frame.height - _BOTTOM)
        ),
        _text(chosen, _short(_TOP - 6), f"chosen: {path.chosen}", "label"),
    ]
    index = np.flatnonzero(sizes == path.chosen)
    if len(index):
        parts.append(_dot(chosen, frame.y(scores[index[0]]), 5))
    title = f"Validated {path.scoring} against the number of conditions; {path.chosen} were chosen."
    return _svg(frame, title, parts)


def calibration_chart(bins: Sequence[Bin], event: str) -> Markup:
    """Observed shares with intervals against predicted probability."""
    frame = Frame(460, 400, (0.0, 1.0), (0.0, 1.0))
    parts = [
        frame.axes("predicted probability", "observed share"),
        Markup('<path class="mark" d="M{} {}L{} {}"/>').format(
            frame.x(0), frame.y(0), frame.x(1), frame.y(1)
        ),
    ]
    for item in bins:
        x = frame.x(item.predicted)
        parts.append(
            Markup('<path class="whisker" d="M{} {}V{}"/>').format(
                x, frame.y(item.observed_low), frame.y(item.observed_high)
            )
        )
        parts.append(_dot(x, frame.y(item.observed), 4.5))
    title = f"Calibration: observed share against predicted probability of {event}."
    return _svg(frame, title, parts, "chart square")


def roc_chart(curve: Curve, positive: str, other: str) -> Markup:
    """The ROC curve, the line of chance and the point of the decision cut-off."""
    frame = Frame(460, 400, (0.0, 1.0), (0.0, 1.0))
    line = "L".join(f"{frame.x(x)} {frame.y(y)}" for x, y in curve.points)
    names = f"share of {_cut(other)} above the cut-off", f"share of {_cut(positive)} above the cut-off"
    title = (
        f"ROC curve: the share of {positive} against the share of {other} at or above the cut-off, for every "
        "cut-off, with the line of chance."
    )
    return _curve_chart(frame, curve, line, names, title)


def precision_recall_chart(curve: Curve, positive: str) -> Markup:
    """The precision-recall curve in steps, the line of chance and the point of the decision cut-off."""
    frame = Frame(460, 400, (0.0, 1.0), (0.0, 1.0))
    steps = "".join(f"V{frame.y(y)}H{frame.x(x)}" for x, y in curve.points)
    line = f"{frame.x(0)} {frame.y(curve.points[0][1])}{steps}"
    names = f"recall: share of {_cut(positive)} above the cut-off", "precision above the cut-off"
    title = (
        f"Precision-recall curve: the share of {positive} among the rows at or above the cut-off against the "
        f"share of all {positive} that they hold, for every cut-off, with the line of chance."
    )
    return _curve_chart(frame, curve, line, names, title)


def _curve_chart(frame: Frame, curve: Curve, line: str, names: tuple[str, str], title: str) -> Markup:
    (left, bottom), (right, top) = curve.chance
    parts = [
        frame.axes(*names),
        Markup('<path class="mark" d="M{} {}L{} {}"/>').format(
            frame.x(left), frame.y(bottom), frame.x(right), frame.y(top)
        ),
        Markup('<path class="curve" d="M{}"/>').format(line),
    ]
    if curve.decision is not None:
        x, y = curve.decision
        parts.append(_dot(frame.x(x), frame.y(y), 5))
        title += f" The decision of the model is at {number_text(round(x, 3))}, {number_text(round(y, 3))}."
    return _svg(frame, title, parts, "chart square")


def vote_chart(evaluation: Evaluation) -> Markup:
    """Stacked histogram of votes by true class (two classes) or of the margin of the true class (more)."""
    two = evaluation.outcome.positive is not None
    values = evaluation.votes if two else evaluation.margins
    integers = evaluation.votes.dtype.kind in "iu"
    cut_off = evaluation.outcome.cut_off if two else 0
    edges = vote_edges(values.astype(np.int64) if integers else values, _VOTE_BINS, cut_off)
    groups = evaluation.codes if two else (evaluation.decided == evaluation.codes).astype(int)
    counts = np.array([np.histogram(values[groups == k], edges)[0] for k in (0, 1)])
    top = float(counts.sum(axis=0).max())
    frame = Frame(720, 280, (float(edges[0]), float(edges[-1])), (0.0, top * 1.04))
    total = f"total, points for {_cut(evaluation.class_names[1])}"
    parts = [frame.axes(total if two else "lead of the true class", "rows")]
    for k, below in ((0, np.zeros(len(edges) - 1)), (1, counts[0])):
        for left, right, count, start in zip(edges, edges[1:], counts[k], below, strict=False):
            if count:
                parts.append(
                    Markup('<path class="c{}" d="M{} {}V{}H{}V{}Z"/>').format(
                        k,
                        frame.x(left),
                        frame.y(start),
                        frame.y(start + count),
                        frame.x(right),
                        frame.y(start),
                    )
                )
    middle = frame.x(cut_off)
    parts.append(Markup('<path class="axis" d="M{} {}V{}"/>').format(middle, _short(_TOP - 8), frame.y(0)))
    sides = evaluation.class_names if two else ("wrong", "correct")
    parts.append(_text(_short(_LEFT), _short(_TOP - 6), f"← {_cut(sides[0])}", "label start"))
    parts.append(_text(_short(frame.width - _RIGHT), _short(_TOP - 6), f"{_cut(sides[1])} →", "label end"))
    title = "Totals of the test rows by true class." if two else "Leads of the true class on the test rows."
    return _svg(frame, title, parts)


def paired_bars(pairs: Sequence[tuple[float, float]], x_name: str, y_name: str, title: str) -> Markup:
    """Two bars beside each other for each pair of shares, numbered from 1."""
    top = max((value for pair in pairs for value in pair), default=0.0) or 1.0
    frame = Frame(720, 280, (0.5, len(pairs) + 0.5), (0.0, top * 1.04))
    parts = [frame.axes(x_name, y_name)]
    for number, pair in enumerate(pairs, 1):
        for side, value in enumerate(pair):
            left = number - 0.38 + 0.38 * side
            parts.append(
                Markup('<path class="c{}" d="M{} {}V{}H{}V{}Z"/>').format(
                    side, frame.x(left), frame.y(0), frame.y(value), frame.x(left + 0.36), frame.y(0)
                )
            )
    return _svg(frame, title, parts)


def scatter_chart(
    x: NDArray[Any], y: NDArray[Any], names: tuple[str, str], title: str, *, line: bool
) -> Markup:
    """A point for each pair of numbers; with `line`, both axes are alike, and a line is where both are equal.

    Without it, the line is where y is 0.
    """
    both = np.concatenate([x, y])
    (x, x_name), (y, y_name) = (
        _legible(values, name, both if line else values) for values, name in zip((x, y), names, strict=True)
    )
    x_domain = _domain(*((x, y) if line else (x,)))
    y_domain = x_domain if line else _domain(y, np.zeros(1))
    frame = Frame(460, 400, x_domain, y_domain)
    ends = [(low, low if line else 0.0) for low in x_domain]
    parts = [
        frame.axes(x_name, y_name),
        Markup('<path class="mark" d="M{}"/>').format(
            "L".join(f"{frame.x(a)} {frame.y(b)}" for a, b in ends)
        ),
        Markup('<g class="points">{}</g>').format(
            _join(_dot(frame.x(a), frame.y(b), 2.5) for a, b in zip(x.tolist(), y.tolist(), strict=True))
        ),
    ]
    return _svg(frame, title, parts, "chart square")


def histogram(values: NDArray[Any], names: tuple[str, str], title: str) -> Markup:
    """How many numbers are in each of equal parts of their range, which includes 0."""
    values, name = _legible(values, names[0], values)
    domain = _domain(values, np.zeros(1))
    counts, edges = np.histogram(values, np.linspace(*domain, _VOTE_BINS + 1))
    frame = Frame(720, 280, domain, (0.0, float(counts.max()) * 1.04))
    parts = [frame.axes(name, names[1])]
    for count, left, right in zip(counts.tolist(), edges, edges[1:], strict=False):
        if count:
            parts.append(
                Markup('<path class="c1" d="M{} {}V{}H{}V{}Z"/>').format(
                    frame.x(left), frame.y(0), frame.y(count), frame.x(right), frame.y(0)
                )
            )
    parts.append(Markup('<path class="axis" d="M{} {}V{}"/>').format(frame.x(0), _short(_TOP), frame.y(0)))
    return _svg(frame, title, parts)


def _domain(*parts: NDArray[Any]) -> Domain:
    together = np.concatenate(parts)
    return _padded(float(together.min()), float(together.max()))


def _legible(values: NDArray[Any], name: str, on_axis: Any) -> tuple[NDArray[Any], str]:
    """Numbers on an axis with these, in units of 10^3k where they are very large or small, and its name."""
    top = float(np.abs(on_axis).max())
    power = 0 if top == 0 or 0.01 <= top < 10_000 else 3 * int(np.floor(np.log10(top) / 3))
    return values / 10.0**power, f"{name}, × 10^{power}" if power else name


def bar(value: float, largest: float, *, signed: bool) -> Markup:
    """A bar for a table cell, of full length at `largest`; a signed bar starts in the middle."""
    share = 0.0 if largest == 0 else value / largest
    if signed:
        left, width = 50 + min(share, 0.0) * 50, abs(share) * 50
        middle = Markup('<path class="axis" d="M50 0V14"/>')
    else:
        left, width, middle = 0.0, share * 100, Markup("")
    shape = Markup('<rect class="{}" x="{}" y="2" width="{}" height="10"/>').format(
        "c0" if value < 0 else "c1", _short(left), _short(width)
    )
    return _small(_join([shape, middle]))


def whisker(value: float, low: float, high: float, top: float) -> Markup:
    """A measure and its interval on a line from 0 to `top`, for a table cell."""
    scale = 100 / top
    return _small(
        Markup('<path class="grid" d="M0 7H100"/><path class="whisker" d="M{} 7H{}"/>{}').format(
            _short(low * scale), _short(high * scale), _dot(_short(value * scale), "7", 3)
        )
    )


def _svg(frame: Frame, title: str, parts: Iterable[Markup], classes: str = "chart") -> Markup:
    box = f"0 0 {_short(frame.width)} {_short(frame.height)}"
    shape = Markup('<svg class="{}" viewBox="{}" role="img"><title>{}</title>{}</svg>')
    return shape.format(classes, box, title, _join(parts))


def _small(content: Markup) -> Markup:
    shape = Markup('<svg class="small" viewBox="0 0 100 14" aria-hidden="true">{}</svg>')
    return shape.format(content)


def _text(x: str, y: str, text: str, classes: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(classes, x, y, text)


def _dot(x: str, y: str, radius: float) -> Markup:
    return Markup('<circle class="dot" cx="{}" cy="{}" r="{}"/>').format(x, y, _short(radius))


def _join(parts: Iterable[Markup]) -> Markup:
    return Markup("").join(parts)


def _padded(low: float, high: float) -> Domain:
    margin = (high - low) * 0.05 or max(0.5, abs(high) * 0.05)
    return low - margin, high + margin


def _cut(name: str) -> str:
    return name if len(name) <= 28 else f"{name[:27]}…"


def _short(number: float) -> str:
    return number_text(round(float(number), 2))
