"""Example rows are telling ones, and are the rows they say they are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import clausal
from clausal import Booleanizer, RuleSet, Scorecard, parse_rule
from clausal.evaluation.predictions import evaluate
from clausal.html_report.examples import choose_rows, make_examples
from clausal.html_report.form import make_fields
from clausal.rules.simplify import reduce_encoding
from clausal.scorecard.rows import take_rows
from tests.support.evaluations import evaluation, random_evaluation
from tests.support.lending import loans
from tests.support.report_models import mixed_labels, mixed_model, mixed_table
from tests.support.report_page import Page


def test_clear_cases_the_closest_call_and_the_worst_mistake_come_first():
    chosen = choose_rows(evaluation([1, 1, 0, 0, 1, 0], [2, 9, -8, -1, -5, 3], ("no", "yes")), 4)
    assert chosen == {
        1: "a clear case of yes",
        2: "a clear case of no",
        3: "the closest decision",
        4: "the worst error",
    }


def test_no_row_is_shown_twice_and_no_more_than_there_are():
    e = random_evaluation(5)
    assert len(choose_rows(e, 50)) == 5
    assert choose_rows(e, 0) == {}


def test_of_several_classes_each_has_its_clear_case():
    chosen = choose_rows(random_evaluation(100, 4), 6)
    assert sum("clear case" in title for title in chosen.values()) == 4


def test_a_model_without_mistakes_or_without_a_class_has_other_rows():
    chosen = choose_rows(evaluation([1, 1, 1], [3, 1, 2]), 3)
    assert "the worst error" not in chosen.values()
    assert len(chosen) == 3


@pytest.mark.parametrize(
    "convert",
    [
        lambda X: X,
        pl.from_pandas,
        lambda X: X.to_numpy(),
        lambda X: X.to_numpy().tolist(),
        lambda X: sparse.coo_array(X.to_numpy()),
    ],
    ids=["pandas", "polars", "numpy", "list", "sparse"],
)
def test_rows_of_any_table_can_be_taken(convert):
    X = pd.DataFrame({"a": [0, 1, 0, 1], "b": [1, 1, 0, 0]})
    taken = take_rows(convert(X), np.array([3, 0]))
    dense = taken.toarray() if sparse.issparse(taken) else np.asarray(taken)
    assert dense.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("labels", [("no", "yes"), ("a", "b", "c")])
def test_examples_are_explained_and_their_points_add_up(labels):
    clf = mixed_model(labels)
    X = mixed_table(50, seed=4)
    e = evaluate(clf, clf.rules_, X, mixed_labels(X, labels), "y_test")
    fields = make_fields(clf.rules_)
    for example in make_examples(clf.rules_, fields, X, e, 4):
        why = example.explanation
        assert np.atleast_1d(clf.votes(X)[example.row]).tolist() == list(why.votes)
        assert clf.predict(X)[example.row] == example.decided
        assert example.right == (example.decided == example.true)
        assert [name for name, _ in example.values] == [field.name for field in fields]
        assert dict(example.values)["age"] == str(int(X["age"][example.row]))
        for bank, vote in enumerate(why.votes):
            points = sum(rule.points for rule in why.fired if rule.bank == bank)
            assert why.constants[bank] + points == vote


def test_a_change_to_a_category_that_was_left_out_is_told(tmp_path):
    X, y = loans()
    encoding = Booleanizer(max_columns=1).fit(X).encoding_
    only = next(column.value for column in encoding.columns if column.feature == "state")
    rule = parse_rule(f"state is {only}", encoding)
    rules = reduce_encoding(RuleSet([rule], encoding, ["good", "bad"], [-1]))
    clausal.report(Scorecard(rules, 1.0, 0.0), X, y, tmp_path / "report.html", n_examples=3)
    assert f"state = any value but {only} instead of {only}" in Page(tmp_path / "report.html").text
