"""How strategy and size are chosen, and how the final points follow from them."""

import numpy as np
import pytest

from clausal.scorecard.compaction import Limits, Validated, choose


def judged(*scores, losses=(0.5, 0.5, 0.5, 0.5)):
    return Validated(np.array(scores), np.array(losses[: len(scores)]), 1.0, np.zeros(1), 0.5, 1.0)


def test_the_smallest_near_the_best_wins():
    validated = {
        (0, 0): judged(0.5, 0.6, 0.4, 0.5),
        (0, 1): judged(
            0.78, 0.80, 0.83, 0.795
        ),  # worse than the best in three folds of four, by next to nothing
        (0, 2): judged(0.79, 0.80, 0.82, 0.80),
        (1, 2): judged(0.9, 0.5, 0.9, 0.5),
    }
    assert choose(validated) == (0, 1)


def test_a_small_but_steady_loss_is_a_loss():
    validated = {(0, 0): judged(0.79, 0.69, 0.89, 0.75), (0, 1): judged(0.80, 0.70, 0.90, 0.77)}
    assert choose(validated) == (0, 1)


def test_a_size_that_is_worse_by_log_loss_is_passed_over():
    small = judged(0.7, 0.8, 0.7, 0.8, losses=(0.6, 0.7, 0.6, 0.7))
    large = judged(0.7, 0.8, 0.7, 0.8, losses=(0.4, 0.5, 0.4, 0.5))
    assert choose({(0, 0): small, (0, 1): large}) == (0, 1)
    assert choose({(0, 0): judged(0.7, 0.8, 0.7, 0.8), (0, 1): judged(0.7, 0.8, 0.7, 0.8)}) == (0, 0)


def test_where_score_and_log_loss_disagree_log_loss_decides():
    scored = judged(0.9, 0.8, 0.9, 0.8, losses=(0.9, 0.8, 0.9, 0.8))
    calibrated = judged(0.7, 0.6, 0.7, 0.6, losses=(0.4, 0.3, 0.4, 0.3))
    assert choose({(0, 0): scored, (0, 1): calibrated}) == (0, 1)


def test_the_strategy_of_the_lowest_log_loss_wins_whatever_its_size_and_score():
    small = judged(0.8, 0.8, 0.9, 0.9, losses=(0.41, 0.41, 0.41, 0.41))
    large = judged(0.8, 0.8, 0.8, 0.8, losses=(0.4, 0.4, 0.4, 0.4))
    poor = judged(0.5, 0.6, 0.5, 0.5, losses=(0.7, 0.7, 0.7, 0.7))
    validated = {(0, 0): small, (0, 1): poor, (1, 0): poor, (1, 1): large}
    assert choose(validated) == (1, 1)
    assert choose({(1 - strategy, size): one for (strategy, size), one in validated.items()}) == (0, 1)


def test_a_size_is_measured_by_its_own_strategys_best():
    better = judged(0.9, 0.9, 0.9, 0.9, losses=(0.60, 0.39, 0.50, 0.49))  # by score; near by log-loss
    large = judged(0.7, 0.8, 0.7, 0.8, losses=(0.49, 0.49, 0.48, 0.49))
    worse = judged(0.7, 0.8, 0.7, 0.8, losses=(0.50, 0.50, 0.50, 0.50))
    near = judged(0.7, 0.8, 0.7, 0.8, losses=(0.51, 0.46, 0.48, 0.51))
    assert choose({(0, 0): worse, (0, 1): large, (1, 1): better}) == (0, 1)
    assert choose({(0, 0): near, (0, 1): large, (1, 1): better}) == (0, 0)


def test_among_strategies_that_are_equal_the_first_wins():
    equal = judged(0.7, 0.8, 0.7, 0.8)
    assert choose({(1, 0): equal, (0, 1): equal, (0, 0): equal}) == (0, 0)


@pytest.mark.parametrize(("limit", "last"), [(None, 40), (1, 1), (7, 7), (13, 13), (300, 300)])
def test_sizes_run_from_one_literal_to_the_limit(limit, last):
    sizes = Limits(limit, None, 10).sizes
    assert sizes[0] == 1
    assert sizes[-1] == last
    assert list(sizes) == sorted(set(sizes))
