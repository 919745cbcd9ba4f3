"""What all displays share: axes, colors for color-blind readers, and literal text.

matplotlib is imported only here, when a plot is drawn. Not here: the displays.
"""

from __future__ import annotations

import textwrap
from typing import Any

from clausal.frames import not_installed

# The colors of Okabe and Ito, which color-blind people can distinguish; the first two also differ in gray.
COLORS = ("#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#999999")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "--")
GRAY = "#6b6b6b"


def make_axes(ax: Any, width: float, height: float) -> Any:
    """The given axes, or the axes of a new figure of this size in inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise not_installed("A plot", "matplotlib", "clausal[plots]") from error
    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def make_panels(n: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """A new figure with n panels side by side, each of this size in inches, without ticks."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise not_installed("A plot", "matplotlib", "clausal[plots]") from error
    figure, panels = plt.subplots(1, n, figsize=(n * width, height), layout="constrained", squeeze=False)
    for panel in panels[0]:
        panel.set(xticks=[], yticks=[])
    return figure, list(panels[0])


def integer_ticks(axis: Any) -> None:
    """Set ticks at integers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def color(index: int) -> str:
    """The color of a class, by the index of the class."""
    return COLORS[index % len(COLORS)]


def hatch(index: int) -> str:
    """The hatch of a class, by the index of the class; classes of the same color have different hatches."""
    return HATCHES[(index + index // len(COLORS)) % len(HATCHES)]


def shortened(text: str, width: int, lines: int) -> str:
    """The text wrapped at `width` characters and cut with an ellipsis after `lines` lines."""
    return textwrap.fill(text, width, max_lines=lines, placeholder=" …", break_on_hyphens=False)


def add_legend(ax: Any, handles: list[Any], names: list[str], **options: Any) -> Any:
    """A legend with literal names: `$` does not start a formula, and a leading `_` does not hide a name."""
    legend = ax.legend(handles, ["name"] * len(names), frameon=False, **options)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(shortened(name, 26, 2))
    return legend
