"""Where commands write, and that nothing in a file can steer a terminal."""

from __future__ import annotations

import pytest

from clausal.cli.screen import Screen, counted, print_labeled, printable


def test_results_go_to_standard_output_and_the_rest_to_standard_error(capsys: pytest.CaptureFixture[str]):
    screen = Screen()
    screen.note("a note")
    screen.warning("a warning")
    screen.note_table(("name", ">number"), [("x", "1")], "a title")
    screen.result("a result")
    screen.result_table(("name", ">number"), [("y", "2")], "another title")
    out, err = capsys.readouterr()
    assert all(text in err for text in ("a note", "Warning: a warning", "a title", "x", "1"))
    assert all(text in out for text in ("a result", "another title", "y", "2"))
    assert "note" not in out


def test_quiet_leaves_results_only(capsys: pytest.CaptureFixture[str]):
    screen = Screen(quiet=True)
    screen.note("a note")
    screen.warning("a warning")
    screen.note_table(("name",), [("x",)], "a title")
    screen.result("a result")
    assert capsys.readouterr() == ("a result\n", "")
    assert not screen.shows_progress


def test_long_lines_are_not_wrapped_and_brackets_are_no_markup(capsys: pytest.CaptureFixture[str]):
    line = "[red]" + "word " * 100 + ":smile:"
    Screen().result(line)
    Screen().result_table((line,), [(line,)], "")
    assert capsys.readouterr().out.count(line) == 3


def test_control_codes_are_spelled_out(capsys: pytest.CaptureFixture[str]):
    Screen().result("a\x1b[2Jb\nc")
    print_labeled("Error:", "red", "x\ny\x1b[0m")
    out, err = capsys.readouterr()
    assert out == "a\\x1b[2Jb\nc\n"
    assert err == "Error: x y\\x1b[0m\n"
    assert printable("é\t") == "é\\t"


def test_things_are_counted():
    assert [counted(number, "row") for number in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
