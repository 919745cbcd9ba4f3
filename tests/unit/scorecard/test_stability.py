"""How often the rules and features of a scorecard return in those of the folds."""

import numpy as np
import pytest

from clausal import Booleanizer
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.stability import Stability
from tests.support.scorecards import scorecard
from tests.support.small_data import table

ENCODING = Booleanizer(max_columns=4).fit(np.arange(40.0).reshape(20, 2) % 7).encoding_
PER_FEATURE = len(ENCODING.columns) // 2


def rule(points, *literals):
    """A rule over literals (column, negated)."""
    return Rule(tuple(Literal(ENCODING.columns[k], k, negated) for k, negated in literals), points)


def stability(own, *cards):
    return Stability.of(RuleSet(own, ENCODING, [0, 1]), [list(card) for card in cards], ENCODING)


def test_a_rule_returns_whatever_its_points_are():
    found = stability([rule(3, (1, False))], [rule(7, (1, False))], [rule(1, (1, False))])
    assert found.exact == found.similar == found.feature_shares == (1.0,)
    assert found.n_cards == 2


def test_the_next_cut_point_is_similar_and_one_further_is_not():
    own = rule(3, (1, False))
    near, far = [rule(3, (0, False))], [rule(3, (1 + 2, False))]
    assert PER_FEATURE >= 4
    found = stability([own], near, far, [own], [])
    assert found.exact == (0.25,)
    assert found.similar == (0.5,)
    assert found.feature_shares == (0.75,)


def test_where_cuts_are_narrow_more_of_them_are_near():
    rules, card = RuleSet([rule(3, (0, False))], ENCODING, [0, 1]), [rule(3, (3, False))]
    assert Stability.of(rules, [card], ENCODING, 3).similar == (1.0,)
    assert Stability.of(rules, [card], ENCODING, 2).similar == (0.0,)


@pytest.mark.parametrize(
    "other",
    [
        rule(-3, (1, False)),
        rule(3, (1, True)),
        rule(3, (1, False), (PER_FEATURE, False)),
        rule(3, (PER_FEATURE + 1, False)),
    ],
    ids=["another sign", "another direction", "one condition more", "another feature"],
)
def test_other_rules_do_not_count(other):
    found = stability([rule(3, (1, False))], [other])
    assert found.exact == found.similar == (0.0,)


def test_of_more_than_two_classes_a_rule_names_its_class():
    literal = rule(1, (1, False)).literals
    own = [Rule(literal, points, bank=bank) for points, bank in [(3, 0), (2, 1), (-2, 2)]]
    found = Stability.of(RuleSet(own, ENCODING, ["a", "b", "c"], (0, 0, 0)), [own[:1]], ENCODING)
    assert found.rules == tuple(f"{name} if {own[0]}" for name in ("a", "b", "not c"))
    assert found.exact == (1.0, 0.0, 0.0)
    assert list(found.to_frame("pandas")["name"])[:3] == list(found.rules)


def test_conditions_of_a_rule_are_compared_in_any_order():
    own = rule(2, (0, False), (PER_FEATURE, True))
    found = stability([own], [rule(5, (PER_FEATURE, True), (0, False))])
    assert found.exact == (1.0,)


def test_the_cards_are_simplified_like_the_scorecard():
    own = rule(2, (1, False))
    found = stability([own], [rule(5, (1, False), (2, False))])  # x <= a and x <= b
    assert found.exact == (1.0,)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_has_rules_and_features(backend):
    frame = stability([rule(3, (1, False))], [], [rule(3, (0, False))]).to_frame(backend)
    assert [str(part) for part in frame["part"].to_numpy()] == ["rule", "feature"]
    assert frame["exact"].to_numpy().tolist() == [0.0, 0.5]
    assert frame["similar"].to_numpy().tolist() == [0.5, 0.5]


def test_printed_it_is_two_tables():
    text = str(stability([rule(3, (1, False))], [rule(3, (0, False))]))
    assert text.splitlines()[0] == "Share of the 1 scorecards of the folds"
    assert text.splitlines()[2].split()[:2] == ["0%", "100%"]
    assert text.splitlines()[-1].split() == ["100%", "x0"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_fit_compares_with_the_scorecard_of_every_fold(n_classes):
    X, y = table(n_classes)
    clf = scorecard(cv=4).fit(X, y)
    found = clf.stability_
    assert found.n_cards == 4
    assert [text.split(" if ")[-1] for text in found.rules] == [str(each) for each in clf.rules_]
    assert len(found.features) == len(clf.rules_.used_features)
    assert "x0" in found.features  # the feature that decides
    assert found.feature_shares[found.features.index("x0")] == 1.0
    assert all(exact <= similar for exact, similar in zip(found.exact, found.similar, strict=True))
