"""The model as the page holds it can be scored from plain values alone."""

import json

import numpy as np
import pytest

from clausal.html_report.form import FormRows, make_fields
from clausal.html_report.page import page_model
from tests.support.report_models import lenient, mixed_model, mixed_table


def votes_of(model, row):
    """What score.js computes, told once more in Python."""
    bits = []
    for column in model["columns"]:
        value = row[column["feature"]]
        feature = model["features"][column["feature"]]
        unknown = feature["kind"] in ("nominal", "ranked") and value == -1
        if column["kind"] == "missing":
            bits.append(value is None or (unknown and feature["if_unknown"] == "missing"))
        elif column["kind"] in ("le", "upto"):
            bits.append(value is not None and not unknown and value <= column["value"])
        else:
            bits.append(value == (1 if column["kind"] == "true" else column["value"]))
    votes = list(model["constants"])
    for rule in model["rules"]:
        if all(bits[place] if place >= 0 else not bits[-1 - place] for place in rule["literals"]):
            votes[rule["bank"]] += rule["points"]
    return votes


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"labels": ("a", "b", "c")},
        {"weighting": "real"},
        {"booleanizer": lenient()},
        {"booleanizer": "paper"},
    ],
    ids=["two classes", "three classes", "real weights", "lenient", "paper"],
)
def test_the_document_gives_the_models_votes(params):
    clf = mixed_model(**params)
    rules = clf.rules_
    fields = make_fields(rules)
    model = json.loads(json.dumps(page_model(clf, rules)))
    X = mixed_table(80, seed=6)
    rows = FormRows(clf.encoding_, fields, X)
    got = np.squeeze([votes_of(model, rows.row(place)) for place in range(len(X))])
    np.testing.assert_array_equal(got, clf.votes(X))


def test_only_columns_that_rules_test_are_held():
    clf = mixed_model()
    rules = clf.rules_[:2]
    model = page_model(clf, rules)
    tested = {literal.position for rule in rules for literal in rule.literals}
    assert len(model["columns"]) == len(tested)
    assert model["rules"][0]["text"] == str(rules[0])
    texts = [text for column in model["columns"] for text in column["texts"]]
    assert str(rules[0].literals[0]) in texts
