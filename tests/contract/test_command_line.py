"""The command line: what each command writes, its exit codes, and errors of one line."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import train_test_split
from typer.testing import CliRunner

import clausal
from clausal.cli import app
from clausal.cli.commands.demo import Demo, demo_table
from clausal.cli.commands.fit import FitOptions, lenient_booleanizer

COMMANDS = ("fit", "predict", "rules", "explain", "report", "tune", "export", "demo", "info")
QUICK = ("--machine", "--clauses", "10", "--threshold", "10", "--epochs", "5", "--jobs", "1")
SCORECARD = ("--cv", "2", "--max-literals", "3", "--jobs", "1")
DOCS = Path(__file__).parents[2] / "docs" / "command-line.md"


def clausal_run(*args: str | Path, **settings: Any) -> Any:
    """Run the program in this process."""
    return CliRunner().invoke(app, [str(arg) for arg in args], prog_name="clausal", **settings)


def done(*args: str | Path, **settings: Any) -> Any:
    """Run the program, which must succeed."""
    result = clausal_run(*args, **settings)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def fails(*args: str | Path, code: int = 1, **settings: Any) -> str:
    """Run the program, which must fail without results, an error being the last line; that line."""
    result = clausal_run(*args, **settings)
    assert result.exit_code == code, (result.output, result.exception)
    assert result.stdout == ""
    *before, line = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert not any("Error" in text or "Traceback" in text for text in before)
    return str(line)


def process(*args: str | Path, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run the program as a process of its own."""
    command = [sys.executable, "-c", "from clausal.cli import main; main()", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **settings)


