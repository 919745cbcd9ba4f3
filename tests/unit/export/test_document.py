"""The registry of exports: what RuleSet.export and the command line offer."""

import json

import pytest

from clausal import RuleSet
from clausal.export import TARGETS, export_model
from clausal.export.document import rule_document
from tests.support.toy_rules import ROWS, frame, model

RULES = model((3, "n <= 3", "c is not a or missing"), (-2, "b"), (1, "o > x"), constants=(1,))


@pytest.mark.parametrize("to", TARGETS)
def test_every_target_is_written(to):
    written = RULES.export(to)
    assert isinstance(written, bytes if to in ("onnx", "excel") else str)
    if to != "excel":  # which holds the time of writing
        assert written == export_model(RULES, to)


def test_the_methods_of_a_rule_set_are_the_same_writers():
    assert RULES.to_sql("sqlite", "people") == RULES.export("sql", dialect="sqlite", table="people")
    assert RULES.to_json() == RULES.export("json")
    assert RuleSet.from_json(RULES.export("json")) == RULES
    assert RULES.to_markdown() == RULES.export("markdown")
    assert RULES.to_text() == RULES.export("text")


def test_unknown_targets_and_options_are_named():
    with pytest.raises(ValueError, match="must be one of 'sql', .*'json', 'markdown', 'text'. Got 'cobol'"):
        RULES.export("cobol")
    with pytest.raises(TypeError, match="takes no options. Got 'dialect'"):
        RULES.export("json", dialect="duckdb")


def test_the_document_is_plain_json_and_refers_to_itself_only():
    document = rule_document(RULES)
    plain = json.loads(json.dumps(document.to_dict()))
    assert len(plain["columns"]) == len({abs(k) for k in range(len(document.columns))})
    for rule in plain["rules"]:
        for literal in rule["literals"]:
            assert 0 <= (literal if literal >= 0 else -1 - literal) < len(plain["columns"])
    assert {column["feature"] for column in plain["columns"]} == set(range(len(plain["features"])))


def test_a_literal_of_the_document_is_the_rules_own():
    document = rule_document(RULES)
    for record, rule in zip(document.rules, RULES, strict=True):
        for number, literal in zip(record.literals, rule.literals, strict=True):
            column, negated = document.signed_column(number)
            assert column.texts[negated] == str(literal)


def test_the_decision_of_the_document_is_the_models():
    votes = RULES.votes(frame(*ROWS))
    decision = rule_document(RULES).to_dict()["decision"]
    assert [entry["class"] for entry in decision] == [1, 0]
    assert decision[0]["tests"] == [{"bank": 0, "other": None, "below": False, "cut_off": 0}]
    assert (RULES.decide(votes) == (votes >= 0)).all()
