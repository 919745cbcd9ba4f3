"""A RuleSet that predicts numbers: a constant plus a unit times the vote."""

import json

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.outcome import NumericOutcome
from clausal.rules.rule import Literal, Override, Rule
from clausal.rules.rule_set import RuleSet

TABLE = pd.DataFrame({"age": [54.0, 55.0, 54.0, 54.0], "dose": [0.25, 0.25, 0.75, 0.5]})
ENCODING = Booleanizer().fit(TABLE).encoding_
AGE = Literal(ENCODING.columns[0], 0, True)
RULES = RuleSet(
    [Rule((AGE,), 3), Rule((), -1)], ENCODING, NumericOutcome(0.5, 10.0, high=11.25), constants=[1]
)


def test_it_predicts_the_number_and_says_how():
    assert RULES.votes(TABLE).tolist() == [0, 3, 0, 0]
    assert RULES.predict(TABLE).tolist() == [10, 11.25, 10, 10]
    assert str(RULES).splitlines() == [
        "Start at 1 and add the points of each rule that holds. "
        "Predicts 10 + 0.5 times the total, at most 11.25.",
        "+3  if age > 54",
        "-1  always",
    ]
    assert [rule.speaks_for for rule in RULES] == ["higher", "lower"]
    assert "Always predicts 10: no rule changes it." in str(RULES.with_rules([], constants=[0]))
    assert "<td" in RULES._repr_html_()
    assert RULES.class_names == ()


def test_it_is_stored_with_its_numbers():
    text = RULES.to_json()
    assert json.loads(text)["number"] == {"unit": 0.5, "offset": 10.0, "high": 11.25}
    read = RuleSet.from_json(text)
    assert read == RULES
    assert read.to_json() == text
    assert np.array_equal(read.predict(TABLE), RULES.predict(TABLE))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ({"unit": 0}, "unit of a NumericOutcome must be above 0"),
        ({"unit": "1"}, "number.unit must be"),
        ({"low": 12.0}, "low of a NumericOutcome must be at most high"),
        ({"width": 1.0}, "number"),
        ({"unit": 10**309}, "number.unit must be"),
    ],
)
def test_wrong_numbers_of_a_file_are_refused(spoil, message):
    document = json.loads(RULES.to_json())
    document["number"] |= spoil
    with pytest.raises(ValueError, match=message):
        RuleSet.from_json(json.dumps(document))


def test_a_file_has_classes_or_a_number():
    document = json.loads(RULES.to_json())
    with pytest.raises(ValueError, match="classes"):
        RuleSet.from_json(json.dumps(document | {"classes": {"type": "int64", "values": [0, 1]}}))
    with pytest.raises(ValueError, match="number must be"):
        RuleSet.from_json(json.dumps(document | {"number": 3}))
    with pytest.raises(ValueError, match="cut-off is for models that predict one class per row"):
        RuleSet.from_json(json.dumps(document | {"cut_off": 3}))
    with pytest.raises(
        ValueError, match="The attribute 'classes' is for models that predict one class per row"
    ):
        RuleSet.from_json(json.dumps(document | {"overrides": [{"class": 0, "literals": [0]}]}))


def test_what_is_about_classes_is_refused():
    with pytest.raises(
        ValueError, match="The attribute 'classes' is for models that predict one class per row"
    ):
        RULES.classes  # noqa: B018
    with pytest.raises(ValueError, match="An override is for models that predict one class per row"):
        RULES.with_overrides([Override((AGE,), 1)])
    with pytest.raises(ValueError, match="A cut-off is for models that predict one class per row"):
        RULES.with_cut_off(3)


def test_a_difference_names_the_numbers_that_differ():
    other = RuleSet(RULES, ENCODING, NumericOutcome(0.25, 10.0, high=11.25), constants=[1])
    assert str(RULES.diff(other)) == "unit: 0.5 here, 0.25 there"
    assert not RULES.diff(RULES)
    with pytest.raises(ValueError, match="the same classes in the same order"):
        RULES.diff(RuleSet([], ENCODING, ["a", "b"]))