def write_patients(path: Path, n_rows: int = 80) -> None:
    """A table with numbers, categories, booleans, missing values and a rule in it."""
    draw = random.Random(0)
    lines = ["age,colour,smoker,dose,class"]
    for _ in range(n_rows):
        age, colour = draw.randint(20, 80), draw.choice(["red", "green", "blue"])
        smoker, dose = draw.choice(["true", "false"]), draw.choice(["?", "1.5", "2.5"])
        lines.append(f"{age},{colour},{smoker},{dose},{'ill' if age > 50 or colour == 'red' else 'well'}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, as CSV and as Parquet, and two models of it."""
    folder = tmp_path_factory.mktemp("files")
    write_patients(folder / "patients.csv")
    frame = pl.read_csv(folder / "patients.csv", null_values="?")
    frame.write_parquet(folder / "patients.parquet")
    done("fit", folder / "patients.csv", "--target", "class", *SCORECARD, "--model", folder / "card.json")
    done("fit", folder / "patients.csv", "--target", "class", *QUICK, "--model", folder / "machine.json")
    return folder


@pytest.fixture
def patients(folder: Path) -> Path:
    return folder / "patients.csv"


# --- fit ---


def test_fit_shows_types_rules_risks_and_held_out_measures(patients: Path, tmp_path: Path):
    report, model = tmp_path / "report.html", tmp_path / "model.json"
    result = done(*("fit", patients, "--target", "class", *SCORECARD, "--report", report, "--model", model))
    assert "80 rows, 4 columns besides the target class" in result.stderr
    (dose,) = [line.split() for line in result.stderr.splitlines() if "dose" in line]
    assert dose == ["dose", "number", "2.5", "36", "2"]
    assert "Training on 64 rows, holding out 16" in result.stderr
    assert "the one the figures below are about" in result.stderr
    rules = clausal.load(model).rules_
    assert rules.n_literals <= 3
    assert "It also chose the size, so it is a little optimistic" in result.stdout
    for text in (rules.to_text(), "Score and risk of well", "On 16 held-out rows", "Balanced accuracy"):
        assert text in result.stdout
    assert "<html" in report.read_text(encoding="utf-8")


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
    assert "of all rows; the figures below are those of the model without" in judged.stderr


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


def test_a_positive_class_is_the_second_one(patients: Path, tmp_path: Path):
    model = tmp_path / "m.json"
    result = done("fit", patients, "--target", "class", "--positive", "ill", *QUICK, "--model", model)
    assert "the positive class is ill" in result.stdout
    assert clausal.load(model).classes_.tolist() == ["(not ill)", "ill"]
    done("report", model, patients, "--target", "class", "--output", tmp_path / "r.html")


def test_rows_without_a_label_and_unusable_columns_are_left_out_with_a_warning(tmp_path: Path):
    table = tmp_path / "t.csv"
    rows = [f"p{i},2024-01-{i % 28 + 1:02},{i % 9},{'' if i == 5 else i % 2}" for i in range(50)]
    table.write_text("\n".join(["name,day,x,y", *rows]))
    result = done("fit", table, "--target", "y", *QUICK, "--model", tmp_path / "m.json")
    for text in ("1 row without a value of 'y'", "'name' is left out", "'day' is left out: dates"):
        assert text in result.stderr
    assert clausal.load(tmp_path / "m.json").feature_names_in_.tolist() == ["x"]


def test_quiet_leaves_only_results(patients: Path):
    result = done("fit", patients, "--target", "class", *QUICK, "--quiet")
    assert result.stderr == ""
    assert "held-out rows" in result.stdout


# --- tune ---


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
    assert "categories that training did not have" in done("predict", model, new).stderr


# --- predict ---


@pytest.mark.parametrize("name", ["card.json", "machine.json"])
def test_predictions_are_the_models_own(folder: Path, patients: Path, tmp_path: Path, name: str):
    out = tmp_path / "scored.csv"
    done("predict", folder / name, patients, "--output", out)
    scored, clf = pl.read_csv(out), clausal.load(folder / name)
    X = pl.read_csv(patients, null_values="?").drop("class")
    assert scored["prediction"].to_list() == clf.predict(X).tolist()
    assert scored["vote"].to_list() == clf.votes(X).tolist()
    np.testing.assert_array_equal(scored["probability_well"].to_numpy(), clf.predict_proba(X)[:, 1])
    assert scored.drop("prediction", "vote", "probability_well").equals(pl.read_csv(patients))


def test_predict_reads_and_writes_both_formats_and_standard_streams(
    folder: Path, patients: Path, tmp_path: Path
):
    model = folder / "card.json"
    text = done("predict", model, patients).stdout
    assert done("predict", model, "-", input=patients.read_bytes()).stdout == text
    votes = pl.read_csv(text.encode())["vote"]
    for source in ("patients.csv", "patients.parquet"):
        done("predict", model, folder / source, "--output", tmp_path / "scored.parquet")
        scored = pl.read_parquet(tmp_path / "scored.parquet")
        assert scored["vote"].equals(votes)
        assert scored["age"].dtype == pl.Int64


def test_unknown_values_are_counted_and_further_columns_kept(folder: Path, tmp_path: Path):
    table = tmp_path / "new.csv"
    table.write_text("note,class,dose,smoker,colour,age\nx,,1.5,true,pink,30\ny,,?,,red,\n")
    result = done("predict", folder / "machine.json", table)
    assert "1 value of categories that training did not have" in result.stderr
    assert "colour pink (1)" in result.stderr
    assert "2 values missing in columns that were complete in training: age, smoker" in result.stderr
    assert [line.split(",")[0] for line in result.stdout.splitlines()] == ["note", "x", "y"]


# --- rules, explain, report, export ---


def test_rules_are_the_models_own(folder: Path):
    for name in ("card.json", "machine.json"):
        assert clausal.load(folder / name).rules_.to_text() in done("rules", folder / name).stdout


def test_explanations_are_the_models_own(folder: Path, patients: Path):
    clf = clausal.load(folder / "machine.json")
    X = pl.read_csv(patients, null_values="?").drop("class")
    result = done("explain", folder / "machine.json", patients, "--row", "3", "--row", "1", "--fixed", "age")
    for row in (3, 1):
        (explanation,) = clf.explain(X[row - 1 : row], fixed=["age"])
        assert f"Row {row}: {explanation}" in result.stdout
    first = done("explain", folder / "machine.json", patients)
    assert first.stdout.count("Row ") == 5
    assert "75 more rows" in first.stderr


def test_a_column_to_fix_is_one_of_the_file(folder: Path, patients: Path):
    explain = ("explain", folder / "machine.json", patients, "--row", "1")
    line = fails(*explain, "--fixed", "colr")
    assert "no column 'colr'. Its columns are age, colour" in line
    assert line.endswith("Did you mean 'colour'?")
    result = done(*explain, "--fixed", "class")
    assert "Column 'class' is not one that the model looks at" in result.stderr
    assert result.stdout == done(*explain).stdout


def test_a_report_is_written_of_a_saved_model(folder: Path, patients: Path, tmp_path: Path):
    out = tmp_path / "r.html"
    args = ("report", folder / "card.json", patients, "--target", "class", "--train", patients, "-o", out)
    written = done(*args)
    page = out.read_text(encoding="utf-8")
    assert "rows of" in written.stderr
    assert "trained on make it look better than it is" in written.stderr
    assert all(str(rule).split()[0] in page for rule in clausal.load(folder / "card.json").rules_)


def test_exported_sql_scores_as_the_model_does(folder: Path, patients: Path):
    for name in ("card.json", "machine.json"):
        query = done("export", folder / name, "--to", "sql", "--table", "patients").stdout
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE patients AS FROM read_csv('{patients}', nullstr='?')")
            votes = [row[0] for row in connection.execute(f'SELECT "vote" FROM ({query})').fetchall()]
        X = pl.read_csv(patients, null_values="?").drop("class")
        assert votes == clausal.load(folder / name).votes(X).tolist()


def test_exported_json_and_markdown_are_the_rules(folder: Path, tmp_path: Path):
    rules = clausal.load(folder / "card.json").rules_
    done("export", folder / "card.json", "--to", "json", "--output", tmp_path / "rules.json")
    assert clausal.RuleSet.from_json((tmp_path / "rules.json").read_text(encoding="utf-8")) == rules
    assert done("export", folder / "card.json", "--to", "markdown").stdout == rules.to_markdown()


# --- demo, info, help ---


@pytest.mark.parametrize("name", list(Demo))
def test_every_demo_has_a_table_in_words(name: Demo):
    text, about = demo_table(name)
    assert text.names[-1] == "class"
    assert len(set(text.columns[-1])) == 2
    assert "UCI" in about
    if name is Demo.heart:
        assert set(text.columns[text.names.index("sex")]) == {"female", "male"}


def test_a_demo_trains_and_writes_what_is_asked_for(tmp_path: Path, quick_scorecards: None):
    files = {name: tmp_path / f"heart.{name}" for name in ("csv", "json", "html")}
    options = [("--table", files["csv"]), ("--model", files["json"]), ("--report", files["html"])]
    result = done("demo", *(part for option in options for part in option))
    assert "Heart disease" in result.stderr
    assert "held-out rows" in result.stdout
    assert all(path.exists() for path in files.values())


def test_info_names_the_version_and_the_instruction_set():
    shown = done("info").stdout
    assert clausal.__version__ in shown
    assert "instruction set" in shown
    assert "polars" in shown
    assert done("--version").stdout == f"clausal {clausal.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_with_options_that_exist(command: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    shown = done(command, "--help").stdout
    _, examples = shown.split("Examples:")
    lines = [line.strip() for line in examples.splitlines() if f"clausal {command}" in line]
    assert lines
    for line in lines:
        for option in (word for word in shlex.split(line) if word.startswith("--")):
            assert f"{option} " in shown.split("Examples:")[0]


# --- errors ---


def test_bad_files_and_names_are_one_line_and_exit_code_1(folder: Path, patients: Path, tmp_path: Path):
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "noise.csv").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,a\n")
    (tmp_path / "few.csv").write_text("x,y\n1,a\n2,a\n3,b\n")
    (tmp_path / "short.csv").write_text("colour,smoker\nred,true\n")
    (tmp_path / "hostile.json").write_text(json.dumps({"format": "clausal model", "version": 10**9}))
    machine = folder / "machine.json"
    for message, *args in [
        ("No such file or directory: none.csv", "fit", "none.csv", "--target", "y"),
        ("Is a directory", "fit", tmp_path, "--target", "y"),
        ("no column 'clas'", "fit", patients, "--target", "clas"),
        ("at least 2 classes. Got only 'a'", "fit", tmp_path / "one.csv", "--target", "y"),
        ("at least 2 rows", "fit", tmp_path / "few.csv", "--target", "y"),
        ("an empty file", "fit", tmp_path / "empty.csv", "--target", "y"),
        ("in UTF-8", "fit", tmp_path / "noise.csv", "--target", "y"),
        ("folder that exists", "fit", patients, "--target", "class", "--model", tmp_path / "no" / "m"),
        ("read by this command", "fit", patients, "--target", "class", "--report", patients),
        ("newer", "rules", tmp_path / "hostile.json"),
        ("not a clausal model file", "rules", patients),
        ("No such file", "predict", tmp_path / "none.json", patients),
        ("read by this command", "predict", machine, patients, "--output", machine),
        ("Got none called age", "predict", machine, tmp_path / "short.csv"),
        ("from 1 to 80", "explain", machine, patients, "--row", "81"),
        ("hold only the classes", "report", machine, patients, "--target", "colour", "-o", tmp_path / "r"),
    ]:
        assert message in fails(*args)


