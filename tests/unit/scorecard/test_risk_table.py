"""Scores and what they mean."""

from dataclasses import replace

import narwhals as nw
import numpy as np
import pytest
from scipy.special import expit

from clausal.scorecard.risk_table import RiskErrors, RiskTable

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


def test_any_list_of_scores_has_a_risk():
    table = RiskTable.of(np.array([0, 4]), np.array([0, 1]), np.ones(2), 0.5, -1.0, 1)
    np.testing.assert_array_equal(table.probability([2, 9]), expit([0.0, 3.5]))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_has_a_row_per_score(backend):
    frame = RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad").to_frame(backend)
    assert len(frame) == 3
    assert [float(share) for share in frame["observed"].to_numpy()] == [0.0, 1.0, pytest.approx(2 / 3)]


def test_printed_it_is_a_table():
    lines = str(RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad")).splitlines()
    assert lines[0].split() == ["score", "risk", "of", "bad", "rows", "observed"]
    assert lines[3].split() == ["3", "99.3%", "3", "66.7%"]


def with_errors(table, rows=1000.0):
    errors = RiskErrors(0.01, -0.02, 0.09, np.array([0.0, 0.16, 4.0]), rows, rows)
    return replace(table, errors=errors)


def test_the_larger_variance_counts():
    table = with_errors(RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad"))
    assert table.scores.tolist() == [-1, 0, 3]
    expected = [0.01 + 0.04 + 0.09, 0.16, 4.0]  # at -1, the calibration is less certain than the scorecards
    np.testing.assert_allclose(table.errors.variance(table.scores, table.scores), expected)
    between, beyond = table.errors.variance(np.array([1.5, 100]), table.scores)
    assert between == pytest.approx((0.16 + 4.0) / 2)
    assert beyond == pytest.approx(0.01 * 100**2 - 0.04 * 100 + 0.09)


def test_the_interval_is_that_of_the_log_odds():
    table = with_errors(RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad"))
    (interval,) = table.interval(np.array([0]))
    np.testing.assert_allclose(interval, expit(-1.0 + np.array([-1, 1]) * 1.959964 * 0.4), rtol=1e-6)


def test_no_end_is_closer_to_0_or_1_than_the_rows_allow():
    plain = RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad")
    table = with_errors(plain, rows=10.0)
    (_, high), (low, _) = table.interval(np.array([-6, 40]))
    assert high == pytest.approx(0.3, abs=0.01)
    assert low == pytest.approx(0.7, abs=0.01)
    (_, high), (low, _) = with_errors(plain, rows=0.0).interval(np.array([-6, 40]))
    assert (high, low) == (1.0, 0.0)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_has_intervals_if_they_are_known(backend):
    plain = RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "bad")
    assert "low" not in nw.from_native(plain.to_frame(backend)).columns
    frame = nw.from_native(with_errors(plain).to_frame(backend))
    assert frame.columns == ["score", "risk", "low", "high", "rows", "observed"]
    assert all(
        low < risk < high for low, risk, high in zip(frame["low"], frame["risk"], frame["high"], strict=True)
    )


def test_text_and_markdown_show_intervals():
    table = with_errors(RiskTable.of(VOTES, CODES, np.ones(6), 2.0, -1.0, "a|b"))
    lines = str(table).splitlines()
    assert lines[0].split() == ["score", "risk", "of", "'a|b'", "low", "high", "rows", "observed"]
    assert lines[2].split() == ["0", "26.9%", "14.4%", "44.6%", "1", "100.0%"]
    markdown = table.to_markdown().splitlines()
    assert markdown[0] == "| score | risk of 'a\\|b' | low | high | rows | observed |"
    assert markdown[3] == "| 0 | 26.9% | 14.4% | 44.6% | 1 | 100.0% |"
