"""The JSON record: the environment and every run. It contains no folders of the computer."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

from speed.install import ROOT


def surroundings() -> dict[str, Any]:
    """The date, the commit, the processor and its load."""
    described = ["git", "--no-optional-locks", "describe", "--always", "--dirty"]
    commit = subprocess.run(described, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    about = {"date": time.strftime("%Y-%m-%d"), "clausal_commit": commit, "system": platform.system()}
    about |= {"processor": models[0] if models else platform.processor(), "cores": os.cpu_count()}
    return about | {"load_average_at_start": [round(load, 2) for load in os.getloadavg()]}


def kept(path: Path, name: str) -> Any:
    """A part of an earlier record that this run does not measure again."""
    return json.loads(path.read_text()).get(name) if path.exists() else None


def write(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(shortened(record), indent=1) + "\n", encoding="utf-8")


def shortened(value: Any) -> Any:
    """Round floats to five digits."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: shortened(each) for key, each in value.items()}
    return [shortened(each) for each in value] if isinstance(value, list | tuple) else value
