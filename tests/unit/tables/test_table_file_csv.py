"""CSV text to cells and back."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.tables.table_file import CsvText, format_csv, read_csv

CELL = st.text(st.characters(exclude_characters="\0\r", exclude_categories=("Cs",)), max_size=6)


def read(content: bytes | str) -> CsvText:
    return read_csv(io.BytesIO(content.encode() if isinstance(content, str) else content), "t.csv")


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5), st.sampled_from(",;\t|"))
def test_what_is_written_is_read_back(rows: list[tuple[str, str]], separator: str):
    text = read(format_csv(["a", "b"], rows, separator))
    assert (text.names, text.separator) == (("a", "b"), separator)
    assert list(zip(*text.columns, strict=True)) == rows


def test_names_and_cells_may_be_quoted_and_padded():
    text = read('a, "b, c"\n1, "x ""y"""\n')
    assert text.names == ("a", "b, c")
    assert text.columns == (["1"], ['x "y"'])
    several = read('a,b,c\n "1\n2, ""3", 5" ,  "4, 5"\n" 6","7"," ""8"""\n')
    assert several.columns == (['1\n2, "3', " 6"], [' 5" ', "7"], ["4, 5", ' "8"'])


def test_blanks_around_cells_are_kept():
    assert read("a, b \n x, y \n").columns == ([" x"], [" y "])
    assert read("a, b \n x, y \n").names == ("a", "b")


def test_blank_lines_byte_order_marks_and_line_ends_of_windows_are_no_content():
    text = read(b"\xef\xbb\xbf\r\na;b\r\n1;2\r\n\r\n3;4\r\n")
    assert (text.names, text.columns) == (("a", "b"), (["1", "3"], ["2", "4"]))


def test_a_table_of_one_column_is_a_table():
    assert read("a\n1\n2\n").columns == (["1", "2"],)
    assert read('a\n1\n\n""\n2\n').columns == (["1", "", "", "2"],)  # an empty line is an empty cell


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "header and at least one row. Got an empty file"),
        ("a,b\n", "Got a header only"),
        ("a,b\n1,2\n3\n", "as in its header, 2. Got 1 in row 2"),
        ("a,b\n1,2,3\n", "Got 3 in row 1"),
        ("a,a\n1,2\n", "distinct column names. Got 'a' more than once"),
        ('a,b\n"1,2\n', "not valid CSV"),
        (b"a,b\n1,\xff\n", "UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0", "UTF-8"),
        (b"a,b\n1,\0\n", "UTF-8"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes | str, message: str):
    with pytest.raises(ValueError, match=message) as caught:
        read(content)
    assert "t.csv" in str(caught.value)
