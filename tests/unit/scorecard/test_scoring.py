"""Scores of predictions, as scikit-learn computes them."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from clausal.outcome import make_outcome
from clausal.scorecard.scoring import Scoring, check_scoring_name

TWO = make_outcome(range(2))
THREE = make_outcome(range(3))

RNG = np.random.default_rng(3)


def test_scores_are_scikit_learns_with_the_second_class_as_positive():
    p = RNG.random(50)
    codes, weights = (RNG.random(50) < p).astype(int), RNG.random(50)
    both, decided = np.column_stack([1 - p, p]), (p > 0.5).astype(int)
    score = Scoring("f1", TWO).score(both, decided, codes, weights)
    assert score == pytest.approx(f1_score(codes, decided, sample_weight=weights))
    assert Scoring("f1", TWO).score(both, np.zeros(50, int), codes, weights) == 0.0  # and no warning


def test_more_classes_take_macro_averages():
    p = RNG.dirichlet(np.ones(3), 60)
    codes = np.arange(60) % 3
    macro = f1_score(codes, p.argmax(axis=1), average="macro")
    for name in ("f1", "f1_macro"):
        assert Scoring(name, THREE).score(p, p.argmax(axis=1), codes, np.ones(60)) == pytest.approx(macro)
    assert 0 < Scoring("roc_auc", THREE).score(p, p.argmax(axis=1), codes, np.ones(60)) < 1


def test_a_callable_sees_codes():
    seen = []

    def positives(estimator, X, y, sample_weight=None):
        seen.append(set(y.tolist()))
        return float(estimator.predict(X).sum())

    scoring = Scoring(positives, TWO)
    p = np.full((4, 2), 0.5)
    assert scoring.score(p, np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1]), np.ones(4)) == 2.0
    assert seen == [{0, 1}]
    assert scoring.name == "positives"


def test_the_name_says_what_is_computed():
    assert [Scoring(name, TWO).name for name in ("f1", "roc_auc")] == ["f1", "roc_auc"]
    assert [Scoring(name, THREE).name for name in ("f1", "roc_auc", "accuracy")] == [
        "f1_macro",
        "roc_auc_ovr",
        "accuracy",
    ]


def test_folds_that_lack_a_class_are_not_scored():
    codes, p = np.array([0, 1, 1, 0, 0, 0]), np.array([0.1, 0.9, 0.8, 0.9, 0.1, 0.1])
    parts = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]
    both, decided, weights = np.column_stack([1 - p, p]), (p >= 0.5).astype(np.intp), np.ones(6)
    assert Scoring("roc_auc", TWO).fold_scores(both, decided, codes, weights, parts).tolist() == [1.0, 0.0]
    accuracy = Scoring("accuracy", TWO)
    assert accuracy.fold_scores(both, decided, codes, weights, parts[1:]).tolist() == [0.5, 1.0]


def test_unknown_scorers_are_refused():
    check_scoring_name("f1", "RuleClassifier")
    check_scoring_name(max, "RuleClassifier")
    with pytest.raises(ValueError, match="The 'scoring' parameter of RuleClassifier must be .* Got 'f11'"):
        check_scoring_name("f11", "RuleClassifier")
    with pytest.raises(ValueError, match=r"Got 'auc'. Did you mean roc_auc\?"):
        check_scoring_name("auc", "RuleClassifier")


def test_only_scorers_of_classes_with_weights():
    for name in ("accuracy", "roc_auc", "roc_auc_ovr", "neg_log_loss", "average_precision", "f1_macro"):
        check_scoring_name(name, "tune")
    for name in ("r2", "neg_mean_squared_error", "neg_mean_poisson_deviance", "v_measure_score"):
        with pytest.raises(ValueError, match=f"must be a scorer of classes .* Got '{name}'"):
            check_scoring_name(name, "tune")


def test_a_score_that_is_no_number_is_an_error():
    p = np.full((4, 2), 0.5)
    one_class = np.zeros(4, int)
    with pytest.raises(ValueError, match="scoring='roc_auc' must return a number on held-out rows. Got nan"):
        Scoring("roc_auc", TWO).score(p, one_class, one_class, np.ones(4))
    with pytest.raises(ValueError, match="scoring='roc_auc' fails on held-out rows"):
        Scoring("roc_auc", THREE).score(np.full((4, 3), 1 / 3), one_class, np.array([0, 1, 0, 1]), np.ones(4))


def test_accuracy_counts_folds_that_lack_a_class_too():
    p, codes = np.full((6, 3), 1 / 3), np.array([0, 1, 2, 0, 1, 0])
    folds = [np.array([0, 1, 2]), np.array([3, 4]), np.array([5]), np.array([0, 1, 2])]
    decided = np.zeros(6, int)
    assert len(Scoring("accuracy", THREE).fold_scores(p, decided, codes, np.ones(6), folds)) == 4
    assert len(Scoring("f1", THREE).fold_scores(p, decided, codes, np.ones(6), folds)) == 2


def test_a_scorer_without_weights_serves_where_rows_weigh_the_same():
    scoring = Scoring(lambda estimator, X, y: float((estimator.predict(X) == y).mean()), TWO)
    p, codes = np.full((2, 2), 0.5), np.array([0, 1])
    assert scoring.score(p, codes, codes, np.ones(2)) == 1.0
