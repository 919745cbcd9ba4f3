"""Rows for a model that exists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clausal import Booleanizer, TsetlinClassifier, UnseenValueWarning
from clausal.outcome import make_outcome
from clausal.rules.rule_set import RuleSet
from clausal.tables.columns import MissingTexts
from clausal.tables.table_file import CsvTable, read_table
from clausal.tables.training_table import read_model_rows

TableOf = Callable[[str], CsvTable]
USUAL = MissingTexts()


@pytest.fixture(scope="module")
def model() -> TsetlinClassifier:
    """Trained on a number, a text, a boolean, a numeric category and an empty column."""
    n_rows = 40
    X = pd.DataFrame(
        {
            "age": np.arange(n_rows, dtype=float),
            "colour": pd.Categorical(["red", "NA"] * (n_rows // 2)),
            "smoker": [True, True, False, False] * (n_rows // 4),
            "grade": pd.Categorical([1, 2, 3, 4] * (n_rows // 4)),
            "nothing": [None] * n_rows,
        }
    )
    booleanizer = Booleanizer(max_columns=4)
    clf = TsetlinClassifier(10, threshold=10, n_epochs=10, booleanizer=booleanizer, random_state=0)
    return clf.fit(X, X["age"] > 19)


def test_cells_become_what_the_features_were(model: TsetlinClassifier, table_of: TableOf):
    table = table_of("extra,grade,smoker,colour,age,nothing\n9,2.0,1,NA,7,x\n9,?,false,?,,y\n")
    rows = read_model_rows(model, table, USUAL)
    assert rows.X.names == ("age", "colour", "smoker", "grade", "nothing")
    assert rows.X["colour"][0] == "NA"  # a category of the model is not missing
    with pytest.warns(UnseenValueWarning, match=r"age missing \(1 row\); colour missing"):
        assert len(model.predict(rows.X)) == 2


def test_a_column_that_no_rule_uses_may_hold_anything(model: TsetlinClassifier, table_of: TableOf):
    alone = TsetlinClassifier(2, n_epochs=5, random_state=0)
    X = pd.DataFrame({"age": np.arange(40.0), "same": np.arange(40.0) * 0})
    alone.fit(X, X["age"] > 19)
    rows = read_model_rows(alone, table_of("same,age\nold,3\n,33\n"), USUAL)
    np.testing.assert_array_equal(alone.votes(rows.X), alone.votes(X.iloc[[3, 33]]))


def test_a_column_that_no_rule_uses_may_be_absent(model: TsetlinClassifier, table_of: TableOf):
    whole = table_of("age,colour,smoker,grade,nothing\n3,red,true,1,\n33,red,true,1,\n")
    part = table_of("age,colour,smoker,grade\n3,red,true,1\n33,red,true,1\n")
    rows = read_model_rows(model, part, USUAL)
    assert rows.absent == ("nothing",)
    expected = model.votes(read_model_rows(model, whole, USUAL).X)
    np.testing.assert_array_equal(model.votes(rows.X), expected)


def test_a_column_that_a_rule_uses_must_be_there(model: TsetlinClassifier, table_of: TableOf):
    with pytest.raises(ValueError, match="columns that the rules of the model use. Got no column age"):
        read_model_rows(model, table_of("colour,smoker,grade\nred,true,1\n"), USUAL)


def test_text_in_a_number_is_refused(model: TsetlinClassifier, table_of: TableOf):
    table = table_of("age,colour,smoker,grade,nothing\nold,red,true,1,\n")
    with pytest.raises(ValueError, match=r"Column 'age' must hold numbers. Got 'old' in row 1."):
        read_model_rows(model, table, USUAL)


def test_a_model_without_names_is_refused(table_of: TableOf):
    clf = TsetlinClassifier(2, n_epochs=1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="with column names"):
        read_model_rows(clf, table_of("x\n1\n"), USUAL)


def test_a_category_that_a_scorecard_does_not_keep_is_not_missing(table_of: TableOf):
    X = pd.DataFrame({"code": pd.Series([*"abcdefghijklmnop", None] * 9 + ["NA"], dtype=object)})
    encoding = Booleanizer().fit(X).encoding_.reduced({0}, set())
    (feature,) = encoding.features
    assert (feature.complete, feature.not_missing) == (False, ("NA",))
    rules = RuleSet((), encoding, make_outcome(np.array([0, 1])))
    model = SimpleNamespace(encoding_=encoding, rules_=rules)
    read = read_model_rows(model, table_of("code,x\nNA,1\n?,1\na,1\n"), USUAL).X
    assert read["code"].tolist() == ["NA", None, "a"]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_float32_stays_float32(tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("clausal.tables.table_file._PARQUET_READERS", (library,))
    X = pd.DataFrame({"x": np.linspace(0, 1, 40, dtype=np.float32)})
    clf = TsetlinClassifier(2, n_epochs=5, random_state=0).fit(X, X["x"] > 0.5)
    pl.DataFrame({"x": pl.Series([0.1, None, 0.7], dtype=pl.Float32)}).write_parquet(tmp_path / "t.parquet")
    rows = read_model_rows(clf, read_table(str(tmp_path / "t.parquet")), USUAL)
    assert clf.explain(rows.X.take([0]))[0].values == {"x": 0.1}
    assert rows.X["x"].dtype == np.float32
