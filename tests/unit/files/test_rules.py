"""Rule sets as JSON: read back they are equal, and a wrong field is refused by its name."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal.files.rules import FORMAT, VERSION
from clausal.rules.rule_set import RuleSet
from tests.support import model_documents as documents

MAKERS = (documents.model_of_numbers, documents.model_of_a_frame, documents.model_of_the_paper)


def rule_sets() -> list[RuleSet]:
    """Of two and three classes, whole and real points, and one with a constant and a rule for all rows."""
    return [*(make().rules_ for make in MAKERS), documents.rules_with_a_constant()]


@pytest.fixture(scope="module")
def contents() -> list[Any]:
    return [json.loads(rules.to_json()) for rules in rule_sets()]


@pytest.mark.parametrize("place", range(len(MAKERS) + 1))
def test_what_is_read_equals_what_was_written(place):
    rules = rule_sets()[place]
    text = rules.to_json()
    read = RuleSet.from_json(text)
    assert read == rules
    assert read.to_json() == text
    assert [type(rule.points) for rule in read] == [type(rule.points) for rule in rules]
    assert read.classes.dtype == rules.classes.dtype
    assert str(read) == str(rules)
    assert RuleSet.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_the_json_is_canonical(contents):
    text = rule_sets()[3].to_json()
    assert text == json.dumps(contents[3], sort_keys=True, separators=(",", ":"))
    assert text.isascii()
    assert contents[3]["format"] == FORMAT
    assert contents[3]["version"] == VERSION
    assert set(contents[3]) == {"format", "version", "booleanizer", "classes", "constants", "rules"}
    assert contents[3]["rules"][-2] == {"points": -3, "bank": 0, "literals": []}
    assert contents[3]["rules"][-1] == {"points": 2, "bank": 0, "literals": [len(rule_sets()[3].columns)]}


def test_labels_in_any_order_and_of_any_type_survive():
    booleanizer = rule_sets()[0].encoding
    for labels in (
        ["well", "sick"],
        np.array([3, 1, 2], np.int8),
        [True, False],
        np.array(["b", "a"], object),
    ):
        rules = RuleSet([], booleanizer, labels)
        read = RuleSet.from_json(rules.to_json())
        assert read == rules
        assert read.classes.tolist() == list(labels)


def test_what_could_not_be_read_is_not_written():
    booleanizer = rule_sets()[0].encoding
    with pytest.raises(ValueError, match="classes.values must be whole numbers"):
        RuleSet([], booleanizer, [0.5, 1.5]).to_json()
    with pytest.raises(ValueError, match="Class labels must be numbers, booleans or strings to be saved"):
        RuleSet([], booleanizer, np.array([("a",), "b"], object)).to_json()


# --- from strangers: more in tests/contract/hostile_files ---


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("points", "3", "rules.0..points must be a number. Got '3'."),
        ("points", True, "rules.0..points must be a number"),
        ("points", 2**62 + 1, "rules.0..points must be an integer from -4611686018427387904"),
        ("bank", 1, "rules.0..bank must be an integer from 0 to 0. Got 1."),
        ("literals", [10**6], "rules.0..literals must be an integer from 0 to .*. Got 1000000."),
        ("literals", [-1], "rules.0..literals must be an integer from 0 to .*. Got -1."),
        ("literals", None, "rules.0..literals must be a list. Got None."),
        ("more", 1, "rules.0. must be a dictionary with the keys .* Got extra 'more'."),
    ],
)
def test_a_wrong_rule_is_refused_by_name(contents, field, value, words):
    content = copy.deepcopy(contents[3])
    content["rules"][0][field] = value
    with pytest.raises(ValueError, match=words):
        RuleSet.from_json(json.dumps(content))


def test_constants_must_fit_the_classes(contents):
    for constants in ([], [1, 2], ["1"], None):
        with pytest.raises(ValueError, match="constants must"):
            RuleSet.from_json(json.dumps({**contents[3], "constants": constants}))


def test_a_rule_set_read_from_json_reads_tables():
    rules = documents.model_of_a_frame().rules_
    read = RuleSet.from_json(rules.to_json())
    others = pd.concat([documents.MIXED, documents.MIXED.iloc[::-1]], ignore_index=True)
    assert read.votes(others).tolist() == rules.votes(others).tolist()


def test_integers_remain_exact_among_integers_and_are_refused_among_floats(contents):
    content = copy.deepcopy(contents[3])
    content["rules"][0]["points"] = 2**53 + 1
    assert RuleSet.from_json(json.dumps(content))[0].points == 2**53 + 1
    content["constants"][0] = 0.5
    with pytest.raises(ValueError, match=r"rules\[0\].points must be a number that float64 holds exactly"):
        RuleSet.from_json(json.dumps(content))
