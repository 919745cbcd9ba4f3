"""Rows of several labels: y and predictions are indicator matrices; what is about one class is refused."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_classifier_multioutput

import clausal
from clausal import RuleSet, TsetlinClassifier, report
from clausal.files.machine import read_estimator
from tests.support.command_line import fails
from tests.support.small_data import quick, same_model, table

X, FIRST = table(n_rows=120)
Y = np.column_stack([FIRST, X[:, 1] > 0.5, (X[:, 0] > 0.3) & (X[:, 2] > 0.6)]).astype(np.int64)
NAMES = ["fever", "cough", "rash"]
SHARING = pytest.mark.parametrize("sharing", [None, "clauses"])


def fitted(sharing=None, **params) -> TsetlinClassifier:
    return quick(sharing=sharing, n_clauses=40, threshold=200, n_epochs=20, **params).fit(X, Y)


@SHARING
def test_every_label_is_predicted_by_its_own_vote(sharing):
    clf = fitted(sharing)
    predicted, votes = clf.predict(X), clf.votes(X)
    assert (predicted == Y).mean() > 0.9
    assert clf.score(X, Y) == (predicted == Y).all(axis=1).mean()
    assert votes.shape == Y.shape
    assert np.array_equal(predicted, (votes >= 0).astype(np.int64))
    assert np.array_equal(clf.decision_function(X) > 0, predicted == 1)
    assert np.array_equal(clf.predict_proba(X) > 0.5, predicted == 1)
    assert clf.classes_.tolist() == [0, 1, 2]
    assert np.array_equal(clf.rules_.votes(X), votes)
    assert np.array_equal(clf.rules_.predict(X), predicted)


@SHARING
def test_it_keeps_to_scikit_learn(sharing):
    check_classifier_multioutput("TsetlinClassifier", quick(sharing=sharing))
    assert cross_val_score(quick(sharing=sharing), X, Y, cv=2).shape == (2,)


@SHARING
def test_the_reference_learns_the_same_bits(sharing):
    assert same_model(fitted(sharing), fitted(sharing, backend="reference"))


@SHARING
def test_without_sharing_a_label_learns_as_if_alone(sharing):
    clf, other = fitted(sharing), quick(sharing=sharing, n_clauses=40, threshold=200, n_epochs=20)
    changed = Y.copy()
    changed[:, 2] = changed[:, 2][::-1]
    other.fit(X, changed)
    alone = np.array_equal(clf.model_.states[0], other.model_.states[0])
    assert not alone, "the order of the rows depends on all labels"
    one = quick(n_clauses=40, threshold=200, n_epochs=20).fit(X, Y[:, 0])
    assert (clf.predict(X)[:, 0] == one.predict(X)).mean() > 0.9


def test_rules_name_the_labels():
    clf = quick(sharing="clauses", n_clauses=40).fit(pd.DataFrame(X), pd.DataFrame(Y, columns=NAMES))
    text = str(clf.rules_)
    assert (
        "Add the points of each rule that holds to its label. Predicts every label whose total is 0" in text
    )
    assert all(f" for {name}" in text for name in NAMES)
    assert any(rule.speaks_for == "not rash" for rule in clf.rules_)
    assert "label 1" in str(fitted().rules_)


@SHARING
def test_files_and_a_further_fit(tmp_path, sharing):
    clf = fitted(sharing, warm_start=True)
    clf.save(tmp_path / "labels.json")
    loaded = clausal.load(tmp_path / "labels.json")
    assert np.array_equal(loaded.predict(X), clf.predict(X))
    assert same_model(clf.fit(X, Y), loaded.fit(X, Y))
    rules = RuleSet.from_json(clf.rules_.to_json())
    assert rules == clf.rules_
    assert same_model(clf.partial_fit(X, Y), loaded.partial_fit(X, Y))


def test_a_fit_of_labels_goes_on_from_its_checkpoint(tmp_path):
    path = clausal.Checkpoint(tmp_path / "labels.checkpoint", every_epochs=1)
    settings = {"sharing": "clauses", "n_clauses": 40, "threshold": 200}
    quick(**settings, n_epochs=8).fit(X, Y, checkpoint=path)
    more = quick(**settings, n_epochs=20).fit(X, Y, checkpoint=path)
    assert same_model(more, fitted("clauses"))


ONE_CLASS = "models that predict one class per row. This one predicts several labels."


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("export(to='python')", lambda clf: clf.export("python")),
        ("export(to='sql')", lambda clf: clf.export("sql")),
        ("export(to='sql')", lambda clf: clf.rules_.to_sql()),
        ("export(to='excel')", lambda clf: clf.rules_.export("excel")),
        ("with_predictions", lambda clf: clf.with_predictions(pd.DataFrame(X))),
        ("to_expressions", lambda clf: clf.to_expressions()),
        ("explain", lambda clf: clf.explain(X[:1])),
        ("reasons", lambda clf: clf.reasons(X[:1])),
    ],
)
def test_what_is_about_one_class_is_refused_by_its_name(what, call):
    with pytest.raises(ValueError) as caught:
        call(fitted())
    assert str(caught.value) == f"{what} is for {ONE_CLASS}"
    assert fitted().export("text")


def test_what_is_about_one_class_is_refused(tmp_path):
    clf = fitted()
    for wrong in (
        lambda: clf.rules_.with_cut_off(3),
        lambda: clf.rules_.decide(clf.votes(X)),
        lambda: report(clf, X, Y[:, 0], tmp_path / "report.html"),
    ):
        with pytest.raises(ValueError, match=f"is for {ONE_CLASS}"):
            wrong()
    with pytest.raises(ValueError, match="y must have one label per row"):
        clf.rules_.statistics(X, Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            Y * 2,
            r"indicator matrix of 0 and 1 with a column per label. Got 2 in an array of shape \(120, 3\)",
        ),
        (Y[:9], "labels for each of the 120 rows of X. Got 9"),
        (Y * 0, r"rows with different labels. Got \[0, 0, 0\] in all rows"),
        ([[1, 0]] * 60 + [[1, 0, 1]] * 60, "as many labels in every row. Got 2 in row 0 and 3 in row 60"),
        ([[1, 0]] * 60 + [1] * 60, "as many labels in every row. Got 2 in row 0 and 1 in row 60"),
    ],
)
def test_labels_that_are_wrong(y, message):
    with pytest.raises(ValueError, match=message):
        quick().fit(X, y)


AS_IN_TRAINING = "y must have the columns of labels that it had in training, in the same order: {}. Got {}."


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_labels_of_a_model_are_taken_in_their_order(make):
    """By position alone, labels in another order are scored as wrong, without a word."""
    named = dict(zip(NAMES, Y.T, strict=True))
    clf = quick(warm_start=True).fit(X, make(named))
    assert clf.rules_.outcome.bank_names == tuple(NAMES)
    right = clf.score(X, Y)
    assert clf.score(X, make(named)) == right
    turned, other = make({name: named[name] for name in NAMES[::-1]}), make({**named, "rush": FIRST})
    for call in (clf.score, clf.fit, clf.partial_fit):
        with pytest.raises(ValueError) as caught:
            call(X, turned)
        expected = AS_IN_TRAINING.format("'fever', 'cough', 'rash'", "'rash', 'cough', 'fever'")
        assert str(caught.value) == expected
    with pytest.raises(ValueError, match=r"Got 'fever', 'cough', 'rash', 'rush'\."):
        clf.score(X, other)
    assert clf.partial_fit(X, make(named)).score(X, Y)


def test_labels_without_names_count_by_position():
    clf = fitted()
    assert clf.score(X, pd.DataFrame(Y, columns=NAMES)) == clf.score(X, Y)
    assert clf.score(X, pd.DataFrame(Y)) == clf.score(X, Y)
    with pytest.raises(ValueError, match="same order: 'label 0', 'label 1', 'label 2'. Got 'label 1'"):
        clf.score(X, pd.DataFrame(Y, columns=["label 1", "label 0", "label 2"]))


def test_a_name_of_two_labels_is_refused_before_training():
    """Such a model could not be saved."""
    words = "y must have a different name for each of its 3 columns of labels. Got 2 columns named 'a'."
    with pytest.raises(ValueError) as caught:
        quick().fit(X, pd.DataFrame(Y, columns=["a", "b", "a"]))
    assert str(caught.value) == words


def test_the_command_line_refuses_an_export_in_plain_words(tmp_path):
    fitted().save(tmp_path / "labels.json")
    error = fails("export", tmp_path / "labels.json", "--to", "sql")
    assert error == f"Error: export(to='sql') is for {ONE_CLASS}"


def test_parameters_that_are_about_one_class():
    for params in ({"pos_label": 1}, {"class_weight": "balanced"}):
        with pytest.raises(ValueError, match="must be None for rows of several labels"):
            quick(**params).fit(X, Y)
    with pytest.raises(ValueError, match="one-dimensional with early_stopping=True. Got an indicator matrix"):
        quick(early_stopping=True).fit(X, Y)
    with pytest.raises(ValueError, match="one-dimensional with an eval_set"):
        quick().fit(X, Y, eval_set=(X, Y))
    with pytest.raises(ValueError, match="one-dimensional in a first call of partial_fit"):
        quick().partial_fit(X, Y, classes=[0, 1])
    clf = fitted(warm_start=True)
    for other in (Y[:, :2], FIRST):
        with pytest.raises(
            ValueError, match="y must (have the labels of|be an indicator matrix of 3 labels)"
        ):
            clf.fit(X, other)


@pytest.mark.parametrize("labels", [[], ["a"], ["a", "a", "b"], ["a", "b", 3], "abc", ["a", "b"]])
def test_labels_of_a_file_are_checked(tmp_path, labels):
    fitted().save(tmp_path / "labels.json")
    content = json.loads((tmp_path / "labels.json").read_text())["content"]
    assert content["labels"] == ["label 0", "label 1", "label 2"]
    assert "classes" not in content
    with pytest.raises(ValueError, match=r" must .* Got "):
        read_estimator({**content, "labels": labels})
    with pytest.raises(ValueError, match=r" must .* Got "):
        read_estimator({**content, "classes": {"type": "int64", "values": [0, 1, 2]}})
