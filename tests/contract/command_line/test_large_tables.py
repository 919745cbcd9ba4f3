"""Parquet files that the command line reads in batches: the models and predictions of one file in memory."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from clausal.encoding import stream
from clausal.tables import large_table
from tests.support.command_line import QUICK, SCORECARD, clausal_run, done, fails


@pytest.fixture(scope="module")
def parts(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of patients in three files, of which one has another order of columns; some lack a class."""
    frame = pl.read_parquet(folder / "patients.parquet")
    frame = frame.with_columns(
        pl.when(pl.int_range(80) % 20 == 3).then(None).otherwise("class").alias("class")
    )
    frame = frame.with_columns(
        pl.when(pl.int_range(80) % 20 == 3).then(None).otherwise(pl.col("age") > 50).alias("class")
    )
    path = tmp_path_factory.mktemp("parts")
    (path / "data").mkdir()
    frame.write_parquet(path / "one.parquet")
    frame[:30].write_parquet(path / "data" / "a.parquet")
    frame[30:31].select(sorted(frame.columns)).write_parquet(path / "data" / "b.parquet")
    frame[31:].write_parquet(path / "data" / "c.parquet")
    return path


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BATCH_ROWS", 7)


def test_a_file_of_a_type_that_pyarrow_lacks_is_read_by_polars(parts: Path, tmp_path: Path) -> None:
    frame = pl.read_parquet(parts / "one.parquet").with_columns(pl.col("age").cast(pl.Int128))
    try:
        frame.write_parquet(tmp_path / "wide.parquet")
    except pl.exceptions.ComputeError:
        pytest.skip("LEFT OUT: this polars cannot write the type")
    done("fit", tmp_path / "wide.parquet", "--target", "class", *QUICK, "--model", tmp_path / "model.json")
    said = fails("fit", tmp_path, "--target", "class", *QUICK)
    assert "Integers with more than 64 bits" in said


def tables(parts: Path, kind: str) -> list[Path | str]:
    match kind:
        case "folder":
            return [parts / "data"]
        case "pattern":
            return [f"{parts}/data/*.parquet"]
        case _:
            return [parts / "data" / f"{name}.parquet" for name in "abc"]


@pytest.mark.parametrize("kind", ["folder", "pattern", "several"])
@pytest.mark.parametrize(
    "options",
    [
        SCORECARD,
        QUICK,
        (*SCORECARD, "--refit", "--drop", "smoker", "--positive", "False"),
        (*SCORECARD, "--no-test", "--categorical", "dose", "--missing", "blue"),
    ],
)
def test_fit_gives_the_model_of_one_file(parts, kind, options, tmp_path):
    read = ("--target", "class", "--model")
    one = done("fit", parts / "one.parquet", *read, tmp_path / "one.json", *options)
    all_ = done("fit", *tables(parts, kind), *read, tmp_path / "all.json", *options)
    assert (tmp_path / "all.json").read_text() == (tmp_path / "one.json").read_text()
    assert all_.stdout == one.stdout
    assert (
        "76 rows, 4 columns besides the target class, read in batches" in all_.stderr or "--drop" in options
    )
    assert "4 rows without a value of 'class' ignored" in all_.stderr


def test_a_large_file_is_read_in_batches(parts, monkeypatch, tmp_path):
    monkeypatch.setattr(large_table, "LARGE", 80 * 5 - 1)
    result = done(
        "fit", parts / "one.parquet", "--target", "class", *SCORECARD, "--report", tmp_path / "r.html"
    )
    assert "read in batches" in result.stderr
    assert "<html" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("model", ["card.json", "machine.json"])
def test_predict_gives_the_table_of_one_file(folder, parts, model, ending, tmp_path):
    one, all_ = tmp_path / f"one.{ending}", tmp_path / f"all.{ending}"
    done("predict", folder / model, parts / "one.parquet", "--output", one)
    result = done("predict", folder / model, parts / "data", "--output", all_)
    assert result.stderr.count("80 rows with predictions") == 1
    if ending == "csv":
        assert all_.read_text() == one.read_text()
        assert done("predict", folder / model, parts / "data").stdout == one.read_text()
    else:
        assert pl.read_parquet(all_).equals(pl.read_parquet(one))
    assert sorted(path.name for path in tmp_path.iterdir()) == [all_.name, one.name]


def test_unseen_values_are_said_once(folder, tmp_path):
    frame = pl.read_parquet(folder / "patients.parquet").with_columns(colour=pl.lit("pink"))
    (tmp_path / "data").mkdir()
    frame.write_parquet(tmp_path / "data" / "a.parquet")
    result = done("predict", folder / "machine.json", tmp_path / "data", "--output", tmp_path / "p.csv")
    assert result.stderr.count("In the first batch with such values: ") == 1
    assert "'pink'" in result.stderr


def test_an_output_is_written_as_a_whole(folder, parts, tmp_path):
    output = tmp_path / "out.csv"
    output.write_text("before")
    frame = pl.read_parquet(folder / "patients.parquet")
    (tmp_path / "data").mkdir()
    frame.write_parquet(tmp_path / "data" / "a.parquet")
    frame.with_columns(age=pl.lit("old")).write_parquet(tmp_path / "data" / "b.parquet")
    line = fails("predict", folder / "card.json", tmp_path / "data", "--output", output)
    assert "A column must have one type in all Parquet files of X" in line
    read = pl.read_parquet(folder / "patients.parquet").with_columns(tags=[["a"]] * 80)
    read.write_parquet(tmp_path / "data" / "b.parquet")
    (tmp_path / "data" / "a.parquet").unlink()
    line = fails("predict", folder / "card.json", tmp_path / "data", "--output", output)
    assert "'tags' must hold single values to be written as CSV" in line
    assert output.read_text() == "before"
    assert not (tmp_path / "out.csv.part").exists()


def test_what_is_refused(folder, parts, tmp_path):
    def refused(*args):
        return fails(*args, "--target", "class")

    data = parts / "data"
    assert "no column 'klass'" in fails("fit", data, "--target", "klass")
    assert "must not be dropped" in refused("fit", data, "--drop", "class")
    assert "there is no such file" in refused("fit", parts / "one.parquet", parts / "two.parquet")
    assert "must have files that end in .parquet" in refused("fit", tmp_path)
    assert "X must be a Parquet file" in refused("fit", folder / "patients.csv", folder / "patients.csv")
    assert "besides 'class'. Got none" in refused(
        "fit", data, *(part for name in ("age", "colour", "smoker", "dose") for part in ("--drop", name))
    )
    assert "must hold classes" in fails("fit", data, "--target", "dose")
    assert "is read by this command" in fails(
        "predict", folder / "card.json", data, "--output", data / "a.parquet"
    )
    result = clausal_run("tune", data, data, "--target", "class")
    assert result.exit_code == 2
    assert "it must be one file" in result.stderr
