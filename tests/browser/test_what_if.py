"""The what-if form, in a real browser, says what Python says."""

import json

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import clausal
from clausal.encoding.values import NO_RULE
from clausal.html_report.form import FormRows, make_fields
from tests.support.report_models import (
    HOSTILE_CATEGORY,
    HOSTILE_NAME,
    lenient,
    mixed_labels,
    mixed_model,
    mixed_scorecard,
    mixed_table,
    rows_around_cuts,
    strict_booleanizer,
)

MODELS = {
    "two classes": {},
    "real weights": {"weighting": "real"},
    "three classes": {"labels": ("a", "b", "c")},
    "real weights of three classes": {"labels": (1, 2, 3), "weighting": "real"},
    "unknown and missing accepted": {"booleanizer": lenient()},
    "unknown and missing refused": {"booleanizer": strict_booleanizer()},
    "as the paper codes": {"booleanizer": "paper"},
    "scorecard": {},
    "scorecard of three classes": {"labels": ("a", "b", "c")},
}


@pytest.fixture(scope="module", params=MODELS, ids=lambda name: name.replace(" ", "_"))
def case(request, tmp_path_factory):
    """A fitted classifier and its page."""
    make = mixed_scorecard if "scorecard" in request.param else mixed_model
    clf = make(**MODELS[request.param])
    X = mixed_table(60, seed=3)
    path = tmp_path_factory.mktemp("pages") / "report.html"
    clausal.report(clf, X, mixed_labels(X, tuple(clf.classes_.tolist())), path)
    return clf, path


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a model that refuses unknown categories and new missing values."""
    clf = mixed_model(booleanizer=strict_booleanizer())
    X = mixed_table(60, seed=3)
    path = tmp_path_factory.mktemp("pages") / "report.html"
    clausal.report(clf, X, mixed_labels(X), path)
    return clf, path


def scored(browser, rows):
    """What the page's own function says of rows, each a list of values by field."""
    return browser.execute_script(
        """const {model, scoring} = window.clausalReport;
        return arguments[0].map((row) => {
          const problem = scoring.problem(model, row);
          return problem === null ? scoring.score(model, row) : {problem};
        });""",
        rows,
    )


def field_rows(clf, X):
    rows = FormRows(clf.encoding_, make_fields(clf.rules_), X)
    return [rows.row(place) for place in range(len(X))]


def test_the_page_scores_many_rows_as_python_does(case, visit):
    clf, path = case
    X = rows_around_cuts(clf.encoding_, 400)
    got = scored(visit(path), field_rows(clf, X))
    np.testing.assert_array_equal(np.squeeze([item["votes"] for item in got]), clf.votes(X))
    assert clf.classes_[[item["decided"] for item in got]].tolist() == clf.predict(X).tolist()
    np.testing.assert_allclose(
        [item["probabilities"] for item in got], clf.predict_proba(X), rtol=1e-12, atol=1e-15
    )
    if hasattr(clf, "risk_table_"):
        np.testing.assert_allclose(
            [item["interval"] for item in got], clf.predict_risk_interval(X), rtol=1e-9
        )
    np.testing.assert_array_equal([item["fires"] for item in got], clf.rules_.fires(X))
    for item in got[:50]:
        assert [not literals for literals in item["unmet"]] == item["fires"]


def odd_rows(clf):
    """Rows with one value missing or one category that training never saw, by the name of the feature."""
    good = mixed_table(1, seed=9).assign(**{HOSTILE_NAME: 0.5})
    for field in make_fields(clf.rules_):
        name = good.columns[field.index]
        for value in (None, "a stranger") if name in ("kind", "site") else (None,):
            X = good.astype({name: object})
            X[name] = [value]
            yield field.name, value, X


@pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")
def test_the_page_refuses_what_python_refuses(case, visit):
    clf, path = case
    odd, fields = list(odd_rows(clf)), {field.name: field for field in make_fields(clf.rules_)}
    assert len(odd) > 2
    said = scored(visit(path), [field_rows(clf, X)[0] for _, _, X in odd])
    for (name, value, X), got in zip(odd, said, strict=True):
        try:
            votes = clf.votes(X)
        except ValueError:
            assert name in got["problem"]
            assert ("not be missing" if value is None else "one of the categories") in got["problem"]
        else:
            assert got["votes"] == np.atleast_1d(votes[0]).tolist()
            field = fields[name]
            unseen = field.complete if value else not field.nullable
            expected = [name] if unseen and clf.encoding_.policy == NO_RULE else []
            assert got["unseen"] == expected


def result(browser):
    return json.loads(browser.find_element(By.ID, "answer").get_attribute("data-result"))


def pick(browser, **row):
    """Put a row into the form as a person does: typing numbers, choosing categories."""
    for name, value in row.items():
        labels = "[...document.querySelectorAll('label')]"
        found = browser.execute_script(
            f"return {labels}.find((e) => e.textContent === arguments[0]).control", name
        )
        if found.tag_name == "select":
            Select(found).select_by_visible_text(value)
        else:
            found.send_keys(Keys.CONTROL, "a")
            found.send_keys(Keys.DELETE, value)


def python_row(**row):
    X = mixed_table(1).astype({"kind": object})
    for name, value in row.items():
        X[name] = [value]
    X["grade"] = X["grade"].astype(mixed_table(4)["grade"].dtype)
    return X


