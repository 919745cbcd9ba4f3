"""Points and probabilities that are fitted again: the rules stay, and the figures are those of the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from clausal import Booleanizer, RuleSet, Scorecard, parse_rule
from clausal.scorecard.changes import find_rule, key_of, with_points, with_rule
from clausal.scorecard.refit import GivenRows, recalibrated, refitted
from tests.support.lending import card, loans

X, Y = loans()


def rows_of(own: Scorecard, X: pd.DataFrame, y: np.ndarray, weights: np.ndarray | None = None) -> GivenRows:
    return GivenRows.read(X, y, weights, own.rules_.outcome)


def fitted(own: Scorecard, kept: set[str] = frozenset(), **changes: object) -> Scorecard:
    keys = {key_of(find_rule(own, words)) for words in kept}
    return refitted(own, rows_of(own, X, Y), keys, "f1", 3, int(changes.get("max_points", 10)))


def loss(own: Scorecard) -> float:
    return float(log_loss(Y, own.predict_proba(X)))


def test_points_are_about_those_of_a_logistic_regression():
    own = card()
    new = fitted(own)
    assert {key_of(rule) for rule in new.rules_} == {key_of(rule) for rule in own.rules_}
    assert max(abs(rule.points) for rule in new.rules_) <= 10
    free = LogisticRegression(C=1e6).fit(new.rules_.fires(X), Y)
    best = float(log_loss(Y, free.predict_proba(new.rules_.fires(X))))
    assert best <= loss(new) <= best + 0.02
    assert loss(new) < loss(own)
    assert new.predict_proba(X)[:, 0].mean() == pytest.approx((Y == "bad").mean(), abs=0.01)


def test_the_new_scorecard_is_complete():
    new = fitted(card(overrides=True))
    assert new.rules_.outcome.cut_off == 0
    assert [str(each) for each in new.rules_.overrides] == ["age <= 20 and income <= 10"]
    scores, counts = np.unique(new.votes(X), return_counts=True)
    assert new.risk_table_.scores.tolist() == scores.tolist()
    assert new.risk_table_.counts.tolist() == counts.tolist()
    low, high = new.predict_risk_interval(X).T
    assert np.all((low < high) & (high - low < 0.6))


def test_points_that_are_kept_stay():
    own = with_points(card(), key_of(find_rule(card(), "income <= 20")), 8)
    new = fitted(own, {"income <= 20"})
    assert find_rule(new, "income <= 20").points == 8
    assert [rule.points for rule in new.rules_] != [rule.points for rule in own.rules_]
    with pytest.raises(ValueError, match="must be at most 100 in size where others are fitted. Got 101"):
        fitted(with_points(own, key_of(find_rule(own, "income <= 20")), 101), {"income <= 20"})


def test_rules_that_hold_on_no_row_or_on_all_keep_their_points():
    own, _ = with_rule(card(), "age > 90", 6)
    own, _ = with_rule(own, "age > 10", -4)
    new = fitted(own)
    assert find_rule(new, "age > 90").points == 6
    assert find_rule(new, "age > 10").points == -4
    other = fitted(card())
    np.testing.assert_array_equal(new.votes(X), other.votes(X))
    np.testing.assert_allclose(new.predict_proba(X), other.predict_proba(X), atol=0.01)  # of other folds
    alone = Scorecard(card().rules_.with_rules([]), 1.0)
    with pytest.raises(ValueError, match="Got no such rule"):
        refitted(alone, rows_of(alone, X, Y), (), "f1", 3, 10)


def test_weights_count_as_copies():
    own, weights = card(), np.where(np.arange(len(Y)) % 2, 2.0, 0.0)
    copies = np.repeat(np.arange(len(Y)), weights.astype(int))
    one = refitted(own, rows_of(own, X, Y, weights), (), "f1", 3, 10)
    other = refitted(own, rows_of(own, X.iloc[copies], Y[copies]), (), "f1", 3, 10)
    assert one.rules_ == other.rules_
    assert (one.slope_, one.offset_) == (other.slope_, other.offset_)


def three() -> tuple[Scorecard, pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 10, (300, 2)).astype(float), columns=["a", "b"])
    y = np.array(list("xyz"))[(table["a"] > 5).to_numpy() * 1 + (table["b"] > 6)]
    y = np.where(rng.random(300) < 0.2, rng.choice(list("xyz"), 300), y)
    rules = RuleSet((), Booleanizer(max_columns=20).fit(table).encoding_, list("xyz"))
    listed = [("a <= 5", "x"), ("b <= 6", "x"), ("a > 5", "z"), ("b > 6", "z"), ("a > 5", "y")]
    return Scorecard(rules.with_rules([parse_rule(w, rules, 1, c) for w, c in listed]), 1.0), table, y


def test_points_of_three_classes():
    own, table, y = three()
    new = refitted(own, rows_of(own, table, y), (), "accuracy", 3, 10)
    assert len(new.rules_) == 5
    assert log_loss(y, new.predict_proba(table)) < log_loss(y, own.predict_proba(table))
    assert new.score(table, y) >= own.score(table, y)


# --- probabilities ---


def test_recalibration_is_the_best_slope_and_offset():
    own = card()
    new = recalibrated(own, rows_of(own, X, Y))
    assert new.rules_ == own.rules_
    codes, votes = Y == "bad", own.votes(X)

    def objective(params: np.ndarray) -> float:
        return float(np.logaddexp(0, -(2 * codes - 1) * (params[0] * votes + params[1])).mean())

    best = minimize(objective, [own.slope_, own.offset_])
    np.testing.assert_allclose([new.slope_, new.offset_], best.x, atol=2e-3)
    assert new.risk_table_.counts.sum() == len(Y)
    low, high = new.predict_risk_interval(X).T
    own_risk = new.predict_proba(X)[:, 0]
    assert np.all((low < own_risk) & (own_risk < high))


def test_recalibration_of_three_classes_moves_the_constants():
    own, table, y = three()
    shifted = own.replace(rules=own.rules_.with_rules(own.rules_, [4, 0, 0]), slope=3.0)
    new = recalibrated(shifted, rows_of(own, table, y))
    before, after = (log_loss(y, each.predict_proba(table)) for each in (shifted, new))
    assert after < before - 0.5
    assert min(np.subtract(new.rules_.constants, shifted.rules_.constants)) == 0


def test_rows_are_checked():
    own = card()
    with pytest.raises(ValueError, match="y must hold only the classes"):
        rows_of(own, X, np.where(Y == "bad", "ugly", "good"))
    with pytest.raises(ValueError, match="at least 2 classes"):
        rows_of(own, X, np.full(len(Y), "good"))
    given = rows_of(own, X, Y, np.arange(len(Y)) % 3.0)
    assert len(given.labels) == len(given.X) == len(given.weights) == 200
