"""A scaled scorecard decides every row as before; its odds are those of the scale, within what is said."""

from __future__ import annotations

import math
import re
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from clausal import Booleanizer, RuleClassifier, Scorecard, load
from clausal.datasets import load_heart_disease
from clausal.rules.parse import parse_literals
from clausal.rules.rule import Literal, Override, Rule
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.risk_table import RiskTable
from clausal.scorecard.scale import turned
from tests.support.scorecards import scorecard

TABLE = pd.DataFrame(
    list(product([0.0, 1, 2, 3, None], ["a", "b", "c"], [True, False])), columns=["n", "c", "b"]
)
ENCODING = Booleanizer().fit(TABLE).encoding_


def random_card(
    terms: list[tuple[list[int], int]], constant: int, cut_off: int, slope: float, offset: float
) -> Scorecard:
    """A scorecard on TABLE; literals by number, columns first, then their negations."""
    columns = ENCODING.columns
    n = len(columns)
    rules = [
        Rule(tuple(Literal(columns[k % n], k % n, k % (2 * n) >= n) for k in dict.fromkeys(numbers)), points)
        for numbers, points in terms
    ]
    overrides = [Override(parse_literals("n > 2 and c is a", ENCODING), "good")]
    found = RuleSet(rules, ENCODING, ["good", "bad"], [constant], cut_off=cut_off, overrides=overrides)
    card = Scorecard(found, slope, offset)
    y = np.arange(len(TABLE)) % 3 == 0
    table = RiskTable.of(card.votes(TABLE), y, np.ones(len(y)), slope, offset, "bad")
    return card.replace(risk_table=table)


TERMS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 2 * len(ENCODING.columns) - 1), min_size=0, max_size=3),
        st.integers(-10, 10).filter(bool),
    ),
    max_size=12,
)


def stated_error(card: Scorecard) -> float:
    return float(re.search(r"at most ([\d.]+) points", card.about_["scale"])[1])


