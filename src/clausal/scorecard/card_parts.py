"""The parts of a Scorecard, checked: of classes, of numbers, and what readers should know.

Not here: the Scorecard itself (scorecard.py), its log (edit_log.py), its constraints (kept_constraints.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clausal.machine.settings import PARAMETERS as MACHINE_PARAMETERS
from clausal.parameters import Instance, Number, OneOf, check_about, check_value
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.calibration import Floats
from clausal.scorecard.numbers import LEVELS, LOSSES, QUANTILE, SQUARED
from clausal.scorecard.risk_table import RiskTable
from clausal.scorecard.scale import Scale


def check_absent(given: Mapping[str, Any], predicts: str) -> None:
    """Refuse parameters of the other kind of scorecard."""
    for name, value in given.items():
        unset = value is None or value is False or (name == "offset" and value == 0)
        if not unset:
            raise ValueError(
                f"The {name!r} parameter of Scorecard must not be given for rules that predict {predicts}. "
                f"Got {value!r:.60}."
            )


def class_parts(rules: RuleSet, slope: Any, offset: Any, risk_table: Any, **others: Any) -> dict[str, Any]:
    """The parts of a scorecard of classes, checked."""
    check_value("Scorecard", "slope", slope, (Number(0, 1e6, open_low=True),))
    check_value("Scorecard", "offset", offset, (Number(-1e18, 1e18),))
    if rules.outcome.positive is None and offset != 0:
        raise ValueError(
            "The 'offset' parameter of Scorecard must be 0 with more than two classes, whose softmax it "
            f"does not change. Got {offset!r}."
        )
    parts: dict[str, Any] = {
        "slope_": float(slope),
        "offset_": float(offset),
        "classes_": rules.outcome.labels,
        "pos_label_": rules.outcome.pos_label,
    }
    if risk_table is not None:
        parts["risk_table_"] = _checked_table(risk_table, rules, float(slope), float(offset))
    return parts | _fitted_parts(rules, float(slope), float(offset), **others)


def _fitted_parts(
    rules: RuleSet, slope: float, offset: float, *, class_weight: Any, scale: Any, cut_off_by_hand: Any
) -> dict[str, Any]:
    """What is known of the fit, of the scale and of the decision."""
    check_value("Scorecard", "class_weight", class_weight, MACHINE_PARAMETERS["class_weight"])
    check_value("Scorecard", "scale", scale, (OneOf(None), Instance(Scale, "a Scale")))
    check_value("Scorecard", "cut_off_by_hand", cut_off_by_hand, (OneOf(True, False),))
    two = rules.outcome.positive is not None
    if not two and (scale is not None or cut_off_by_hand):
        raise ValueError(
            "The 'scale' and 'cut_off_by_hand' parameters of Scorecard must not be given with more than two "
            f"classes. Got {len(rules.classes)} classes."
        )
    if scale is not None and (scale.slope, scale.offset) != (slope, offset):
        raise ValueError(
            "The 'scale' parameter of Scorecard must have the slope and the offset of the scorecard, "
            f"{(slope, offset)}. Got {(scale.slope, scale.offset)}."
        )
    class_weight = dict(class_weight) if isinstance(class_weight, dict) else class_weight
    parts = {"_scale": scale, "class_weight": class_weight, "cut_off_by_hand_": bool(cut_off_by_hand)}
    return {name: value for name, value in parts.items() if value not in (None, False)}


def number_parts(loss: str | None, quantile: float | None, residual_quantiles: Any) -> dict[str, Any]:
    """The parts of a scorecard of numbers, checked."""
    loss = SQUARED if loss is None else loss
    check_value("Scorecard", "loss", loss, (OneOf(*LOSSES),))
    allowed = Number(0, 1, True, True) if loss == QUANTILE else OneOf(None)
    check_value("Scorecard", "quantile", quantile, (allowed,))
    parts = {"loss": str(loss), "quantile": None if quantile is None else float(quantile)}
    return (
        parts
        if residual_quantiles is None
        else parts | {"residual_quantiles_": _residuals(residual_quantiles)}
    )


def _residuals(given: Any) -> Floats:
    """Quantiles of residuals, read-only."""
    try:
        found = np.array(given, np.float64)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != LEVELS.shape or not np.isfinite(found).all() or (np.diff(found) < 0).any():
        raise ValueError(
            f"The 'residual_quantiles' parameter of Scorecard must be {len(LEVELS)} ascending numbers. "
            f"Got {given!r:.60}."
        )
    found.flags.writeable = False
    return found


def checked_about(about: Mapping[str, str] | None) -> dict[str, str]:
    """What readers should know, as a dict of its own."""
    if about is None:
        return {}
    check_about(about)
    return dict(about)


def _checked_table(table: RiskTable, rules: RuleSet, slope: float, offset: float) -> RiskTable:
    check_value("Scorecard", "risk_table", table, (Instance(RiskTable, "a RiskTable"),))
    own = (slope, offset, rules.outcome.pos_label)
    given = (table.slope, table.offset, table.pos_label)
    if own != given:
        raise ValueError(
            "The 'risk_table' parameter of Scorecard must have the slope, the offset and the positive class "
            f"of the scorecard, {own}. Got {given}."
        )
    return table
