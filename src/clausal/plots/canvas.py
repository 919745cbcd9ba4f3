"""What every display draws on: axes, colours that everyone can tell apart, and texts taken literally.

matplotlib is imported here, when a picture is drawn, and nowhere else. Not here: any one picture.
"""

from __future__ import annotations

import textwrap
from typing import Any

# Okabe and Ito's colours, which colour-blind people can tell apart; the first two also differ in grey.
COLORS = ("#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#999999")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "--")
QUIET = "#6b6b6b"


def make_axes(ax: Any, width: float, height: float) -> Any:
    """The axes given, or those of a new figure of this size in inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib, which is not installed; install it with: pip install clausal[plots]"
        ) from error
    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def whole_ticks(axis: Any) -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def color(place: int) -> str:
    """The colour of a class by its place among the classes."""
    return COLORS[place % len(COLORS)]


def hatch(place: int) -> str:
    """The hatch of a class: other than its neighbours' and, where colours repeat, than its namesake's."""
    return HATCHES[(place + place // len(COLORS)) % len(HATCHES)]


def shortened(text: str, width: int, lines: int) -> str:
    """The text wrapped at `width` characters, cut after so many lines with an ellipsis."""
    return textwrap.fill(text, width, max_lines=lines, placeholder=" …", break_on_hyphens=False)


def add_legend(ax: Any, handles: list[Any], names: list[str], **options: Any) -> Any:
    """A legend whose names are taken as they are: `$` is no formula, a leading `_` hides nothing."""
    legend = ax.legend(handles, ["name"] * len(names), frameon=False, **options)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(shortened(name, 26, 2))
    return legend
