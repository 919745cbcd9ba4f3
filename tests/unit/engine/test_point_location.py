"""CPL-ATS: the automaton finds a point from answers that are right more often than not."""

import numpy as np
import pytest

from clausal.engine.point_location import MOST_POINTS, N_MORE, grid, locate_points


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 1), (3, 3), (2, 5), (0, 100), (0, 10**9), (7, 2**30)])
def test_a_grid_ascends_from_end_to_end(low, high):
    numbers = grid(low, high)
    assert numbers[0] == low
    assert numbers[-1] == high
    assert np.all(np.diff(numbers) > 0)
    assert len(numbers) <= MOST_POINTS


@pytest.mark.parametrize("high", [0, 1, 2, 3, 10, 6400])
def test_every_state_leads_to_states(high):
    located = locate_points(0, high)
    for moves in (located.up, located.down):
        assert moves.min() >= 0
        assert moves.max() < len(located.points)
    assert set(np.unique(located.points)) <= set(grid(0, high).tolist())


def follow(located, point, share, rng, n_answers):
    """The points after answers of which this share is right."""
    state, visited = 0, []
    for _ in range(n_answers):
        up = located.points[state] < point if rng.random() < share else located.points[state] > point
        state = (located.up if up else located.down)[state]
        visited.append(located.points[state])
    return np.array(visited)


@pytest.mark.parametrize("index", [0, 3, 11, 24, -1])
def test_right_answers_lead_near_the_point(index):
    located, numbers = locate_points(0, 6400), grid(0, 6400)
    end = follow(located, numbers[index], 1.0, np.random.default_rng(0), 400)[-100:]
    distance = np.abs(np.searchsorted(numbers, end) - np.searchsorted(numbers, numbers[index]))
    assert distance.max() <= 4


def test_answers_that_are_often_wrong_lead_near_the_point_most_of_the_time():
    located, numbers = locate_points(0, 6400), grid(0, 6400)
    end = follow(located, numbers[20], 0.75, np.random.default_rng(1), 5000)[1000:]
    assert abs(np.median(np.searchsorted(numbers, end)) - 20) <= 2


def test_a_point_that_moved_is_found_again():
    located, numbers = locate_points(0, 6400), grid(0, 6400)
    state = 0
    for point in (numbers[5], numbers[30]):
        for _ in range(40 * N_MORE):
            state = (located.up if located.points[state] < point else located.down)[state]
        assert (
            abs(int(np.searchsorted(numbers, located.points[state])) - int(np.searchsorted(numbers, point)))
            <= 4
        )
