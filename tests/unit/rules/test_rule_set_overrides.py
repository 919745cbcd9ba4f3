"""A cut-off and overrides: what they decide, and how they are shown, stored and compared."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

from clausal.machine.prediction import rule_votes
from clausal.rules.rule import MAX_OVERRIDES, Override
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import reduce_encoding
from tests.support.toy_rules import BOOLEANIZER, ROWS, deciding_rule_sets, frame, model, named

TABLE = frame(*ROWS)
BITS = BOOLEANIZER.transform(TABLE)
RULES = model((3, "n <= 1"), (-2, "c is a"), constants=[4])
NO = Override((named("b"), named("n > 3")), "no")
YES = Override((named("c is c"),), "yes")


def decided(rules: RuleSet) -> list[str]:
    """The class of each row, rule by rule and override by override."""
    found = []
    for bits in BITS:
        votes = list(rules.constants)
        for rule in rules:
            votes[rule.bank] += rule.points * bool(rule.holds(bits[None])[0])
        first = next((each.label for each in rules.overrides if each.holds(bits[None])[0]), None)
        labels = rules.classes.tolist()
        best = int(votes[0] >= rules.outcome.cut_off) if len(votes) == 1 else int(np.argmax(votes))
        found.append(labels[best] if first is None else first)
    return found


@settings(max_examples=60)
@given(deciding_rule_sets())
def test_the_first_override_that_holds_decides(rules: RuleSet):
    expected = decided(rules)
    assert rules.predict(TABLE).tolist() == expected
    deciding = rules.deciding
    assert deciding.overrides == ()
    assert deciding.predict(TABLE).tolist() == expected
    votes = rule_votes(deciding, TABLE)
    assert deciding.classes[deciding.outcome.decide(votes)].tolist() == expected
    assert rules.votes(TABLE).tolist() == rules.with_overrides([]).votes(TABLE).tolist()


@settings(max_examples=40)
@given(deciding_rule_sets())
def test_json_and_copies_keep_them(rules: RuleSet):
    assert RuleSet.from_json(rules.to_json()) == rules
    assert reduce_encoding(rules).predict(TABLE).tolist() == rules.predict(TABLE).tolist()
    assert rules.with_rules(rules).overrides == rules.overrides
    assert rules.with_encoding(rules.encoding) == rules
    assert hash(rules[:]) == hash(rules)


def test_files_without_them_stay_as_they_were():
    plain = json.loads(RULES.to_json())
    assert "cut_off" not in plain
    assert "overrides" not in plain
    changed = json.loads(RULES.with_cut_off(7).with_overrides([YES]).to_json())
    assert changed["cut_off"] == 7
    assert changed["overrides"] == [{"class": 1, "literals": [YES.literals[0].position]}]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("cut_off", "a", "cut_off must be a number"),
        ("cut_off", 2**63, "cut_off must be an integer from"),
        ("overrides", 3, "overrides must be a list"),
        (
            "overrides",
            [{"class": 2, "literals": [0]}],
            r"overrides\[0\].class must be an integer from 0",
        ),
        ("overrides", [{"class": 0, "literals": []}], r"overrides\[0\].literals must be at least one cond"),
        ("overrides", [{"class": 0, "literals": [9999]}], r"overrides\[0\].literals must be an integer"),
        ("overrides", [{"class": 0}], r"overrides\[0\] must be a dictionary with the keys"),
        ("other", 3, "extra 'other'"),
    ],
)
def test_spoiled_files_are_refused(name: str, value: object, message: str):
    document = json.loads(RULES.to_json()) | {name: value}
    with pytest.raises(ValueError, match=message):
        RuleSet.from_json(json.dumps(document))


def test_wrong_values_are_refused():
    with pytest.raises(ValueError, match=r"overrides\[0\] must be an Override. Got 3"):
        RULES.with_overrides([3])
    with pytest.raises(ValueError, match=r"overrides\[1\].label must be one of the classes .*maybe"):
        RULES.with_overrides([YES, Override(YES.literals, "maybe")])
    with pytest.raises(ValueError, match="overrides must be at most 30. Got 31"):
        RULES.with_overrides([YES] * (MAX_OVERRIDES + 1))
    with pytest.raises(ValueError, match="less than 2"):
        model((2**40, "n <= 1")).with_overrides([YES] * 30)
    with pytest.raises(ValueError, match="cut_off must be a finite number. Got nan"):
        RULES.with_cut_off(float("nan"))
    with pytest.raises(ValueError, match="cut_off must be 0 with more than two classes. Got 3"):
        model((1, "n <= 1", 2), classes=("a", "b", "c")).with_cut_off(3)
    with pytest.raises(ValueError, match="'overridden' parameter of decide must be given"):
        RULES.with_overrides([YES]).decide(RULES.votes(TABLE))


def test_they_are_shown():
    rules = RULES.with_cut_off(5).with_overrides([NO, YES])
    text = rules.to_text()
    assert "Predicts yes if the total is 5 or more, else no. An override that holds comes first." in text
    assert (
        "Overrides, whatever the total; the first one that holds decides:\nno   if b and n > 3\nyes  if c"
        in text
    )
    assert "| no | `b and n > 3` |" in rules.to_markdown()
    assert "<td>no</td>" in rules._repr_html_()
    shown = rules.to_frame("pyarrow").to_pylist()
    assert [row["override"] for row in shown] == [False, False, True, True]
    assert shown[2] == {
        "points": None,
        "speaks_for": "no",
        "rule": "b and n > 3",
        "n_literals": 2,
        "bank": None,
        "override": True,
    }


def test_the_same_decision_everywhere_is_noticed_with_a_cut_off():
    assert "Always predicts yes: the total is never below 2." in RULES.with_cut_off(2).to_text()
    assert "Always predicts no: the total is always below 8." in RULES.with_cut_off(8).to_text()


def test_differences():
    other = RULES.with_cut_off(5).with_overrides([NO])
    found = RULES.diff(other)
    assert found
    assert "cut_off: 0 here, 5 there" in str(found)
    assert "Overrides here:\n  none\nOverrides there:\n  no  if b and n > 3" in str(found)
    assert not other.diff(other)
