"""Which parameters contradict each other."""

from types import SimpleNamespace

import pytest

from clausal.machine.settings import check_partial_fit, check_together


def settings(**values):
    defaults = {"weighting": "integer", "weight_floor": 0, "max_weight": None, "sharing": None}
    others = {"early_stopping": False, "class_weight": None, "_predicts_numbers": False}
    return SimpleNamespace(**{**defaults, **others, **values})


def test_bounds_of_the_weights():
    for fine in ({}, {"max_weight": 3, "weight_floor": 3}, {"max_weight": 3.0}):
        check_together(settings(**fine))
    for unused in ("none", "real"):  # a floor is for integer weights only
        check_together(settings(weighting=unused, max_weight=2.5, weight_floor=9))
    with pytest.raises(ValueError, match=r"must not be below weight_floor=4. Got 3\.$"):
        check_together(settings(max_weight=3, weight_floor=4))
    with pytest.raises(ValueError, match=r"must be a whole number when weighting='integer'. Got 2.5\.$"):
        check_together(settings(max_weight=2.5))


def test_partial_fit_takes_plain_settings():
    check_partial_fit(settings(class_weight={0: 1}))
    with pytest.raises(ValueError, match="'early_stopping' parameter of SimpleNamespace must be False"):
        check_partial_fit(settings(early_stopping=True))
    with pytest.raises(ValueError, match="'class_weight' parameter .* dict or None .* Got 'balanced'"):
        check_partial_fit(settings(class_weight="balanced"))
