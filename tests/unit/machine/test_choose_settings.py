"""The choice of settings: what it depends on, which rows are held out, and what held-out votes are worth."""

import numpy as np
import pytest

from clausal import TsetlinClassifier
from clausal.machine import choose_settings
from clausal.machine.choose_settings import _dealt, _folds, _HeldOut
from clausal.machine.read import read_training_rows
from clausal.outcome import make_outcome
from tests.support.small_data import same_model, table

X, Y = table(n_rows=90)
Y = Y ^ (np.arange(90) % 11 == 0)
X3, Y3 = table(3, n_rows=90)


def fitted(X, y, **params):
    return TsetlinClassifier(**{"random_state": 0} | params).fit(X, y)


@pytest.mark.usefixtures("quick_choice")
@pytest.mark.parametrize(("X", "y"), [(X, Y), (X3, Y3)])
def test_the_backends_choose_and_learn_the_same(X, y):
    one, other = fitted(X, y), fitted(X, y, backend="reference")
    assert one.chosen_ == other.chosen_
    assert len(one.chosen_.groups) == 3
    assert same_model(one, other)
    assert same_model(one, fitted(X, y, n_jobs=3))
    assert not same_model(one, fitted(X, y, random_state=1))


@pytest.mark.usefixtures("quick_choice")
def test_the_order_of_rows_does_not_matter_and_whole_weights_are_repeated_rows():
    order = np.random.default_rng(0).permutation(90)
    one = fitted(X, Y)
    shuffled = fitted(X[order], Y[order])
    assert same_model(one, shuffled)
    assert one.chosen_ == shuffled.chosen_
    counts = np.arange(90) % 3
    rows = np.repeat(np.arange(90), counts)
    weighted, repeated = fitted(X, Y).fit(X, Y, sample_weight=counts), fitted(X[rows], Y[rows])
    assert weighted.chosen_ == repeated.chosen_
    assert same_model(weighted, repeated)


@pytest.mark.usefixtures("quick_choice")
def test_one_fold_where_rows_are_many(monkeypatch):
    monkeypatch.setattr(choose_settings, "_MANY_ROWS", 80)
    assert len(folds_of(rows_of(Y))) == 1
    weights = np.where(np.arange(90) % 2, 0.5, 1.5)
    assert fitted(X, Y).fit(X, Y, sample_weight=weights).chosen_ is not None


@pytest.mark.parametrize("rows", [slice(0, 29), np.r_[np.flatnonzero(Y == 0), np.flatnonzero(Y == 1)[:2]]])
def test_few_rows_have_the_fixed_settings(rows):
    clf = fitted(X[rows], Y[rows])
    assert clf.chosen_ is None
    model = clf.model_
    assert (model.n_clauses, model.threshold, clf.n_iter_) == (100, 6400, 75)


def rows_of(y, weights=None):
    clf = TsetlinClassifier(booleanizer="paper", random_state=0)
    X = np.column_stack([np.arange(len(y)), np.arange(len(y)) ** 2 % 97]).astype(float)
    return read_training_rows(clf, X, y, weights, None)


def folds_of(rows, factors=None):
    return _folds(_dealt(rows.samples, rows.encoding, 1, factors), rows.samples.codes, factors)


def test_every_row_is_held_out_once_and_classes_are_spread():
    y = np.repeat([0, 1, 2], [50, 30, 10])
    folds = folds_of(rows_of(y))
    assert sorted(np.concatenate([fold.rows for fold in folds])) == list(range(90))
    for fold in folds:
        assert not fold.training[fold.rows].any()
        assert fold.training.sum() == 60
        assert np.ptp(np.bincount(y[fold.rows]) - [50 / 3, 10, 10 / 3]) < 2


def test_a_row_of_weight_two_is_in_one_fold():
    weights = np.full(60, 2.0)
    folds = folds_of(rows_of(np.arange(60) % 2, weights))
    assert sorted(np.concatenate([fold.rows for fold in folds])) == list(range(60))
    for fold in folds:
        assert fold.weights.tolist() == [2] * 20
        assert (fold.training + np.bincount(fold.rows, fold.weights, minlength=60)).tolist() == [2] * 60


