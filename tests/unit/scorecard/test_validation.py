"""How the search and the size are chosen."""

import numpy as np

from clausal.scorecard.validation import Validated, choose


def validated_at(*scores, losses=(0.5, 0.5, 0.5, 0.5)):
    n = len(scores)
    return Validated(np.array(scores), np.array(losses[:n]), 1.0, np.zeros(1), 0.5, 1.0, np.full(n, 0.7))


def test_the_smallest_size_close_to_the_best_wins():
    validated = {
        (0, 0): validated_at(0.5, 0.6, 0.4, 0.5),
        (0, 1): validated_at(0.78, 0.80, 0.83, 0.795),  # slightly worse than the best
        (0, 2): validated_at(0.79, 0.80, 0.82, 0.80),
        (1, 2): validated_at(0.9, 0.5, 0.9, 0.5),
    }
    assert choose(validated) == (0, 1)


def test_a_small_difference_on_every_fold_is_not_close():
    validated = {(0, 0): validated_at(0.79, 0.69, 0.89, 0.75), (0, 1): validated_at(0.80, 0.70, 0.90, 0.77)}
    assert choose(validated) == (0, 1)


def test_a_size_that_is_worse_by_log_loss_is_not_chosen():
    small = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.6, 0.7, 0.6, 0.7))
    large = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.4, 0.5, 0.4, 0.5))
    assert choose({(0, 0): small, (0, 1): large}) == (0, 1)
    assert choose({(0, 0): validated_at(0.7, 0.8, 0.7, 0.8), (0, 1): validated_at(0.7, 0.8, 0.7, 0.8)}) == (
        0,
        0,
    )


def test_where_score_and_log_loss_disagree_log_loss_decides():
    scored = validated_at(0.9, 0.8, 0.9, 0.8, losses=(0.9, 0.8, 0.9, 0.8))
    calibrated = validated_at(0.7, 0.6, 0.7, 0.6, losses=(0.4, 0.3, 0.4, 0.3))
    assert choose({(0, 0): scored, (0, 1): calibrated}) == (0, 1)


def test_the_search_of_the_lowest_log_loss_wins_whatever_its_size_and_score():
    small = validated_at(0.8, 0.8, 0.9, 0.9, losses=(0.41, 0.41, 0.41, 0.41))
    large = validated_at(0.8, 0.8, 0.8, 0.8, losses=(0.4, 0.4, 0.4, 0.4))
    poor = validated_at(0.5, 0.6, 0.5, 0.5, losses=(0.7, 0.7, 0.7, 0.7))
    validated = {(0, 0): small, (0, 1): poor, (1, 0): poor, (1, 1): large}
    assert choose(validated) == (1, 1)
    assert choose({(1 - search, size): one for (search, size), one in validated.items()}) == (0, 1)


def test_a_size_is_compared_with_the_best_of_its_own_search():
    better = validated_at(0.9, 0.9, 0.9, 0.9, losses=(0.60, 0.39, 0.50, 0.49))  # by score; close by log-loss
    large = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.49, 0.49, 0.48, 0.49))
    worse = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.50, 0.50, 0.50, 0.50))
    close = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.51, 0.46, 0.48, 0.51))
    assert choose({(0, 0): worse, (0, 1): large, (1, 1): better}) == (0, 1)
    assert choose({(0, 0): close, (0, 1): large, (1, 1): better}) == (0, 0)


def test_of_equal_searches_the_first_wins():
    equal = validated_at(0.7, 0.8, 0.7, 0.8)
    assert choose({(1, 0): equal, (0, 1): equal, (0, 0): equal}) == (0, 0)


def test_rules_that_are_not_clearly_better_than_the_class_shares_are_remarked_upon():
    shares = np.full(4, 0.69)

    def remarks(*losses):
        one = Validated(np.ones(4), np.array(losses), 1.0, np.zeros(1), 0.5, 1.0, shares)
        return one.remarks

    assert remarks(0.5, 0.6, 0.5, 0.6) == ()
    (said,) = remarks(0.5, 0.9, 0.6, 0.7)
    assert "the log-loss is 0.675 instead of 0.690" in said
    assert remarks(0.69, 0.69, 0.69, 0.69) != ()
