"""Scores and what they mean."""

import numpy as np
import pytest

from clausal.scorecard.risk_table import RiskTable

VOTES = np.array([3, -1, 3, 0, -1, 3])
CODES = np.array([1, 0, 0, 1, 0, 1])


def test_rows_are_counted_by_their_score():
    table = RiskTable.of(VOTES, CODES, np.array([1, 1, 2, 1, 0.5, 1]), 2.0, -1.0, "bad")
    assert table.scores.tolist() == [-1, 0, 3]
    assert table.counts.tolist() == [1.5, 1, 4]
    assert table.positives.tolist() == [0, 1, 2]


def test_the_risk_is_the_sigmoid_of_slope_times_score_plus_offset():
    table = RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad")
    np.testing.assert_allclose(table.risks, 1 / (1 + np.exp(-(2.0 * table.scores - 1.0))))
    assert table.probability(np.array([10**9])).tolist() == [1.0]  # no overflow


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_has_a_row_per_score(backend):
    frame = RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad").to_frame(backend)
    assert len(frame) == 3
    assert [float(share) for share in frame["observed"].to_numpy()] == [0.0, 1.0, pytest.approx(2 / 3)]


def test_printed_it_is_a_table():
    lines = str(RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad")).splitlines()
    assert lines[0].split() == ["score", "risk", "of", "bad", "rows", "observed"]
    assert lines[3].split() == ["3", "99.3%", "3", "66.7%"]
