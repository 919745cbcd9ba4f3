"""The page is one file, complete in itself, the same for the same input, and text in it is text."""

import json
import re
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from markupsafe import escape
from scipy import sparse
from sklearn.exceptions import NotFittedError

import clausal
from clausal.html_report.form import signed_text
from clausal.rules.render import footnotes
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.risk_table import RiskTable
from clausal.scorecard.scorecard import Scorecard
from tests.support.report_models import (
    HOSTILE_CATEGORY,
    HOSTILE_LABELS,
    HOSTILE_NAME,
    lenient,
    mixed_labels,
    mixed_model,
    mixed_scorecard,
    mixed_table,
    strict_booleanizer,
)
from tests.support.report_page import Page, write_page
from tests.support.small_data import bits, quick, table


@pytest.fixture
def path(tmp_path):
    return tmp_path / "report.html"


def test_the_page_needs_nothing_but_itself(path):
    page = write_page(path)
    source = page.source.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    for word in ("http://", "https://", "@import", "url(", "fetch(", "XMLHttpRequest"):
        assert word not in source
    assert not any("src" in attrs or "style" in attrs for _, attrs in page.elements)
    assert source.startswith("<!DOCTYPE html>")
    assert all(attrs.get("href", "#")[0] == "#" for attrs in page.named("a"))
    assert [attrs["href"] for attrs in page.named("link")] == ["data:,"]
    assert "default-src 'none'" in page.named("meta")[1]["content"]


def test_the_same_input_gives_the_same_bytes(path):
    write_page(path)
    first = path.read_bytes()
    write_page(path)
    assert path.read_bytes() == first
    assert b"\r" not in first


def test_hostile_names_categories_and_labels_are_text(path):
    page = write_page(path, labels=HOSTILE_LABELS)
    assert len(page.named("script")) == 3
    assert page.named("img") == []
    assert page.named("b") == []
    assert HOSTILE_NAME in page.text
    assert HOSTILE_CATEGORY in page.text
    model = json.loads(page.scripts["model"])
    assert model["classes"] == list(map(repr, sorted(HOSTILE_LABELS)))
    assert HOSTILE_NAME in [field["name"] for field in model["features"]]
    for attrs in (attrs for _, attrs in page.elements):
        assert not any(name.startswith("on") for name in attrs)
    assert "out<come>" in page.text


@pytest.mark.parametrize("labels", [("no", "yes"), ("a", "b", "c")])
def test_the_page_shows_every_rule_and_what_the_model_says(path, labels):
    clf = mixed_model(labels)
    page = write_page(path, clf, labels)
    for rule in clf.rules_:
        assert str(rule) in page.text
    X = mixed_table(60, seed=3)
    assert f"{clf.score(X, mixed_labels(X, labels)):.3f}" in page.text
    assert json.loads(page.scripts["model"])["constants"] == list(clf.rules_.constants)


def test_two_classes_have_curves_gains_and_approval_rates(path):
    page = write_page(path)
    quality = page.source.split('<section id="quality"')[1].split("</section>")[0]
    assert "<title>ROC curve: the share of yes" in quality
    assert "<title>Precision-recall curve: the share of yes" in quality
    for words in (">Gini</th>", ">KS</th>", "<h4>Gains</h4>", "<h4>Approval rates</h4>", "this model"):
        assert words in quality


def test_where_there_are_no_curves_the_page_says_why(path):
    text = write_page(path, labels=("a", "b", "c")).text
    assert "Curves, gains and cut-offs are shown for models of two classes only." in text
    assert "Gini" not in text
    X, y = table()
    clausal.report(quick().fit(X, y), X[y == 0], y[y == 0], path)
    text = Page(path).text
    assert "Curves, gains and cut-offs are not shown because all test rows are of one class." in text


def test_a_scorecard_shows_its_risk_table_and_its_path(path):
    clf = mixed_scorecard()
    page = write_page(path, clf)
    card = page.source.split('<section id="scorecard"')[1].split("</section>")[0]
    shown, folded = card.split("<summary>The risk of every total</summary>")
    for risk in clf.risk_table_.risks:
        assert f"{100 * risk:.1f} %" in folded
    rows = shown.split("by total, in groups of about equal numbers of rows")[1].count("<tr>") - 1
    assert 2 <= rows <= 11 < len(clf.risk_table_.scores)
    assert f"chosen: {clf.path_.chosen}" in page.text
    model = json.loads(page.scripts["model"])
    assert model["probability"] == {
        "kind": "logistic",
        "slope": clf.risk_table_.slope,
        "offset": clf.risk_table_.offset,
    }