def test_a_scored_table_is_not_scored_again(folder: Path, patients: Path, tmp_path: Path):
    done("predict", folder / "card.json", patients, "--output", tmp_path / "scored.csv")
    line = fails("predict", folder / "card.json", tmp_path / "scored.csv")
    assert "must not have a column 'prediction'" in line


@pytest.mark.parametrize(
    "args",
    [
        ("fit",),
        ("fit", "t.csv"),
        ("fit", "t.csv", "--target", "y", "--test-size", "2"),
        ("fit", "t.csv", "--target", "y", "--max-literals", "0"),
        ("fit", "t.csv", "--target", "y", "--clauses", "10"),
        ("fit", "t.csv", "--target", "y", "--machine", "--cv", "3"),
        ("fit", "t.csv", "--target", "y", "--no-test", "--report", "r.html"),
        ("fit", "t.csv", "--target", "y", "--no-test", "--refit"),
        ("fit", "t.csv", "--target", "y", "--scoring", "f11"),
        ("tune", "t.csv", "--target", "y", "--scoring", "foo"),
        ("tune", "t.csv", "--target", "y", "--machine", "--max-literals", "3"),
        ("export", "m.json", "--to", "pdf"),
        ("demo", "unknown"),
        ("--nonsense",),
        ("nonsense",),
    ],
)
def test_a_wrong_command_line_is_exit_code_2(args: tuple[str, ...]):
    assert clausal_run(*args).exit_code == 2


