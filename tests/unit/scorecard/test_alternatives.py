"""Other scorecards that are about as good as the chosen one."""

import numpy as np
import pytest
from sklearn.base import clone

from clausal.scorecard.alternatives import n_searches
from clausal.scorecard.search_space import SEARCHES
from tests.support.scorecards import same_scorecard, scorecard
from tests.support.small_data import table


def two_copies(n_rows=200, noise=0.15):
    """A table in which the first and the second feature are equal, and its labels."""
    rng = np.random.default_rng(5)
    x = rng.random(n_rows).round(2)
    X = np.column_stack([x, x, rng.random((n_rows, 2)).round(2)])
    return X, ((x > 0.5) ^ (rng.random(n_rows) < noise)).astype(int)


def test_there_are_none_unless_asked_for():
    clf = scorecard().fit(*table())
    assert clf.alternatives_ == ()


def test_a_copy_of_a_feature_stands_for_it():
    X, y = two_copies()
    clf = scorecard(max_literals=2, n_alternatives=1).fit(X, y)
    (other,) = clf.alternatives_
    used, forbidden = clf.rules_.used_features, int(other.without.removeprefix("x"))
    assert forbidden in used
    assert forbidden not in other.rules.used_features
    assert {0, 1} & other.rules.used_features == {1 - forbidden}
    assert other.loss == pytest.approx(clf.alternatives_[0].loss)
    assert abs(other.worse_by) < 0.02
    assert other.n_literals <= 2
    assert other.features == tuple(f"x{k}" for k in sorted(other.rules.used_features))


def test_the_only_informative_feature_has_no_alternative():
    X, y = two_copies(noise=0.05)
    clf = scorecard(max_literals=1, n_alternatives=3).fit(X[:, [0, 2, 3]], y)
    assert clf.rules_.used_features == {0}
    assert clf.alternatives_ == ()


def test_no_feature_left_means_no_alternative():
    X, y = two_copies()
    assert scorecard(max_literals=1, n_alternatives=2).fit(X[:, :1], y).alternatives_ == ()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_they_differ_in_features_and_are_sorted(n_classes):
    rng = np.random.default_rng(1)
    X = rng.random((250, 5)).round(1)
    y = np.minimum((X[:, :3].mean(axis=1) * 1.2 * n_classes + rng.normal(0, 0.3, 250)).clip(0), n_classes - 1)
    clf = scorecard(n_alternatives=4, max_literals=4).fit(X, y.astype(int))
    others = clf.alternatives_
    assert 1 <= len(others) <= 4
    features = [clf.rules_.used_features, *(each.rules.used_features for each in others)]
    assert len(set(features)) == len(features)
    assert [each.loss for each in others] == sorted(each.loss for each in others)
    assert all(each.worse_by <= 2 * (each.worse_by_error + 0.001) for each in others)
    for each in others:
        assert (each.risk_table is None) == (n_classes == 3)
        assert each.n_literals <= 4
        assert set(each.rules.predict(X)) <= set(clf.classes_.tolist())
    if n_classes == 2:
        each = others[0]
        votes = each.rules.votes(X)
        assert set(np.unique(votes)) == set(each.risk_table.scores.tolist())
        assert each.risk_table.slope == each.slope
        assert each.risk_table.errors is not None


def test_the_scorecard_does_not_depend_on_them():
    X, y = two_copies()
    clf = scorecard(random_state=3)
    with_others = clone(clf).set_params(n_alternatives=2).fit(X, y)
    assert same_scorecard(clf.fit(X, y), with_others)
    assert with_others.stability_ == clf.stability_


def test_threads_make_no_difference():
    X, y = two_copies()
    one, two = (scorecard(n_alternatives=2, n_jobs=n).fit(X, y) for n in (1, 2))
    assert [repr(each) for each in one.alternatives_] == [repr(each) for each in two.alternatives_]
    assert [each.rules for each in one.alternatives_] == [each.rules for each in two.alternatives_]


def test_progress_counts_the_searches(capsys):
    X, y = two_copies()
    scorecard(n_alternatives=2, verbose=1).fit(X, y)
    total = 2 * (1 + len(SEARCHES)) + 2 + n_searches(2)  # of two folds, and of all rows
    assert f"{total}/{total}" in capsys.readouterr().err


def test_what_it_is_made_of_is_printed():
    X, y = two_copies()
    (other,) = scorecard(max_literals=2, n_alternatives=1).fit(X, y).alternatives_
    text = repr(other)
    assert text.startswith(f"Alternative without {other.without}: ")
    assert f"log-loss {other.loss:.3f}" in text


def test_they_cannot_be_replaced():
    clf = scorecard().fit(*table())
    for name in ("alternatives_", "stability_"):
        with pytest.raises(AttributeError, match=f"{name} of RuleClassifier must not be replaced"):
            setattr(clf, name, ())