def test_rows_to_choose_by_are_counted_with_their_weights(monkeypatch):
    monkeypatch.setattr(choose_settings, "_MOST_ROWS", 100)
    rows = rows_of(np.arange(90) % 2, np.tile([2.0, 3.0, 1.0], 30))
    dealt = _dealt(rows.samples, rows.encoding, 1)
    assert 97 < dealt.weights.sum() <= 100


def test_a_class_weight_makes_no_copies_on_both_sides():
    folds = folds_of(rows_of(np.arange(60) % 2), np.array([1.0, 4.0]))
    assert sorted(np.concatenate([fold.rows for fold in folds])) == list(range(60))
    for fold in folds:
        assert not fold.training[fold.rows].any()
        assert fold.weights.tolist() == np.where(fold.rows % 2, 4.0, 1.0).tolist()
        assert fold.training.sum() + fold.weights.sum() == 150
    no_class_1 = folds_of(rows_of(np.arange(90) % 3), np.array([1.0, 0.0, 4.0]))
    assert {row % 3 for fold in no_class_1 for row in fold.rows} == {0, 2}


@pytest.mark.usefixtures("quick_choice")
@pytest.mark.parametrize("weight", [3.0, 0.5])
def test_weights_that_are_all_the_same_are_no_weights(weight):
    plain, weighted = fitted(X, Y), fitted(X, Y).fit(X, Y, sample_weight=np.full(90, weight))
    assert weighted.chosen_ == plain.chosen_
    assert same_model(weighted, plain)
    assert fitted(X[:25], Y[:25]).fit(X[:25], Y[:25], sample_weight=np.full(25, 3)).chosen_ is None


@pytest.mark.usefixtures("quick_choice")
@pytest.mark.parametrize("copies", ["weights", "rows"])
def test_noise_looks_like_noise_with_weights_and_with_copies(copies):
    rng = np.random.default_rng(0)
    noise, labels, weights = rng.random((120, 6)), rng.integers(0, 2, 120), rng.integers(1, 6, 120)
    if copies == "rows":
        noise, labels, weights = np.repeat(noise, weights, axis=0), np.repeat(labels, weights), None
    clf = TsetlinClassifier(random_state=0).fit(noise, labels, sample_weight=weights)
    assert clf.chosen_.accuracy < 0.65
    assert clf.chosen_.log_loss > 0.6


@pytest.mark.usefixtures("quick_choice")
def test_a_table_of_few_distinct_rows_is_validated_on_rows_that_training_has_seen():
    cells = np.random.default_rng(0).integers(0, 14, 280)
    X, y = np.column_stack([cells // 7, cells % 7]).astype(str), np.isin(cells, [0, 3, 4, 8, 9, 12, 13])
    assert fitted(X, y).chosen_.accuracy > 0.95


def test_noise_looks_like_noise_with_class_weights():
    rng = np.random.default_rng(0)
    clf = fitted(rng.random((150, 4)), rng.integers(0, 2, 150), class_weight={0: 4, 1: 4})
    assert clf.chosen_.accuracy < 0.65


def test_the_slope_is_that_of_least_log_loss():
    rng = np.random.default_rng(0)
    votes = rng.integers(-100, 100, (4000, 1))
    codes = (rng.random(4000) < 1 / (1 + np.exp(-0.04 * votes[:, 0]))).astype(np.int32)
    found = _HeldOut(make_outcome([0, 1]), codes, np.ones(4000)).validate(votes, 50)
    assert found.slope == 2.0  # log-odds per T of 50 votes
    p = 1 / (1 + np.exp(-0.04 * (votes[:, 0] + 0.5)))
    plain = -np.log(np.where(codes == 1, p, 1 - p)).mean()
    assert found.loss == pytest.approx(plain, abs=2e-3)
    three = _HeldOut(make_outcome([0, 1, 2]), codes, np.ones(4000))
    banks = np.column_stack([np.zeros(4000, int), votes[:, 0], np.full(4000, -10_000)])
    assert three.validate(banks, 50).slope == 2.0


def test_votes_without_an_error_have_a_finite_slope():
    votes = np.where(np.arange(60) % 2, 10, -11)[:, None]
    held_out = _HeldOut(make_outcome([0, 1]), (np.arange(60) % 2).astype(np.int32), np.ones(60))
    found = held_out.validate(votes, 10)
    assert 2 <= found.slope <= 8  # one error in about 60 rows is still thought possible
    assert held_out.accuracy(votes) == 1
