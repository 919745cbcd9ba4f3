"""Adverse-action reasons: the parts that lost the most points against the best bin or a mean."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from clausal import Scorecard
from clausal.datasets import load_heart_disease
from tests.support.lending import card, loans
from tests.support.scorecards import scorecard
from tests.support.toy_rules import ROWS, frame, rule_sets

X, y = loans()
TABLE = frame(*ROWS[::29])
CARDS = {
    "plain": card(),
    "overrides": card(True),
    "scaled": card().scaled(),
    "turned": card().scaled(positive=False),
}


@settings(max_examples=25)
@given(rule_sets())
def test_points_and_losses_add_up(rules):
    model, votes = Scorecard(rules, 1.0), rules.outcome.banked(rules.votes(TABLE))
    names = rules.classes.tolist()
    for row, found in enumerate(model.reasons(TABLE, target=names[-1], n=100)):
        lost = [each.lost for each in found.lost]
        assert lost == sorted(lost, reverse=True)
        assert all(each.lost == abs(each.baseline - each.points) > 0 for each in found.lost)
        if rules.n_banks == 1:
            best = best_total(rules)
            assert votes[row, 0] + sum(lost) == best


def best_total(rules) -> int:
    """The best that each feature and each rule of several features can give, by trying all values."""
    total = rules.constants[0] + sum(max(rule.points, 0) for rule in rules if len(rule.features) > 1)
    for feature in rules.used_features:
        own = rules.with_rules([rule for rule in rules if rule.features == (feature,)], [0])
        total += own.votes(frame(*ROWS)).max()
    return total


@pytest.mark.parametrize("model", CARDS.values(), ids=CARDS)
def test_every_declined_row_gets_the_largest_losses(model: Scorecard):
    declined = X[model.predict(X) == "bad"]
    votes = model.votes(declined)
    most = {}
    for row, found in enumerate(model.reasons(declined, target="good", n=20)):
        assert (found.label, found.target) == ("bad", "good")
        assert found.lost
        total = sum(each.lost for each in found.lost)
        most[row] = votes[row] + (total if model.pos_label_ == "good" else -total)
    assert len(set(most.values())) == 1  # of all rows, the same total of the best bins


def test_the_target_is_the_class_that_was_not_decided():
    for label, found in zip(card().predict(X), card().reasons(X), strict=True):
        assert (found.label, found.target) == (label, "good" if label == "bad" else "bad")
    approved = X[card().predict(X) == "good"]
    found = card().reasons(approved, target="good")
    assert {each.target for each in found} == {"good"}
    assert sum(bool(each.lost) for each in found) > len(found) / 2


def test_a_reason_in_words():
    row = pd.DataFrame({"age": [29], "income": [np.nan], "state": ["north"], "owner": [False]})
    (found,) = card().reasons(row, n=2)
    assert str(found).splitlines() == [
        "Decided for bad",
        "Points lost towards good:",
        "  1. 7 points by age = 29: +4 (age <= 30), the best is -3 (age > 50)",
        "  2. 3 points by state = north: +3 (state is north), the best is +0 (state is not north)",
    ]
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["lost"][0]["values"] == {"age": 29}
    (four,) = card().reasons(row)
    assert str(four.lost[2]).startswith(
        "2 points by age = 29 and owner = False: +2 (not owner and age <= 40)"
    )


def test_an_override_is_named_first():
    row = pd.DataFrame({"age": [19], "income": [10.0], "state": ["south"], "owner": [True]})
    (found,) = card(True).reasons(row)
    assert str(found.override) == "age <= 20 and income <= 10"
    first = str(found).splitlines()[0]
    assert first == "Decided for bad by an override, whatever the points: age <= 20 and income <= 10"
    assert found.to_dict()["override"] == "age <= 20 and income <= 10"


def test_the_baseline_may_be_the_mean():
    found = card().reasons(X, baseline="mean", reference=X, target="good", n=20)
    frame_ = card().table(X, y).to_frame("pandas")
    part = frame_[frame_["feature"] == "age"]
    mean = (part["points"] * part["share"]).sum()
    for row, each in enumerate(found):
        by_age = [lost for lost in each.lost if list(lost.values) == ["age"]]
        assert bool(by_age) == ((X["age"][row] <= 50 and mean < 0) or X["age"][row] <= 30)
        assert all(lost.baseline == pytest.approx(mean) and lost.best is None for lost in by_age)
    assert "the mean is " in str(found[0])


def test_several_classes_are_compared_with_the_closest_rival():
    table = pd.DataFrame({"a": np.arange(300) % 10, "b": np.arange(300) % 7})
    labels = np.array(["x", "y", "z"])[(table["a"] > 5) + (table["b"] > 3) * 1]
    model = scorecard().fit(table, labels)
    votes, names = model.votes(table), model.classes_.tolist()
    for row, found in enumerate(model.reasons(table)):
        decided, target = names.index(found.label), names.index(found.target)
        assert decided != target
        others = np.delete(votes[row], decided)
        assert votes[row, target] == others.max()
    assert {found.target for found in model.reasons(table, target="z")} == {"z"}


def test_the_largest_loss_is_among_the_reasons_of_declined_cases():
    """Rules that hold against a case say too little: the largest loss may be points that it did not get."""
    table, sick = load_heart_disease(return_X_y=True, as_frame=True)
    model = scorecard(max_literals=8).fit(table, sick)
    declined = table[model.predict(table) == 1]
    best = [found.lost[0].lost for found in model.reasons(declined, n=1)]
    assert best == [max(each.lost for each in found.lost) for found in model.reasons(declined, n=50)]


def test_what_is_wrong_is_said():
    for given_, message in {
        "baseline": ({"baseline": "worst"}, "The 'baseline' parameter of reasons must be 'best' or 'mean'"),
        "n": ({"n": 0}, "The 'n' parameter of reasons must be an int >= 1"),
        "target": ({"target": "ugly"}, "The 'target' parameter of reasons must be one of the classes"),
        "no reference": ({"baseline": "mean"}, "The 'reference' parameter of reasons must be given"),
        "no mean": ({"reference": X}, "only for it. Got one for a baseline of 'best'"),
        "empty": ({"baseline": "mean", "reference": X[:0]}, "must be at least 1. Got 0"),
    }.values():
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            card().reasons(X, **given_)
