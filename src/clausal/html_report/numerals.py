"""The format of numbers, names and values in the report; page.js uses the same format.

Not here: numbers within conditions (encoding/columns.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clausal.encoding.columns import name_text, number_text
from clausal.explain.counterfactual import value_text

NOT_DEFINED = "–"


def measure_text(value: float) -> str:
    """Three decimals; a dash if not defined."""
    return f"{value:.3f}" if np.isfinite(value) else NOT_DEFINED


def percent_text(share: float) -> str:
    """A share in percent with one decimal; a dash if not defined."""
    return f"{100 * share:.1f} %" if np.isfinite(share) else NOT_DEFINED


def signed_text(points: float) -> str:
    """Points with a sign; 0 has none."""
    size = number_text(float(f"{abs(points):.6g}")) if isinstance(points, float) else str(abs(points))
    return f"{'' if points == 0 else '−' if points < 0 else '+'}{size}"


def size_text(points: float) -> str:
    """The absolute value of points, without a sign."""
    return signed_text(abs(points)).removeprefix("+")


def points_text(points: float) -> str:
    """The points of a rule next to the class they are for: never negative."""
    return signed_text(abs(points))


def effect_text(effect: float) -> str:
    """A mean of points with a sign and at most two decimals."""
    return signed_text(round(effect, 2))


def lift_text(lift: float) -> str:
    """Two decimals; a dash if not defined."""
    return f"{lift:.2f}" if np.isfinite(lift) else NOT_DEFINED


def sortable_text(value: float) -> str:
    """The sort key of a table cell; empty if not defined."""
    return repr(float(value)) if np.isfinite(value) else ""


def count_text(count: float) -> str:
    """A count, or a weight with two decimals, with thousands separators."""
    return f"{round(count):,}" if count == round(count) else f"{count:,.2f}"


FILTERS: dict[str, Callable[[Any], str]] = {
    "measure": measure_text,
    "percent": percent_text,
    "signed": signed_text,
    "points": points_text,
    "size": size_text,
    "signed_effect": effect_text,
    "count": count_text,
    "lift": lift_text,
    "sortable": sortable_text,
    "name": name_text,
    "value": value_text,
}
