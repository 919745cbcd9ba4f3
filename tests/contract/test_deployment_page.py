"""The examples of docs/deployment.md run, and its table lists the registered targets."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import clausal
from clausal.export import TARGETS
from tests.support.command_line import done

PAGE = (Path(__file__).parents[2] / "docs" / "deployment.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The examples in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the examples run; the first one writes a model there."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_python(examples: list[str]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for example in examples:
        exec(compile(example, "deployment.md", "exec"), names)
    return names


def test_the_table_lists_every_target() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(TARGETS)


def test_the_python_examples_run(folder: Path) -> None:
    examples = blocks("python")
    if find_spec("onnxruntime") is None:
        examples = [example for example in examples if "onnxruntime" not in example]
    assert len(examples) >= 6
    names = run_python(examples)
    assert (folder / "risk.xlsx").read_bytes()[:2] == b"PK"
    assert 'AS "risk"' in names["query"]
    done_ = subprocess.run([sys.executable, "risk.py"], capture_output=True, text=True, check=True)
    assert "rows are scored as they should be" in done_.stdout


def test_the_other_examples_run(folder: Path) -> None:
    if shutil.which("gcc") is None or shutil.which("node") is None:
        pytest.skip("LEFT OUT: no gcc or no node (Node.js)")
    run_python(blocks("python")[:1])
    for block in blocks("sh"):
        done(*block.split()[1:])
    (c,), (script,) = blocks("c"), blocks("js")
    (folder / "main.c").write_text(c)
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c"], check=True)
    assert subprocess.run(["./a.out"], check=True, capture_output=True, text=True).stdout in ("0\n", "1\n")
    rules = clausal.load("model.json").rules_
    names = [rules.encoding.feature_names[index] for index in sorted(rules.used_features)]
    case = ", ".join(f"{name}: null" for name in names)
    script = re.sub(r"score\(\{.*?\}\)", f"score({{ {case} }})", script)
    (folder / "main.mjs").write_text(script)
    shown = subprocess.run(["node", "main.mjs"], check=True, capture_output=True, text=True).stdout
    assert "[ 0, 1 ]" in shown
