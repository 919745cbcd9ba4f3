"""Weight rules: bounds, starts, and the fixed-point table of real weights."""

import numpy as np
import pytest

from clausal.engine.weight_rule import MAX_REAL_WEIGHT, REAL_SCALE, weight_rule


def test_none_never_moves():
    rule = weight_rule("none", floor=0, maximum=None, gain=0.1, threshold=6400)
    assert (rule.low, rule.high, rule.start, rule.scale) == (1, 1, 1, 1)


@pytest.mark.parametrize(("floor", "maximum", "expected"), [(0, None, (0, 2**31 - 1, 1)), (3, 9, (3, 9, 3))])
def test_integer_bounds(floor, maximum, expected):
    rule = weight_rule("integer", floor=floor, maximum=maximum, gain=0.1, threshold=6400)
    assert (rule.low, rule.high, rule.start) == expected
    assert rule.points(np.array([5], np.int32)).tolist() == [5]


@pytest.mark.parametrize("gain", [0.001, 0.1, 1.0])
def test_real_weights_are_powers(gain):
    rule = weight_rule("real", floor=0, maximum=None, gain=gain, threshold=6400)
    levels = np.arange(rule.low, rule.high + 1, dtype=np.int32)
    points = rule.points(levels)
    assert points.dtype == np.int64
    assert points[-rule.low] == REAL_SCALE, "level 0 is weight 1"
    assert np.all(np.diff(points) >= 0)
    assert points[0] == 1
    assert points[-1] <= MAX_REAL_WEIGHT * REAL_SCALE < points[-1] * (1 + gain) * 1.001
    exact = REAL_SCALE * (1 + gain) ** levels.astype(float)
    assert np.abs(points - exact).max() <= 0.5 + 1e-6 * exact.max()
    assert rule.weights(np.array([0], np.int32)).tolist() == [1.0]


@pytest.mark.parametrize(
    ("weighting", "maximum"),
    [("none", None), ("integer", None), ("integer", 4), ("real", 2.0), ("rwtla", 4)],
)
def test_rewards_and_penalties_are_steps_of_one_within_the_bounds(weighting, maximum):
    rule = weight_rule(weighting, floor=0, maximum=maximum, gain=0.5, threshold=6400)
    levels = np.array([rule.low, rule.start, rule.high], np.int32)
    assert rule.reward(levels).dtype == rule.penalise(levels).dtype == np.int32
    assert rule.reward(levels).tolist() == [min(level + 1, rule.high) for level in levels.tolist()]
    assert rule.penalise(levels).tolist() == [max(level - 1, rule.low) for level in levels.tolist()]


@pytest.mark.parametrize("weighting", ["none", "integer", "real", "rwtla", "cpl_ats"])
def test_a_clause_lives_if_its_weight_is_above_0(weighting):
    rule = weight_rule(weighting, floor=0, maximum=3, gain=0.5, threshold=6400)
    levels = np.arange(rule.low, rule.high + 1, dtype=np.int32).reshape(1, -1)
    assert rule.is_live(levels).tolist() == (rule.weights(levels) > 0).tolist()


def test_real_weights_respect_a_maximum():
    rule = weight_rule("real", floor=0, maximum=2.0, gain=0.5, threshold=6400)
    assert rule.weights(np.array([rule.high], np.int32)).tolist() == [1.5]


def test_the_table_is_the_same_on_every_platform():
    rule = weight_rule("real", floor=0, maximum=None, gain=0.1, threshold=6400)
    assert len(rule.table) == 225
    exact = [1, 7319, 72090, 993438831]  # 65536 * 1.1^k in rational arithmetic, k = -123, -23, 1, 101
    assert rule.table[[0, 100, 124, 224]].tolist() == exact


@pytest.mark.parametrize("weighting", ["none", "integer", "real", "cpl_ats"])
def test_only_rwtla_has_a_margin(weighting):
    rule = weight_rule(weighting, floor=0, maximum=None, gain=0.1, threshold=10)
    levels = np.full(3, rule.start, np.int32)
    assert not rule.stays(levels, 10).any()


def test_a_level_stays_if_the_vote_without_the_clause_is_right_by_more_than_half_of_t():
    rule = weight_rule("rwtla", floor=0, maximum=None, gain=0.1, threshold=10)
    levels = np.array([0, 1, 2, 3, 9], np.int32)
    assert rule.stays(levels, 8).tolist() == [True, True, True, False, False]  # 8 - level > 5
    assert not rule.stays(levels, -8).any(), "a wrong vote moves every weight"


def test_cpl_ats_moves_by_its_tables_between_points_from_the_floor_to_t():
    rule = weight_rule("cpl_ats", floor=2, maximum=None, gain=0.1, threshold=60)
    levels = np.arange(rule.low, rule.high + 1, dtype=np.int32)
    assert {int(rule.points(levels).min()), int(rule.points(levels).max())} == {2, 60}
    assert rule.reward(levels).dtype == rule.penalise(levels).dtype == np.int32
    assert weight_rule("cpl_ats", floor=2, maximum=9, gain=0.1, threshold=60).points(levels[:1]) <= 9
