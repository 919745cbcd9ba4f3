"""Bankruptcy: the real file beside the repository, and what counts as a valid file."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from clausal.datasets import load_bankruptcy
from clausal.datasets.bankruptcy import COLUMNS, format_bankruptcy, parse_bankruptcy


def test_real_file_as_array(shared_data):
    with (shared_data / "bankruptcy.csv").open() as stream:
        header, *rows = csv.reader(stream)
    bunch = load_bankruptcy(shared_data)
    assert bunch.feature_names == header[:-1]
    assert bunch.data.dtype == object
    assert bunch.data.tolist() == [row[:-1] for row in rows]
    assert bunch.target.tolist() == [int(row[-1] == "NB") for row in rows]
    assert np.bincount(bunch.target).tolist() == [107, 143]
    assert bunch.target_names.tolist() == ["bankrupt", "non-bankrupt"]
    assert len({tuple(row) for row in bunch.data}) == 103  # the number DESCR gives
    assert "103 of them distinct" in bunch.DESCR


def test_real_file_as_frame(shared_data):
    X, y = load_bankruptcy(shared_data / "bankruptcy.csv", as_frame=True, return_X_y=True)
    assert X.nunique().tolist() == [3] * 6  # the paper's 18 columns
    assert X.to_numpy().tolist() == load_bankruptcy(shared_data).data.tolist()
    assert {tuple(X[name].cat.categories) for name in X} == {("A", "N", "P")}
    assert not any(X[name].cat.ordered for name in X)
    assert y.sum() == 143


def test_real_rows_in_the_form_of_uci(shared_data, tmp_path):
    lines = (shared_data / "bankruptcy.csv").read_text().splitlines()[1:]
    file = tmp_path / "Qualitative_Bankruptcy.data.txt"
    file.write_bytes(("\r\n".join(lines) + "\r\n\r\n").encode())
    assert load_bankruptcy(file).data.tolist() == load_bankruptcy(shared_data).data.tolist()


def test_one_changed_letter_of_the_real_file_is_noticed(shared_data, tmp_path):
    text = (shared_data / "bankruptcy.csv").read_text()
    file = tmp_path / "bankruptcy.csv"
    file.write_text(text.replace("\nP,P,", "\nP,A,", 1))
    with pytest.raises(ValueError, match="sorted rows of sha256"):
        load_bankruptcy(file)


def test_parse_takes_header_byte_order_mark_and_blanks(fake_text):
    rows = parse_bankruptcy(fake_text.encode(), "x")
    assert rows == [line.split(",") for line in fake_text.split()]
    with_header = b"\xef\xbb\xbf" + ", ".join(COLUMNS).encode() + b"\n\n" + fake_text.encode()
    assert parse_bankruptcy(with_header, "x") == rows
    assert parse_bankruptcy(b"\xef\xbb\xbf" + fake_text.encode(), "x") == rows
    assert parse_bankruptcy(format_bankruptcy(rows), "x") == rows


def test_parse_keeps_the_order_of_the_file(fake_text):
    lines = fake_text.split()[::-1]
    assert parse_bankruptcy("\n".join(lines).encode(), "x") == [line.split(",") for line in lines]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [], "Expected 250 rows. Got 0."),
        (lambda lines: lines[:-1], "Expected 250 rows. Got 249."),
        (lambda lines: [*lines, lines[0]], "Expected 250 rows. Got 251."),
        (lambda lines: ["P,P,A,A,A,NB", *lines[1:]], "Expected 7 cells separated by commas. Got 6 cells."),
        (
            lambda lines: ["p,P,A,A,A,P,NB", *lines[1:]],
            "Expected industrial_risk to be A or N or P. Got 'p'.",
        ),
        (lambda lines: [*lines[:-1], "P,P,A,A,A,P,X"], "Expected class to be NB or B. Got 'X'."),
        (
            lambda lines: [*lines[:-1], lines[-1].replace(",B", ",NB")],
            "Expected 143 rows of class NB and 107 rows of class B. "
            "Got 144 rows of class NB and 106 rows of class B.",
        ),
        (
            lambda lines: [line.replace(",B", ",NB") for line in lines],
            "Got 250 rows of class NB and 0 rows of class B.",
        ),
        (lambda lines: [*lines[:-1], "P,P,P,P,P,P,B"], "sorted rows of sha256"),
        (lambda lines: ["<html>", *lines], "line 1: not the Qualitative Bankruptcy data of UCI"),
    ],
)
def test_wrong_content(change, message, fake_text, tmp_path):
    file = tmp_path / "wrong.csv"
    file.write_text("\n".join(change(fake_text.split())))
    with pytest.raises(ValueError) as caught:
        load_bankruptcy(file)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(file))


def test_binary_content(tmp_path):
    file = tmp_path / "wrong.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="Expected UTF-8 text"):
        load_bankruptcy(file)


def test_oversized_file_is_not_read(tmp_path):
    file = tmp_path / "huge.csv"
    file.write_bytes(b"P" * 100_001)
    with pytest.raises(ValueError, match="must have at most 100000 bytes"):
        load_bankruptcy(file)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": 3}, "The 'path' parameter of load_bankruptcy must be a path .* or None. Got 3."),
        ({"as_frame": "no"}, "The 'as_frame' parameter of load_bankruptcy must be True or False. Got 'no'."),
        ({"return_X_y": None}, "The 'return_X_y' parameter .* must be True or False. Got None."),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        load_bankruptcy(**arguments)
