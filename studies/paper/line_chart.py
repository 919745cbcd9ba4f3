"""Line charts as SVG text. The same numbers give the same bytes, so a test can compare them with a file.

Not here: the numbers (results_page.py).
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 20, 45
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#7f7f7f",
    "#000000",
    "#999933",
    "#882255",
)
PAPER = " (paper)"

Points = Sequence[tuple[float, float]]


def line_chart(series: Mapping[str, Points], x_words: str, y_words: str, *, log_y: bool = True) -> str:
    """A chart with a logarithmic x axis; a name that ends in ' (paper)' is dashed, in the color of ours."""
    points = [point for line in series.values() for point in line]
    x_axis = _Axis([x for x, _ in points], LEFT, WIDTH - RIGHT, log=True)
    y_axis = _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP, log=log_y)
    parts = [_grid(x_axis, y_axis), _words(x_words, y_words)]
    ours = list(dict.fromkeys(name.removesuffix(PAPER) for name in series))
    for position, (name, line) in enumerate(series.items()):
        colour = COLOURS[ours.index(name.removesuffix(PAPER)) % len(COLOURS)]
        parts.append(_line(name, [(x_axis(x), y_axis(y)) for x, y in line], position, colour))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12">\n<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


class _Axis:
    """From a value to a coordinate; a logarithmic axis goes from one power of ten to another."""

    def __init__(self, values: Sequence[float], start: float, end: float, *, log: bool) -> None:
        self.start, self.end, self.log = start, end, log
        low, high = min(values), max(values)
        self.low: float
        self.high: float
        if log:
            self.low, self.high = math.floor(math.log10(max(low, 1))), math.ceil(math.log10(max(high, 2)))
        else:
            self.low, self.high = min(0, low), math.ceil(max(high, 1))

    def __call__(self, value: float) -> float:
        place = math.log10(max(value, 1)) if self.log else value
        return self.start + (place - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        if self.log:
            return [10.0**power for power in range(int(self.low), int(self.high) + 1)]
        step = max(1, round((self.high - self.low) / 5))
        return [float(value) for value in range(0, int(self.high) + 1, step)]


def _grid(x_axis: _Axis, y_axis: _Axis) -> str:
    lines = []
    for tick in x_axis.ticks:
        x = x_axis(tick)
        lines.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#eee"/>')
        lines.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{tick:,.0f}</text>')
    for tick in y_axis.ticks:
        y = y_axis(tick)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#eee"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:,.0f}</text>')
    return "\n".join(lines)


def _words(x_words: str, y_words: str) -> str:
    middle = (LEFT + WIDTH - RIGHT) / 2
    return (
        f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_words)}</text>\n'
        f'<text x="14" y="{(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {(TOP + HEIGHT - BOTTOM) / 2})">{escape(y_words)}</text>'
    )


def _line(name: str, places: Points, position: int, colour: str) -> str:
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dashes = ' stroke-dasharray="5 4"' if name.endswith(PAPER) else ""
    key_y = TOP + 12 + 18 * position
    key_x = WIDTH - RIGHT + 12
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>\n'
        f'<path d="M{key_x} {key_y - 4}h22" stroke="{colour}" stroke-width="2"{dashes}/>'
        f'<text x="{key_x + 28}" y="{key_y}">{escape(name)}</text>'
    )
