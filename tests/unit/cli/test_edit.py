"""`clausal edit`: a step does what the method of its name does; the effect is shown, the record is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from clausal import Scorecard, load
from tests.support.command_line import clausal_run, done, fails
from tests.support.lending import card, loans
from tests.support.scorecards import machine, scorecard

KEPT = ("--who", "Ada", "--why", "age must not count")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edits")
    card(True).save(folder / "card.json")
    X, y = loans(400, seed=1)
    X.assign(outcome=y).to_csv(folder / "test.csv", index=False)
    return folder


def edited(folder: Path, *steps: str) -> Scorecard:
    output = folder / "new.json"
    done("edit", folder / "card.json", *steps, "--output", output, *KEPT)
    model = load(output)
    assert isinstance(model, Scorecard)
    return model


STEPS = {
    ("--drop-rule", "age > 50"): lambda edit: edit.drop_rule("age > 50"),
    ("--points", "age > 50: -7"): lambda edit: edit.set_points("age > 50", -7),
    ("--move-cut", "age: 30: 33"): lambda edit: edit.move_cut("age", 30, 33),
    ("--add-rule", "state is 'south' and income > 20:+4"): lambda edit: edit.add_rule(
        "state is south and income > 20", 4
    ),
    ("--override", "age <= 18 : bad"): lambda edit: edit.add_override("age <= 18", "bad"),
    ("--drop-override", "age <= 20 and income <= 10"): lambda edit: edit.drop_override(
        "age <= 20 and income <= 10"
    ),
    ("--cut-off", "-2"): lambda edit: edit.set_cut_off(-2),
    ("--scale", "600:50:20"): lambda edit: edit.scale(),
    ("--scale", "600,50,40"): lambda edit: edit.scale(600, 50, 40),
    ("--scale", "500:1:40", "--turn"): lambda edit: edit.scale(500, 1, 40, positive=False),
}


@pytest.mark.parametrize("step", STEPS, ids=" ".join)
def test_a_step_is_that_of_python(folder: Path, step: tuple[str, ...]) -> None:
    model, expected = edited(folder, *step), STEPS[step](card(True).edit()).keep("Ada", KEPT[3])
    assert model.rules_ == expected.rules_
    assert (model.slope_, model.offset_) == (expected.slope_, expected.offset_)
    (entry,) = model.log_
    assert (entry.who, entry.why, entry.what) == ("Ada", KEPT[3], expected.log_[0].what)


def test_steps_are_made_in_the_order_of_the_help(folder: Path) -> None:
    steps = ("--cut-off", "3", "--add-rule", "age > 50: 2", "--drop-rule", "age > 50")
    (entry,) = edited(folder, *steps).log_
    assert [text.split(" (")[0] for text in entry.what.split("; ")] == [
        "drop the rule `age > 50`",
        "add the rule `age > 50`",
        "move the cut-off from 0 to 3",
    ]


def test_the_effect_is_shown_before_anything_is_kept(folder: Path) -> None:
    asked = ("edit", folder / "card.json", "--drop-rule", "income <= 20")
    with_rows = done(*asked, "--data", folder / "test.csv", "--target", "outcome")
    lines = with_rows.stdout.splitlines()
    assert lines[0] == "1. Drop the rule `income <= 20` (+5)"
    assert lines[1].split() == ["before", "after"]
    assert [line.split()[0] for line in lines[2:5]] == ["log-loss", "roc_auc", "f1"]
    assert "measured on the 400 given rows" in lines[-1]
    assert "Nothing is kept without --output." in with_rows.stderr
    assert "No rows are given" in done(*asked).stdout


def test_what_is_fitted_is_cross_validated_and_recorded(folder: Path) -> None:
    rows = ("--data", str(folder / "test.csv"), "--target", "outcome", "--cv", "3")
    model = edited(folder, "--points", "age > 50: -8", "--refit", "--keep-edited", *rows)
    (entry,) = model.log_
    assert {rule.points for rule in model.rules_ if str(rule) == "age > 50"} == {-8}
    assert entry.effect["measured on"] == "cross-validation"
    assert entry.effect["rows"] == 400
    calibrated = edited(folder, "--recalibrate", *rows)
    assert calibrated.rules_ == card(True).rules_
    assert calibrated.slope_ != card().slope_


def test_the_log_is_shown(folder: Path) -> None:
    edited(folder, "--drop-rule", "age > 50")
    twice = folder / "twice.json"
    done("edit", folder / "new.json", "--cut-off", "2", "-o", twice, "--who", "Bo", "--why", "policy")
    printed = done("info", twice).stdout
    assert "The log, 2 edits:" in printed
    assert "Ada: drop the rule `age > 50` (-3) (age must not count)" in printed
    assert "move the cut-off from 0 to 2 (policy)" in printed
    hostile = ("--cut-off", "1", "-o", folder / "hostile.json", "--why", "x", "--who", "Bo\x1b[2J")
    result = clausal_run("edit", twice, *hostile)
    assert "must be plain text, without control characters" in result.stderr
    assert "\x1b" not in result.output
    assert "The log" not in done("info", folder / "card.json").stdout


def test_a_fitted_classifier_of_several_classes_is_edited(tmp_path: Path) -> None:
    table = pd.DataFrame({"a": np.arange(300) % 10, "b": np.arange(300) % 7})
    labels = (table["a"] > 5) * 1 + (table["b"] > 3) * 1
    clf = scorecard().fit(table, labels)
    clf.save(tmp_path / "model.json")
    output = tmp_path / "new.json"
    step = ("--add-rule", "a > 8 and b <= 2: 5 for class 2")
    done("edit", tmp_path / "model.json", *step, "--output", output, *KEPT)
    added = [rule for rule in load(output).rules_ if rule.points == 5 and len(rule.literals) == 2]
    assert [rule.bank for rule in added] == [2]
    done("edit", output, "--drop-rule", "a > 8 and b <= 2: 2", "--output", tmp_path / "less.json", *KEPT)
    assert len(load(tmp_path / "less.json").rules_) == len(clf.rules_)
    message = fails("edit", output, "--drop-rule", "a > 8 and b <= 2")
    assert "--drop-rule must be RULE: CLASS, as there are several classes" in message


WRONG = {
    "An edit must have a step": (),
    "--points must be RULE: POINTS": ("--points", "age > 50"),
    "--points must be": ("--points", "age > 50: many"),
    "--move-cut must be FEATURE: OLD: NEW": ("--move-cut", "age: 30"),
    "A cut point to be moved must be one of age": ("--move-cut", "age: 31: 33"),
    "--override must be RULE: CLASS": ("--override", "age <= 18"),
    "The class of an override must be one of good, bad. Got 'ugly'": ("--override", "age <= 18: ugly"),
    "A rule to be changed must be one of the scorecard": ("--drop-rule", "age > 49"),
    "--scale must be SCORE,ODDS,DOUBLE, such as 600,50,20. Got '600:50'": ("--scale", "600:50"),
    "--refit must be given with --data": ("--refit",),
    "--keep-edited must be given with --refit": ("--keep-edited",),
    "--turn must be given with --scale": ("--turn",),
    "--data and --target must be given together": ("--target", "outcome", "--cut-off", "1"),
    "--who must be given with --output": ("--cut-off", "1", "--who", "Ada"),
}


@pytest.mark.parametrize("message", list(WRONG))
def test_what_is_wrong_is_said(folder: Path, message: str) -> None:
    assert message in fails("edit", folder / "card.json", *WRONG[message])


def test_only_scorecards_are_edited_and_no_input_is_overwritten(folder: Path, tmp_path: Path) -> None:
    X, y = loans(100)
    machine(random_state=0).fit(X, y).save(tmp_path / "machine.json")
    asked = ("--cut-off", "1", "--output", tmp_path / "x.json", *KEPT)
    assert "must be a scorecard. Got a TsetlinClassifier" in fails("edit", tmp_path / "machine.json", *asked)
    assert not (tmp_path / "x.json").exists()
    before = (folder / "card.json").read_bytes()
    message = fails("edit", folder / "card.json", "--cut-off", "1", "-o", folder / "card.json", *KEPT)
    assert "card.json" in message
    assert (folder / "card.json").read_bytes() == before
    assert clausal_run("edit", folder / "card.json", "--cv", "1").exit_code == 2


def test_a_constraint_is_lifted_by_a_step(folder: Path) -> None:
    model = folder / "constrained.json"
    own = {"forbidden_features": ["state"], "points_bounds": {"age": (-3, 4)}}
    card(True).replace(constraints=own).save(model)
    assert "- no rule may test state (forbidden_features)" in done("info", model).stdout
    added = ("--add-rule", "state is east: 2")
    failed = fails("edit", model, *added)
    assert "no rule may test state" in failed
    assert "--lift 'forbidden_features: state'" in failed
    output = folder / "lifted.json"
    done("edit", model, *added, "--lift", "forbidden_features: state", "--output", output, *KEPT)
    assert load(output).constraints_ == {"points_bounds": {"age": (-3, 4)}}
    assert (
        load(output).log_[0].what.startswith("lift the constraint forbidden_features: no rule may test state")
    )
