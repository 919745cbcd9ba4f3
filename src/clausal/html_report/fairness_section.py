"""The section about groups of a protected column, on the pages of `report` and `monitor`.

Not here: the figures (evaluation/fairness.py).
"""

from __future__ import annotations

from typing import Any

from clausal.evaluation.fairness import MEASURES, FairnessResult


def fairness_section(result: FairnessResult | None) -> dict[str, Any]:
    """What the template shows: the result, and each measure with its meaning and the figures of groups."""
    measures = {} if result is None else {name: result.of(name) for name in MEASURES}
    rows = [(name, MEASURES[name], figures) for name, figures in measures.items() if figures]
    return {"fairness": result, "fairness_rows": rows}