def test_names_and_labels_cannot_steer_the_terminal_or_the_page(tmp_path: Path):
    table = tmp_path / "t.csv"
    rows = "".join(f"{i % 9},[bold]{i % 3},{'<script>' if i % 9 > 4 else 'x'}\n" for i in range(60))
    table.write_text("a\x1b[2J,[red]b[/red],y\n" + rows)
    result = done("fit", table, "--target", "y", *QUICK, "--report", tmp_path / "r.html")
    assert "\x1b" not in result.output
    assert "[red]b[/red]" in result.stderr
    assert "<script>'" not in (tmp_path / "r.html").read_text(encoding="utf-8")


# --- as a process ---


def test_a_process_prints_plain_text_to_a_pipe_and_its_error_is_one_line(patients: Path, tmp_path: Path):
    ran = process("fit", patients, "--target", "class", *QUICK, env={**os.environ, "FORCE_COLOR": ""})
    assert ran.returncode == 0, ran.stderr
    assert "\x1b" not in ran.stdout + ran.stderr
    assert "epochs" not in ran.stderr
    failed = process("rules", "none.json", cwd=tmp_path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == "Error: No such file or directory: none.json\n"


def test_the_progress_bar_is_on_standard_error(patients: Path):
    environment = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm"}
    ran = process("fit", patients, "--target", "class", *QUICK, env=environment)
    assert "epochs" in ran.stderr
    assert "epochs" not in ran.stdout


def test_a_reader_that_goes_away_costs_no_file(folder: Path, patients: Path, tmp_path: Path):
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    fit = ("fit", patients, "--target", "class", *QUICK, "--model", model, "--report", page)
    for args in (fit, ("predict", folder / "card.json", patients), ("rules", folder / "card.json")):
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-c", "from clausal.cli import main; main()", *map(str, args)]
        ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120)
        os.close(writer)
        assert ran.returncode == 0, ran.stderr
        assert "Traceback" not in ran.stderr
        assert "BrokenPipe" not in ran.stderr
    assert model.read_bytes() == (folder / "machine.json").read_bytes()
    assert "<html" in page.read_text(encoding="utf-8")


