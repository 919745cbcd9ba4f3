"""A verdict needs a large difference and a significant one."""

import math

import pytest

from clausal.evaluation.verdicts import LIMITS, PSI, RATIO, Counted, Share, check_limits, judge, shift, worst


def check(*bins):
    return shift("rule", Counted("age <= 40", tuple(Share(str(k), a, b) for k, (a, b) in enumerate(bins))))


def verdicts(*checks, **limits):
    return [each.verdict for each in judge(checks, {**LIMITS, **limits})]


def test_a_large_and_significant_difference_is_to_be_acted_on():
    (found,) = judge([check((700, 300), (300, 700))], LIMITS)
    assert found.verdict == "act"
    assert found.reason.startswith("a PSI of 0.68 is 0.25 or more, and significant (p < 0.001 after 1 tests)")


def test_a_significant_difference_may_be_too_small():
    (found,) = judge([check((50_000, 48_000), (50_000, 52_000))], LIMITS)
    assert found.p_adjusted < 1e-6
    assert found.verdict == "stable"
    assert found.reason == "a PSI of 0.0016 is below 0.1"


def test_a_large_difference_may_be_chance_and_few_rows_are_said():
    (found,) = judge([check((6, 3), (4, 7))], LIMITS)
    assert found.verdict == "stable"
    assert "is not significant" in found.reason
    assert "with so few rows, only a PSI of" in found.reason


def test_many_tests_are_corrected():
    one, flat = check((65, 35), (40, 60)), check((50, 50), (50, 50))
    assert verdicts(one) == ["act"]
    assert verdicts(*[one] + [flat] * 2000) == ["stable"] * 2001


def test_limits_can_be_chosen():
    assert verdicts(check((650, 350), (500, 500)), PSI=(0.1, 0.25)) == ["stable"]
    assert verdicts(check((650, 350), (500, 500)), PSI=(0.01, 0.05)) == ["act"]
    assert check_limits("monitor", {PSI: (0.2, 0.3)})[PSI] == (0.2, 0.3)


@pytest.mark.parametrize("limits", [{"psi": (1, 2)}, [1], {PSI: (0.3, 0.2)}, {PSI: 0.1}, {RATIO: (0.5, 2)}])
def test_other_limits_are_refused(limits):
    with pytest.raises(ValueError, match="parameter of monitor must be"):
        check_limits("monitor", limits)


def test_a_check_without_rows_has_no_verdict():
    (found,) = judge([check((0, 5), (0, 5))], LIMITS)
    assert found.verdict is None
    assert math.isnan(found.p_adjusted)
    assert worst([found]) == "stable"
