"""How class labels and points are written."""

from __future__ import annotations

from typing import Any

import pytest

from clausal.wording import label_text, points_text, signed_text


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("bad", "bad"),
        ("no disease", "'no disease'"),
        ("0", "'0'"),
        ("+8", "'+8'"),
        ("not", "'not'"),
        (0, "class 0"),
        (-1, "class -1"),
        (1.0, "class 1.0"),
        (True, "class True"),
    ],
)
def test_a_label_is_set_apart_where_it_could_be_misread(label: Any, text: str) -> None:
    assert label_text(label) == text


@pytest.mark.parametrize(
    ("points", "plain", "signed"),
    [(8, "8", "+8"), (-5, "-5", "-5"), (0, "0", "+0"), (1.23456, "1.235", "+1.235"), (-0.5, "-0.5", "-0.5")],
)
def test_points_are_short_and_have_a_sign(points: Any, plain: str, signed: str) -> None:
    assert points_text(points) == plain
    assert signed_text(points) == signed
