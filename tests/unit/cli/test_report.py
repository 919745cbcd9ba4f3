"""`clausal report`: what the user says about the model, and the names of the rows."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from clausal import TableWarning, TsetlinClassifier
from tests.support.command_line import QUICK, done, fails, write_patients


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with an id column, and a model of the others."""
    folder = tmp_path_factory.mktemp("report")
    write_patients(folder / "plain.csv")
    head, *lines = (folder / "plain.csv").read_text().splitlines()
    rows = [f"P{number:03d},{line}" for number, line in enumerate(lines, 1)]
    (folder / "table.csv").write_text("\n".join([f"patient,{head}", *rows]) + "\n")
    rows[0] = rows[0].rpartition(",")[0] + ","  # no class
    (folder / "gap.csv").write_text("\n".join([f"patient,{head}", *rows]) + "\n")
    done("fit", folder / "plain.csv", "--target", "class", *QUICK, "--model", folder / "model.json")
    return folder


def run(folder: Path, *options: str, table: str = "table.csv") -> str:
    out = folder / "r.html"
    done("report", folder / "model.json", folder / table, "--target", "class", "-o", out, *options)
    return out.read_text(encoding="utf-8")


def test_title_and_about_are_at_the_top(folder: Path):
    page = run(folder, "--title", "Ill or well", "--about", "owner=Dr. A = B", "--about", "Seen by=<C>")
    assert "<h1>Ill or well</h1>" in page
    assert "<dt>Owner</dt><dd>Dr. A = B</dd>" in page
    assert "<dt>Seen by</dt><dd>&lt;C&gt;</dd>" in page
    assert "Not stated: purpose, data, period." in page


def test_rows_are_named_by_the_id_column(folder: Path):
    page = run(folder, "--id", "patient")
    assert "Test rows are named by their patient." in page
    assert len(re.findall(r"<h3>Test row P\d{3}:", page)) == 4
    assert "Test rows are counted from 1." in run(folder)


def test_where_rows_are_left_out_the_others_keep_their_number_in_the_file(folder: Path):
    page = run(folder, table="gap.csv")
    assert "Test rows are named by their row number in gap.csv." in page
    numbered = [int(row) for row in re.findall(r"<h3>Test row (\d+):", page)]
    by_id = [
        int(row)
        for row in re.findall(r"<h3>Test row P(\d+):", run(folder, "--id", "patient", table="gap.csv"))
    ]
    assert numbered == by_id != []


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("--about must be KEY=VALUE, such as owner=Cardiology. Got 'owner'", ("--about", "owner")),
        ("--about must be KEY=VALUE", ("--about", "owner= ")),
        ("--about must have each key once. Got 'a' twice.", ("--about", "a=b", "--about", "a=c")),
        ("title must not be blank", ("--title", " ")),
        ("no column 'patent'", ("--id", "patent")),
        ("Did you mean 'patient'?", ("--id", "patent")),
        ("--id must not be the target. Got 'class'.", ("--id", "class")),
        ("--id must be a column that the model does not read. Got 'age'", ("--id", "age")),
    ],
)
def test_bad_options_are_refused_in_one_line(folder: Path, words: str, options: tuple[str, ...]):
    out = folder / "no.html"
    args = ("report", folder / "model.json", folder / "table.csv", "--target", "class", "-o", out)
    assert words in fails(*args, *options)
    assert not out.exists()


def test_a_column_that_training_has_ignored_may_name_the_rows(folder: Path):
    table = pd.read_csv(folder / "table.csv", na_values="?")
    with pytest.warns(TableWarning, match="'patient' is ignored"):
        clf = TsetlinClassifier(10, n_epochs=2, random_state=0).fit(
            table.drop(columns="class"), table["class"]
        )
    clf.save(folder / "python.json")
    args = ("--target", "class", "--id", "patient", "-o", folder / "id.html")
    done("report", folder / "python.json", folder / "table.csv", *args)
    assert "Test rows are named by their patient." in (folder / "id.html").read_text(encoding="utf-8")


def test_what_counts_as_all_others_is_said(folder: Path):
    options = ("--target", "colour", "--positive", "red", *QUICK)
    done("fit", folder / "plain.csv", *options, "--model", folder / "red.json")
    args = ("report", folder / "red.json", folder / "plain.csv", "-o", folder / "red.html", "--target")
    said = done(*args, "colour").stderr
    assert "Classes of 'colour' that count as (not red): blue, green." in said
    assert "right column" not in said
    assert "No row has the class 'red'; is 'class' the right column?" in done(*args, "class").stderr
