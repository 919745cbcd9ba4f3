"""Curves are scikit-learn's, and tables count every test row once, rows of equal total together."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn import metrics as sk

from clausal.html_report.ranking import Ranking
from tests.support.evaluations import evaluation, random_evaluation


@pytest.mark.parametrize("seed", range(3))
def test_the_roc_curve_is_scikit_learns(seed):
    e = random_evaluation(150, seed=seed)
    curve = Ranking.of(e).roc()
    alarms, recalls, _ = sk.roc_curve(e.codes, e.votes, drop_intermediate=False)
    np.testing.assert_allclose(curve.points, np.column_stack([alarms, recalls]))
    recall, specificity = (sk.recall_score(e.codes, e.decided, pos_label=k) for k in (1, 0))
    assert curve.decision == pytest.approx((1 - specificity, recall))
    assert curve.chance == ((0, 0), (1, 1))


@pytest.mark.parametrize("seed", range(3))
def test_the_precision_recall_curve_is_scikit_learns(seed):
    e = random_evaluation(150, seed=seed)
    curve = Ranking.of(e).precision_recall()
    precisions, recalls, _ = sk.precision_recall_curve(e.codes, e.votes)
    np.testing.assert_allclose(curve.points, np.column_stack([recalls, precisions])[-2::-1])
    expected = sk.recall_score(e.codes, e.decided), sk.precision_score(e.codes, e.decided)
    assert curve.decision == pytest.approx(expected)
    assert curve.chance == ((0, e.codes.mean()), (1, e.codes.mean()))


def test_a_model_that_never_decides_positive_has_no_precision():
    ranking = Ranking.of(evaluation([0, 1, 1], [-3, -2, -1]))
    assert ranking.precision_recall().decision is None
    assert ranking.roc().decision == (0, 0)


def test_long_curves_are_thinned_and_keep_their_ends_and_the_decision():
    random = np.random.RandomState(0)
    ranking = Ranking.of(evaluation(random.randint(2, size=5000), random.randn(5000)))
    for curve in (ranking.roc(), ranking.precision_recall()):
        assert len(curve.points) < 450
        assert curve.decision in curve.points
        assert curve.points[-1][0] == 1
        assert list(curve.points) == sorted(curve.points, key=lambda point: point[0])


def test_gains_count_every_row_once_and_capture_all():
    e = random_evaluation(400)
    gains = Ranking.of(e).gains()
    assert 5 <= len(gains) <= 10
    assert sum(gain.rows for gain in gains) == 400
    assert sum(gain.positives for gain in gains) == e.codes.sum()
    assert (gains[-1].captured, gains[-1].rows_so_far) == (1, 1)
    for gain, lower in pairwise(gains):
        assert gain.low > lower.high
        assert gain.captured <= lower.captured
    for gain in gains:
        inside = (e.votes >= gain.low) & (e.votes <= gain.high)
        assert (gain.rows, gain.positives) == (inside.sum(), e.codes[inside].sum())
        assert gain.rate == gain.positives / gain.rows
        assert gain.lift == pytest.approx(gain.rate / e.codes.mean())
        assert gain.captured == e.codes[e.votes >= gain.low].sum() / e.codes.sum()


def test_rows_of_equal_total_are_in_one_group():
    (gain,) = Ranking.of(evaluation([0, 1, 1, 1], [2, 2, 2, 2])).gains()
    assert (gain.low, gain.high, gain.rows, gain.lift) == (2, 2, 4, 1)


def test_cut_offs_decide_every_row_and_one_of_them_is_the_models():
    e = random_evaluation(400)
    cuts = Ranking.of(e).cut_offs()
    assert 5 <= len(cuts) <= 11
    assert [cut.total for cut in cuts] == sorted({cut.total for cut in cuts})
    for cut in cuts:
        above = e.votes >= cut.total
        assert (cut.above.rows, cut.below.rows) == (above.sum(), (~above).sum())
        assert cut.above.share + cut.below.share == pytest.approx(1)
        assert cut.above.rate == pytest.approx(e.codes[above].mean())
        assert cut.below.rate == pytest.approx(e.codes[~above].mean())
    (chosen,) = [cut for cut in cuts if cut.chosen]
    assert (chosen.total, chosen.above.rows) == (0, e.decided.sum())


def test_a_cut_off_that_divides_as_the_models_does_is_not_shown_twice():
    cuts = Ranking.of(evaluation([0, 0, 1, 1], [-4, -4, 3, 3])).cut_offs()
    assert [(cut.total, cut.chosen) for cut in cuts] == [(0, True)]
    one_side = Ranking.of(evaluation([0, 1], [3, 4])).cut_offs()
    assert [(cut.total, cut.below.rows, cut.chosen) for cut in one_side] == [(0, 0, True), (4, 1, False)]
    assert np.isnan(one_side[0].below.rate)


def test_several_classes_or_rows_of_one_class_have_no_ranking():
    assert Ranking.of(random_evaluation(50, 3)) is None
    assert Ranking.of(evaluation([1, 1], [2, 3])) is None
    assert Ranking.of(evaluation([0, 0], [2, 3])) is None
