"""One environment per peer, so that no installation can break another, and the environment of clausal.

If a peer cannot be installed in time, the record says so and the run continues.
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
    """The Python interpreter for a learner."""
    return HOME / learner.package / "bin" / "python" if learner.pins else Path(sys.executable)


def install(learner: Learner) -> str:
    """Install on first use; returns "installed" or the reason of the failure."""
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
    """The last line of an error message, without folders."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower()]
    return without_folders((wrong or lines or ["no message"])[-1])


def without_folders(line: str) -> str:
    """A message without the folders of paths, which differ between computers."""
    return re.sub(r"(?:[a-z]+:/)?/(?:[^\s/'\"]+/)+", "", line)[:300]
