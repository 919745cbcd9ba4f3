"""The program as a process of its own: pipes, signals, and libraries that are not installed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.command_line import PROGRAM, QUICK, process


def test_a_process_prints_plain_text_to_a_pipe_and_its_error_is_one_line(patients: Path, tmp_path: Path):
    ran = process("fit", patients, "--target", "class", *QUICK, env={**os.environ, "FORCE_COLOR": ""})
    assert ran.returncode == 0, ran.stderr
    assert "\x1b" not in ran.stdout + ran.stderr
    assert "epochs" not in ran.stderr
    failed = process("rules", "none.json", cwd=tmp_path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == "Error: No such file or directory: none.json\n"


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


def test_without_a_table_library_one_line_says_what_to_install(folder: Path, patients: Path, tmp_path: Path):
    card = folder / "card.json"
    hide = "import sys; sys.modules.update(dict.fromkeys(('pandas', 'polars', 'pyarrow')));"
    runs = f"{hide} from clausal.cli import app\nfor line in sys.stdin:\n"
    runs += "    code = app(line.split('\\t')[1:-1], prog_name='clausal', standalone_mode=False)\n"
    runs += "    print('code', code, flush=True)"
    lines = [
        ("fit", patients, "--target", "class"),
        ("tune", patients, "--target", "class"),
        ("demo",),
        ("predict", card, patients),
        ("explain", card, patients),
        ("report", card, patients, "--target", "class", "-o", tmp_path / "r.html"),
    ]
    given = "".join("\t".join(["", *map(str, line), "\n"]) for line in lines)
    ran = subprocess.run(
        [sys.executable, "-c", runs], input=given, capture_output=True, text=True, timeout=120
    )
    assert ran.stdout.split() == ["code", "1"] * len(lines), ran.stderr
    said = (
        "Error: This command needs pandas or polars or pyarrow. None of them is installed; install one with: "
    )
    assert ran.stderr == (said + 'pip install "clausal[all]"\n') * len(lines)


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