def test_a_scorecard_of_several_classes_has_no_risk_table(path):
    clf = mixed_scorecard(("a", "b", "c"))
    page = write_page(path, clf, ("a", "b", "c"))
    assert "The risk of every total" not in page.text
    assert json.loads(page.scripts["model"])["probability"]["slope"] == clf.slope_


def test_the_curve_says_what_it_shows_and_which_measures_to_use(path):
    clf = mixed_scorecard()
    text = " ".join(write_page(path, clf).text.split())
    assert f"the curve is that of the chosen one ({clf.path_.search})" in text
    assert f"The chosen number, {clf.path_.chosen}, is the smallest that does about as well as" in text
    assert "looks slightly better than the model is: rely on the measures on the test rows." in text


@pytest.mark.parametrize("labels", [("no", "yes"), ("a", "b", "c")])
def test_points_have_their_sign_everywhere(path, labels):
    clf = mixed_model(labels)
    assert any(rule.points < 0 for rule in clf.rules_)
    page = write_page(path, clf, labels)
    card, rules, examples = (
        page.source.split(f'<section id="{name}"')[1].split("</section>")[0]
        for name in ("scorecard", "rules", "examples")
    )
    for rule in clf.rules_:
        points = f'<td class="number for{int(rule.points > 0)}">{signed_text(rule.points)}</td>'
        lines = [line for line in card.split("<tr>") if str(escape(rule)) in line]
        assert any(points in line for line in lines)
        assert f'data-sort="{rule.points}">{signed_text(rule.points)}</td>' in rules
    assert ">−" in rules
    near = re.search(r"Rules that almost hold: [+−]\d+( for \w+)? if", examples)
    assert near
    assert (near[1] is None) == (len(labels) == 2)
    if len(labels) == 2:
        assert "Points are for <strong" in card
        assert "Rules that hold, with points for yes" in examples


def test_an_example_says_how_its_total_comes_about(path):
    clf = mixed_model()
    page = write_page(path, clf)
    X = mixed_table(60, seed=3)
    rows = [int(found) - 1 for found in re.findall(r"<h3>Test row (\d+):", page.source)]
    assert rows
    for one in clf.explain(X.iloc[rows], counterfactuals=False):
        up = sum(rule.points for rule in one.fired if rule.points > 0)
        down = sum(-rule.points for rule in one.fired if rule.points < 0)
        total = (
            f"{signed_text(one.constants[0])} (constant) + {up} (rules for yes) − {down} (rules against it)"
        )
        assert total in page.text
        assert one.constants[0] + up - down == one.votes[0]


def test_what_missing_values_and_unknown_categories_count_as_is_said(path):
    strict, lax = mixed_model(booleanizer=strict_booleanizer()), mixed_model(booleanizer=lenient())
    assert footnotes(strict.rules_) == []
    assert "satisfies no condition" in " ".join(footnotes(mixed_model().rules_))
    assert len(footnotes(lax.rules_)) == 2
    assert "counts as above" not in write_page(path, strict).text
    X = mixed_table(60, seed=3)
    y = mixed_labels(X)
    clausal.report(lax, X.assign(age=np.nan), y, path)
    page = Page(path)
    card = page.source.split('<section id="scorecard"')[1].split("</section>")[0]
    assert all(f'<p class="note">{note}</p>' in card for note in footnotes(lax.rules_))
    examples = page.source.split('<section id="examples"')[1]
    assert '<p class="note">age = missing counts as above every cut point' in examples


def test_training_data_stand_beside_test_data(path):
    X = mixed_table()
    page = write_page(path, X_train=X, y_train=mixed_labels(X))
    assert "Training, 160 rows" in page.text
    assert "Test, 60 rows" in page.text
    assert "Training, " not in write_page(path).text


