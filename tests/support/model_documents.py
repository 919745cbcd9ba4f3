"""Small fitted models of many kinds, and reading and writing of their files without checks."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from clausal import (
    Booleanizer,
    PatchEncoder,
    RuleClassifier,
    RuleRegressor,
    Scorecard,
    TsetlinClassifier,
    TsetlinRegressor,
    parse_rule,
)
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.scorecards import machine, scorecard
from tests.support.small_data import table
from tests.support.spoiled_documents import written

NUMBERS = np.array([[0.5, 3.0], [1.5, 3.0], [2.5, 4.0], [3.5, 4.0], [4.5, 3.0], [5.5, 4.0]])
MIXED = pd.DataFrame(
    {
        "age": [54.0, 61.0, None, 47.0, 55.0, 70.0],
        "pain": ["mild", "none", "severe", "mild", None, "none"],
        "stage": pd.Categorical(["I", "II", "III", "I", "II", "III"], ["I", "II", "III", "IV"], ordered=True),
        "smoker": [True, False, True, True, False, False],
        "nothing": [None] * 6,
    }
)


def small_model() -> TsetlinClassifier:
    """Two clauses over one column: the smallest possible file."""
    clf = TsetlinClassifier(2, threshold=2, n_epochs=3, booleanizer=None, random_state=0)
    return clf.fit(np.array([[0], [1], [0], [1]]), np.array([0, 1, 0, 1]))


def model_of_a_number() -> TsetlinRegressor:
    """A regressor with every parameter that a classifier does not have."""
    reg = TsetlinRegressor(
        3, threshold=5, n_epochs=4, loss="quantile", quantile=0.75, target_range=(0, 2.5), random_state=0
    )
    return reg.fit(NUMBERS, np.array([0.5, 1.0, 1.5, 2.0, 2.5, 0.0]))


def model_of_three_classes() -> TsetlinClassifier:
    """Integer weights, one bank for each of three classes."""
    clf = TsetlinClassifier(2, threshold=2, n_epochs=3, booleanizer=None, random_state=0)
    return clf.fit(np.array([[0, 0], [0, 1], [1, 1]] * 2), np.array([0, 1, 2] * 2))


def model_of_shared_clauses() -> TsetlinClassifier:
    """Three classes that share their clauses."""
    clf = TsetlinClassifier(2, threshold=2, n_epochs=3, sharing="clauses", booleanizer=None, random_state=0)
    return clf.fit(np.array([[0, 0], [0, 1], [1, 1]] * 2), np.array([0, 1, 2] * 2))


def model_of_numbers() -> TsetlinClassifier:
    """Three classes of text, real weights, class weights, categorical features by position."""
    labels = np.array(["low", "mid", "high", "low", "mid", "high"])
    clf = TsetlinClassifier(
        4,
        threshold=3,
        n_epochs=5,
        weighting="real",
        specificity=(1.5, 3.0),
        class_weight={"low": 2.0, "high": 0.5},
        categorical_features=[1],
        forbidden_features=[1],
        random_state=1,
    )
    return clf.fit(NUMBERS, labels)


def model_of_a_frame() -> TsetlinClassifier:
    """Every kind of feature, with missing values, and a booleanizer with non-default parameters."""
    booleanizer = Booleanizer(
        max_columns=3,
        categorical_features=["pain", "stage"],
        handle_unknown="missing",
        handle_missing="as_false",
    )
    clf = TsetlinClassifier(
        4,
        threshold=4,
        n_epochs=2,
        booleanizer=booleanizer,
        monotonic_cst={"age": 1, "stage": -1},
        forbidden_features=["smoker"],
        random_state=2,
    )
    labels = np.array([1, 0, 1, 0, 1, 0], dtype=np.int8)
    clf.fit(MIXED, labels, eval_set=(MIXED, labels))
    for _ in range(20):
        clf.partial_fit(MIXED, labels)
    return clf


def model_of_the_paper() -> TsetlinClassifier:
    """Coded categories, no weights, float labels, a mask of categorical features, no names."""
    clf = TsetlinClassifier(
        2,
        n_epochs=4,
        weighting="none",
        booleanizer="paper",
        class_weight={1.0: 3, 2.0: 1},
        categorical_features=[False, True],
        monotonic_cst=[1, 0],
        random_state=3,
    )
    X = MIXED[["age", "pain"]].astype(object).to_numpy()
    return clf.fit(X, np.array([1.0, 2.0, 1.0, 2.0, 1.0, 2.0]))


def model_of_images() -> TsetlinClassifier:
    """Grey images with two channels, patches with strides."""
    encoder = PatchEncoder((2, 1), stride=(1, 2), thresholds=[0.5, 2])
    clf = TsetlinClassifier(4, threshold=3, n_epochs=3, booleanizer=encoder, random_state=0)
    return clf.fit(np.arange(4 * 3 * 3 * 2).reshape(4, 3, 3, 2) % 5, np.array([0, 1, 0, 1]))


def model_of_sequences() -> TsetlinClassifier:
    """Boolean sequences."""
    clf = TsetlinClassifier(4, threshold=3, n_epochs=5, booleanizer=PatchEncoder(2), random_state=0)
    return clf.fit(np.array([[0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1], [0, 1, 0, 0]]), np.array([1, 0, 1, 0]))


def small_scorecard() -> RuleClassifier:
    """One rule over one column, without a machine's parameters: a small file."""
    clf = RuleClassifier(max_literals=1, cv=2, booleanizer=None, random_state=0)
    return clf.fit(np.array([[0], [1]] * 5), np.array([0, 1] * 5))


