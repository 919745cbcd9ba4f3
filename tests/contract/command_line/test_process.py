"""The program as a process of its own: pipes, signals, and libraries that are not installed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support.command_line import PROGRAM, QUICK, hiding, process


def test_a_process_prints_plain_text_to_a_pipe_and_its_error_is_one_line(patients: Path, tmp_path: Path):
    ran = process("fit", patients, "--target", "class", *QUICK, env={**os.environ, "FORCE_COLOR": ""})
    assert ran.returncode == 0, ran.stderr
    assert "\x1b" not in ran.stdout + ran.stderr
    assert "epochs" not in ran.stderr
    failed = process("rules", "none.json", cwd=tmp_path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == "Error: No such file or directory: none.json\n"


def test_the_package_runs_as_the_program():
    ran = subprocess.run(
        [sys.executable, "-m", "clausal", "rules", "none.json"], text=True, capture_output=True, timeout=120
    )
    assert (ran.returncode, ran.stderr) == (1, "Error: No such file or directory: none.json\n")
    shown = subprocess.run(
        [sys.executable, "-m", "clausal", "--help"], text=True, capture_output=True, timeout=120
    )
    assert shown.stdout.split()[:3] == ["Usage:", "clausal", "[OPTIONS]"]


def test_the_progress_bar_is_on_standard_error(patients: Path):
    environment = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm"}
    ran = process("fit", patients, "--target", "class", *QUICK, env=environment)
    assert "epochs" in ran.stderr
    assert "epochs" not in ran.stdout


def test_a_reader_that_goes_away_costs_no_file(folder: Path, patients: Path, tmp_path: Path):
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    fit = ("fit", patients, "--target", "class", *QUICK, "--model", model, "--report", page)
    for args in (fit, ("predict", folder / "card.json", patients), ("rules", folder / "card.json")):
        reader, writer = os.pipe()
        os.close(reader)
        ran = process(*args, stdout=writer)
        os.close(writer)
        assert ran.returncode == 0, ran.stderr
        assert "Traceback" not in ran.stderr
        assert "BrokenPipe" not in ran.stderr
    assert model.read_bytes() == (folder / "machine.json").read_bytes()
    assert "<html" in page.read_text(encoding="utf-8")


def test_csv_needs_no_table_library(folder: Path, patients: Path, tmp_path: Path):
    """The same commands with and without pandas, polars and pyarrow print and write the same."""
    card, fit = folder / "card.json", ("fit", patients, "--target", "class", *QUICK)
    lines = [
        (*fit, "--categorical", "dose", "--model", "m.json", "--report", "m.html"),
        ("predict", card, patients, "--output", "scored.csv"),
        ("explain", card, patients, "--row", "3"),
        ("report", card, patients, "--target", "class", "--output", "r.html"),
        ("compare", card, folder / "machine.json", patients, "--target", "class"),
        ("monitor", card, patients, patients, "--target", "class"),
    ]
    there, hidden = (_several(lines, tmp_path / name, hide) for name, hide in (("a", False), ("b", True)))
    assert (hidden.stdout, hidden.stderr) == (there.stdout, there.stderr)
    assert there.stdout.count("code") == there.stdout.count("code 0") == len(lines), there.stderr
    for name in ("m.json", "m.html", "scored.csv", "r.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_without_a_table_library_parquet_says_what_to_install(folder: Path, tmp_path: Path):
    ran = _several([("predict", folder / "card.json", folder / "patients.parquet")], tmp_path / "c", True)
    said = "Parquet needs polars or pyarrow, which is not installed. Install it with: pip install polars"
    assert ran.stderr == f"Error: {said}\n"


def _several(lines: Sequence[Sequence[object]], folder: Path, hide: bool) -> subprocess.CompletedProcess[str]:
    """Run commands in one other process and folder, with hidden table libraries or without."""
    folder.mkdir()
    hidden = hiding("pandas", "polars", "pyarrow") if hide else ""
    runs = f"{hidden}import sys; from clausal.cli import app\nfor line in sys.stdin:\n"
    runs += "    code = app(line.split('\\t')[1:-1], prog_name='clausal', standalone_mode=False)\n"
    runs += "    print('code', code or 0, flush=True)"
    given = "".join("\t".join(["", *map(str, line), "\n"]) for line in lines)
    return subprocess.run(
        [sys.executable, "-c", runs], input=given, capture_output=True, text=True, timeout=120, cwd=folder
    )


def test_an_interrupt_is_exit_code_130_and_no_traceback(patients: Path):
    options = ("--target", "class", "--machine", "--epochs", "100000000", "--jobs", "1")
    command = [PROGRAM[0], "-u", *PROGRAM[1:], "fit", str(patients), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        while "Training" not in running.stderr.readline():
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, rest = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in rest
    assert "Interrupted." in rest


def test_the_package_itself_needs_no_typer():
    code = "import sys, clausal; sys.exit('typer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
