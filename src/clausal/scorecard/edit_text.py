"""Steps of an edit in words: what was fitted, and what becomes of the scale and the cut-off.

Not here: the edit (edit.py), its effect (effect.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausal.encoding.columns import number_text
from clausal.scorecard.changes import key_of
from clausal.scorecard.refit import SCALE
from clausal.wording import points_text, signed_text

if TYPE_CHECKING:
    from clausal.rules.rule import Rule
    from clausal.scorecard.scorecard import Scorecard


def refit_text(before: Scorecard, after: Scorecard) -> str:
    """The points that were fitted."""
    old = {key_of(rule): rule.points for rule in before.rules_}
    changed = [
        f"`{rule}`{for_class_text(after, rule)} from {signed_text(points)} to {signed_text(rule.points)}"
        for rule in after.rules_
        if (points := old[key_of(rule)]) != rule.points
    ]
    listed = ", ".join(changed) or "all stay"
    with_them = "the probabilities and the decision"
    if after.rules_.outcome.is_numeric:
        with_them = "the unit and the constant"
    elif after._scale is not None and before.cut_off_by_hand_:
        with_them = "the probabilities"
    return f"fit the points again: {listed}; and {with_them} with them{_scale_text(before, after)}"


def _scale_text(before: Scorecard, after: Scorecard) -> str:
    """What becomes of the scale and of a cut-off that was set by hand, where there is something to say."""
    by_hand = before.cut_off_by_hand_
    if not by_hand and SCALE not in before.about_:
        return ""
    cut_off, now = (points_text(card.rules_.outcome.cut_off) for card in (before, after))
    if after._scale is not None:
        stays = f", and the cut-off stays {cut_off}" if by_hand else ""
        return f", on the same scale{stays}"
    left = "; the scorecard leaves its scale" if SCALE in before.about_ else ""
    if by_hand and not after.cut_off_by_hand_:
        left += f"; the cut-off {cut_off}, which was set by hand, is replaced by {now}"
    return left


def recalibrate_text(before: Scorecard, after: Scorecard) -> str:
    """What one point means before and after."""
    if after.rules_.outcome.is_numeric:
        pairs = [(each.constant_, each.unit_) for each in (before, after)]
        old, new = (f"{number_text(constant)} and {number_text(unit)}" for constant, unit in pairs)
        return f"fit the constant and the unit again: {old} per point before, {new} now"
    return (
        f"calibrate the probabilities again: {before.slope_:.3g} log-odds per point before, "
        f"{after.slope_:.3g} now{_scale_text(before, after)}"
    )


def for_class_text(card: Scorecard, rule: Rule) -> str:
    """The class of a rule, if there are more than two."""
    return "".join(f" for {name}" for name in card.rules_.outcome.class_cells(rule.bank))