ROW = {"age": "51", HOSTILE_NAME: "0.25", "kind": "plain", "grade": "high", "smokes": "True", "site": "west"}
TYPED = {"age": 51.0, HOSTILE_NAME: 0.25, "kind": "plain", "grade": "high", "smokes": True, "site": "west"}


def test_typed_values_at_below_and_above_every_cut_point_give_pythons_decision(page, visit):
    clf, path = page
    browser = visit(path)
    pick(browser, **ROW)
    for name in ("age", HOSTILE_NAME):
        cuts = next(item.cuts for item in make_fields(clf.rules_) if item.name == name)
        assert cuts
        for cut in cuts[:2]:
            for value in (cut, np.nextafter(cut, -np.inf), np.nextafter(cut, np.inf)):
                pick(browser, **{name: repr(float(value))})
                X = python_row(**{**TYPED, name: float(value)})
                assert result(browser)["votes"] == clf.votes(X).tolist()
                assert clf.classes_[result(browser)["decided"]] == clf.predict(X)[0]
                assert str(clf.predict(X)[0]) in browser.find_element(By.ID, "answer").text
        pick(browser, **{name: ROW[name]})


def test_chosen_categories_and_an_emptied_field_give_pythons_votes(page, visit):
    clf, path = page
    browser = visit(path)
    pick(browser, **ROW)
    assert result(browser)["votes"] == clf.votes(python_row(**TYPED)).tolist()
    for name, text, value in (
        ("kind", repr(HOSTILE_CATEGORY), HOSTILE_CATEGORY),  # printed in quotes, for its own quotation mark
        ("kind", "(missing)", None),
        ("grade", "top", "top"),
        ("smokes", "False", False),
        ("site", "north", "north"),
        (HOSTILE_NAME, "", np.nan),
    ):
        pick(browser, **{name: text})
        X = python_row(**{**TYPED, name: value})
        assert result(browser)["votes"] == clf.votes(X).tolist(), name
        pick(browser, **{name: ROW[name]})


def test_what_has_no_score_says_why(page, visit):
    browser = visit(page[1])
    pick(browser, **ROW)
    answer = browser.find_element(By.ID, "answer")
    for name, text, words in (
        ("age", "", "age must not be missing, because it was never missing in training."),
        ("age", "fifty", "age must be a number such as 54 or 1.5. Got fifty"),
        ("age", "5,5", "age must be a number"),
        ("age", "1e999", "age must be a number"),
        ("site", "(missing)", "site must not be missing"),
        ("site", "(a category not seen in training)", "site must be one of the categories seen in training."),
    ):
        pick(browser, **{name: text})
        assert answer.text.startswith("No score: ")
        assert words in answer.text
        assert not browser.find_element(By.ID, "calculation").is_displayed()
        pick(browser, **{name: ROW[name]})
        assert browser.find_element(By.ID, "calculation").is_displayed()


def test_a_value_not_seen_in_training_is_said(tmp_path, visit):
    X = mixed_table(60, seed=3)
    clausal.report(mixed_model(), X, mixed_labels(X), tmp_path / "report.html")
    browser = visit(tmp_path / "report.html")
    pick(browser, **ROW)
    answer = browser.find_element(By.ID, "answer")
    assert "not seen" not in answer.text
    pick(browser, age="", site="(a category not seen in training)")
    assert answer.text.startswith("Decision: ")
    assert answer.text.endswith("Not seen in training: age, site. No rule that tests them holds.")


def test_the_ledger_below_the_answer_adds_up_to_the_total(page, visit):
    clf, path = page
    browser = visit(path)
    pick(browser, **ROW)
    rows = browser.find_elements(By.CSS_SELECTOR, "#holding tr")
    cells = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "td")] for row in rows]
    constant, *points, total = (int(row[0].replace("−", "-")) for row in cells)
    assert all(row[0][0] in "+−" for row in cells[1:-1])
    assert constant + sum(points) == total == result(browser)["votes"][0]
    up, down = (sum(abs(each) for each in points if (each > 0) == above) for above in (True, False))
    assert down > 0
    said = f"(constant) + {up} (rules for {clf.rules_.class_names[1]}) − {down} (rules against it)"
    assert said in cells[-1][1]
    texts = [row.text for row in rows[1:-1]]
    fires = clf.rules_.fires(python_row(**TYPED))[0]
    held = [str(rule) for rule, holds in zip(clf.rules_, fires, strict=True) if holds]
    assert len(held) == len(texts)
    assert all(any(rule in text for text in texts) for rule in held)


def test_the_answer_is_announced_and_every_field_has_its_label(page, visit):
    clf, path = page
    browser = visit(path)
    assert browser.find_element(By.ID, "answer").get_attribute("aria-live") == "polite"
    labels = {label.get_attribute("for"): label.text for label in browser.find_elements(By.TAG_NAME, "label")}
    for place, item in enumerate(make_fields(clf.rules_)):
        assert labels[f"field-{place}"] == item.name
    for control in browser.find_elements(By.CSS_SELECTOR, "input, select"):
        assert control.get_attribute("id") in labels


def test_an_example_row_can_be_the_start(page, visit):
    clf, path = page
    browser = visit(path)
    start = Select(browser.find_element(By.ID, "start"))
    X = mixed_table(60, seed=3)
    assert len(start.options) > 1
    for option in start.options[1:]:
        start.select_by_visible_text(option.text)
        row = int("".join(c for c in option.text.split(":")[0] if c.isdigit())) - 1
        assert result(browser)["votes"] == clf.votes(X.iloc[[row]]).tolist()
