"""What a model reads of a table, and classes that are not known yet."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from clausal import RuleSet
from clausal.evaluation.predictions import check_model, model_table, predict_table, read_known_labels
from clausal.outcome import make_outcome
from tests.support.periods import period, scorecard

TWO = make_outcome(np.array(["no", "yes"]))


def test_predictions_are_the_models_own():
    card, X = scorecard(("yes", "no")), period(50)
    made = predict_table(card, X)
    assert (made.votes == card.votes(X)).all()
    assert (made.outcome.by_label(made.probabilities) == card.predict_proba(X)).all()
    assert (made.outcome.classes[made.decided] == card.predict(X)).all()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_model_takes_its_columns_from_a_table_by_name(library):
    card, X = scorecard(), period(40)
    other = X[["own", *[c for c in X if c not in ("own", "unused")]]].assign(more=1)
    native = {"pandas": lambda t: t, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[library](
        other
    )
    assert (card.predict(model_table(card, native)) == card.predict(X)).all()
    assert model_table(card, X) is X


def test_a_column_that_rules_test_must_be_there():
    with pytest.raises(
        ValueError, match="current must have the columns that the rules test. Got no column 'age'"
    ):
        model_table(scorecard(), period(5).drop(columns="age"), "current")


@pytest.mark.parametrize("kind", [list, pd.Series, pl.Series])
def test_a_class_may_be_missing(kind):
    assert read_known_labels(kind(["no", None, "yes"]), 3, TWO, "y").tolist() == [0, -1, 1]


def test_missing_numbers_leave_classes_numbers():
    outcome = make_outcome(np.array([0, 1]))
    assert read_known_labels(np.array([1.0, np.nan, 0.0]), 3, outcome, "y").tolist() == [1, -1, 0]
    assert read_known_labels([None, None], 2, outcome, "y").tolist() == [-1, -1]


def test_another_class_is_refused():
    with pytest.raises(ValueError, match="must hold only the classes"):
        read_known_labels(["no", None, "maybe"], 3, TWO, "y")


def test_a_model_needs_probabilities():
    rules = scorecard().rules_
    assert isinstance(rules, RuleSet)
    with pytest.raises(
        TypeError, match="The model of monitor must be a TsetlinClassifier, RuleClassifier or Scorecard"
    ):
        check_model(rules, "monitor")
