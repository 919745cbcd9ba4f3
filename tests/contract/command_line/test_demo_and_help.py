"""`clausal demo`, `clausal info`, the help of every command, and the examples of the documentation."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest

import clausal
from clausal.cli.commands.demo import Demo, demo_table
from tests.support.command_line import COMMANDS, done

DOCS = Path(__file__).parents[3] / "docs" / "command-line.md"


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


def write_parquet_files() -> None:
    """The files of the section about large tables."""
    pytest.importorskip("pyarrow", reason="LEFT OUT: no pyarrow")
    table = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0] * 30, "defaulted": ["no", "no", "yes", "yes"] * 30})
    for name in ("data/part-0", "data/part-1", "new/part-0"):
        path = Path(f"{name}.parquet")
        path.parent.mkdir(exist_ok=True)
        table.to_parquet(path)


def test_the_examples_of_the_documentation_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick_scorecards: None, quick_tuning: None
):
    monkeypatch.chdir(tmp_path)
    write_parquet_files()
    Path("card.toml").write_text("max_features = 4\n[cut_points]\nage = [45, 55]\n")
    blocks = DOCS.read_text(encoding="utf-8").split("```")[1::2]
    lines = [line for block in blocks if block.startswith("sh\n") for line in block.splitlines()[1:]]
    examples = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("clausal ")]
    assert {example[0] for example in examples} == set(COMMANDS)
    for example in examples:
        if example[0] == "serve":  # goes on until Ctrl-C; tests/contract/test_service.py runs it
            continue
        done(*example)
        if example[0] == "demo":  # rows that come later, in the examples' own words
            shutil.copy("heart.csv", "later.csv")


def test_the_list_of_commands_says_what_their_help_says(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    listed = done("--help").stdout
    for command in COMMANDS:
        lines = done(command, "--help").stdout.splitlines()
        usage = next(index for index, line in enumerate(lines) if "Usage:" in line)
        first = next(line.strip() for line in lines[usage + 1 :] if line.strip())
        assert f" {command} " in listed
        assert first in listed, command
