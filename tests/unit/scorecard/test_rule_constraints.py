"""What an expert demands of rules holds in the scorecard, and demands that contradict are refused."""

import numpy as np
import pandas as pd
import pytest

from clausal import RuleClassifier, load, parse_rule

N = 300
_RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": _RNG.integers(18, 80, N),
        "income": _RNG.normal(50, 20, N).round(1),
        "state": _RNG.choice(["north", "south", "west"], N),
        "member": _RNG.random(N) < 0.5,
    }
)
_SCORE = (X.age > 45) * 1.5 - X.income / 20 + (X.state == "north") * X.member * 2 + _RNG.normal(size=N)
TWO = np.where(np.median(_SCORE) < _SCORE, "bad", "good")
THREE = np.array(["a", "b", "c"])[np.digitize(_SCORE, np.quantile(_SCORE, [0.33, 0.66]))]
SETTINGS = {"random_state": 0, "cv": 2, "pos_label": "bad"}


def fit(y=TWO, **settings):
    own = SETTINGS | ({"pos_label": None} if y is THREE else {}) | settings
    return RuleClassifier(**own).fit(X, y)


def points_of(clf, text, bank=0):
    return [rule.points for rule in clf.rules_ if str(rule) == text and rule.bank == bank]


@pytest.mark.parametrize("max_literals", [3, 12])
@pytest.mark.parametrize("points", [1, 3, -4])
def test_fixed_points_are_kept(points, max_literals):
    text = "age > 33.25 and state is south"
    clf = fit(fixed_rules=[(text, points)], max_literals=max_literals)
    assert points_of(clf, text) == [points]
    assert clf.n_literals_ <= max_literals
    assert clf.path_.n_literals[0] >= 2
    assert (
        parse_rule(text, clf).literals == clf.rules_[[str(rule) for rule in clf.rules_].index(text)].literals
    )


def test_fitted_points_are_whole_and_others_are_found():
    clf = fit(fixed_rules=["age > 45.5", ("member and state is north", "fitted")], max_literals=8)
    assert points_of(clf, "age > 45.5")[0] > 0
    assert points_of(clf, "member and state is north")[0] > 0
    assert any("income" in str(rule) for rule in clf.rules_)
    assert clf.score(X, TWO) > 0.75
    assert (clf.rules_.predict(X) == clf.predict(X)).all()


def test_fixed_rules_count():
    clf = fit(fixed_rules=["age > 45.5 and member"], max_literals=2, max_rules=1, max_features=2)
    assert [str(rule) for rule in clf.rules_] == ["age > 45.5 and member"]
    assert clf.path_.n_literals.tolist() == [2]


def test_fixed_rules_of_three_classes():
    rules = [("age > 45.5", 2, "c"), ("income <= 33", None, "a"), ("member", -1, "b")]
    clf = fit(THREE, fixed_rules=rules, max_literals=9)
    assert points_of(clf, "age > 45.5", 2) == [2]
    assert points_of(clf, "member", 1) == [-1]
    assert len(points_of(clf, "income <= 33", 0)) == 1


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_points_keep_to_their_bounds(y):
    free = fit(y, max_literals=12)
    clf = fit(y, max_literals=12, points_bounds={"income": (-1, 1), "state": (2, None), "age": (None, -2)})
    for rule in clf.rules_:
        assert "income" not in str(rule) or abs(rule.points) == 1
        assert "state" not in str(rule) or rule.points >= 2
        assert "age" not in str(rule) or rule.points <= -2
    assert max(abs(rule.points) for rule in free.rules_) > 1
    by_position = fit(y, max_literals=12, points_bounds={1: [-1, 1], 2: (2, None), 0: (None, -2)})
    assert by_position.rules_ == clf.rules_


@pytest.mark.parametrize(
    ("interactions", "together"),
    [
        ("no_interactions", [{0}, {1}, {2}, {3}]),
        ("pairwise", [{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}]),
        ([["state", "age"]], [{0, 2}, {1, 3}]),
        ([[0, 1], [1, 2, 3]], [{0, 1}, {1, 2, 3}]),
    ],
)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_features_meet_only_where_they_may(y, interactions, together):
    clf = fit(y, max_literals=20, interaction_cst=interactions, parsimony=0)
    assert all(any(set(rule.features) <= group for group in together) for rule in clf.rules_)


