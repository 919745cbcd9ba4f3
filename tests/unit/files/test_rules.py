"""Rule sets as JSON: read back they are equal, and text from strangers gives a rule set or a ValueError."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal.files.rules import FORMAT, VERSION
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support import model_documents as documents

N_MUTATIONS = 3000
MAKERS = (documents.model_of_numbers, documents.model_of_a_frame, documents.model_of_the_paper)


def rule_sets() -> list[RuleSet]:
    """Of two and three classes, whole and real points, and one with a constant and a rule for all rows."""
    found = [make().rules_ for make in MAKERS]
    first = found[1]
    more = [*first, Rule((), -3, ""), Rule((Literal(first.columns[0], 0, True),), 2, "")]
    return [*found, first.with_rules(more, [7])]


@pytest.fixture(scope="module")
def contents() -> list[Any]:
    return [json.loads(rules.to_json()) for rules in rule_sets()]


def read_or_reason(text: str) -> RuleSet | str:
    """The rule set, or what the ValueError says; anything else raised is a failure."""
    try:
        return RuleSet.from_json(text)
    except ValueError as error:
        reason = str(error)
        assert reason.endswith(".")
        assert any(word in reason for word in ("must", "not a clausal rule set", "reads up to version")), (
            reason
        )
        return reason


def written(content: Any) -> str:
    return documents.with_raw(json.dumps(content))


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


# --- from strangers ---


def test_every_truncation_is_refused():
    text = rule_sets()[1].to_json()
    for length in range(0, len(text), 3):
        assert "not a clausal rule set" in str(read_or_reason(text[:length]))


def test_random_changes_give_a_rule_set_or_a_reason(contents):
    random = Random(30)
    n_read, reasons = 0, set()
    for number in range(N_MUTATIONS):
        text = written(documents.mutated(random.choice(contents), random))
        try:
            result = read_or_reason(text)
            if isinstance(result, str):
                reasons.add(result)
            else:
                n_read += 1
                use(result)
        except Exception as error:
            raise AssertionError(f"change {number} gives {text[:3000]}") from error
    assert n_read > N_MUTATIONS // 20  # both outcomes were really tried
    assert len(reasons) > N_MUTATIONS // 20


def use(rules: RuleSet) -> None:
    """Everything that needs no table."""
    assert RuleSet.from_json(rules.to_json()) == rules
    assert len(str(rules)) > 0
    assert "<table>" in rules._repr_html_() or "(no rules)" in rules._repr_html_()
    assert rules.to_markdown().endswith("\n")
    assert not rules.diff(rules)
    votes = rules.votes_of(rules.fires_on(np.zeros((2, len(rules.columns)), np.uint8)))
    assert np.isfinite(votes).all()
    assert rules.decide(votes).max() < len(rules.classes)


def test_every_field_replaced_by_every_value_gives_a_rule_set_or_a_reason(contents):
    content = contents[3]
    n_places = len(documents.places(content))
    for place in range(1, n_places):
        for value in documents.VALUES[:: 1 + place % 3]:
            changed = copy.deepcopy(content)
            holder, key = documents.places(changed)[place]
            holder[key] = value
            read_or_reason(written(changed))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("points", "3", "rules.0..points must be a number. Got '3'."),
        ("points", True, "rules.0..points must be a number"),
        ("points", 2**62 + 1, "rules.0..points must be at most 2..62 in size"),
        ("bank", 1, "rules.0..bank must be an integer from 0 to 0. Got 1."),
        ("literals", [10**6], "rules.0..literals must be an integer from 0 to .*. Got 1000000."),
        ("literals", [-1], "rules.0..literals must be an integer from 0 to .*. Got -1."),
        ("literals", None, "rules.0..literals must be a list. Got None."),
        ("more", 1, "rules.0. must be a dictionary with the keys .* Got also 'more'."),
    ],
)
def test_a_wrong_rule_is_refused_by_name(contents, field, value, words):
    content = copy.deepcopy(contents[3])
    content["rules"][0][field] = value
    with pytest.raises(ValueError, match=words):
        RuleSet.from_json(json.dumps(content))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a clausal rule set, or a damaged one"),
        ("[]", "its 'format' must be 'clausal rules'"),
        ('{"format": "clausal model"}', "its 'format' must be 'clausal rules'"),
        ('{"format": "clausal rules"}', "version must be an integer"),
        ('{"format": "clausal rules", "version": 1}', "the rule set must be a dictionary with the keys"),
        (
            '{"format": "clausal rules", "version": 9, "new": 1}',
            "has version 9; this clausal reads up to version 1",
        ),
        ('{"a": 1, "a": 1}', "twice"),
        ('{"a": NaN}', "NaN is not a number"),
        ("[" * 100_000, "nested too deeply"),
        (None, "must be a string. Got None."),
    ],
)
def test_what_is_no_rule_set_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        RuleSet.from_json(text)


def test_constants_must_fit_the_classes(contents):
    for constants in ([], [1, 2], ["1"], None):
        with pytest.raises(ValueError, match="constants must"):
            RuleSet.from_json(json.dumps({**contents[3], "constants": constants}))


def test_a_rule_set_read_from_json_reads_tables():
    rules = documents.model_of_a_frame().rules_
    read = RuleSet.from_json(rules.to_json())
    others = pd.concat([documents.MIXED, documents.MIXED.iloc[::-1]], ignore_index=True)
    assert read.votes(others).tolist() == rules.votes(others).tolist()
