"""What the page says in the user's words, how it names rows, and words that it does not use."""

import copy
import json
import re
from dataclasses import replace

import polars as pl
import pytest
from markupsafe import escape

import clausal
from clausal import RuleSet
from tests.support.lending import card, loans
from tests.support.report_models import (
    HOSTILE_CATEGORY,
    HOSTILE_NAME,
    mixed_labels,
    mixed_model,
    mixed_scorecard,
    mixed_table,
)
from tests.support.report_page import Page, write_page


@pytest.fixture
def path(tmp_path):
    return tmp_path / "report.html"


OURS = ("literal", "vote", "clause", "margin", "percentile", "fold", "paired", "log-loss", "replacement")


@pytest.mark.parametrize("labels", [("no", "yes"), ("a", "b", "c")])
@pytest.mark.parametrize("make", [mixed_model, mixed_scorecard])
def test_no_sentence_has_a_word_that_only_we_use(path, make, labels):
    page = write_page(path, make(labels), labels)
    body = page.source.split("<body>")[1].split('<section id="about"')[0]
    text = re.sub("<[^>]*>", " ", body).lower()
    assert [word for word in OURS if word in text] == []


def test_the_classes_of_all_rows_are_at_the_top(path):
    X, X_test = mixed_table(), mixed_table(60, seed=3)
    y, y_test = mixed_labels(X), mixed_labels(X_test)
    header = write_page(path, X_train=X, y_train=y).source.split("</header>")[0]
    for labels in (y, y_test):
        count = int((labels == "yes").sum())
        assert f"{count} = {100 * count / len(labels):.1f} %</td>" in header
    assert "not given for this report" not in header
    assert "The training rows were not given for this report." in write_page(path).text


def test_what_the_user_says_is_at_the_top_as_text(path):
    about = {"Approved by": HOSTILE_NAME, "owner": "Risk\nBerlin", HOSTILE_CATEGORY: "x"}
    page = write_page(path, title=HOSTILE_NAME, about=about)
    header = page.source.split("</header>")[0]
    assert f"<h1>{escape(HOSTILE_NAME)}</h1>" in header
    assert f"<title>{escape(HOSTILE_NAME)}</title>" in header
    names = re.findall("<dt>(.*?)</dt>", header)[:3]
    assert names == ["Owner", "Approved by", str(escape(HOSTILE_CATEGORY))]
    assert "Risk\nBerlin" in header
    assert "Not stated: purpose, data, period." in header
    assert page.named("img") == []
    assert len(page.named("script")) == 3


def test_without_words_of_the_user_the_page_says_what_is_not_stated(path):
    page = write_page(path)
    assert "<h1>Model report: out&lt;come&gt;</h1>" in page.source
    assert "Not stated: purpose, owner, data, period." in page.text
    all_stated = write_page(path, about=dict.fromkeys(("purpose", "owner", "data", "period"), "known"))
    assert "Not stated" not in all_stated.text


def test_rows_are_counted_from_1_everywhere_and_the_page_says_so_once(path):
    page = write_page(path)
    assert page.text.count("Test rows are counted from 1.") == 1
    assert "counted from 0" not in page.text
    headings = re.findall(r"<h3>Test (row \d+):", page.source)
    starts = [start["name"] for start in json.loads(page.scripts["starts"])[1:]]
    assert [f"test {name}" for name in headings] == [start.split(":")[0] for start in starts]
    assert f'<option value="1">{escape(starts[0])}</option>' in page.source


def test_rows_are_named_by_the_users_ids(path):
    X = mixed_table(60, seed=3)
    y = mixed_labels(X)
    ids = pl.Series("<patient>", [f"<i>{row}" for row in range(60)])
    clf = mixed_model()
    clausal.report(clf, X, y, path, ids=ids)
    page = Page(path)
    assert "Test rows are named by their <patient>." in page.text
    assert page.named("i") == []
    found = re.findall(r"<h3>Test row &lt;i&gt;(\d+):", page.source)
    assert len(found) == 4
    starts = json.loads(page.scripts["starts"])
    for name, start in zip(found, starts[1:], strict=True):
        assert start["name"].startswith(f"test row <i>{name}: ")


def test_weights_are_not_called_rows(path):
    clf = copy.copy(mixed_scorecard(("no", "yes")))
    table = clf.risk_table_
    weighted = replace(table, counts=table.counts * 1.49, positives=table.positives * 1.49)
    clf.__dict__["risk_table_"] = weighted
    alone = write_page(path, clf, ("no", "yes")).source
    assert ">Training, weight</th>" in alone
    assert "shows their weight instead of their number, without an interval" in alone
    X = mixed_table()
    y = mixed_labels(X)
    page = write_page(path, clf, ("no", "yes"), X_train=X, y_train=y).source
    assert ">Training</th>" in page
    assert "In training, the rows were weighted (sample_weight)" in page
    assert "“Training” counts each row once, whatever its weight." in page
    risks = page.split("<h3>Risk by total</h3>")[1].split("</table>")[0]
    counts = re.findall(r'<td class="number">([0-9,]+) of ([0-9,]+)', risks)[::2]
    assert [sum(map(int, column)) for column in zip(*counts, strict=True)] == [(y == "yes").sum(), len(y)]


def test_it_says_who_set_the_cut_off_and_what_a_scorecard_keeps_to(path):
    X, y = loans()
    own = card().replace(constraints={"forbidden_features": ["state"]}, class_weight="balanced")
    clausal.report(own, X, y, path)
    page = Page(path)
    assert "The cut-off between the two decisions was chosen in training" in page.text
    assert '<th scope="row">forbidden_features</th><td>no rule may test state</td>' in page.source
    assert '<th scope="row">class_weight</th><td>balanced</td>' in page.source
    clausal.report(own.edit().set_cut_off(2).keep("Ada", "policy"), X, y, path)
    page = Page(path)
    assert "The cut-off between the two decisions was set by hand." in page.text
    assert "chosen in training" not in page.text


def test_bounds_of_a_scaled_scorecard_are_in_its_own_points(path):
    X, y = loans()
    limits = {"points_bounds": {"state": (-3, 0), "age": (None, 4)}, "fixed_rules": [("state is north", -3)]}
    rules = card().rules_
    kept = RuleSet([*rules[:3], replace(rules[3], points=-3)], rules.encoding, rules.outcome, rules.constants)
    own = card().replace(rules=kept, constraints=limits).scaled(600, 50, 20, positive=False)
    clausal.report(own, X, y, path)
    points = {str(rule): rule.points for rule in own.rules_}["state is north"]
    assert points > 3
    page = Page(path)
    assert f"rules on state have at least 0 and at most {points} points" in page.text
    assert f"the rule `state is north` is always there, with +{points}" in page.text
    assert "factor" not in page.source.split("Settings of the")[1].split("</table>")[0]