def test_without_a_table_library_one_line_says_what_to_install(folder: Path, patients: Path, tmp_path: Path):
    card = folder / "card.json"
    hide = "import sys; sys.modules.update(dict.fromkeys(('pandas', 'polars', 'pyarrow')));"
    runs = f"{hide} from clausal.cli import app\nfor line in sys.stdin:\n"
    runs += "    code = app(line.split('\\t')[1:-1], prog_name='clausal', standalone_mode=False)\n"
    runs += "    print('code', code, flush=True)"
    lines = [
        ("fit", patients, "--target", "class"),
        ("tune", patients, "--target", "class"),
        ("demo",),
        ("predict", card, patients),
        ("explain", card, patients),
        ("report", card, patients, "--target", "class", "-o", tmp_path / "r.html"),
    ]
    given = "".join("\t".join(["", *map(str, line), "\n"]) for line in lines)
    ran = subprocess.run(
        [sys.executable, "-c", runs], input=given, capture_output=True, text=True, timeout=120
    )
    assert ran.stdout.split() == ["code", "1"] * len(lines), ran.stderr
    said = "Error: This command needs pandas or polars or pyarrow. Got none of them; install one with: "
    assert ran.stderr == (said + 'pip install "clausal[all]"\n') * len(lines)


def test_an_interrupt_is_exit_code_130_and_no_traceback(patients: Path):
    options = ("--target", "class", "--machine", "--epochs", "100000000", "--jobs", "1")
    command = [
        sys.executable,
        "-u",
        "-c",
        "from clausal.cli import main; main()",
        "fit",
        str(patients),
        *options,
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        while "Training" not in running.stderr.readline():
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, rest = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in rest
    assert "Interrupted." in rest


def test_the_package_itself_needs_no_typer():
    code = "import sys, clausal; sys.exit('typer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- the documentation ---


@pytest.fixture
def quick_scorecards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scorecards of one small machine, so that examples take no time."""

    def quick(options: FitOptions, X: Any, y: Any, screen: Any) -> clausal.RuleClassifier:
        settings: dict[str, Any] = {"threshold": 10, "n_epochs": 5, "booleanizer": lenient_booleanizer(6)}
        machine = clausal.TsetlinClassifier(10, **settings)
        return clausal.RuleClassifier(machine, max_literals=options.max_literals, cv=2, random_state=0).fit(
            X, y
        )

    for command in ("fit", "demo"):
        monkeypatch.setattr(f"clausal.cli.commands.{command}.fit_scorecard", quick)


@pytest.fixture
def quick_tuning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tuning that tries one setting, the default."""

    def quick(X: Any, y: Any, **settings: Any) -> Any:
        return clausal.tune(
            X, y, **{**settings, "n_candidates": 1, "cv": 2, "n_jobs": 1, "time_budget": None}
        )

    monkeypatch.setattr("clausal.cli.commands.tune.search", quick)


def test_the_examples_of_the_documentation_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick_scorecards: None, quick_tuning: None
):
    monkeypatch.chdir(tmp_path)
    blocks = DOCS.read_text(encoding="utf-8").split("```")[1::2]
    lines = [line for block in blocks if block.startswith("sh\n") for line in block.splitlines()[1:]]
    examples = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("clausal ")]
    assert {example[0] for example in examples} == set(COMMANDS)
    for example in examples:
        done(*example)
        if example[0] == "demo":  # rows that come later, in the examples' own words
            shutil.copy("heart.csv", "later.csv")
