"""Errors are one line and an exit code; names and labels cannot steer a terminal or a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import QUICK, clausal_run, done, fails


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
        ("must have files that end in .parquet", "fit", tmp_path, "--target", "y"),
        ("no column 'clas'", "fit", patients, "--target", "clas"),
        ("at least 2 classes. Got only 'a'", "fit", tmp_path / "one.csv", "--target", "y"),
        ("at least 2 rows", "fit", tmp_path / "few.csv", "--target", "y"),
        ("an empty file", "fit", tmp_path / "empty.csv", "--target", "y"),
        ("in UTF-8", "fit", tmp_path / "noise.csv", "--target", "y"),
        ("existing folder", "fit", patients, "--target", "class", "--model", tmp_path / "no" / "m"),
        ("read by this command", "fit", patients, "--target", "class", "--report", patients),
        ("read by", "fit", patients, "--target", "class", "--machine", "--checkpoint", patients),
        ("not a clausal check", "fit", patients, "--target", "class", "--machine", "--checkpoint", machine),
        ("newer", "rules", tmp_path / "hostile.json"),
        ("not a clausal model file", "rules", patients),
        ("No such file", "predict", tmp_path / "none.json", patients),
        ("read by this command", "predict", machine, patients, "--output", machine),
        ("Got no column age", "predict", machine, tmp_path / "short.csv"),
        ("from 1 to 80", "explain", machine, patients, "--row", "81"),
        ("hold only the classes", "report", machine, patients, "--target", "colour", "-o", tmp_path / "r"),
    ]:
        assert message in fails(*args)


@pytest.mark.parametrize(
    "args",
    [
        ("fit",),
        ("fit", "t.csv"),
        ("fit", "t.csv", "--target", "y", "--test-size", "2"),
        ("fit", "t.csv", "--target", "y", "--max-literals", "0"),
        ("fit", "t.csv", "--target", "y", "--clauses", "10"),
        ("fit", "t.csv", "--target", "y", "--machine", "--cv", "3"),
        ("fit", "t.csv", "--target", "y", "--checkpoint", "run"),
        ("fit", "t.csv", "--target", "y", "--machine", "--refit", "--model", "m.json", "--checkpoint", "run"),
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
