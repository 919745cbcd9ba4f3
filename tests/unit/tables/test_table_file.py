"""Tables in files, of either format."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clausal.tables.columns import MissingTexts
from clausal.tables.table_file import read_table

USUAL = MissingTexts()
CSV = "id,age,colour,smoker\n007,31,red,true\n008,45.5,?,false\n"


@pytest.fixture
def csv(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    path.write_text(CSV, encoding="utf-8")
    return str(path)


@pytest.fixture
def parquet(tmp_path: Path) -> str:
    path = tmp_path / "table.parquet"
    pl.DataFrame(
        {
            "age": [31, None],
            "share": [0.5, float("nan")],
            "colour": ["red", None],
            "kind": pl.Series(["a", "b"], dtype=pl.Categorical),
            "smoker": [True, None],
            "born": [date(2000, 1, 1), None],
            "list": [[1], [2]],
        }
    ).write_parquet(path)
    return str(path)


def test_csv_stays_text(csv: str):
    table = read_table(csv)
    assert (table.names, table.n_rows) == (("id", "age", "colour", "smoker"), 2)
    assert (table.column("id").stored, table.column("id").values) == ("cells", ["007", "008"])


def test_gzipped_csv_is_read_whatever_it_is_called(tmp_path: Path):
    path = tmp_path / "table.csv"
    path.write_bytes(gzip.compress(CSV.encode()))
    assert read_table(str(path)).n_rows == 2
    path.write_bytes(gzip.compress(CSV.encode())[:-10])
    with pytest.raises(ValueError, match="damaged gzip"):
        read_table(str(path))


def test_parquet_has_types(parquet: str):
    table = read_table(parquet)
    stored = {name: table.column(name).stored for name in table.names}
    assert stored == {
        "age": "number",
        "share": "number",
        "colour": "text",
        "kind": "category",
        "smoker": "boolean",
        "born": "date",
        "list": "other",
    }
    np.testing.assert_array_equal(table.column("age").values, [31, np.nan])
    assert table.column("colour").values == ["red", None]
    assert table.column("kind").values == ["a", "b"]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_parquet_reads_alike_with_every_library(parquet: str, library: str, monkeypatch: pytest.MonkeyPatch):
    usual = read_table(parquet)
    monkeypatch.setattr("clausal.tables.table_file._PARQUET_READERS", (library,))
    table = read_table(parquet)
    for name in ("age", "share", "colour", "kind", "smoker"):
        assert table.column(name).stored == usual.column(name).stored
        np.testing.assert_array_equal(table.column(name).values, usual.column(name).values)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_integers_that_are_not_exact_are_codes_as_in_csv(
    tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("clausal.tables.table_file._PARQUET_READERS", (library,))
    pl.DataFrame({"account": [2**53 + 1, None], "n": [2**53 - 1, 1]}).write_parquet(tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"))
    assert table.column("account").values == ["9007199254740993", None]
    assert (table.column("account").stored, table.column("n").stored) == ("text", "number")


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_ordered_categories_keep_their_order(tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch):
    levels = ["low", "mid", "high"]
    if library == "polars":
        grades = pl.Series(["mid", "low"], dtype=pl.Enum(levels))
        pl.DataFrame({"x": grades}).write_parquet(tmp_path / "1.parquet")
    else:  # as polars writes it from 1.41 on
        codes = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.uint8()), levels, ordered=True)
        pq.write_table(pa.table({"x": codes}), tmp_path / "1.parquet")
    frame = pd.DataFrame({"x": pd.Categorical(["mid", "low"], levels, ordered=True)})
    frame.to_parquet(tmp_path / "2.parquet")
    frame["x"].cat.as_unordered().to_frame().to_parquet(tmp_path / "3.parquet")
    other = "pyarrow" if library == "polars" else "polars"
    monkeypatch.setattr("clausal.tables.table_file._PARQUET_READERS", (library, other))
    orders = [read_table(str(tmp_path / f"{n}.parquet")).column("x").order for n in (1, 3)]
    assert [list(order) for order in orders] == [levels, []]
    monkeypatch.undo()
    assert list(read_table(str(tmp_path / "2.parquet")).column("x").order) == levels


def test_parquet_without_a_library_says_what_to_install(parquet: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("clausal.tables.table_file.find_spec", lambda name: name == "pandas" or None)
    with pytest.raises(ImportError, match="Parquet needs polars or pyarrow.*pip install polars"):
        read_table(parquet)


def test_a_damaged_parquet_file_is_refused(tmp_path: Path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match="damaged Parquet"):
        read_table(str(path))


def test_an_empty_parquet_file_is_refused(tmp_path: Path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": pl.Series([], dtype=pl.Int64)}).write_parquet(path)
    with pytest.raises(ValueError, match="at least one row"):
        read_table(str(path))


def test_columns_are_added_to_csv_and_the_rest_stays_as_it_was(csv: str, tmp_path: Path):
    out = tmp_path / "out.csv"
    read_table(csv).write(
        str(out), {"prediction": ["a", "b"], "vote": [1, -2], "probability": [0.1, 1.0]}, USUAL
    )
    assert out.read_text(encoding="utf-8") == (
        "id,age,colour,smoker,prediction,vote,probability\n007,31,red,true,a,1,0.1\n008,45.5,?,false,b,-2,1\n"
    )


def test_csv_written_as_parquet_gets_types(csv: str, tmp_path: Path):
    out = tmp_path / "out.parquet"
    read_table(csv).write(str(out), {"vote": [1, -2]}, USUAL)
    frame = pl.read_parquet(out)
    assert frame.rows() == [("007", 31.0, "red", True, 1), ("008", 45.5, "?", False, -2)]


def test_text_written_as_parquet_stays_and_what_means_missing_is_no_number(tmp_path: Path):
    (tmp_path / "t.csv").write_text("country,age\nNA,unknown\n,7\nDE,8\n", encoding="utf-8")
    read_table(str(tmp_path / "t.csv")).write(str(tmp_path / "o.parquet"), {}, MissingTexts(["unknown"]))
    assert pl.read_parquet(tmp_path / "o.parquet").rows() == [("NA", None), (None, 7), ("DE", 8)]


def test_parquet_can_be_written_as_either(parquet: str, tmp_path: Path):
    kept = pl.read_parquet(parquet).drop("list")
    kept.write_parquet(tmp_path / "in.parquet")
    table = read_table(str(tmp_path / "in.parquet"))
    for name in ("out.csv", "out.parquet"):
        table.write(str(tmp_path / name), {"vote": [1, -2]}, USUAL)
    assert pl.read_parquet(tmp_path / "out.parquet").drop("vote").equals(kept)
    written = pl.read_csv(tmp_path / "out.csv")
    assert written["vote"].to_list() == [1, -2]
    assert written["age"].to_list() == [31, None]


def test_what_csv_cannot_hold_is_refused_with_its_column(parquet: str, tmp_path: Path):
    with pytest.raises(ValueError, match=r"Column 'list' must hold single values .* CSV. Got List\(Int64\)"):
        read_table(parquet).write(str(tmp_path / "out.csv"), {"vote": [1, -2]}, USUAL)
