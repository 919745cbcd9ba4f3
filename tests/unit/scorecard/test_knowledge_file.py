"""A TOML file of what an expert knows: what it gives, and what is refused before any table is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer, RuleClassifier, Scorecard, TsetlinClassifier, load_knowledge
from clausal.scorecard.knowledge_file import KEYS

FULL = """
pos_label = "bad"
max_features = 3
forbidden_features = ["sex"]
interaction_cst = [["age", "income"], ["state"]]
fixed_rules = ["income is -1", ["age > 60 and income > 10", 3], ["state is north", "fitted"]]
cut_off = 590

[cut_points]
age = [25, 40.5, 60]
[special_values]
income = [-1, 999999]
[groups.state]
north = ["NY", "MA"]
south = ["TX"]
[monotonic_cst]
age = "+"
income = -1
[points_bounds]
income = [-4, inf]
[scale]
base_score = 600
base_odds = 50
points_to_double = 20
positive = true
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def made(text: str) -> Path:
        path = tmp_path / "card.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return made


def test_every_key_is_a_parameter(write: Any) -> None:
    known = load_knowledge(write(FULL))
    given = dict(known.parameters)
    booleanizer = given.pop("booleanizer")
    assert given == {
        "monotonic_cst": {"age": 1, "income": -1},
        "forbidden_features": ["sex"],
        "pos_label": "bad",
        "interaction_cst": [["age", "income"], ["state"]],
        "fixed_rules": ["income is -1", ["age > 60 and income > 10", 3], ["state is north", "fitted"]],
        "points_bounds": {"income": [-4, None]},
        "max_features": 3,
    }
    expected = Booleanizer(
        max_columns="auto",
        cut_points={"age": [25, 40.5, 60]},
        special_values={"income": [-1, 999999]},
        groups={"state": {"north": ["NY", "MA"], "south": ["TX"]}},
    )
    assert booleanizer.get_params() == expected.get_params()
    assert known.scale == {"base_score": 600, "base_odds": 50, "points_to_double": 20, "positive": True}
    assert known.cut_off == 590
    assert {*given, *booleanizer.get_params(), "scale", "cut_off"} >= set(KEYS)


def test_an_empty_file_says_nothing(write: Any) -> None:
    known = load_knowledge(write(""))
    assert known.parameters == known.machine_parameters == {}
    clf = RuleClassifier()
    assert known.finished(clf) is clf


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cut_point = 1", "card.toml must have keys from .*Got 'cut_point'. Did you mean 'cut_points'?"),
        ("[scale]\nbase = 600", "'scale' must have keys from .*Got 'base'. Did you mean 'base_odds'?"),
        ("max_features", "card.toml must be a TOML file. Got an error: .*=.*after a key"),
        ("x = " + "[" * 5000, "card.toml must be a TOML file. Got an error"),
        (
            "max_features = 0",
            "In .*card.toml: The 'max_features' parameter of RuleClassifier.*Got 0",
        ),
        ("[cut_points]\nage = [40, 25]", "In .*card.toml: .*must be sorted.*Got 25 after 40 for 'age'"),
        ("cut_points = [1, 2]", "'cut_points' must be a table of features. Got a list"),
        ("[groups]\nstate = ['NY']", "a dict of named groups.*Got a list for 'state'"),
        ("[special_values]\nday = [2020-01-01]", "must hold finite numbers. Got a date for 'day'"),
        ("forbidden_features = 'sex'", "'forbidden_features' parameter of RuleClassifier must be.*'sex'"),
        ("monotonic_cst = ['age']", "'monotonic_cst' must be a table of features. Got a list"),
        ("[monotonic_cst]\nage = 'up'", "must hold '\\+' .*Got 'up' for 'age'"),
        ("[monotonic_cst]\nage = true", "must hold '\\+' .*Got True for 'age'"),
        ("fixed_rules = [['age > 3', 0]]", "'fixed_rules' parameter of RuleClassifier must hold rules"),
        ("points_bounds = 3", "'points_bounds' parameter of RuleClassifier must be"),
        ("scale = 600", "'scale' must be a table. Got 600"),
        ("[scale]\nbase_odds = 0", "'base_odds' parameter of scaled must be"),
        ("cut_off = 1.5", "'cut_off' parameter of the knowledge must be .*Got 1.5"),
    ],
)
def test_what_no_table_makes_valid_is_refused(write: Any, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_knowledge(write(text))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "card.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="must be a TOML file"):
        load_knowledge(path)
    with pytest.raises(FileNotFoundError):
        load_knowledge(tmp_path / "none.toml")


def test_a_machine_takes_what_is_for_it_and_refuses_the_rest(write: Any) -> None:
    known = load_knowledge(write("forbidden_features = ['sex']\n[cut_points]\nage = [25]"))
    TsetlinClassifier(**known.machine_parameters)
    for text in ("max_features = 3", "cut_off = 3", "[scale]\nbase_score = 600"):
        with pytest.raises(ValueError, match="Knowledge for a machine must not have"):
            _ = load_knowledge(write(text)).machine_parameters


def test_a_finished_scorecard_has_the_scale_and_the_cut_off(write: Any) -> None:
    X = pd.DataFrame({"age": np.arange(120) % 61 + 20})
    y = np.where(X.age + np.arange(120) % 13 > 55, "bad", "good")
    known = load_knowledge(write("pos_label = 'bad'\ncut_off = 601\n[scale]\nbase_odds = 1\n"))
    clf = RuleClassifier(**known.parameters, max_literals=4, cv=2, random_state=0).fit(X, y)
    card = known.finished(clf)
    assert isinstance(card, Scorecard)
    votes = card.votes(X)
    scaled = clf.to_scorecard().scaled(base_odds=1)
    np.testing.assert_array_equal(votes, scaled.votes(X))
    np.testing.assert_array_equal(card.predict(X), np.where(votes >= 601, "bad", "good"))
