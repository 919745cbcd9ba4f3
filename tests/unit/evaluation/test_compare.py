"""Comparison: each model's own measures, paired differences, rules in both, and decisions that differ."""

import numpy as np
import pytest

from clausal import RuleSet, Scorecard, compare
from clausal.evaluation.metrics import measure
from clausal.evaluation.predictions import evaluate
from tests.support.periods import labels, period, scorecard

CARD = scorecard()
X = period(400, seed=1)
Y = labels(CARD, X, 3)
OTHER = CARD.replace(rules=CARD.rules_.with_rules([*CARD.rules_[:3]], [-1]))


@pytest.fixture(scope="module")
def result():
    return compare({"old": CARD, "new": OTHER}, X, Y)


def test_measures_are_those_of_each_model(result):
    for name, model in (("old", CARD), ("new", OTHER)):
        own = measure(evaluate(model, model.rules_, X, Y, "y"))
        got = {each.measure: each.value for each in result.measures if each.model == name}
        assert got == {item.name: (item.value, item.low, item.high) for item in own.items}


def test_differences_are_paired(result):
    accuracy = result.of("Accuracy")[1]
    assert accuracy.difference.value == pytest.approx(
        accuracy.value.value - result.of("Accuracy")[0].value.value
    )
    wrong = [CARD.predict(X) != Y, OTHER.predict(X) != Y]
    paired = np.std(wrong[0].astype(float) - wrong[1], ddof=1) / 20
    width = accuracy.difference.high - accuracy.difference.low
    assert width == pytest.approx(2 * 1.96 * paired, rel=0.2)
    unpaired = np.hypot(*(each.std(ddof=1) / 20 for each in wrong))
    assert width < 2 * 1.96 * unpaired


def test_a_model_does_not_differ_from_itself():
    same = compare([CARD, Scorecard(CARD.rules_, CARD.slope_)], X, Y)
    assert same.names == ("model 1", "model 2")
    assert {each.difference for each in same.measures if each.model == "model 2"} == {(0, 0, 0)}
    assert len(same.differing) == 0
    assert not same.changes[0]
    assert same.n_shared(1) == 4


def test_decisions_that_differ_are_listed(result):
    differ = np.flatnonzero(CARD.predict(X) != OTHER.predict(X))
    assert result.differing.tolist() == differ.tolist()
    frame = result.decisions_to_frame("pandas")
    assert frame["row"].tolist() == differ.tolist()
    assert (frame["decision old"] != frame["decision new"]).all()
    one, other = result.right_and_wrong(1)
    assert one + other == len(differ)


def test_rules_in_both_and_in_one_are_told_apart(result):
    assert result.n_shared(1) == 3
    (change,) = result.changes
    assert len(change.only_here) == 1
    assert "rules in both: 3; old (here) and new (there):" in str(result)
    assert len(result.to_frame("polars")) == 2 * len(result.measure_names)


def test_three_models_of_three_classes():
    card = scorecard(("a", "b", "c"))
    y = labels(card, X, 3)
    result = compare({"a": card, "b": card, "c": scorecard(("a", "b", "c"), points=2)}, X, y)
    assert len(result.changes) == 2
    assert "F1 (mean)" in result.measure_names


def test_models_must_be_two_of_the_same_classes():
    with pytest.raises(ValueError, match="models must be 2 or more models. Got 1."):
        compare([CARD], X, Y)
    with pytest.raises(TypeError, match="models must be a dict or a list of fitted models. Got Scorecard."):
        compare(CARD, X, Y)
    with pytest.raises(
        ValueError, match="must have the same classes, here .'no', 'yes'.. Got .'a', 'b'. for 'model 2'"
    ):
        compare([CARD, scorecard(("a", "b"))], X, Y)
    fractions = CARD.replace(rules=RuleSet([], CARD.encoding_, ["yes", "no"], [0.5]))
    with pytest.raises(ValueError, match="same positive class, the last one, here .*'yes', 'no'"):
        compare([CARD, fractions], X, Y)


def test_a_scorecard_with_points_for_the_other_class_is_turned():
    other = CARD.scaled(600, 50, 40, positive=False)
    assert other.pos_label_ == "no"
    result = compare({"card": CARD, "points": other}, X, Y)
    assert len(result.differing) == 0
    assert result.rules[1].class_names == ("no", "yes")
    for name in ("F1", "ROC AUC"):
        first, second = result.of(name)
        assert first.value.value == pytest.approx(second.value.value, abs=0.01)
