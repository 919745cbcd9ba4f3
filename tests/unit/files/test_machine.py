"""What the content of a model file may be: each wrong value is refused, with its path and the constraint."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clausal
from clausal import TsetlinClassifier
from clausal.files.model_file import encode_array
from clausal.outcome import make_outcome
from tests.support import model_documents as documents

REAL = {"scale": 65536, "threshold": 2 * 65536}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The content of the smallest file: one bank of two clauses over one column."""
    return documents.saved_content(documents.small_model(), tmp_path_factory.mktemp("models"))


def whole_numbers(*values: int) -> str:
    return encode_array(np.array([values], np.int32))


def weights(level: int, points: int) -> dict[str, str]:
    return {"levels": whole_numbers(level, 0), "points": whole_numbers(points, 65536)}


def load_with(good: Any, tmp_path: Path, place: str, change: dict[str, Any]) -> TsetlinClassifier:
    """Load the good file after changing fields of the record at `place`."""
    content = copy.deepcopy(good)
    (content[place] if place else content).update(change)
    documents.write_content(tmp_path / "model.json", content)
    return clausal.load(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_clauses": 3}, "model.n_clauses must be even. Got 3."),
        ({"n_clauses": 2**24 + 2}, "model.n_clauses must be an integer from 1 to 16777216"),
        ({"n_clauses": 2**24}, "model.states must be base64 of 33554432 bytes"),
        ({"n_states": 0}, "model.n_states must be an integer from 1 to 128"),
        ({"n_states": 1}, "model.states must be below 2 . n_states = 2. Got"),
        ({"threshold": 0}, "model.threshold must be an integer from 1"),
        ({"threshold": 2**30 + 1}, "model.threshold must be at most 1073741824 . scale. Got 1073741825"),
        ({"scale": 2}, "model.scale must be 1 or 65536. Got 2."),
        ({"seed": 2**32}, "model.seed must be an integer from 0 to 4294967295"),
        ({"step": -1}, "model.step must be an integer from 0"),
        ({"row": 1.0}, "model.row must be an integer from 0"),
        ({"epoch": 10**30}, "model.epoch must be an integer from 0"),
        ({"points": whole_numbers(-1, 1)}, "model.points must be from 0 to 2147483647 .* Got -1."),
        ({"levels": whole_numbers(-1, 1)}, "model.levels must be from 0 to 2147483647 .* Got -1."),
        (REAL | weights(0, 0), "model.points must be from 1 to 1073741824 .* Got 0."),
        (REAL | weights(0, 2**30 + 1), "model.points must be from 1 to 1073741824 .* Got 1073741825."),
        (REAL | weights(2**14 + 1, 1), "model.levels must be from -16384 to 16384 .* Got 16385."),
        (REAL | weights(-(2**14) - 1, 1), "model.levels must be from -16384 to 16384 .* Got -16385."),
        ({"extra": 1}, "model must be a dictionary with the keys"),
    ],
)
def test_a_wrong_machine_is_refused(good: Any, tmp_path: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load_with(good, tmp_path, "model", change)


def test_weights_that_the_parameters_do_not_give_are_read_but_not_trained_on(
    good: Any, tmp_path: Path
) -> None:
    clf = load_with(good, tmp_path, "model", REAL | weights(3, 70_000))
    assert clf.votes(np.array([[0], [1]])).dtype == float
    with pytest.raises(ValueError, match="must allow the weights to go on from"):
        clf.partial_fit(np.array([[1]]), [1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"threshold": 10**30}, "parameters.threshold must be an integer from"),
        ({"threshold": "x" * 101}, "parameters.threshold must be a string of at most 100 characters"),
        ({"threshold": [1]}, "parameters.threshold must be a number, a string, true, false or null"),
        ({"threshold": -1}, "'threshold' parameter of TsetlinClassifier must be"),
        ({"tol": 10**309}, "parameters.tol must be an integer from"),
        ({"specificity": [1, 2, 3]}, "parameters.specificity must be a number"),
        ({"specificity": [2.0, 10**309]}, "parameters.specificity must be a number that float64 can hold"),
        ({"specificity": [2.0, 1.0]}, "'specificity' parameter"),
        ({"max_clause_literals": 2**64}, "parameters.max_clause_literals must be an integer from"),
        ({"n_epochs": 2**63}, "parameters.n_epochs must be an integer from"),
        ({"n_jobs": 2**40}, "'n_jobs' parameter"),
        ({"random_state": -1}, "'random_state' parameter"),
        ({"random_state": "0"}, "'random_state' parameter"),
        ({"booleanizer": {}}, "booleanizer.params must be a dictionary with the keys"),
        ({"booleanizer": []}, "parameters.booleanizer must be"),
        ({"categorical_features": [{}]}, "categorical_features must be a string, an integer, None or a list"),
        ({"categorical_features": "by_name"}, "'categorical_features' parameter"),
        ({"categorical_features": 3}, "'categorical_features' parameter"),
        ({"class_weight": [[1]]}, r"class_weight must be a list of pairs \[label, weight\]. Got a list."),
        ({"class_weight": [[[1], 1]]}, r"class_weight must be a list of pairs \[label, weight\]"),
        ({"class_weight": [5]}, "class_weight must be a list. Got 5."),
        ({"class_weight": [[1, "2"]]}, "class_weight must be a number. Got '2'."),
        ({"class_weight": [[1, -1]]}, "class_weight must be weights from 0 to 1e.09. Got -1."),
        ({"class_weight": [[1, 1e300]]}, "class_weight must be weights from 0 to 1e.09. Got 1e.300."),
        ({"class_weight": [[1, 1], [1.0, 2]]}, "class_weight must be pairs of different labels. Got 1.0."),
        ({"class_weight": {}}, "parameters.class_weight must be"),
        (
            {"class_weight": [["x" * 100_000, 1]]},
            "class_weight must be pairs with labels of at most 1000",
        ),
        (
            {"class_weight": [[10**309, 1]]},
            "class_weight must be an integer .* integer of 1027 bits.",
        ),
        ({"class_weight": [[1, 2**53 + 1]]}, "class_weight must be a number that float64 holds exactly"),
        ({"categorical_features": [10**309]}, "params.categorical_features must be an integer from"),
        ({"monotonic_cst": {"age": 5}}, "parameters.monotonic_cst.'age'. must be -1, 0 or 1. Got 5."),
        ({"monotonic_cst": [0, None]}, "parameters.monotonic_cst.1. must be a number. Got None."),
        ({"forbidden_features": [0, []]}, "parameters.forbidden_features.1. must be a number, a string"),
        ({"extra": 1}, "parameters must be a dictionary with the keys"),
    ],
)
def test_a_wrong_parameter_is_refused(good: Any, tmp_path: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load_with(good, tmp_path, "parameters", change)


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        ("str3", ["a", "abcd"], "classes.values must be at most 3 characters long each. Got 'abcd'."),
        ("str9999999", ["a", "b"], "classes must need at most 4194304 characters .* Got 2 labels of 9999999"),
        ("str10000000", ["a", "b"], "classes.type must be one of"),
        ("str0", ["", "b"], "classes.type must be one of"),
        ("str", ["a", "b"], "classes.type must be one of"),
        ("complex128", [1, 2], "classes.type must be one of"),
        ("str1", ["b", "a", "c"], "classes.values must be sorted without repeats"),
        ("object", ["a", "a"], "classes.values must be different labels"),
        ("object", ["a", 1], "classes.values must be a string. Got 1."),
        ("bool", [False, 1], "classes.values must be true or false. Got 1."),
        ("int8", [0, 128], "classes.values must be an integer from -128 to 127. Got 128."),
        ("uint64", [-1, 0], "classes.values must be an integer from 0 to"),
        ("float32", [0, 1e39], "classes.values must be whole numbers from .* as float32. Got 1e.39."),
        ("float64", [0, 1e30], "classes.values must be whole numbers from .* as float64. Got 1e.30."),
        ("float64", [0, 0.5], "classes.values must be whole numbers from .* Got 0.5."),
        ("float64", [0, 10**309], "classes.values must be a number that float64 can hold"),
        (
            "float16",
            [65503.0, 65504.0],
            "classes.values must be numbers that float16 holds exactly. Got 655",
        ),
        (
            "float32",
            [0, 2**24 + 1],
            "values must be numbers that float32 holds exactly. Got 16777217.",
        ),
        ("float64", [0, 2**53 + 1], "classes.values must be a number that float64 holds exactly. Got 9007"),
        ("str3", ["no\0", "yes"], r"classes.values must be strings that do not end in NUL.* Got 'no.x00'."),
        ("int64", [5], "classes.values must be at least 2 labels. Got '1 label.s.'."),
        ("int64", {}, "classes.values must be a list"),
        (["int64"], [0, 1], "classes.type must be a string"),
    ],
)
def test_wrong_labels_are_refused(good: Any, tmp_path: Path, kind: Any, values: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load_with(good, tmp_path, "classes", {"type": kind, "values": values})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"estimator": "Other"}, "estimator must be one of .*'TsetlinClassifier', .* Got 'Other'."),
        ({"estimator": ["TsetlinClassifier"]}, "estimator must be a string"),
        ({"history": []}, "history must be a dictionary. Got a list."),
        ({"history": {"epoch": 5}}, "history.'epoch'. must be a list. Got 5."),
        (
            {"history": {"epoch": [2**53 + 1]}},
            "history.'epoch'. must be a number that float64 holds exactly. Got 9007199254740993.",
        ),
        ({"history": {"epoch": [None]}}, "history.'epoch'. must be a number. Got None."),
        ({"n_iter": -1}, "n_iter must be an integer from 0"),
        ({"model": None}, "model must be a dictionary"),
        ({"classes": [0, 1]}, "classes must be a dictionary"),
        ({"extra": 1}, "content must be a dictionary with the keys"),
    ],
)
def test_a_wrong_content_is_refused(good: Any, tmp_path: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load_with(good, tmp_path, "", change)


def test_a_model_without_columns_is_refused(good: Any, tmp_path: Path) -> None:
    features = [{"kind": "boolean", "shown": False, "nullable": False}]
    with pytest.raises(ValueError, match="booleanizer must have at least one column. Got 0."):
        load_with(good, tmp_path, "booleanizer", {"features": features})


def test_names_and_labels_of_any_characters_can_be_printed(good: Any, tmp_path: Path) -> None:
    content = copy.deepcopy(good)
    content["classes"] = {"type": "str3", "values": ["\x1b[2", "\ud800"]}
    content["booleanizer"]["feature_names"] = ["\udfff\n"]
    documents.write_content(tmp_path / "model.json", content)
    clf = clausal.load(tmp_path / "model.json")
    assert clf.classes_.tolist() == ["\x1b[2", "\ud800"]
    assert r"\udfff\n" in str(clf.rules_)


@pytest.mark.parametrize("labels", [np.array(["2020-01-01", "2020-01-02"], "datetime64[D]")], ids=str)
def test_labels_that_json_cannot_hold_are_not_saved(tmp_path: Path, labels: Any) -> None:
    clf = documents.small_model()
    vars(clf)["_outcome"] = make_outcome(labels)
    with pytest.raises(ValueError, match="Class labels must be numbers, booleans or strings to be saved"):
        clf.save(tmp_path / "model.json")
