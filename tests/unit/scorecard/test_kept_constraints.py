"""A Scorecard keeps the constraints of its fit: refits obey them, and edits against them are refused."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer, RuleClassifier, RuleRegressor, RuleSet, Scorecard, load, parse_rule
from clausal.files.scorecard import plain_card, read_card
from tests.support.lending import card as by_hand
from tests.support.lending import loans
from tests.support.spoiled_documents import replaced

_RNG = np.random.default_rng(0)
N = 600
X = pd.DataFrame(
    {
        "age": _RNG.integers(18, 80, N).astype(float),
        "income": _RNG.choice([10.0, 20, 30, 40, 50], N),
        "sex": _RNG.choice(["m", "f"], N),
    }
)
SCORE = 0.06 * (X.age - 50) - 0.06 * (X.income - 30) + 2 * (X.sex == "m")
Y = np.where(_RNG.random(N) < 1 / (1 + np.exp(-SCORE)), "bad", "good")
NUMBERS = (SCORE + _RNG.normal(scale=0.3, size=N)).to_numpy()
WANTED: dict[str, Any] = {
    "monotonic_cst": {"age": -1},  # against the data, so that a refit without it would break it
    "forbidden_features": ["sex"],
    "fixed_rules": ["age > 60", ("age > 40 and income > 25", -2)],
    "points_bounds": {"income": (-2, 1)},
    "interaction_cst": [["age", "income"], ["sex"]],
}


@pytest.fixture(scope="module")
def clf() -> RuleClassifier:
    own = {"max_literals": 8, "cv": 2, "random_state": 0, "pos_label": "bad"}
    return RuleClassifier(**own, **WANTED).fit(X, Y)


@pytest.fixture(scope="module")
def card(clf: RuleClassifier) -> Scorecard:
    return clf.to_scorecard()


def assert_kept(card: Scorecard, sign: int = 1, factor: float = 1.0) -> None:
    points = {str(rule): sign * rule.points for rule in card.rules_}
    assert points["age > 60"] < 0
    assert points["age > 40 and income > 25"] == round(-2 * factor)
    assert not any("sex" in text for text in points)
    of_income = [number for text, number in points.items() if "income" in text]
    assert round(-2 * factor) <= min(of_income) <= max(of_income) <= round(factor)


def test_a_scorecard_has_those_of_the_classifier(card: Scorecard, clf: RuleClassifier):
    assert card.constraints_ == WANTED
    assert_kept(card)
    machine = RuleClassifier(pos_label="bad").set_params(**WANTED)._machine()
    with_machine = copy.copy(clf).set_params(
        estimator=machine, monotonic_cst=None, forbidden_features=None, pos_label=None
    )
    assert with_machine.to_scorecard().constraints_ == WANTED
    assert by_hand().constraints_ == {}


def test_a_refit_obeys_them(card: Scorecard):
    assert_kept(card.edit(X, Y).refit().after)
    lifted = card.edit(X, Y).lift("monotonic_cst").lift("points_bounds").refit().after
    points = {str(rule): rule.points for rule in lifted.rules_}
    assert points["age > 60"] > 0  # as in the data
    assert not -2 <= min(own := [n for text, n in points.items() if "income" in text]) <= max(own) <= 1


def test_a_refit_of_numbers_obeys_them():
    own = {name: WANTED[name] for name in ("monotonic_cst", "points_bounds")}
    fitted = RuleRegressor(max_literals=6, cv=2, random_state=0, fixed_rules=["age > 60"], **own)
    card = fitted.fit(X, NUMBERS).to_scorecard()
    assert set(card.constraints_) == {*own, "fixed_rules"}
    with pytest.raises(ValueError, match="must keep the constraint 'monotonic_cst'"):
        card.edit().set_points("age > 60", 2)
    for rule in card.edit(X, NUMBERS).refit().after.rules_:
        assert not str(rule).startswith("age > ") or rule.points < 0
        assert "income" not in str(rule) or -2 <= rule.points <= 1


@pytest.mark.parametrize(
    ("step", "said", "lift"),
    [
        (lambda e: e.add_rule("sex is m", 3), "no rule may test sex. Got `sex is m`", "forbidden_features"),
        (lambda e: e.add_override("sex is m", "bad"), "no rule may test sex", "forbidden_features"),
        (
            lambda e: e.set_points("age > 60", 2),
            r"points may only fall with age. Got \+2 for `age > 60`",
            "monotonic_cst",
        ),
        (
            lambda e: e.add_override("age > 70", "bad"),
            "points may only fall with age. Got bad if age > 70",
            "monotonic_cst",
        ),
        (
            lambda e: e.add_rule("income <= 15", 2),
            r"rules on income have at least -2 and at most 1 points. Got \+2 for `income <= 15`",
            "points_bounds",
        ),
        (
            lambda e: e.lift("forbidden_features").add_rule("sex is m and age <= 30", 2),
            "features of one group only: age, income; sex. Got `sex is m and age <= 30`",
            "interaction_cst",
        ),
        (lambda e: e.drop_rule("age > 60"), "`age > 60` is always there. Got no such rule", "fixed_rules"),
        (
            lambda e: e.set_points("age > 40 and income > 25", -1),
            "is always there, with -2. Got -1 for",
            "fixed_rules",
        ),
    ],
)
def test_an_edit_against_one_is_refused_until_it_is_lifted(card: Scorecard, step: Any, said: str, lift: str):
    with pytest.raises(ValueError, match=f"must keep the constraint '{lift}' of the scorecard: .*{said}"):
        step(card.edit())
    edit = step(card.edit().lift(lift))
    assert edit.what[0].startswith(f"lift the constraint {lift}: ")
    kept = edit.keep("Ada", "the law has changed")
    assert kept.log_[0].what.startswith(f"lift the constraint {lift}: ")
    assert lift not in kept.constraints_
    assert card.constraints_ == WANTED


def test_a_fixed_rule_is_lifted_by_the_words_that_are_printed():
    known = Booleanizer(groups={"state": {"far": ["north", "south"], "near": ["east", "west"]}})
    encoding = known.fit(loans()[0]).encoding_
    rules = RuleSet((), encoding, ["good", "bad"])
    rules = rules.with_rules([parse_rule("state is near", rules, 2)])
    given = next(text for text in ("state is near", "state is not far") if text != str(rules[0]))
    kept = by_hand().replace(rules=rules, constraints={"fixed_rules": [(given, 2)]})
    for words in (given, str(rules[0])):
        assert kept.edit().lift("fixed_rules", words).after.constraints_ == {}
    with pytest.raises(ValueError, match=f"{given}'. Got 'fixed_rules' of 'state is huge'"):
        kept.edit().lift("fixed_rules", "state is huge")


def test_one_of_several_is_lifted(card: Scorecard):
    after = card.edit().lift("fixed_rules", "age > 60").lift("points_bounds", "income").after
    assert after.constraints_["fixed_rules"] == [("age > 40 and income > 25", -2)]
    assert "points_bounds" not in after.constraints_
    for name, of in (("points_bounds", "age"), ("other", None), ("interaction_cst", "age")):
        with pytest.raises(ValueError, match="A constraint to be lifted must be one of the scorecard: 'mono"):
            card.edit().lift(name, of)
    with pytest.raises(ValueError, match="must be one of the scorecard: none. Got 'monotonic_cst'"):
        by_hand().edit().lift("monotonic_cst")


def test_what_the_scorecard_broke_before_does_not_stop_an_edit():
    own = by_hand().replace(constraints={"forbidden_features": ["state"]})
    assert len(own.edit().set_points("age > 50", -1).set_points("state is north", 1).what) == 2
    rows, labels = loans()
    impossible = by_hand().replace(constraints={"monotonic_cst": {"age": 1}})
    with_interval = impossible.edit().lift("monotonic_cst").add_rule("age > 30 and age <= 40", 2).after
    with_interval = with_interval.replace(constraints={"monotonic_cst": {"age": 1}})
    with pytest.raises(
        ValueError, match="Points are fitted to rules that the constraints .* Got none for `30"
    ):
        with_interval.edit(rows, labels).refit()


@pytest.mark.parametrize("positive", [True, False])
def test_on_a_scale_bounds_are_multiplied(card: Scorecard, positive: bool):
    scaled = card.scaled(600, 50, 40, positive=positive)
    sign, factor = 1 if positive else -1, scaled.constraints_["factor"]
    assert factor > 1
    assert_kept(scaled, sign, factor)
    assert scaled.constraints_["monotonic_cst"] == {"age": -sign}
    again = scaled.edit(X, Y).refit().after
    assert_kept(again, sign, again.constraints_["factor"])
    with pytest.raises(ValueError, match="must keep the constraint 'points_bounds'"):
        scaled.edit().add_rule("income <= 15", sign * (round(factor) + 1))
    scaled.edit().add_rule("income <= 15", sign * round(factor))
    plain = scaled.edit(X, Y).recalibrate().after  # whose points stay on the scale that it leaves
    assert plain.constraints_ == scaled.constraints_


def test_they_are_stored(card: Scorecard, tmp_path: Path):
    for own in (card, card.scaled(600, 50, 40, positive=False)):
        own.save(tmp_path / "card.json")
        for again in (load(tmp_path / "card.json"), pickle.loads(pickle.dumps(own)), copy.deepcopy(own)):
            assert again._constraints == own._constraints
            assert again.constraints_ == own.constraints_
    old = {name: value for name, value in plain_card(card).items() if name != "constraints"}
    assert read_card(old).constraints_ == {}
    assert "constraints" not in plain_card(by_hand())


def test_without_names_of_features_they_are_by_position(tmp_path: Path):
    table = X[["age", "income"]].to_numpy()
    own = {"monotonic_cst": [-1, 0], "forbidden_features": [1], "points_bounds": {0: (None, 4)}}
    clf = RuleClassifier(max_literals=3, cv=2, random_state=0, pos_label="bad", **own).fit(table, Y)
    card = clf.to_scorecard()
    assert card.constraints_ == own
    card.save(tmp_path / "card.json")
    assert load(tmp_path / "card.json").constraints_ == own
    with pytest.raises(ValueError, match="no rule may test x1"):
        card.edit().add_rule("x1 > 30", 1)
    assert card.edit().lift("forbidden_features", 1).add_rule("x1 > 30", 1).what


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "constraints must be a dictionary"),
        ({"max_literals": 3}, r"constraints must be a dictionary with the keys \[\]. Got extra"),
        (
            {"monotonic_cst": {"weight": 1}},
            "'monotonic_cst' parameter of Scorecard must list names .* 'weight'",
        ),
        ({"monotonic_cst": [1]}, r"must have one entry per feature \(3\). Got 1"),
        ({"monotonic_cst": {"age": 2}}, "must be -1, 0 or 1"),
        ({"monotonic_cst": "age"}, "'monotonic_cst' parameter of Scorecard must be"),
        ({"forbidden_features": [7]}, "must list positions from 0 to 2. Got 7"),
        ({"forbidden_features": [[1]]}, "forbidden_features"),
        ({"forbidden_features": 3}, "'forbidden_features' parameter of Scorecard must be"),
        ({"points_bounds": [["age", 3, 1]]}, "'points_bounds' parameter of Scorecard must leave some points"),
        ({"points_bounds": [["age", "a", 1]]}, r"must hold pairs \(least, most\)"),
        ({"points_bounds": [[True, 0, 1]]}, "must have names or positions of features as keys"),
        ({"points_bounds": {"age": [0, 1]}}, "points_bounds"),
        ({"interaction_cst": "all"}, "'interaction_cst' parameter of Scorecard must be"),
        ({"interaction_cst": ["age"]}, "must be a list of groups of features"),
        ({"interaction_cst": [["weight"]]}, "must list names of columns"),
        ({"fixed_rules": [["age > 60", 0]]}, "'fixed_rules' parameter of Scorecard must hold rules in words"),
        ({"fixed_rules": [["age > 60", 1, "ugly"]]}, "The class that a rule adds points to must be one of"),
        ({"fixed_rules": ["\x1b[2J"]}, "must be plain text"),
        ({"fixed_rules": "age > 60"}, "'fixed_rules' parameter of Scorecard must be"),
        ({"factor": -1}, "'factor' parameter of Scorecard must be a number > 0"),
        ({"factor": "x"}, "'factor' parameter of Scorecard must be a number > 0"),
    ],
)
def test_spoiled_files_are_refused(card: Scorecard, value: Any, said: str):
    with pytest.raises(ValueError, match=said):
        read_card(replaced(plain_card(card), "constraints", value))


def test_wrong_ones_are_refused():
    own = by_hand()
    for value in ([], {"max_points": 3}):
        with pytest.raises(ValueError, match="'constraints' parameter of Scorecard must be a dict with keys"):
            own.replace(constraints=value)
    kept = own.replace(constraints={"forbidden_features": ["owner"]})
    fewer = RuleSet((), Booleanizer().fit(loans()[0][["age"]]).encoding_, ["good", "bad"])
    with pytest.raises(ValueError, match="must have the features of the 'constraints' that .* 4. Got 1"):
        kept.replace(rules=fewer)
    three = RuleClassifier(max_literals=3, cv=2, random_state=0).fit(X, np.digitize(X.age, [35, 60]))
    with pytest.raises(ValueError, match="must be None for more than two classes"):
        three.to_scorecard().replace(constraints={"monotonic_cst": {"age": 1}})
