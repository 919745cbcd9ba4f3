"""Tables to learn from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from clausal import Booleanizer
from clausal.cli.screen import Screen, show_table
from clausal.encoding.remarks import TableWarning
from clausal.tables.table_file import CsvTable, read_table
from clausal.tables.training_table import Reading, read_training_table

TableOf = Callable[[str], CsvTable]
SMALL = """age,colour,when,class
30,red,2024-01-01,a
?,blue,2024-01-02,b
50,red,2024-01-03,
60,red,2024-01-04,b
"""


def test_features_and_labels_are_taken_from_the_labelled_rows(table_of: TableOf):
    table = read_training_table(table_of(SMALL), Reading("class"))
    assert table.X.names == ("age", "colour")
    assert table.X["colour"].tolist() == ["red", "blue", "red"]
    np.testing.assert_array_equal(table.X["age"], [30, np.nan, 60])
    assert table.y.tolist() == ["a", "b", "b"]
    assert table.n_unlabeled == 1


def test_columns_can_be_dropped_and_made_categories(table_of: TableOf):
    table = read_training_table(table_of(SMALL), Reading("class", drop=["colour"], categorical=["age"]))
    assert table.X["age"].tolist() == ["30", None, "60"]
    assert table.X.names == ("age",)


@pytest.mark.parametrize(
    ("reading", "message"),
    [
        (Reading("klass"), "no column 'klass'"),
        (Reading("class", drop=["agee"]), "no column 'agee'. .* Did you mean 'age'"),
        (Reading("class", drop=["class"]), "must not be dropped"),
        (Reading("class", drop=["age", "colour"]), "usable column besides 'class'"),
        (Reading("class", missing=["a"]), "at least 2 classes"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(table_of: TableOf, reading: Reading, message: str):
    with pytest.raises(ValueError, match=message):
        read_training_table(table_of(SMALL), reading)


def test_numbers_that_one_cell_spoils_are_refused_unless_the_user_says_what_they_are(table_of: TableOf):
    rows = [f"{'unknown' if place == 6 else place / 8},{place % 2},{place % 5}" for place in range(200)]
    table = table_of("\n".join(["dose,class,x", *rows]))
    with pytest.raises(ValueError, match=r"Column 'dose' .* Got 'unknown' in row 7\..* --missing unknown"):
        read_training_table(table, Reading("class"))
    for reading, kind in [
        (Reading("class", missing=["unknown"]), ["number", "number"]),
        (Reading("class", categorical=["dose"]), ["category", "number"]),
        (Reading("class", drop=["dose"]), ["number"]),
    ]:
        assert [column.kind for column in read_training_table(table, reading).columns] == kind


def test_where_no_column_can_be_used_each_is_named_with_its_reason(table_of: TableOf):
    rows = [f"n{place},1,2024-01-01,red,{place % 2}" for place in range(40)]
    table = table_of("\n".join(["name,one,day,colour,class", *rows]))
    with pytest.raises(ValueError, match="usable column") as caught:
        read_training_table(table, Reading("class", drop=["colour"]))
    for reason in (
        "'colour' is dropped",
        "'name' is ignored (text that differs from row to row",
        "'one' is ignored (the same value in every row)",
        "'day' is ignored (dates",
    ):
        assert reason in str(caught.value)
    with pytest.raises(ValueError, match="Got no other column"):
        read_training_table(table_of("class\na\nb\n"), Reading("class"))


def test_one_column_is_one_column(table_of: TableOf, capsys: pytest.CaptureFixture[str]):
    show_table(read_training_table(table_of("x,class\n1,a\n2,b\n"), Reading("class")), Screen())
    assert "2 rows, 1 column besides the target class" in capsys.readouterr().err


def test_types_are_shown_with_what_the_user_may_want_to_change(
    table_of: TableOf, capsys: pytest.CaptureFixture[str]
):
    rows = [f"{place},n{place},{'none' if place % 3 == 0 else place % 7},{place % 2}" for place in range(40)]
    table = table_of("\n".join(["number,name,size,class", *rows, "40,n40,1,?"]))
    with pytest.warns(TableWarning) as said:
        show_table(read_training_table(table, Reading("class")), Screen())
    assert "Column 'name' is ignored: text that differs" in str(said[0].message)
    assert "Column 'number' looks like a row number" in str(said[1].message)
    shown = capsys.readouterr().err
    assert "40 rows, 3 columns besides the target class" in shown
    assert "Classes of class: 0 (20), 1 (20)." in shown
    assert "1 row without a value of 'class' ignored" in shown
    assert "To leave out a column: --drop NAME." in shown
    assert "Column 'size' is read as categories because of values such as 'none'" in shown


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_an_order_in_the_file_is_an_order_in_training(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("clausal.frames.find_spec", lambda name: name == library or None)
    levels = ["low", "mid", "high", "top"]
    grades = pl.Series(["mid", "low", None, "high"] * 3, dtype=pl.Enum(levels))
    pl.DataFrame({"grade": grades, "y": [0, 0, 1, 1] * 3}).write_parquet(tmp_path / "t.parquet")
    table = read_training_table(read_table(str(tmp_path / "t.parquet")), Reading("y"))
    (feature,) = Booleanizer().fit(table.X).encoding_.features
    assert (feature.kind, feature.categories) == ("ranked", tuple(levels))
