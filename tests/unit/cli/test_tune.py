"""What `clausal tune` shows of its trials."""

import numpy as np
import pytest

from clausal.cli.commands.tune import _cell


@pytest.mark.parametrize(
    ("value", "shown"),
    [(12800.0, "12800"), (np.float64(75.0), "75"), (0.86791, "0.8679"), (8, "8"), (None, ""), (np.nan, "")],
)
def test_numbers_are_short_and_whole_numbers_are_whole(value, shown):
    assert _cell(value) == shown
