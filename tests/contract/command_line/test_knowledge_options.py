"""What an expert knows, as options and as a file of `clausal fit`: the same model as in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import clausal
from clausal import Booleanizer, RuleClassifier, TsetlinClassifier
from tests.support.command_line import QUICK, clausal_run, done, fails, write_patients

OPTIONS = ("--cv", "2", "--max-literals", "6", "--jobs", "1", "--no-test", "--quiet")
TOML = """
forbidden_features = ["smoker"]
fixed_rules = ["dose is 2.5"]
[cut_points]
age = [30, 45, 60]
[special_values]
dose = [2.5]
[groups.colour]
warm = ["red", "orange"]
[scale]
base_score = 500
"""
KNOWN = {
    "cut_points": {"age": [30, 50, 60.5]},
    "special_values": {"dose": [2.5]},
    "groups": {"colour": {"warm": ["red", "orange"]}},
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("knowledge") / "patients.csv"
    write_patients(path, 150)
    return path


def read(table: Path) -> tuple[Any, Any]:
    X = pd.read_csv(table, na_values="?")
    return X, X.pop("class").to_numpy(str)


def fitted(table: Path, folder: Path, *options: Any) -> Any:
    model = folder / "model.json"
    done("fit", table, "--target", "class", *OPTIONS, *options, "--model", model)
    return clausal.load(model)


def test_options_give_the_model_of_python(table: Path, tmp_path: Path) -> None:
    options = [
        *("--cut-points", "age=30,50,60.5", "--special", "dose=2.5", "--monotonic", "age=-"),
        *("--forbid", "smoker", "--max-features", "2"),
        *("--fixed-rule", "dose is 2.5", "--fixed-rule", "-2 if age > 60.5"),
    ]
    known = Booleanizer(
        max_columns="auto", cut_points=KNOWN["cut_points"], special_values=KNOWN["special_values"]
    )
    clf = RuleClassifier(
        booleanizer=known,
        monotonic_cst={"age": -1},
        forbidden_features=["smoker"],
        fixed_rules=["dose is 2.5", ("age > 60.5", -2)],
        max_features=2,
        max_literals=6,
        cv=2,
        random_state=0,
    ).fit(*read(table))
    found = fitted(table, tmp_path, *options)
    assert isinstance(found, RuleClassifier)
    first = (tmp_path / "model.json").read_bytes()
    clf.set_params(**{name: value for name, value in found.get_params().items() if "__" not in name})
    clf.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == first
    assert {"dose is 2.5", "age > 60.5"} <= set(map(str, found.rules_))


def test_a_file_and_options_on_top_of_it_give_the_model_of_python(table: Path, tmp_path: Path) -> None:
    file = tmp_path / "card.toml"
    file.write_text(TOML)
    options = ["--cut-points", "age=30,50,60.5", "--fixed-rule", "+1 if age <= 30", "--forbid", "other"]
    X, y = read(table)
    wide = tmp_path / "wide.csv"
    X.assign(other=range(len(X)), **{"class": y}).to_csv(wide, index=False)
    found = fitted(wide, tmp_path, "--knowledge", file, *options, "--scale", "600,20,40", "--cut-off", "590")
    clf = RuleClassifier(
        booleanizer=Booleanizer(max_columns="auto", **KNOWN),
        forbidden_features=["smoker", "other"],
        fixed_rules=["dose is 2.5", ("age <= 30", 1)],
        max_literals=6,
        cv=2,
        random_state=0,
    ).fit(X.assign(other=range(len(X))), y)
    card = clf.to_scorecard().scaled(600, 20, 40)
    assert found.rules_.to_dict() == card.rules_.with_cut_off(590).to_dict()
    assert found.about_ == card.about_
    decided = found.predict(X.assign(other=1))
    assert (decided == "well").tolist() == (found.votes(X.assign(other=1)) >= 590).tolist()


def test_a_scale_is_turned_and_has_either_separator(table: Path, tmp_path: Path) -> None:
    found = fitted(table, tmp_path, "--scale", "600:20:40", "--turn")
    X, y = read(table)
    clf = RuleClassifier(max_literals=6, cv=2, random_state=0).fit(X, y)
    assert found.rules_.to_dict() == clf.to_scorecard().scaled(600, 20, 40, positive=False).rules_.to_dict()
    file = tmp_path / "card.toml"
    file.write_text("[scale]\nbase_odds = 20\npoints_to_double = 40")
    assert fitted(table, tmp_path, "--knowledge", file, "--turn").rules_ == found.rules_


def test_the_positive_class_of_a_file_counts_and_no_option_may_say_otherwise(
    table: Path, tmp_path: Path
) -> None:
    file = tmp_path / "card.toml"
    file.write_text('pos_label = "ill"')
    assert fitted(table, tmp_path, "--knowledge", file).pos_label_ == "ill"
    assert fitted(table, tmp_path, "--knowledge", file, "--positive", "ill").pos_label_ == "ill"
    for command in ("fit", "tune"):
        options = ("--target", "class", "--knowledge", file, "--positive", "well")
        result = clausal_run(command, table, *options)
        assert result.exit_code == 2
        assert "it must be 'ill', the 'pos_label' of" in " ".join(result.output.split())
    assert fitted(table, tmp_path).pos_label_ == "well"


def test_a_machine_takes_cut_points_and_special_values(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "machine.json"
    options = ("--cut-points", "age=30,50,60.5", "--special", "dose=2.5", "--forbid", "smoker")
    done("fit", table, "--target", "class", *QUICK, *options, "--no-test", "--quiet", "--model", model)
    machine = TsetlinClassifier(
        10,
        threshold=10,
        n_epochs=5,
        booleanizer=Booleanizer(
            max_columns="auto", cut_points=KNOWN["cut_points"], special_values=KNOWN["special_values"]
        ),
        forbidden_features=["smoker"],
        random_state=0,
    ).fit(*read(table))
    assert clausal.load(model).rules_.to_dict() == machine.rules_.to_dict()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--cut-points", "age"), 2, "Invalid value for --cut-points: it must be COLUMN=VALUE. Got 'age'"),
        (("--cut-points", "age=a"), 2, "numbers with commas between them. Got 'age=a'"),
        (("--cut-points", "age=1", "--cut-points", "age=2"), 2, "each column once, not 'age' twice"),
        (("--cut-points", "age=50,30"), 1, "must be sorted, the smallest first. Got 30 after 50 for 'age'"),
        (("--cut-points", "agee=30"), 1, "Got 'agee'. Did you mean 'age'?"),
        (("--cut-points", "colour=30"), 1, "Got 'colour', which holds text"),
        (("--special", "age=inf"), 1, "must hold finite numbers. Got inf for 'age'"),
        (("--special", "age=30", "--cut-points", "age=30"), 1, "Got 30 for 'age', which is both"),
        (("--monotonic", "age=1"), 2, "it must have + or - after the column. Got 'age=1'"),
        (("--monotonic", "colour=+"), 1, "whose categories have no order"),
        (("--forbid", "agee"), 1, "Got 'agee'. Did you mean 'age'?"),
        (("--scale", "600,50"), 2, "it must be SCORE,ODDS,DOUBLE, such as 600,50,20. Got '600,50'"),
        (("--turn",), 2, "Invalid value for --turn: it can be used only with a scale."),
        (("--machine", "--turn"), 2, "it can be used only without --machine"),
        (("--scale", "600,0,20"), 1, "'base_odds' parameter of scaled must be"),
        (("--fixed-rule", "+11 if age > 30"), 1, "'fixed_rules'"),
        (("--machine", "--scale", "600,50,20"), 2, "it can be used only without --machine"),
        (("--machine", "--fixed-rule", "age > 3"), 2, "it can be used only without --machine"),
        (("--knowledge", "none.toml"), 1, "No such file or directory: none.toml"),
    ],
)
def test_a_wrong_option_is_refused(table: Path, options: tuple[str, ...], code: int, message: str) -> None:
    own = () if "--machine" in options else ("--cv", "2", "--max-literals", "2")
    if code == 2:
        result = clausal_output("fit", table, "--target", "class", *own, *options)
        assert message in result
    else:
        assert message in fails("fit", table, "--target", "class", *own, *options, code=code)


def test_a_machine_refuses_a_file_for_scorecards(table: Path, tmp_path: Path) -> None:
    file = tmp_path / "card.toml"
    file.write_text("max_features = 2")
    message = fails("fit", table, "--target", "class", "--machine", "--knowledge", file)
    assert "Knowledge for a machine must not have 'max_features', which is for scorecards" in message
    file.write_text("max_featurs = 2")
    assert "Did you mean 'max_features'?" in fails("fit", table, "--target", "class", "--knowledge", file)


def clausal_output(*args: Any) -> str:
    """What the program prints where it fails for a wrong option, on one line."""
    result = clausal_run(*args)
    assert result.exit_code == 2, result.output
    return " ".join(result.output.replace("│", " ").split())
