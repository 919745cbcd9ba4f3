"""The sizes that are searched."""

import pytest

from clausal.scorecard.search import Limits


@pytest.mark.parametrize(("limit", "last"), [(None, 40), (1, 1), (7, 7), (13, 13), (300, 300)])
def test_sizes_run_from_one_literal_to_the_limit(limit, last):
    sizes = Limits(limit, None, 10).sizes
    assert sizes[0] == 1
    assert sizes[-1] == last
    assert list(sizes) == sorted(set(sizes))
