"""The content of a scorecard file: a wrong value is refused, with its path, the constraint and the value."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clausal
from tests.support import model_documents as documents
from tests.support.spoiled_documents import replaced

WRONG_VALUES: list[tuple[str, Any, str]] = [
    ("slope", 0, "slope must be above 0. Got 0.0."),
    ("slope", -1.0, "slope must be from 0 to 1e.06. Got -1.0."),
    ("slope", 1e7, "slope must be from 0 to 1e.06"),
    ("slope", None, "slope must be a number. Got None."),
    ("rules.constants", [0.5], "rules.constants must be an integer"),
    ("rules.constants", [0, 0], "one number per bank"),
    ("rules.rules.0.points", 1.5, "rules.rules.0..points must be an integer"),
    ("rules.rules.0.points", 0, "rules.rules.0..points must be other than 0"),
    ("rules.rules.0.points", 10_001, "rules.rules.0..points must be an integer from -10000 to 10000"),
    ("rules.rules.0.literals", [], "rules.rules.0..literals must be at least one literal"),
    ("rules.rules.0.literals", [0, 1], "rules must be of at most path.chosen = 1 literals. Got 2."),
    ("rules.classes.values", [1, 1], "rules.classes.values must be different labels"),
    ("rules", 3, "^rules must be a dictionary. Got 3."),
    ("rules", {}, "^rules must be a dictionary with the keys"),
    ("rules.rules.0.bank", 7, "^rules.rules.0..bank must be an integer from 0 to 0. Got 7."),
    ("rules.rules.0.points", 2**62 + 1, "^rules.rules.0..points must be an integer from"),
    ("rules.constants", [None], "^rules.constants must be a number. Got None."),
    ("rules.classes.type", "int", "^rules.classes.type must be one of"),
    ("rules.booleanizer.features.0.kind", "other", "^rules.booleanizer.features.0. must be"),
    ("slope", 2**53 + 1, "slope must be a number that float64 holds exactly. Got 9007199254740993."),
    ("risk_table", None, "risk_table must be a dictionary"),
    ("risk_table.offset", 1e19, "risk_table.offset must be from -1e.18 to 1e.18"),
    ("risk_table.scores", [], "risk_table.scores must be at least one score, ascending"),
    ("risk_table.scores", [1, 0], "risk_table.scores must be at least one score, ascending"),
    ("risk_table.scores", [0, 10**9], "risk_table.scores must be an integer from -?[0-9]+ to -?[0-9]+"),
    ("risk_table.counts", [1.0], "risk_table.counts must be a list of 2 numbers. Got '1'."),
    ("risk_table.counts", [5.0, 0.0], "risk_table.counts must be above 0. Got 0.0."),
    ("risk_table.positives", [0.0, 6.0], "risk_table.positives must be at most risk_table.counts. Got 6.0."),
    ("risk_table.positives", [0.0, -1.0], "risk_table.positives must be from 0 to inf. Got -1.0."),
    ("risk_table.errors", None, "risk_table.errors must be a dictionary. Got None."),
    ("risk_table.errors.slope_variance", -1.0, "risk_table.errors.slope_variance must be from 0 to 1e.60"),
    ("risk_table.errors.covariance", 1e61, "risk_table.errors.covariance must be from -1e.60 to 1e.60"),
    ("risk_table.errors.spread", [1.0], "risk_table.errors.spread must be a list of 2 numbers. Got '1'."),
    ("risk_table.errors.spread", [1.0, 1e70], "risk_table.errors.spread must be at most 1e.60"),
    ("risk_table.errors.rows_below", -2, "risk_table.errors.rows_below must be from 0"),
    ("stability", None, "stability must be a dictionary. Got None."),
    ("stability.exact", [1.0, 1.0], "stability.exact must be a list of 1 numbers. Got '2'."),
    ("stability.similar", [1.5], "stability.similar must be from 0 to 1. Got 1.5."),
    ("stability.features", [], "stability.features must be a list of 1 numbers. Got '0'."),
    ("stability.n_cards", 0, "stability.n_cards must be an integer from 1 to"),
    ("path.n_literals", [2], "path.chosen must be one of path.n_literals"),
    ("path.n_literals", [], "path.n_literals must be one or more sizes, ascending"),
    ("path.chosen", 2, "path.chosen must be an integer from 1 to 1"),
    ("path.search", "none", "path.search must be one of path.searches"),
    ("path.searches", [], "path.search must be one of path.searches"),
    ("path.searches", {}, "path.searches must be a list"),
    ("path.searches.0.name", None, "path.searches.0..name must be a string"),
    ("path.searches.0.scores", [1.0, 1.0], "path.searches.0..scores must be a list of 1 numbers"),
    ("path.searches.0.errors", [-1.0], "path.searches.0..errors must be from 0"),
    ("path.searches.0.n_rules", [2.0], "path.searches.0..n_rules must be at most path.n_literals"),
    ("path.searches.0.losses", [-1.0], "path.searches.0..losses must be from 0"),
    ("path.scoring", 3, "path.scoring must be a string"),
    ("parameters.max_points", 0, "The 'max_points' parameter of RuleClassifier"),
    ("parameters.scoring", "nothing", "parameters.scoring must be the name of a scikit-learn scorer"),
    ("parameters.cv", [[[0], [1]]], "parameters.cv must be a number, a string"),
    ("parameters.estimator", {}, "parameters.estimator must be a dictionary with the keys"),
    ("parameters.estimator", 3, "parameters.estimator must be a dictionary"),
    (
        "estimator",
        "Another",
        "estimator must be one of .'RuleClassifier', 'RuleRegressor', 'Scorecard', 'TsetlinClassifier'",
    ),
]


WRONG_ALTERNATIVES: list[tuple[str, Any, str]] = [
    ("alternatives", [], "alternatives must be 1 to 100 scorecards. Got '0'."),
    ("alternatives", None, "alternatives must be a list. Got None."),
    ("alternatives.0", 3, "alternatives.0. must be a dictionary. Got 3."),
    ("alternatives.0.rules", {}, "^alternatives.0..rules must be a dictionary with the keys"),
    ("alternatives.0.rules.rules.0.points", 0, "^alternatives.0..rules.rules.0..points must be other than 0"),
    ("alternatives.0.rules.classes.values", [1, 0], "^alternatives.0..rules.classes must be those of rules"),
    ("alternatives.0.rules.booleanizer.features", [], "^alternatives.0..rules"),
    ("alternatives.0.slope", 0, "^alternatives.0..slope must be above 0"),
    ("alternatives.0.risk_table", None, "^alternatives.0..risk_table must be a dictionary"),
    ("alternatives.0.risk_table.scores", [1, 0], "^alternatives.0..risk_table.scores must be at least one"),
    ("alternatives.0.without", 3, "^alternatives.0..without must be a string"),
    ("alternatives.0.error", -1.0, "^alternatives.0..error must be from 0"),
    ("alternatives.0.loss", None, "^alternatives.0..loss must be a number"),
    ("parameters.n_alternatives", -1, "The 'n_alternatives' parameter of RuleClassifier"),
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The content of a file of one rule over one column."""
    return documents.saved_content(documents.small_scorecard(), tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize(("place", "value", "words"), WRONG_VALUES, ids=str)
def test_a_wrong_value_is_named(tmp_path: Path, small: Any, place: str, value: Any, words: str) -> None:
    documents.write_content(tmp_path / "model.json", replaced(small, place, value))
    with pytest.raises(ValueError, match=words):
        clausal.load(tmp_path / "model.json")


@pytest.fixture(scope="module")
def with_alternatives(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The content of a file of a scorecard with an alternative."""
    model = documents.scorecard_with_alternatives()
    return documents.saved_content(model, tmp_path_factory.mktemp("alternatives"))


@pytest.mark.parametrize(("place", "value", "words"), WRONG_ALTERNATIVES, ids=str)
def test_a_wrong_alternative_is_named(
    tmp_path: Path, with_alternatives: Any, place: str, value: Any, words: str
) -> None:
    documents.write_content(tmp_path / "model.json", replaced(with_alternatives, place, value))
    with pytest.raises(ValueError, match=words):
        clausal.load(tmp_path / "model.json")


def test_alternatives_and_stability_are_read_back(tmp_path: Path) -> None:
    clf = documents.scorecard_with_alternatives()
    clf.save(tmp_path / "model.json")
    read = clausal.load(tmp_path / "model.json")
    assert read.stability_ == clf.stability_
    (one,), (two,) = clf.alternatives_, read.alternatives_
    assert repr(one) == repr(two)
    assert one.rules == two.rules
    assert (one.slope, one.without, one.worse_by) == (two.slope, two.without, two.worse_by)
    assert str(one.risk_table) == str(two.risk_table)
    np.testing.assert_array_equal(
        clf.predict_risk_interval([[0, 0], [1, 1]]), read.predict_risk_interval([[0, 0], [1, 1]])
    )


def test_a_file_of_an_earlier_version_has_neither(tmp_path: Path, small: Any) -> None:
    old = {name: value for name, value in small.items() if name != "stability"}
    old["risk_table"] = {name: value for name, value in small["risk_table"].items() if name != "errors"}
    documents.write_content(tmp_path / "model.json", old)
    read = clausal.load(tmp_path / "model.json")
    assert read.stability_ is None
    assert read.alternatives_ == ()
    assert "low" not in str(read.risk_table_)
    with pytest.raises(ValueError, match="must have errors to give intervals"):
        read.predict_risk_interval([[0]])
    read.save(tmp_path / "again.json")
    assert documents.read_content(tmp_path / "again.json") == old


def test_a_table_of_risks_is_for_two_classes(tmp_path: Path, small: Any) -> None:
    several = documents.saved_content(documents.scorecard_of_three_classes(), tmp_path)
    content = {**several, "risk_table": small["risk_table"]}
    documents.write_content(tmp_path / "model.json", content)
    with pytest.raises(ValueError, match="risk_table must be null for more than two classes"):
        clausal.load(tmp_path / "model.json")


def test_a_file_of_an_earlier_version_may_have_a_scorer_of_numbers(tmp_path: Path) -> None:
    X = np.arange(40.0).reshape(-1, 1) % 7
    y = (X[:, 0] > 3).astype(int)
    machine = clausal.TsetlinClassifier(4, n_epochs=2, random_state=0)
    clf = clausal.RuleClassifier(machine, max_literals=1, cv=2).fit(X, y)
    clf.scoring = "r2"
    clf.save(tmp_path / "model.json")
    loaded = clausal.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), clf.predict(X))
    with pytest.raises(ValueError, match="must be a scorer of classes"):
        loaded.fit(X, y)


def test_a_file_without_the_log_losses_of_sizes_is_read_and_written_again(tmp_path: Path, small: Any) -> None:
    """As earlier versions wrote it."""
    former = copy.deepcopy(small)
    for search in former["path"]["searches"]:
        del search["losses"]
    documents.write_content(tmp_path / "model.json", former)
    clf = clausal.load(tmp_path / "model.json")
    assert np.isnan(clf.path_.losses).all()
    assert np.isnan(clf.path_.to_frame("pandas")["log_loss"]).all()
    assert documents.saved_content(clf, tmp_path) == former
