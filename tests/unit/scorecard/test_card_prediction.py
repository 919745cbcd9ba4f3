"""Intervals of risks as an estimator gives them; the other predictions are in tests/contract."""

import numpy as np
import pytest

from clausal import RuleClassifier
from tests.support.scorecards import scorecard
from tests.support.small_data import table


def test_rows_with_the_same_score_have_the_interval_of_the_table():
    X, y = table()
    clf = scorecard(max_literals=2).fit(X, y)
    intervals = clf.predict_risk_interval(X)
    assert intervals.shape == (len(X), 2)
    frame = clf.risk_table_.to_frame("pandas").set_index("score")
    for vote, (low, high) in zip(clf.votes(X), intervals, strict=True):
        assert (frame["low"][vote], frame["high"][vote]) == (low, high)


def test_the_positive_class_decides_whose_risk_it_is():
    X, y = table()
    labels = np.array(["a", "b"])[y]
    one = RuleClassifier(max_literals=2, cv=2, random_state=0, pos_label="b").fit(X, labels)
    other = RuleClassifier(max_literals=2, cv=2, random_state=0, pos_label="a").fit(X, labels)
    for clf, column in ((one, 1), (other, 0)):
        low, high = clf.predict_risk_interval(X).T
        risk = clf.predict_proba(X)[:, column]
        assert ((low <= risk) & (risk <= high)).all()


@pytest.mark.parametrize("confidence", [0, 1, 1.5, None, "0.9", float("nan")])
def test_a_confidence_is_between_0_and_1(confidence):
    clf = scorecard(max_literals=1).fit(*table())
    words = "The 'confidence' parameter of predict_risk_interval must be a number > 0 and < 1"
    with pytest.raises(ValueError, match=words):
        clf.predict_risk_interval(table()[0], confidence)


def test_more_classes_have_no_risk():
    X, y = table(3)
    clf = scorecard(max_literals=1).fit(X, y)
    with pytest.raises(ValueError, match="scorecard of two classes, .* Got 3 classes"):
        clf.predict_risk_interval(X)
    with pytest.raises(AttributeError, match="only these have a risk; predict_proba .* Got 3 classes"):
        _ = clf.risk_table_
    assert not hasattr(clf, "risk_table_")
    with pytest.raises(AttributeError, match="RuleClassifier has a risk_table_ when it is fitted"):
        _ = RuleClassifier().risk_table_
    clf.fit(X, y > 0)
    assert len(clf.risk_table_.to_frame("pandas"))
