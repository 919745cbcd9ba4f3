"""The words for class labels and points, the same in every text, table and picture.

A number is set apart from points by the word `class`, a text that could be misread by quotes. Not here: the
text of conditions (encoding/columns.py, rules/rule.py), sentences about votes (clausal.outcome).
"""

from __future__ import annotations

from typing import Any

from clausal.encoding.columns import category_text

Number = int | float


def label_text(label: Any) -> str:
    """A class label as printed: `bad`, `'no disease'`, `class 0`."""
    return category_text(label) if isinstance(label, str) else f"class {label}"


def points_text(points: Number) -> str:
    """Points without a sign of their own: integers in full, other numbers with four significant digits."""
    return str(points) if isinstance(points, int) else f"{points:.4g}"


def signed_text(points: Number) -> str:
    """Points, a vote or a constant with its sign: `+8`, `-5`."""
    return f"{'' if points < 0 else '+'}{points_text(points)}"
