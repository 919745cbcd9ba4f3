"""The report of a model of numbers: its figures are those of the rows, and text in it is text."""

import re

import numpy as np
import pandas as pd
import pytest

import clausal
from clausal import RuleRegressor, TsetlinRegressor
from clausal.html_report.form import figure_text
from clausal.html_report.number_page import NumberRows, number_measure_table, prediction_bands, rule_lines
from tests.support.report_models import HOSTILE_CATEGORY, HOSTILE_NAME, mixed_numbers, mixed_table
from tests.support.report_page import Page

X, X_TEST = mixed_table(), mixed_table(60, seed=3)
Y, Y_TEST = mixed_numbers(X), mixed_numbers(X_TEST)


@pytest.fixture(scope="module")
def models():
    return {
        "scorecard": RuleRegressor(max_literals=8, cv=2, random_state=0).fit(X, Y),
        "machine": TsetlinRegressor(30, n_epochs=10, random_state=0).fit(X, Y),
    }


@pytest.fixture(params=["scorecard", "machine"])
def model(models, request):
    return models[request.param]


def written(model, path, *data, **options):
    clausal.report(model, *(data or (X_TEST, Y_TEST)), path, X, Y, **options)
    return Page(path)


def test_the_page_says_all_of_the_model_and_needs_nothing_but_itself(model, tmp_path):
    page = written(model, tmp_path / "a.html")
    for rule in model.rules_:
        assert str(rule) in page.text
    assert model.rules_.outcome.how_to_decide() in page.text
    source = page.source.replace("http://www.w3.org/2000/svg", "")
    assert not any(word in source for word in ("http://", "https://", "url(", "fetch("))
    written(model, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_hostile_names_and_categories_are_text(model, tmp_path):
    page = written(model, tmp_path / "a.html", title=HOSTILE_NAME, about={"owner": HOSTILE_CATEGORY})
    assert len(page.named("script")) == 1
    assert page.named("img") == []
    assert page.text.count(HOSTILE_NAME) > 3  # the title and rules
    assert page.text.count(HOSTILE_CATEGORY) > 2
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)


def test_measures_bands_and_rules_are_those_of_the_rows(model):
    data = NumberRows.of(model, X_TEST, Y_TEST, X, Y)
    measures = {each.name: each.figure for each in number_measure_table(model, data)}
    assert measures["R²"].value == pytest.approx(model.score(X_TEST, Y_TEST))
    assert measures["MAE"].value == pytest.approx(np.abs(Y_TEST - model.predict(X_TEST)).mean())
    bands = list(prediction_bands(data))
    assert sum(band.rows for band in bands) == 60
    assert sum(band.rows * band.observed.value for band in bands) == pytest.approx(Y_TEST.sum())
    assert all(band.low - 1e-9 <= band.predicted <= band.high + 1e-9 for band in bands)
    for line, fires in zip(rule_lines(model.rules_, data), model.rules_.fires(X).T, strict=True):
        support, share, mean = line.parts[0]
        assert (support, share) == (fires.sum(), fires.mean())
        if support:
            assert mean.value == pytest.approx(Y[fires].mean())


def test_a_scorecard_says_how_often_its_intervals_hold(models):
    card = models["scorecard"]
    low, high = card.predict_interval(X_TEST, 0.9).T
    measures = number_measure_table(card, NumberRows.of(card, X_TEST, Y_TEST, None, None))
    assert measures[-1].figure.value == pytest.approx(((low <= Y_TEST) & (high >= Y_TEST)).mean())


def test_a_model_of_quantiles_has_their_loss(tmp_path):
    reg = RuleRegressor(loss="quantile", quantile=0.8, max_literals=3, cv=2, random_state=0).fit(X, Y)
    page = written(reg, tmp_path / "a.html")
    assert "predicts the quantile 0.8" in page.text
    assert "About 80.0 % of the points should lie on or below" in page.text
    assert "R²" not in page.text
    errors = Y_TEST - reg.predict(X_TEST)
    loss = np.maximum(0.8 * errors, -0.2 * errors).mean()
    assert re.search(rf"Quantile loss\s*{re.escape(figure_text(loss))}", page.text)
    assert re.search(rf"Share not above\s*{re.escape(figure_text((errors <= 0).mean()))}", page.text)


def test_examples_are_named_and_without_them_no_row_is_shown(model, tmp_path):
    page = written(model, tmp_path / "a.html", n_examples=6, ids=[f"id{k}" for k in range(60)])
    assert page.text.count("Test row id") == 6
    worst = int((Y_TEST - model.predict(X_TEST)).argmax())
    assert f"Test row id{worst}: predicted too low by the most" in page.text
    assert sum(attrs.get("r") == "2.5" for attrs in page.named("circle")) == 2 * 60
    hidden = written(model, tmp_path / "b.html", n_examples=0)
    assert "Test row id" not in hidden.text
    assert not any(attrs.get("r") == "2.5" for attrs in hidden.named("circle"))
    assert "Observed and predicted" not in hidden.text
    assert "Numbers by prediction" in hidden.text


def test_of_many_rows_some_are_drawn_and_the_page_says_so(models, tmp_path):
    many, target = pd.concat([X] * 10), pd.concat([Y] * 10)
    page = written(models["scorecard"], tmp_path / "a.html", many, target)
    assert "1,000 of 1,600 test rows are drawn" in page.text
    assert sum(attrs.get("r") == "2.5" for attrs in page.named("circle")) == 2000


@pytest.mark.parametrize("scale", [1e-9, 1e12])
def test_numbers_of_any_size_and_equal_ones_have_a_page(scale, tmp_path):
    reg = RuleRegressor(max_literals=2, cv=2, random_state=0).fit(X, Y * scale)
    clausal.report(reg, X_TEST, Y_TEST * scale, tmp_path / "a.html")
    assert f"× 10^{-9 if scale < 1 else 12}" in Page(tmp_path / "a.html").text
    clausal.report(reg, X_TEST[:1], [Y_TEST.iloc[0] * scale], tmp_path / "a.html")
    text = Page(tmp_path / "a.html").text
    assert "R² is not defined" in text
    assert "The training rows were not given" in text


def test_what_cannot_be_reported_is_refused(models, tmp_path):
    reg, path = models["scorecard"], tmp_path / "a.html"
    for wrong, words in (
        (Y_TEST[:3], "y_test must have one number for each of the 60 rows of X. Got 3."),
        (Y_TEST.where(Y_TEST.index != 2), "y_test must hold finite numbers"),
        (["a"] * 60, "y_test must hold numbers. Got"),
    ):
        with pytest.raises(ValueError, match=words):
            clausal.report(reg, X_TEST, wrong, path)
    with pytest.raises(ValueError, match="y_test must have at least one number. Got 0"):
        clausal.report(reg, X_TEST[:0], Y_TEST[:0], path)
    with pytest.raises(ValueError, match="y_train must have one number for each"):
        clausal.report(reg, X_TEST, Y_TEST, path, X, Y[:4])
    with pytest.raises(ValueError, match="X_train and y_train must be given together"):
        clausal.report(reg, X_TEST, Y_TEST, path, X)
    with pytest.raises(ValueError, match="protected must be None for a model of numbers. Got a column."):
        clausal.report(reg, X_TEST, Y_TEST, path, protected=X_TEST["site"])
    assert not path.exists()
