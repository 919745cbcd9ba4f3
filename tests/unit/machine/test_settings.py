"""What "auto" stands for, and which parameters contradict each other."""

from types import SimpleNamespace

import numpy as np
import pytest

from clausal.machine.settings import (
    AUTO_THRESHOLD_PER_CLAUSE,
    check_partial_fit,
    check_together,
    resolve_threshold,
)


@pytest.mark.parametrize("weighting", ["integer", "none", "real"])
def test_auto_threshold_is_a_share_of_the_clauses(weighting):
    share = AUTO_THRESHOLD_PER_CLAUSE[weighting]
    assert resolve_threshold("auto", 1000, weighting) == round(1000 * share)
    assert resolve_threshold(np.str_("auto"), 1000, weighting) == round(1000 * share)
    assert resolve_threshold("auto", 2, weighting) >= 1
    assert resolve_threshold(np.int64(7), 1000, weighting) == 7
    assert type(resolve_threshold(np.int64(7), 1000, weighting)) is int


def settings(**values):
    defaults = {"weighting": "integer", "weight_floor": 0, "max_weight": None}
    return SimpleNamespace(**{**defaults, "early_stopping": False, "class_weight": None, **values})


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
