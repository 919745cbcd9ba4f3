"""Numbers, names and values as the report prints them; page.js does the same for what it computes.

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
    """Three digits behind the point; a dash where not defined."""
    return f"{value:.3f}" if np.isfinite(value) else NOT_DEFINED


def percent_text(share: float) -> str:
    """A share in per cent with one digit behind the point; a dash where not defined."""
    return f"{100 * share:.1f} %" if np.isfinite(share) else NOT_DEFINED


def signed_text(points: float) -> str:
    """Points with their sign; 0 has none."""
    size = number_text(float(f"{abs(points):.6g}")) if isinstance(points, float) else str(abs(points))
    return f"{'' if points == 0 else '−' if points < 0 else '+'}{size}"


def size_text(points: float) -> str:
    """The size of points, without a sign."""
    return signed_text(abs(points)).removeprefix("+")


def points_text(points: float) -> str:
    """A rule's points as they stand beside whom they speak for: never below 0."""
    return signed_text(abs(points))


def effect_text(effect: float) -> str:
    """A mean of points with its sign, to two digits behind the point."""
    return signed_text(round(effect, 2))


def lift_text(lift: float) -> str:
    """Two digits behind the point; a dash where not defined."""
    return f"{lift:.2f}" if np.isfinite(lift) else NOT_DEFINED


def sortable_text(value: float) -> str:
    """What a table sorts by; nothing where not defined."""
    return repr(float(value)) if np.isfinite(value) else ""


def count_text(count: float) -> str:
    """A count, or a weight of rows to two digits, with its thousands set apart."""
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