@given(
    TERMS,
    st.integers(-20, 20),
    st.integers(-15, 15),
    st.floats(0.01, 2),
    st.floats(-5, 5),
    st.sampled_from([10, 20, 40, 100]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_every_row_is_decided_as_before(
    terms: Any, constant: int, cut_off: int, slope: float, offset: float, double: float, positive: bool
):
    card = random_card(terms, constant, cut_off, slope, offset)
    try:
        new = card.scaled(base_score=500, base_odds=20, points_to_double=double, positive=positive)
    except ValueError as error:  # whole points would be too coarse
        wanted = int(re.search(r"about (\d+) for this", str(error))[1])
        assert wanted > double
        new = card.scaled(500, 20, 4 * wanted, positive)
        double = 4 * wanted
    assert (new.predict(TABLE) == card.predict(TABLE)).all()
    assert all(isinstance(n, int) for n in (*new.rules_.constants, *(rule.points for rule in new.rules_)))
    sign, votes = (1 if positive else -1), new.votes(TABLE)
    before, after = slope * card.votes(TABLE) + offset, sign * (new.slope_ * votes + new.offset_)
    assert np.abs(after - before).max() <= (stated_error(new) + 0.006) * math.log(2) / double
    on_scale = np.log(20) + np.log(2) / double * (votes - 500)
    np.testing.assert_allclose(sign * after, on_scale, atol=1e-9)
    np.testing.assert_allclose(new.predict_proba(TABLE)[:, 0], expit(after), atol=1e-12)
    assert new.risk_table_.counts.sum() == len(TABLE)
    assert np.abs(
        np.sort(votes) - np.repeat(new.risk_table_.scores, new.risk_table_.counts.astype(int))
    ).max() <= (2 * stated_error(new) + 1)


def test_lenders_points():
    card = random_card([([0], 3), ([4], -2)], 1, 0, math.log(2) / 5, 0.0)
    new = card.scaled(600, 1, 20)  # 4 points for each former one
    assert [rule.points for rule in new.rules_] == [12, -8]
    assert new.rules_.constants == (604,)
    assert new.rules_.outcome.cut_off == 600
    assert new.about_["scale"] == (
        "A score of 600 stands for odds of 1 to 1 for bad, and 20 points more double the odds. Whole points "
        "make a total differ from this scale by at most 0.00 points, a factor of 1.000 in the odds."
    )
    assert new.risk_table_.scores.tolist() == [600 + 4 * score for score in card.risk_table_.scores]
    np.testing.assert_allclose(new.risk_table_.risks, card.risk_table_.risks)
    again = new.scaled(0, 1, 5)
    assert [rule.points for rule in again.rules_] == [3, -2]
    assert again.rules_.constants == (1,)


def test_turned_twice_is_the_same():
    card = random_card([([0], 3), ([1, 5], -2)], 1, 2, 0.3, 0.7)
    other = turned(card)
    assert other.pos_label_ == "good"
    assert (other.predict(TABLE) == card.predict(TABLE)).all()
    np.testing.assert_allclose(other.predict_proba(TABLE), card.predict_proba(TABLE))
    back = turned(other)
    assert back.rules_ == card.rules_
    assert str(back.risk_table_) == str(card.risk_table_)


@pytest.mark.parametrize("positive", [True, False])
def test_a_fitted_scorecard(tmp_path: Any, positive: bool):
    X, y = load_heart_disease(return_X_y=True, as_frame=True)
    clf = RuleClassifier(scorecard().estimator, max_literals=12, parsimony=0, cv=2, random_state=0).fit(X, y)
    new = clf.to_scorecard().scaled(positive=positive)
    assert (new.predict(X) == clf.predict(X)).all()
    assert new.pos_label_ == (1 if positive else 0)
    allowed = 2 ** (stated_error(new) / 20) + 1e-3
    ratio = new.predict_proba(X)[:, 1] / new.predict_proba(X)[:, 0]
    ratio /= clf.predict_proba(X)[:, 1] / clf.predict_proba(X)[:, 0]
    assert 1 / allowed <= ratio.min() <= ratio.max() <= allowed
    low, high = new.predict_risk_interval(X).T
    own = new.predict_proba(X)[:, 1 if positive else 0]
    assert np.all((low < own) & (own < high))
    mirrored = clf.predict_risk_interval(X)
    if not positive:
        mirrored = 1 - mirrored[:, ::-1]
    np.testing.assert_allclose(np.column_stack([low, high]), mirrored, atol=0.05)
    new.save(tmp_path / "card.json")
    back = load(tmp_path / "card.json")
    assert back.rules_ == new.rules_
    assert str(back.risk_table_) == str(new.risk_table_)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"base_odds": 0}, "'base_odds' parameter of scaled must be a number > 0"),
        ({"points_to_double": -20}, "'points_to_double' parameter of scaled must be a number > 0"),
        ({"base_score": "600"}, "'base_score' parameter of scaled must be a number"),
        ({"positive": 1}, "'positive' parameter of scaled must be True or False"),
        ({"points_to_double": 0.1}, "must be large enough for whole points, about"),
        ({"points_to_double": 1e9, "base_odds": 1e9}, "50 to"),
    ],
)
def test_wrong_scales(changes: dict[str, Any], message: str):
    card = random_card([([0], 3), ([4], -2)], 1, 0, 0.3, 0.0)
    if message == "50 to":
        assert card.scaled(**changes).predict(TABLE).tolist() == card.predict(TABLE).tolist()
        return
    with pytest.raises(ValueError, match=message):
        card.scaled(**changes)


def test_only_two_classes_and_whole_points():
    rules = RuleSet([], ENCODING, ["a", "b", "c"])
    with pytest.raises(ValueError, match="must have two classes.*Got 3 classes"):
        Scorecard(rules, 1.0).scaled()
    rules = RuleSet([Rule(parse_literals("c is a", ENCODING), 0.5)], ENCODING, ["a", "b"])
    with pytest.raises(ValueError, match="must have whole points. Got fractions"):
        Scorecard(rules, 1.0).scaled()


def test_odds_of_weighted_classes_are_said_to_be_so():
    card = random_card([([0], 3), ([4], -2)], 1, 0, 0.3, 0.0)
    weighted = card.replace(class_weight="balanced")
    with pytest.warns(UserWarning, match="scale are those of the weighted classes, because") as said:
        new = weighted.scaled(600, 50, 20)
    assert said[0].filename == __file__
    assert "odds of 50 to 1 for bad of the weighted classes, and 20 points more" in new.about_["scale"]
    assert new.rules_ == card.scaled(600, 50, 20).rules_
    assert weighted.edit(TABLE, ["good", "bad"] * (len(TABLE) // 2)).recalibrate().after.class_weight is None
