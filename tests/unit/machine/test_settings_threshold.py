"""What `threshold="auto"` stands for."""

import numpy as np
import pytest

from clausal.machine.settings import AUTO_THRESHOLD_PER_CLAUSE, resolve_threshold


@pytest.mark.parametrize("weighting", ["integer", "none", "real", "rwtla", "cpl_ats"])
def test_auto_threshold_is_a_share_of_the_clauses(weighting):
    share = AUTO_THRESHOLD_PER_CLAUSE[weighting]
    assert resolve_threshold("auto", 1000, share) == round(1000 * share)
    assert resolve_threshold(np.str_("auto"), 1000, share) == round(1000 * share)
    assert resolve_threshold("auto", 2, share) >= 1
    assert resolve_threshold(np.int64(7), 1000, share) == 7
    assert type(resolve_threshold(np.int64(7), 1000, share)) is int
