"""`clausal fit` and `clausal tune`: the model, what is shown of it, and what it depends on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sklearn.model_selection import train_test_split

import clausal
from tests.support.command_line import QUICK, SCORECARD, done


def test_fit_shows_types_rules_risks_and_held_out_measures(patients: Path, tmp_path: Path):
    report, model = tmp_path / "report.html", tmp_path / "model.json"
    result = done(*("fit", patients, "--target", "class", *SCORECARD, "--report", report, "--model", model))
    assert "80 rows, 4 columns besides the target class" in result.stderr
    (dose,) = [line.split() for line in result.stderr.splitlines() if "dose" in line]
    assert dose == ["dose", "number", "2.5", "36", "2"]
    assert "Training on 64 rows, holding out 16" in result.stderr
    assert "trained without the held-out rows" in result.stderr
    rules = clausal.load(model).rules_
    assert rules.n_literals <= 3
    assert "so it is slightly optimistic" in result.stdout
    for text in (rules.to_text(), "Score and risk of well", "On 16 held-out rows", "Balanced accuracy"):
        assert text in result.stdout
    assert "<html" in report.read_text(encoding="utf-8")


def test_alternatives_are_shown_saved_and_listed_by_info(tmp_path: Path):
    """Two columns tell the same; one of them has other names for it."""
    path, model = tmp_path / "table.csv", tmp_path / "model.json"
    lines = [f"{'ab'[k % 2]},{'cd'[k % 2]},{'no' if (k % 2) ^ (k % 9 == 0) else 'yes'}" for k in range(120)]
    path.write_text("\n".join(["first,second,class", *lines]))
    options = ("--max-literals", "1", "--alternatives", "2", "--no-test", "--model", model)
    result = done("fit", path, "--target", "class", *options)
    (other,) = clausal.load(model).alternatives_
    assert "95 % interval" in result.stdout
    assert "Other scorecards that are about as good" in result.stdout
    assert other.rules.to_text() in result.stdout
    lines = [re.split("  +", line.strip()) for line in done("info", model).stdout.splitlines()]
    kept = {words[0]: words[1:] for words in lines if words[0] in ("first", "second")}
    assert {tested for tested, _ in kept.values()} == {"yes", "by alternatives"}
    assert kept["first"][1] in "ab"
    assert kept["second"][1] in "cd"


def test_the_measures_are_those_of_the_saved_model_on_the_rows_held_out(patients: Path, tmp_path: Path):
    model = tmp_path / "m.json"
    options = ("--test-size", "0.25", "--seed", "3", "--model", model)
    result = done("fit", patients, "--target", "class", *QUICK, *options)
    frame = pl.read_csv(patients, null_values="?")
    _, held_out = train_test_split(frame, test_size=20, stratify=frame["class"], random_state=3)
    accuracy = clausal.load(model).score(held_out.drop("class"), held_out["class"])
    (line,) = [line for line in result.stdout.splitlines() if "Accuracy" in line]
    assert line.split()[1] == f"{accuracy:.3f}"


def test_the_same_seed_gives_the_same_model_whatever_the_format_and_the_library(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def model(name: str, *more: str) -> bytes:
        path = tmp_path / "model.json"
        done("fit", folder / name, "--target", "class", *SCORECARD, "--model", path, *more)
        return path.read_bytes()

    first = (folder / "card.json").read_bytes()
    assert model("patients.parquet") == first
    monkeypatch.setattr("clausal.frames.find_spec", lambda name: name == "polars" or None)
    assert model("patients.csv") == first
    assert model("patients.csv", "--seed", "1") != first


def test_a_model_does_not_depend_on_the_cores_that_trained_it(folder: Path, patients: Path, tmp_path: Path):
    for name, options in (("card.json", SCORECARD), ("machine.json", QUICK)):
        path = tmp_path / name
        done("fit", patients, "--target", "class", *options[:-1], "2", "--model", path)
        assert path.read_bytes() == (folder / name).read_bytes()
        assert clausal.load(path).n_jobs is None


def test_a_machine_can_be_made_in_place_of_a_scorecard(folder: Path):
    assert isinstance(clausal.load(folder / "card.json"), clausal.RuleClassifier)
    assert isinstance(clausal.load(folder / "machine.json"), clausal.TsetlinClassifier)


@pytest.mark.usefixtures("quick_choice")
def test_a_machine_without_settings_chooses_them_and_says_which(patients: Path, tmp_path: Path):
    result = done("fit", patients, "--target", "class", "--machine", "--model", tmp_path / "machine.json")
    chosen = clausal.load(tmp_path / "machine.json").chosen_
    assert f"Chosen by validation: {chosen}" in result.stdout
    assert f"Chosen by validation: {chosen}" in done("rules", tmp_path / "machine.json").stdout


def test_all_rows_are_trained_on_with_refit_or_without_a_test(patients: Path, tmp_path: Path):
    def rules(name: str, *options: str) -> Any:
        result = done("fit", patients, "--target", "class", *QUICK, "--model", tmp_path / name, *options)
        return clausal.load(tmp_path / name).rules_, result

    part, _ = rules("part.json")
    whole, no_test = rules("whole.json", "--no-test")
    refit, judged = rules("refit.json", "--refit")
    assert whole == refit
    assert whole != part
    assert "held-out" not in no_test.stdout
    assert "On 16 held-out rows" in judged.stdout
    assert "trained on all rows; the model evaluated below was trained without" in judged.stderr


def test_more_than_two_classes_work_throughout(tmp_path: Path):
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("x,y\n" + "".join(f"{i % 30},{'abc'[i % 30 // 10]}\n" for i in range(90)))
    done("fit", table, "--target", "y", *QUICK, "--model", model, "--report", tmp_path / "r.html")
    done("predict", model, table, "--output", tmp_path / "scored.csv")
    scored = pl.read_csv(tmp_path / "scored.csv")
    assert scored.columns[2:] == [
        *("prediction", "vote_a", "vote_b", "vote_c"),
        *("probability_a", "probability_b", "probability_c"),
    ]
    assert "b" in done("explain", model, table, "--row", "15").stdout


@pytest.mark.parametrize("options", [QUICK, SCORECARD])
def test_a_positive_class_leaves_the_labels_as_they_are(
    patients: Path, tmp_path: Path, options: tuple[str, ...]
):
    model, scored = tmp_path / "m.json", tmp_path / "s.csv"
    result = done("fit", patients, "--target", "class", "--positive", "ill", *options, "--model", model)
    assert "the positive class is ill" in result.stdout
    assert "Points are for ill." in result.stdout
    assert ("risk of ill" in result.stdout) == (options == SCORECARD)
    clf = clausal.load(model)
    assert (clf.classes_.tolist(), clf.pos_label_) == (["ill", "well"], "ill")
    done("predict", model, patients, "--output", scored)
    frame = pl.read_csv(scored)
    assert set(frame["prediction"]) == {"ill", "well"}
    assert frame.columns[-3:] == ["prediction", "vote", "probability_ill"]
    assert ((frame["vote"] >= 0) == (frame["prediction"] == "ill")).all()
    risk = frame.group_by("prediction").agg(pl.col("probability_ill").mean()).sort("prediction")
    assert risk["probability_ill"].is_sorted(descending=True)
    done("report", model, patients, "--target", "class", "--output", tmp_path / "r.html")
    assert "means <strong>ill</strong>" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_positive_class_of_several_is_against_all_others(tmp_path: Path):
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("\n".join(["x,y", *(f"{i % 30},{'!ab'[i % 30 // 10]}" for i in range(90))]))
    done("fit", table, "--target", "y", "--positive", "!", *QUICK, "--model", model)
    clf = clausal.load(model)
    assert (clf.classes_.tolist(), clf.pos_label_) == (["!", "(not !)"], "!")
    done("report", model, table, "--target", "y", "--output", tmp_path / "r.html")


def test_rows_without_a_label_and_unusable_columns_are_left_out_with_a_warning(tmp_path: Path):
    table = tmp_path / "t.csv"
    rows = [f"p{i},2024-01-{i % 28 + 1:02},{i % 9},{'' if i == 5 else i % 2}" for i in range(50)]
    table.write_text("\n".join(["name,day,x,y", *rows]))
    result = done("fit", table, "--target", "y", *QUICK, "--model", tmp_path / "m.json")
    for text in ("1 row without a value of 'y'", "'name' is ignored", "'day' is ignored: dates"):
        assert text in result.stderr
    assert clausal.load(tmp_path / "m.json").feature_names_in_.tolist() == ["x"]


def test_quiet_leaves_only_results(patients: Path):
    result = done("fit", patients, "--target", "class", *QUICK, "--quiet")
    assert result.stderr == ""
    assert "held-out rows" in result.stdout


@pytest.mark.parametrize("options", [("--max-literals", "3"), ("--machine", "--scoring", "accuracy")])
def test_tune_saves_the_best_model_and_shows_what_was_tried(
    patients: Path, tmp_path: Path, options: tuple[str, ...], quick_tuning: None
):
    model, new = tmp_path / "m.json", tmp_path / "new.csv"
    result = done("tune", patients, "--target", "class", *options, "--model", model)
    assert "The best settings" in result.stderr
    assert "in cross-validation" in result.stdout
    assert "On 16 held-out rows" in result.stdout
    clf = clausal.load(model)
    assert isinstance(clf, clausal.TsetlinClassifier) == ("--machine" in options)
    assert clf.rules_.to_text() in result.stdout
    new.write_text("age,colour,smoker,dose\n30,pink,,\n")
    assert "not seen in training" in done("predict", model, new).stderr


def test_a_machine_goes_on_from_its_checkpoint(patients: Path, tmp_path: Path):
    run, model, other = tmp_path / "run", tmp_path / "model.json", tmp_path / "other.json"
    command = ("fit", patients, "--target", "class", "--machine", "--clauses", "4", "--epochs")
    done(*command, "3", "--checkpoint", run)
    done(*command, "5", "--checkpoint", run, "--model", model)
    done(*command, "5", "--model", other)
    assert model.read_bytes() == other.read_bytes()
    assert json.loads(run.read_bytes())["content"]["history"]["epoch"] == [1, 2, 3, 4, 5]
