"""`clausal monitor`, `clausal compare` and `report --protected`: the same as in Python; exit codes."""

from pathlib import Path

import polars as pl
import pytest

import clausal
from tests.support.command_line import clausal_run, done, fails


@pytest.fixture
def tables(patients: Path, tmp_path: Path) -> Path:
    """Two periods: one like the other, and one of older patients, some of whose classes are not known."""
    frame = pl.read_csv(patients, null_values="?")
    frame = pl.concat([frame] * 5).with_columns(sex=pl.int_range(400).mod(2).replace_strict({0: "f", 1: "m"}))
    frame.write_csv(tmp_path / "same.csv", null_value="?")
    older = frame.with_columns(age=pl.col("age") + 30, colour=pl.lit("pink"))
    unknown = pl.when(pl.int_range(400) < 100).then(None).otherwise(pl.col("class")).alias("class")
    older.with_columns(unknown).write_csv(tmp_path / "older.csv", null_value="?")
    return tmp_path


def test_stable_rows_end_with_0(folder: Path, tables: Path):
    result = done("monitor", folder / "card.json", tables / "same.csv", tables / "same.csv", "--quiet")
    assert result.stdout.startswith("Verdict: stable")
    assert result.stderr == ""


def test_rows_to_act_on_end_with_4_and_have_a_page(folder: Path, tables: Path):
    files = folder / "card.json", tables / "same.csv", tables / "older.csv"
    page = tables / "page.html"
    options = ("--target", "class", "--protected", "sex", "--bins", "values", "--output", page)
    result = clausal_run("monitor", *files, *options)
    assert result.exit_code == 4
    assert result.stdout.startswith("Verdict: act")
    assert "100 rows of" in result.stderr
    assert "By sex, decisions for well" in result.stdout
    assert "Groups of sex" in page.read_text(encoding="utf-8")


def test_rows_to_watch_end_with_3(folder: Path, tables: Path, monkeypatch: pytest.MonkeyPatch):
    clf = clausal.load(folder / "card.json")
    frame = pl.read_csv(tables / "same.csv", null_values="?")
    X = frame.drop("class", "sex")
    found = clausal.monitor(clf, X, X)
    watched = type(found)(**{**vars(found), "verdict": "watch"})
    monkeypatch.setattr("clausal.cli.commands.monitor.compare_periods", lambda *a, **k: watched)
    assert (
        clausal_run("monitor", folder / "card.json", tables / "same.csv", tables / "same.csv").exit_code == 3
    )


def test_wrong_columns_are_errors_with_1(folder: Path, tables: Path):
    files = folder / "card.json", tables / "same.csv", tables / "older.csv"
    assert "The table has no column 'klass'" in fails("monitor", *files, "--target", "klass")
    used = clausal.load(folder / "card.json")
    name = used.encoding_.feature_names[min(used.rules_.used_features)]
    assert f"Got {name!r}, which the model uses." in fails("monitor", *files, "--protected", name)


def test_compare_shows_two_models(folder: Path, tables: Path):
    files = folder / "card.json", folder / "machine.json", tables / "older.csv"
    result = done("compare", *files, "--target", "class", "--output", tables / "page.html")
    assert result.stdout.startswith("2 models on 300 rows, compared with card")
    assert "100 rows without a value of 'class' ignored." in result.stderr
    assert "McNemar" in (tables / "page.html").read_text(encoding="utf-8")


def test_compare_needs_two_different_models(folder: Path, tables: Path):
    card, table = folder / "card.json", tables / "same.csv"
    assert clausal_run("compare", card, table, "--target", "class").exit_code == 2
    assert "compare must be given different models" in fails(
        "compare", card, card, table, "--target", "class"
    )


def test_a_report_has_a_section_about_groups(folder: Path, tables: Path):
    page = tables / "report.html"
    files = folder / "card.json", tables / "same.csv"
    done("report", *files, "--target", "class", "--protected", "sex", "--output", page)
    assert "Groups of sex" in page.read_text(encoding="utf-8")
