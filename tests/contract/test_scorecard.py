"""What a RuleClassifier promises: it is its printed rules, keeps limits and constraints, validates fairly."""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax
from sklearn.metrics import roc_auc_score

from clausal import RuleClassifier, RuleSet, TableWarning, compact, compaction_path
from clausal.datasets import load_heart_disease
from clausal.machine.constraints import allowed_signs
from clausal.scorecard import read, validation
from clausal.scorecard.search_space import SEARCHES, Search, SearchSpace
from tests.support.scorecards import machine, same_scorecard, scorecard

GRID = np.array(list(itertools.product(range(4), repeat=3)), dtype=float)


def small_table(seed: int, n_classes: int = 2, missing: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Numbers 0 to 3 [50, 3] with labels that follow a rule nine times out of ten."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (50, 3)).astype(float)
    y = ((X[:, 0] >= 2).astype(int) + (X[:, 1] > X[:, 2]) * (n_classes - 1)) % n_classes
    y = np.where(rng.random(50) < 0.1, rng.integers(0, n_classes, 50), y)
    y[:n_classes] = np.arange(n_classes)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


# --- it is its printed rules ---


@given(st.integers(0, 10**6), st.sampled_from([2, 2, 3]), st.booleans())
@settings(max_examples=8)
def test_a_scorecard_is_its_rules(seed: int, n_classes: int, missing: bool) -> None:
    X, y = small_table(seed, n_classes, missing)
    clf = scorecard(random_state=seed).fit(X, y)
    rules, votes = clf.rules_, clf.votes(X)
    np.testing.assert_array_equal(rules.votes(X), votes)
    np.testing.assert_array_equal(rules.predict(X), clf.predict(X))
    if n_classes == 2:
        np.testing.assert_array_equal(clf.predict(X), (votes >= 0).astype(int))
        np.testing.assert_array_equal(clf.decision_function(X), votes + 0.5)
        assert_table_fits(clf, X, y)
    else:
        np.testing.assert_array_equal(clf.predict(X), votes.argmax(axis=1))
        np.testing.assert_allclose(clf.predict_proba(X), softmax(clf.slope_ * votes, axis=1))
    assert all(isinstance(rule.points, int) and 1 <= abs(rule.points) <= 10 for rule in rules)
    assert all(isinstance(constant, int) for constant in rules.constants)
    again = RuleSet.from_json(rules.to_json())
    assert again == rules
    np.testing.assert_array_equal(again.votes(X), votes)


def assert_table_fits(clf: RuleClassifier, X: Any, y: Any) -> None:
    """The table of risks says what the model does on its training rows."""
    table, votes = clf.risk_table_, clf.votes(X)
    assert table.scores.tolist() == sorted(set(votes.tolist()))
    index = np.searchsorted(table.scores, votes)
    np.testing.assert_array_equal(clf.predict_proba(X)[:, 1], table.risks[index])
    np.testing.assert_array_equal(table.risks, expit(table.slope * table.scores + table.offset))
    assert np.all(np.diff(table.risks) >= 0)
    np.testing.assert_array_equal(table.counts, np.bincount(index))
    np.testing.assert_array_equal(table.positives, np.bincount(index, y))


def test_adding_up_the_printed_points_gives_the_vote() -> None:
    X, y = load_heart_disease(as_frame=True, return_X_y=True)
    clf = scorecard(max_literals=6).fit(X, y)
    head, *lines = str(clf.rules_).splitlines()
    assert head.startswith("Points are for class 1. ")
    start = re.search(r"Start at (-?\d+)", head)
    total = np.full(len(X), 0 if start is None else int(start[1]))
    for line, fires in zip(lines, clf.rules_.fires(X).T, strict=False):
        total += fires * int(re.match(r" *([+-]\d+)  if ", line)[1])
    np.testing.assert_array_equal(total, clf.votes(X))


def test_explanations_add_up_to_the_vote() -> None:
    X, y = small_table(1)
    clf = scorecard().fit(X, y)
    for row, explanation in zip(clf.votes(X[:5]), clf.explain(X[:5], counterfactuals=False), strict=True):
        assert explanation.votes == (row,)
    assert clf.feature_importances_.sum() == pytest.approx(1)


# --- limits ---


@pytest.mark.parametrize(("max_literals", "max_rules", "max_points"), [(1, None, 10), (6, 2, 3), (4, 1, 1)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_limits_are_kept(max_literals: int, max_rules: int | None, max_points: int, n_classes: int) -> None:
    X, y = small_table(3, n_classes)
    clf = scorecard(max_literals=max_literals, max_rules=max_rules, max_points=max_points).fit(X, y)
    assert clf.n_literals_ == clf.rules_.n_literals <= clf.path_.chosen <= max_literals
    assert max_rules is None or len(clf.rules_) <= max_rules
    assert all(abs(rule.points) <= max_points for rule in clf.rules_)


@pytest.mark.parametrize("max_features", [1, 2])
def test_the_number_of_features_is_limited(max_features: int) -> None:
    X, y = load_heart_disease(as_frame=True, return_X_y=True)
    clf = RuleClassifier(max_features=max_features, max_literals=8, cv=2, random_state=0).fit(X, y)
    assert len(clf.rules_) > 0
    assert len({feature for rule in clf.rules_ for feature in rule.features}) <= max_features


def test_less_parsimony_never_gives_a_smaller_scorecard() -> None:
    X, y = load_heart_disease(as_frame=True, return_X_y=True)
    sizes = [
        RuleClassifier(parsimony=errors, cv=3, random_state=0).fit(X, y).path_.chosen
        for errors in (0, 0.5, 1, 3)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_the_path_goes_from_one_literal_to_the_limit() -> None:
    X, y = small_table(4)
    path = compaction_path(machine(), X, y, max_literals=15, cv=2, random_state=0)
    assert path.n_literals[0] == 1
    assert path.n_literals[-1] == 15
    assert np.all(np.diff(path.n_literals) > 0)
    assert path.chosen in path.n_literals
    for scores, errors, n_rules, losses in path.searches.values():
        assert len(scores) == len(errors) == len(n_rules) == len(losses) == len(path.n_literals)
        assert np.all((scores >= 0) & (scores <= 1) & (errors >= 0) & (n_rules <= path.n_literals))


def test_a_table_of_few_different_rows_is_learned() -> None:
    X = np.array(list(itertools.product([0, 1], repeat=2)) * 10)
    for labels in (X[:, 0] ^ X[:, 1], X[:, 0] & X[:, 1], X[:, 0]):
        clf = scorecard(machine(n_clauses=20, n_epochs=30), max_literals=4).fit(X, labels)
        assert clf.score(X, labels) == 1


def test_labels_of_pure_chance_give_scores_of_pure_chance() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((120, 4)), rng.integers(0, 2, 120)
    clf = scorecard(machine(n_clauses=40, n_epochs=20), scoring="accuracy", max_literals=20, cv=5).fit(X, y)
    path = clf.path_
    chosen = int(np.flatnonzero(path.n_literals == path.chosen)[0])
    assert path.scores.mean() < 0.62
    assert path.scores[chosen] < 0.65


# --- no fold is scored by clauses that saw it ---


def test_machines_and_searches_never_see_what_they_are_judged_on(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).random((60, 2))
    y = (np.arange(60) % 20 >= 10).astype(int)
    trained: list[Any] = []  # the weights of the rows that each machine was trained on
    searched: list[Any] = []  # those on which the cards of a fold were searched
    held_out: list[Any] = []
    plain_train, plain_find = validation.train_machines, SearchSpace.find_cards
    plain_predict_fold = validation.predict_fold

    def train_machines(machine: Any, rows: Any, parts: Any, *others: Any) -> Any:
        trained.extend(weights for weights, _ in parts)
        return plain_train(machine, rows, parts, *others)

    def find_cards(self: Any, search: Any, weights: Any, *others: Any, **named: Any) -> Any:
        searched.append(weights)
        return plain_find(self, search, weights, *others, **named)

    def predict_fold(space: Any, split: Any, *others: Any) -> Any:
        searched.clear()
        fold = plain_predict_fold(space, split, *others)
        assert len(searched) == len(SEARCHES)
        np.testing.assert_array_equal(fold.weights, split.validation[fold.rows])
        for weights in (trained[len(held_out)], *searched):
            np.testing.assert_array_equal(weights, space.rows.weights - split.validation)
        held_out.append(split.validation)
        return fold

    monkeypatch.setattr(validation, "train_machines", train_machines)
    monkeypatch.setattr(SearchSpace, "find_cards", find_cards)
    monkeypatch.setattr(validation, "predict_fold", predict_fold)
    scorecard(cv=3).fit(X, y)
    assert [weights.sum() for weights in held_out] == [20, 20, 20]


# --- constraints ---


def monotone_on_the_grid(clf: RuleClassifier, signs: list[int]) -> bool:
    votes = clf.votes(GRID).reshape(4, 4, 4)
    return all(np.all(sign * np.diff(votes, axis=axis) >= 0) for axis, sign in enumerate(signs) if sign != 0)


@given(st.integers(0, 10**6), st.sampled_from([[1, -1, 0], [-1, 0, 1], [1, 1, 1]]))
@settings(max_examples=8)
def test_monotone_constraints_are_kept(seed: int, signs: list[int]) -> None:
    X, y = small_table(seed)
    clf = scorecard(machine(monotonic_cst=signs), random_state=seed).fit(X, y)
    assert all(np.sign(rule.points) in allowed_signs(rule, np.array(signs)) for rule in clf.rules_)
    assert monotone_on_the_grid(clf, signs)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
def test_each_search_alone_keeps_constraints_and_takes_three_classes(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "searches_for", lambda n_rows: (search,))
    X, y = small_table(9)
    assert not monotone_on_the_grid(scorecard().fit(X, y), [-1, 0, 0])
    held = scorecard(machine(monotonic_cst=[-1, 1, 0])).fit(X, y)
    assert len(held.rules_) > 0
    assert monotone_on_the_grid(held, [-1, 1, 0])
    thirds = np.minimum(X[:, 0], 2).astype(int)
    assert scorecard(scoring="accuracy").fit(X, thirds).score(X, thirds) == 1


def test_constraints_of_the_default_machines() -> None:
    X, y = small_table(9)
    free = RuleClassifier(max_literals=5, cv=2, random_state=0).fit(X, y)
    against = [-1, 0, 0]  # the first feature raises the vote if it may
    assert not monotone_on_the_grid(free, against)
    held = RuleClassifier(monotonic_cst=against, max_literals=5, cv=2, random_state=0).fit(X, y)
    assert monotone_on_the_grid(held, against)
    without = RuleClassifier(forbidden_features=[0], max_literals=5, cv=2, random_state=0).fit(X, y)
    assert len(without.rules_) > 0
    assert all(0 not in rule.features for rule in without.rules_)


def test_many_classes_of_one_row_are_warned_of_once() -> None:
    X = np.arange(37.0)[:, None]
    y = np.array([*["many"] * 30, *"abcdefg"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        RuleClassifier(max_literals=2, random_state=0).fit(X, y)
    found = [str(each.message) for each in caught if "ever held out" in str(each.message)]
    assert len(found) == 1
    assert found[0].startswith("No row of classes 'a', 'b', 'c', 'd', 'e' and 2 more is ever held out")


@pytest.mark.parametrize("rest", [2, 5, 60])
def test_a_class_of_one_row_is_warned_of_and_decided_by_its_probability(rest: int) -> None:
    rng = np.random.default_rng(rest)
    X = np.column_stack([np.arange(rest + 1.0), rng.normal(size=rest + 1)])
    y = np.array([*["many"] * rest, "one"])
    with pytest.warns(UserWarning, match="No row of class 'one' is ever held out"):
        clf = RuleClassifier(random_state=0).fit(X, y)
    positive = clf.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(clf.predict(X) == "one", positive >= 0.5)
    assert 0.5 / (rest + 1) < positive.mean() < 2 / (rest + 1)


def test_points_are_fine_enough_for_a_table_without_noise() -> None:
    """Products compare as sums of points do: single conditions suffice, with steps of the right size."""
    levels = np.random.default_rng(3).integers(1, 7, (2_000, 4))
    more = levels[:, 0] * levels[:, 1] - levels[:, 2] * levels[:, 3]
    X, y = levels[more != 0].astype(float), (more[more != 0] > 0).astype(int)
    clf = RuleClassifier(cv=3, random_state=0).fit(X[:400], y[:400])
    assert clf.score(X[400:], y[400:]) > 0.985
    assert clf.n_literals_ <= 30


# --- from a machine that is trained already ---


def test_compact_chooses_among_the_rules_of_the_machine() -> None:
    X, y = small_table(6)
    fitted = machine(n_clauses=20, n_epochs=20, random_state=1).fit(X, y)
    before = fitted.model_.states.copy()
    clf = compact(fitted, X, y, 4, cv=2, random_state=0)
    assert isinstance(clf, RuleClassifier)
    assert clf.n_literals_ <= 4
    np.testing.assert_array_equal(fitted.model_.states, before)
    own, whole = clf.encoding_.to_dict()["features"], fitted.encoding_.to_dict()["features"]
    assert all(feature in (whole[k], {"kind": "empty"}) for k, feature in enumerate(own))
    weighted = compact(fitted, X, y, 4, cv=2, random_state=0, sample_weight=np.where(y, 9, 1))
    assert not same_scorecard(weighted, clf)
    assert clf.get_params()["estimator__n_clauses"] == 20


def test_compact_refuses_what_is_no_fitted_machine() -> None:
    X, y = small_table(6)
    with pytest.raises(TypeError, match="must be a fitted TsetlinClassifier. Got int"):
        compact(3, X, y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not fitted"):
        compact(machine(), X, y)
    with pytest.raises(ValueError, match="y must hold only the classes"):
        compact(machine().fit(X, y), X, y + 1)


def test_rare_positives_of_a_large_table_are_found() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15_000, 4)).round(3)
    signal = (X[:, 0] > 1.0) & (X[:, 1] > 0.5)
    y = rng.random(len(X)) < np.where(signal, 0.03, 0.0003)
    assert 10 < y.sum() < 60
    clf = scorecard(scoring="roc_auc", max_literals=3).fit(X, y)
    assert roc_auc_score(signal, clf.votes(X)) > 0.9
    assert clf.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), rel=0.2)


def test_a_column_without_literals_makes_no_difference() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (80, 3)).astype(float), columns=list("abc"))
    y = (X.a + rng.normal(size=80) > 1).astype(int)
    plain = scorecard().fit(X, y)
    with pytest.warns(TableWarning, match="'id'"):
        with_id = scorecard().fit(X.assign(id=[f"row {k}" for k in range(80)]), y)
    assert str(with_id.rules_) == str(plain.rules_)
    assert repr(with_id.path_) == repr(plain.path_)


def test_three_classes_are_all_decided_where_points_are_worth_much() -> None:
    """With two literals a point is worth several log-odds: whole constants must not make classes tie."""
    X, y = load_penguin_like()
    clf = RuleClassifier(max_literals=2, cv=3, random_state=0).fit(X, y)
    assert set(clf.predict(X)) == {0, 1, 2}
    assert clf.score(X, y) > 0.85


def load_penguin_like() -> tuple[np.ndarray, np.ndarray]:
    """Three classes that two numbers separate, the second class the smallest."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [150, 70, 120])
    centers = np.array([[38.8, 190.0], [48.8, 195.0], [47.5, 217.0]])
    return centers[y] + rng.normal(size=(340, 2)) * [2.5, 6.5], y


@pytest.mark.parametrize("shares", [(0.99, 0.01), (0.6, 0.3, 0.1)])
def test_columns_that_tell_nothing_give_no_rules(shares: tuple[float, ...]) -> None:
    """The best cut-off for F1 would always predict the rare class, with a constant of hundreds of points."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(400, 3)).round(2), rng.choice(len(shares), 400, p=shares)
    with pytest.warns(TableWarning, match="do not predict the class at all.*too few to say.$"):
        clf = RuleClassifier(max_literals=4, cv=5, random_state=1).fit(X, y)
    assert clf.n_literals_ == 0
    assert set(clf.predict(X)) == {0}
    assert clf.predict_proba(X) == pytest.approx(np.tile(np.bincount(y) / 400, (400, 1)), abs=0.02)