def test_headings_tables_and_fields_are_marked_up_for_everyone(path):
    page = write_page(path)
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for attrs in page.named("section"):
        assert attrs["aria-labelledby"] in ids
    for attrs in page.named("th"):
        assert attrs["scope"] in ("col", "row", "colgroup", "rowgroup")
    labelled = {attrs["for"] for attrs in page.named("label")}
    for tag in ("input", "select"):
        assert {attrs["id"] for attrs in page.named(tag)} <= labelled
    for attrs in page.named("a"):
        assert attrs["href"][1:] in ids
    levels = [int(tag[1]) for tag, _ in page.elements if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert dict(page.elements)["html"]["lang"] == "en"


def test_without_examples_no_single_row_is_in_the_file(path):
    page = write_page(path, n_examples=0)
    starts = json.loads(page.scripts["starts"])
    assert [start["name"] for start in starts] == ["typical values of the test rows"]
    assert page.named("article") == []


def test_a_fifteen_rule_model_makes_a_small_file(path):
    clf = mixed_model(n_clauses=16)
    assert len(clf.rules_) <= 16
    write_page(path, clf)
    assert path.stat().st_size < 200_000


@pytest.mark.parametrize("convert", [np.array, np.ndarray.tolist, sparse.csr_array])
def test_arrays_lists_and_sparse_matrices_have_a_page(path, convert):
    X, y = bits(), table()[1]
    clf = quick(booleanizer=None).fit(X, y)
    clausal.report(clf, convert(X), y.tolist(), path)
    assert "x0" in Page(path).text
    assert "<h1>Model report</h1>" in path.read_text(encoding="utf-8")


def test_a_polars_table_has_the_same_page_as_a_pandas_one(path, tmp_path):
    X, y = table()
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    clf = quick().fit(frame, y)
    clausal.report(clf, frame, y, path)
    clausal.report(clf, frame.to_pandas(), y, tmp_path / "other.html")
    assert path.read_bytes() == (tmp_path / "other.html").read_bytes()


def no_rules(machine, X, y):
    """A scorecard that is nothing but its constant."""
    rules = RuleSet((), machine.encoding_, machine.classes_, (1,))
    return Scorecard(rules, 1.0, risk_table=RiskTable.of(rules.votes(X), y, np.ones(len(y)), 1.0, 0.0, 1))


def test_a_model_without_rules_has_a_page(path):
    X, y = table()
    clausal.report(no_rules(quick().fit(X, y), X, y), X, y, path)
    page = Page(path)
    assert "0 rules" in page.text
    assert "Always predicts class 1: the total is never below 0." in page.text
    assert json.loads(page.scripts["model"])["rules"] == []


def test_one_class_in_the_test_data_leaves_measures_undefined_but_has_a_page(path):
    X, y = table()
    clf = quick().fit(X, y)
    clausal.report(clf, X[y == 0], y[y == 0], path)
    assert "not defined" in Page(path).text


def test_what_cannot_be_reported_is_refused(path):
    X, y = table()
    clf = quick().fit(X, y)
    with pytest.raises(ValueError, match="X_train and y_train must be given together"):
        clausal.report(clf, X, y, path, X_train=X)
    with pytest.raises(ValueError, match="'n_examples' parameter of report must be an int >= 0. Got -1"):
        clausal.report(clf, X, y, path, n_examples=-1)
    with pytest.raises(ValueError, match="about must be a dict of texts. Got list."):
        clausal.report(clf, X, y, path, about=["owner"])
    with pytest.raises(ValueError, match="title must be a str. Got 7."):
        clausal.report(clf, X, y, path, title=7)
    with pytest.raises(ValueError, match="ids must have one id for each of the 60 rows. Got 3."):
        clausal.report(clf, X, y, path, ids=[1, 2, 3])
    with pytest.raises(ValueError, match="y_test must have one label for each of the 60 rows"):
        clausal.report(clf, X, y[:3], path)
    with pytest.raises(ValueError, match="at least one label"):
        clausal.report(clf, X[:0], y[:0], path)
    with pytest.raises(ValueError, match="7"):
        clausal.report(clf, X, y + 7, path)
    with pytest.raises(TypeError, match="Scorecard, RuleRegressor or TsetlinRegressor. Got Encoding"):
        clausal.report(clf.encoding_, X, y, path)
    with pytest.raises(NotFittedError):
        clausal.report(quick(), X, y, path)
    with pytest.raises(NotFittedError):
        clausal.report(clausal.RuleClassifier(), X, y, path)
    assert not path.exists()
