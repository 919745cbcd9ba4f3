"""Environments for the peers, one each, so that no install can break another; and clausal's own.

A peer that does not install, or not within the time, is a line in the record and not the end of the run.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

from speed.learners import Learner

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".venv-peers"
LIMIT_S = 300


def python_of(learner: Learner) -> Path:
    """The interpreter that runs a learner."""
    return HOME / learner.package / "bin" / "python" if learner.pins else Path(sys.executable)


def install(learner: Learner) -> str:
    """Install on first use; "installed", or why not."""
    home = HOME / learner.package
    marker, wanted = home / "installed.json", list(learner.pins)
    if not wanted or (marker.exists() and json.loads(marker.read_text()) == wanted):
        return "installed"
    print(f"installing {', '.join(wanted)}", flush=True)
    start = time.perf_counter()
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True, capture_output=True)
        pip = [str(python_of(learner)), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        done = subprocess.run([*pip, *wanted], capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"does not install within {LIMIT_S} s"
    except subprocess.CalledProcessError as error:
        return f"does not install: {last_line(error.stderr.decode())}"
    if done.returncode:
        return f"does not install: {last_line(done.stderr)}"
    marker.write_text(json.dumps(wanted))
    print(f"  {time.perf_counter() - start:.0f} s", flush=True)
    return "installed"


def last_line(text: str) -> str:
    """The last line that says what went wrong, without folders."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower()]
    return without_folders((wrong or lines or ["no message"])[-1])


def without_folders(line: str) -> str:
    """A message with the folders of paths left out: they say nothing and differ between machines."""
    return re.sub(r"(?:[a-z]+:/)?/(?:[^\s/'\"]+/)+", "", line)[:300]
