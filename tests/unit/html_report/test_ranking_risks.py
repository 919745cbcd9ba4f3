"""The risk table is short, loses no row, and shows every total behind it."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from clausal.evaluation.metrics import wilson
from clausal.html_report.ranking import make_risks
from clausal.scorecard.risk_table import RiskErrors, RiskTable
from tests.support.evaluations import evaluation, random_evaluation


def risk_table(scores):
    n = len(scores)
    return SimpleNamespace(
        scores=np.array(scores),
        counts=np.arange(n) + 2.0,
        positives=np.ones(n),
        risks=np.linspace(0.1, 0.9, n),
    )


def risks_of(scores, e):
    return make_risks(SimpleNamespace(risk_table_=risk_table(scores)), e)


def test_each_total_has_its_risk_and_what_was_seen():
    risks = risks_of([-2, 0, 3], evaluation([0, 1, 1, 0], [0, 0, 3, 3]))
    assert [(row.low, row.high, row.low_risk, row.high_risk) for row in risks.rows] == [
        (-2, -2, 0.1, 0.1),
        (0, 0, 0.5, 0.5),
        (3, 3, 0.9, 0.9),
    ]
    assert [(row.train.rows, row.train.positives) for row in risks.rows] == [(2, 1), (3, 1), (4, 1)]
    assert [(row.test.rows, row.test.positives) for row in risks.rows] == [(0, 0), (2, 1), (2, 1)]
    assert [row.decided for row in risks.rows] == [0, 1, 1]
    assert risks.n_left_out == 0


def test_a_band_has_the_ends_of_its_intervals():
    table = RiskTable.of(np.array([-2, 0, 3]), np.array([0, 1, 1]), np.ones(3), 1.0, 0.0, "yes")
    errors = RiskErrors(0.0, 0.0, 0.04, np.array([0.0, 1.0, 0.25]), 1000.0, 1000.0)
    risks = make_risks(
        SimpleNamespace(risk_table_=replace(table, errors=errors)), evaluation([0, 1, 1, 0], [0, 0, 3, 3])
    )
    assert all(row.interval[0] < row.low_risk <= row.high_risk < row.interval[1] for row in risks.bands)
    widths = [row.interval[1] - row.interval[0] for row in risks.rows]
    assert widths[1] == max(widths)
    assert risks_of([-2, 0, 3], evaluation([0, 1], [0, 3])).rows[0].interval is None


@pytest.mark.parametrize("n_scores", [2, 56, 300])
def test_the_bands_are_few_and_count_every_row_once(n_scores):
    e = random_evaluation(500)
    risks = risks_of(range(-n_scores // 2, n_scores // 2), e)
    assert len(risks.bands) <= 11
    assert sum(band.test.rows for band in risks.bands) == 500
    assert sum(band.test.positives for band in risks.bands) == e.codes.sum()
    assert sum(band.train.rows for band in risks.bands) == sum(range(2, n_scores + 2))
    for band, higher in pairwise(risks.bands):
        assert band.high < higher.low
        assert band.decided <= higher.decided
    for band in risks.bands:
        inside = (e.votes >= band.low) & (e.votes <= band.high)
        assert (band.test.rows, band.test.positives) == (inside.sum(), e.codes[inside].sum())
        if band.test.rows:
            assert band.test.rate == band.test.positives / band.test.rows
            assert (band.test.low, band.test.high) == wilson(band.test.positives, band.test.rows)


def test_no_band_holds_totals_of_both_decisions():
    risks = risks_of(range(-3, 100), random_evaluation(20))
    assert all((band.low >= 0) == (band.high >= 0) == bool(band.decided) for band in risks.bands)


def test_a_total_that_no_training_row_has_is_not_lost():
    e = evaluation([0, 1, 1], [-50, 1, 50])
    risks = risks_of([-2, 0, 3], e)
    assert [row.low for row in risks.rows] == [-50, -2, 0, 1, 3, 50]
    assert sum(band.test.rows for band in risks.bands) == 3
    assert risks.rows[-1].low_risk == e.probabilities[-1, 1]
    assert np.isnan(risks.rows[-1].train.rate)


def test_very_many_totals_are_thinned_out_and_counted():
    risks = risks_of(range(-500, 500), evaluation([0, 1], [0, 1]))
    assert len(risks.rows) + risks.n_left_out == 1000
    assert len(risks.rows) <= 200
    assert [risks.rows[0].low, risks.rows[-1].low] == [-500, 499]


def test_without_a_risk_table_there_is_none():
    assert make_risks(SimpleNamespace(), evaluation([0, 1], [0, 1])) is None
    clf = SimpleNamespace(risk_table_=None)
    assert make_risks(clf, evaluation([0, 1], [[0, 1, 2], [2, 1, 0]])) is None


def test_training_rows_that_are_given_are_counted_and_not_weighed():
    table = risk_table([-2, 0, 3])
    table.counts = np.array([200.5, 300.25, 400.0])
    e, train = evaluation([0, 1], [0, 3]), evaluation([0, 1, 1, 1], [-2, 0, 0, 5])
    risks = make_risks(SimpleNamespace(risk_table_=table), e, train)
    assert [(row.train.rows, row.train.positives) for row in risks.rows] == [(1, 0), (2, 2), (0, 0), (1, 1)]
    assert (risks.rows[1].train.low, risks.rows[1].train.high) == wilson(2, 2)
    assert risks.rows[-1].low_risk == train.probabilities[-1, 1]
    assert (risks.sample_weights, risks.weighted, risks.unlike) == (True, False, True)
    table.scores, table.risks = table.scores[:2], table.risks[:2]
    table.counts, table.positives = np.array([1.0, 2.0]), np.array([0.0, 2.0])
    risks = make_risks(SimpleNamespace(risk_table_=table), e, evaluation([0, 1, 1], [-2, 0, 0]))
    assert (risks.sample_weights, risks.weighted, risks.unlike) == (False, False, False)


def test_weights_have_no_interval():
    table = risk_table([-2, 0])
    clf = SimpleNamespace(risk_table_=table, class_weight="balanced")
    e = evaluation([0, 1], [-2, 0])
    assert make_risks(clf, e).weighted
    clf.class_weight = None
    assert not make_risks(clf, e).weighted
    table.counts = table.counts + 0.25
    risks = make_risks(clf, e)
    assert risks.weighted
    assert np.isnan(risks.rows[0].train.low)
    assert risks.rows[0].train.rate == 1 / 2.25
    assert not np.isnan(risks.rows[0].test.low)
