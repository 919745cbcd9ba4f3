"""The column of classes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from clausal.tables.columns import MissingTexts
from clausal.tables.table_file import CsvTable, read_csv
from clausal.tables.training_table import (
    ModelLabels,
    NamedValues,
    check_classes,
    read_labels,
    read_model_labels,
    with_positive,
)


def table(cells: Sequence[str]) -> CsvTable:
    text = "y,x\n" + "".join(f"{cell},0\n" for cell in cells)
    return CsvTable(read_csv(io.BytesIO(text.encode()), "t"))


def labels(*cells: str) -> list[Any]:
    return read_labels(table(cells), "y", MissingTexts())


def of_model(classes: list[Any], *cells: str) -> ModelLabels:
    return read_model_labels(table(cells), "y", MissingTexts(), np.array(classes))


def test_whole_numbers_booleans_and_texts_are_labels():
    assert labels("1.0", "0", "?") == [1, 0, None]
    assert labels("true", "False") == [True, False]
    assert labels("a", "1", "") == ["a", "1", None]


@pytest.mark.parametrize(
    ("cells", "message"),
    [(("0.5", "1"), "integers. Got 0.5"), (("2024-01-01",), "Got dates"), (("?", ""), "missing values")],
)
def test_what_is_no_class_is_refused(cells: tuple[str, ...], message: str):
    with pytest.raises(ValueError, match=message):
        labels(*cells)


def test_one_class_and_very_many_are_refused():
    with pytest.raises(ValueError, match=r"The target 'y' must have at least 2 classes. Got only 'a'."):
        check_classes(["a", "a"], "y")
    with pytest.raises(ValueError, match="at most 100 classes. Got 101"):
        check_classes(list(range(101)), "y")


def test_two_classes_stay_as_they_are_and_either_may_be_positive():
    assert with_positive(["a", "b", None], "b", "y") == (["a", "b", None], "b")
    assert with_positive(["a", "b", None], "a", "y") == (["a", "b", None], "a")
    assert with_positive([0, 1], "0", "y") == ([0, 1], 0)
    assert with_positive([False, True], "True", "y") == ([False, True], True)  # as it is shown
    changed, positive = with_positive([True, False], "false", "y")
    assert (changed, positive) == ([True, False], False)


def test_of_more_classes_the_others_become_one():
    assert with_positive(["a", "b", None, "c"], "b", "y") == (["(not b)", "b", None, "(not b)"], "b")
    assert with_positive(["!", "b", "c"], "!", "y") == (["!", "(not !)", "(not !)"], "!")
    assert with_positive([0, 1, 2], "1", "y") == (["(not 1)", "1", "(not 1)"], "1")


def test_a_positive_class_must_exist():
    with pytest.raises(ValueError, match=r"--positive must be a class of 'y': a, b. Got 'c'."):
        with_positive(["a", "b"], "c", "y")
    with pytest.raises(ValueError, match=r"Got 'A'."):  # text is compared letter by letter, as by `pos_label`
        with_positive(["a", "b"], "A", "y")


def test_labels_are_matched_with_those_of_a_model():
    assert of_model(["0", "1"], "1", "0", "1.0").labels == ["1", "0", "1"]
    assert of_model([0, 1], "1", "?").labels == [1, None]
    assert of_model([False, True], "True", "false").labels == [True, False]
    assert of_model(["a", "b"], "z", "a").labels == ["z", "a"]


def test_labels_of_a_model_are_matched_as_they_are_written():
    assert of_model(["False", "True"], "True", " False", "").labels == ["True", "False", None]
    assert of_model([" yes", "no"], " yes", "no ").labels == [" yes", "no"]
    assert of_model(["EU", "NA"], "NA", "EU", "?").labels == ["NA", "EU", None]


def test_an_unknown_label_is_one_of_all_others_and_is_named():
    merged = (["(not b)", "b", "(not b)", None], ("a", "c"), "b")
    assert of_model(["(not b)", "b"], "c", "b", "a", "?") == merged
    assert of_model(["!", "(not !)"], "a", "!").labels == ["(not !)", "!"]
    assert of_model(["(not 1)", "1"], "0", "1", "2") == (["(not 1)", "1", "(not 1)"], ("0", "2"), "1")


def test_values_of_a_column_have_its_name():
    assert NamedValues("outcome", "ab").name == "outcome"
    assert NamedValues("outcome", "ab") == ["a", "b"]
