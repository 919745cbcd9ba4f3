"""Run the command line in tests, in this process or in another one, and a table for it."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from clausal.cli import app

COMMANDS = (
    *("fit", "predict", "rules", "explain", "report", "compare", "monitor"),
    *("tune", "edit", "export", "serve", "demo", "info"),
)
QUICK = ("--machine", "--clauses", "10", "--threshold", "10", "--epochs", "5", "--jobs", "1")
SCORECARD = ("--cv", "2", "--max-literals", "3", "--jobs", "1")
PROGRAM = (sys.executable, "-c", "from clausal.cli import main; main()")


def clausal_run(*args: str | Path, **settings: Any) -> Any:
    """Run the program in this process."""
    return CliRunner().invoke(app, [str(arg) for arg in args], prog_name="clausal", **settings)


def done(*args: str | Path, **settings: Any) -> Any:
    """Run the program, which must succeed."""
    result = clausal_run(*args, **settings)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def fails(*args: str | Path, code: int = 1, **settings: Any) -> str:
    """Run the program, which must fail without results; returns the last line, which is the error."""
    result = clausal_run(*args, **settings)
    assert result.exit_code == code, (result.output, result.exception)
    assert result.stdout == ""
    *before, line = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert not any("Error" in text or "Traceback" in text for text in before)
    return str(line)


def process(*args: str | Path, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run the program in another process; its output is captured unless `settings` say otherwise."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
    return subprocess.run([*PROGRAM, *map(str, args)], text=True, timeout=120, **streams)


def hiding(*packages: str) -> str:
    """Code for another process, after which it cannot import these packages."""
    return f"""
from importlib.machinery import PathFinder
find, hidden = PathFinder.find_spec, {packages!r}
PathFinder.find_spec = lambda name, *given: None if name.partition(".")[0] in hidden else find(name, *given)
"""


def write_patients(path: Path, n_rows: int = 80) -> None:
    """Write a table with numbers, categories, booleans and missing values, whose classes follow a rule."""
    draw = random.Random(0)
    lines = ["age,colour,smoker,dose,class"]
    for _ in range(n_rows):
        age, colour = draw.randint(20, 80), draw.choice(["red", "green", "blue"])
        smoker, dose = draw.choice(["true", "false"]), draw.choice(["?", "1.5", "2.5"])
        lines.append(f"{age},{colour},{smoker},{dose},{'ill' if age > 50 or colour == 'red' else 'well'}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