def scorecard_of_numbers() -> RuleRegressor:
    """One rule over one column."""
    reg = RuleRegressor(max_literals=1, cv=2, booleanizer=None, random_state=0)
    return reg.fit(np.array([[0], [1]] * 5), np.array([0.5, 2.0] * 5))


def owned_scorecard() -> Scorecard:
    """All that a Scorecard keeps: constraints, class weights, a scale, a cut-off by hand, an edit."""
    X = pd.DataFrame({"age": [20.0, 30, 40, 50] * 3, "pain": ["mild", "none", "mild"] * 4})
    rules = RuleSet((), Booleanizer().fit(X).encoding_, ["well", "ill"], [-1])
    rules = rules.with_rules([parse_rule("age > 20", rules, 3), parse_rule("pain is mild", rules, 2)])
    constraints = {
        "monotonic_cst": {"age": 1},
        "forbidden_features": ["pain"],
        "points_bounds": {"age": (None, 4)},
        "interaction_cst": [["age"], ["pain"]],
        "fixed_rules": ["age > 20", ("pain is mild", 2)],
    }
    card = Scorecard(rules, 0.5, 0.1, constraints=constraints, about={"owner": "us"})
    card = card.scaled(600, 50, 20).edit().add_override("age <= 20", "well").set_cut_off(590)
    card = card.keep("A", "b", "2026-01-02")
    return card.replace(class_weight={"ill": 2.0})


def scorecard_of_a_frame() -> RuleClassifier:
    """Every kind of feature, missing values, a machine with non-default parameters and constraints."""
    estimator = machine(
        booleanizer=Booleanizer(max_columns=3, handle_unknown="missing", handle_missing="as_false"),
        monotonic_cst={"age": 1},
        forbidden_features=["smoker"],
        specificity=(1.5, 3.0),
    )
    labels = np.array(["well", "ill"] * 9)
    return scorecard(estimator, max_rules=3).fit(pd.concat([MIXED] * 3, ignore_index=True), labels)


def scorecard_with_alternatives() -> RuleClassifier:
    """One rule over one of two equal columns, and an alternative over the other."""
    clf = RuleClassifier(max_literals=1, cv=2, booleanizer=None, n_alternatives=1, random_state=0)
    return clf.fit(np.array([[0, 0], [1, 1]] * 5), np.array([0, 1] * 5))


def scorecard_of_three_classes() -> RuleClassifier:
    X, y = table(n_classes=3)
    return scorecard(max_literals=3).fit(X, np.array(["low", "mid", "top"])[y])


def rules_with_a_constant() -> RuleSet:
    """The rules of a frame, a constant, a rule for all rows and a negated condition."""
    rules = model_of_a_frame().rules_
    more = [*rules, Rule((), -3, ""), Rule((Literal(rules.columns[0], 0, True),), 2, "")]
    return rules.with_rules(more, [7])


def read_content(path: Path) -> Any:
    """The content of a model file, without any check."""
    return json.loads(path.read_text())["content"]


def saved_content(model: TsetlinClassifier | RuleClassifier, folder: Path) -> Any:
    """The content of the file that a model saves, which is written to a folder."""
    model.save(folder / "saved.json")
    return read_content(folder / "saved.json")


def document_of(content: object, **head: object) -> bytes:
    """A model file with any content and a correct checksum; `head` overrides the other fields."""
    text = written(content)
    digest = hashlib.sha256(text.encode("ascii")).hexdigest()
    start = written({"format": "clausal model", "version": 1, "sha256": digest, **head}, canonical=False)
    return f'{start[:-1]}, "content": {text}}}\n'.encode("ascii")


def write_content(path: Path, content: object) -> None:
    """Write a model file with any content and a correct checksum."""
    write_bytes(path, document_of(content))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a new file; some systems flush an overwritten file, which is slow for thousands of files."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)