def test_a_monotonic_feature_and_fitted_points():
    clf = fit(fixed_rules=["age > 45.5"], monotonic_cst={"age": 1}, max_literals=8)
    assert points_of(clf, "age > 45.5")[0] > 0
    with pytest.raises(
        ValueError, match=r"'monotonic_cst' allow, here from -10 to 0. Got fitted|from 0 to 10. Got -2"
    ):
        fit(fixed_rules=[("age > 45.5", -2)], monotonic_cst={"age": 1})
    with pytest.raises(ValueError, match="here none. Got fitted points for `30.5 < age <= 45.5`"):
        fit(fixed_rules=["30.5 < age <= 45.5"], monotonic_cst={"age": 1})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"fixed_rules": ["aeg > 4"]},
            r"In the 'fixed_rules' parameter of RuleClassifier: .*Got 'aeg'. Did you mean 'age'\?",
        ),
        ({"fixed_rules": "age > 4"}, "must be None or a list of rules in words. Got 'age > 4'"),
        (
            {"fixed_rules": [("age > 4", 0)]},
            r"other than 0, or None to fit them. Got \('age > 4', 0\) at position 0",
        ),
        ({"fixed_rules": [3]}, "must hold rules in words, or tuples"),
        ({"fixed_rules": [("age > 4", 11)]}, "'max_points', .* here from -10 to 10. Got 11"),
        ({"fixed_rules": ["always"]}, "must have a condition"),
        (
            {"fixed_rules": ["age > 60 and age <= 20"]},
            "hold for some value. Got 'age > 60 and age <= 20'",
        ),
        ({"fixed_rules": ["age > 40", ("age > 40", 3)]}, "must hold different rules. Got `age > 40` twice"),
        ({"fixed_rules": [("age > 4", 2, "god")]}, "must be one of bad. Got 'god'"),
        (
            {"fixed_rules": ["age > 40 and member"], "max_literals": 1},
            "'max_literals' parameter .* at least 2",
        ),
        ({"fixed_rules": ["age > 40", "member"], "max_rules": 1}, "'max_rules' parameter .* at least 2"),
        (
            {"fixed_rules": ["age > 40", "member"], "max_features": 1},
            "'max_features' parameter .* at least 2",
        ),
        (
            {"fixed_rules": ["age > 40"], "forbidden_features": ["age"]},
            "not test a feature of 'forbidden_features'. Got age",
        ),
        (
            {"fixed_rules": [("age > 40", 5)], "points_bounds": {"age": (0, 3)}},
            "here from 0 to 3. Got 5 for `age > 40`",
        ),
        (
            {"fixed_rules": ["age > 40 and member"], "interaction_cst": "no_interactions"},
            "lets meet in one rule",
        ),
        (
            {"points_bounds": {"aeg": (0, 3)}},
            "'points_bounds' parameter of RuleClassifier must list names of columns of X",
        ),
        ({"points_bounds": {"age": (3, 0)}}, "must leave some points other than 0"),
        ({"points_bounds": {"age": (0, 0)}}, "must leave some points other than 0"),
        ({"points_bounds": {"age": (11, 20)}}, "must leave some points other than 0 from -10 to 10"),
        ({"points_bounds": {"age": 3}}, "must hold pairs"),
        ({"points_bounds": {1.5: (0, 3)}}, "must have names or positions of features as keys. Got 1.5"),
        ({"points_bounds": [1]}, "must be None or a dict of pairs"),
        ({"interaction_cst": ["age"]}, "must be a list of groups of features, each a list. Got 'age'"),
        ({"interaction_cst": [["age", "wage"]]}, "must list names of columns of X. Got 'wage'"),
        ({"interaction_cst": "none"}, "'pairwise' or 'no_interactions' or a list of groups"),
    ],
)
def test_contradictions_and_mistakes_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        fit(**settings)


def test_three_classes_need_the_class():
    with pytest.raises(ValueError, match="must be one of a, b, c. Got None"):
        fit(THREE, fixed_rules=["age > 40"])


def test_files_keep_the_constraints(tmp_path):
    settings = {
        "fixed_rules": ["age > 45.5", ("member", -2), ("income <= 33", None, "bad")],
        "points_bounds": {"state": (None, 3)},
        "interaction_cst": [["age", "state"], ["member"]],
    }
    clf = fit(max_literals=7, **settings)
    clf.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.rules_ == clf.rules_
    assert again.get_params()["points_bounds"] == settings["points_bounds"]
    refitted = again.fit(X, TWO)
    assert refitted.rules_ == clf.rules_


def test_without_them_nothing_changes():
    plain = fit(max_literals=7)
    assert (
        fit(max_literals=7, fixed_rules=[], points_bounds={}, interaction_cst=[list(X)]).rules_
        == plain.rules_
    )
