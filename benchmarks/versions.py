"""What became slower from one version of clausal to another: make bench-versions BASE=origin/main.

Two Pythons that have a version each run the same tasks in turns, each in a process of its own, on one thread;
the measure is the CPU time of the task. A ratio is the cost of the new version divided by that of the old one
right before it; the table has the median (minimum-maximum). A task is SLOWER if every ratio is above 1.05 and
the median above 1.15. Nothing here asserts a speed: the table is written for people.

    python benchmarks/versions.py OLD_PYTHON NEW_PYTHON [--rounds 7]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "build" / "bench" / "versions.md"
SETUP = """
import time
import numpy as np
from clausal import Booleanizer, RuleClassifier, TsetlinClassifier
draw = np.random.default_rng(0)
X = draw.normal(size=(4000, 20)).round(3)
y = (X[:, 0] + X[:, 1] * X[:, 2] + draw.normal(size=4000) > 0).astype(int)
machine = TsetlinClassifier(200, threshold=2000, n_epochs=10, random_state=0)
"""
TASKS = {  # name: what is prepared, what is measured
    "import": ("", "import clausal; clausal.RuleClassifier"),
    "encode a table": (SETUP, "Booleanizer().fit_transform(X)"),
    "fit a machine": (SETUP, "machine.fit(X, y)"),
    "predict with a machine": (f"{SETUP}machine.fit(X, y)", "machine.predict(np.tile(X, (10, 1)))"),
    "fit a scorecard": (SETUP, "RuleClassifier(max_literals=12, random_state=0).fit(X[:1500], y[:1500])"),
}


def cpu_seconds(python: str, setup: str, task: str) -> float:
    """The CPU time of a task in a process of its own."""
    program = f"import time\n{setup}\nbegin = time.process_time()\n{task}\nprint(time.process_time() - begin)"
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(
        [python, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True, env=one_thread
    )
    return float(ran.stdout.split()[-1])


def ratios(old: str, new: str, setup: str, task: str, n_rounds: int) -> list[float]:
    """Cost of the new version divided by that of the old one, in turns."""
    found = []
    for _ in range(n_rounds):
        before = cpu_seconds(old, setup, task)
        found.append(cpu_seconds(new, setup, task) / before)
    return found


def line(name: str, found: list[float]) -> str:
    """A row of the table."""
    median = statistics.median(found)
    slower = median > 1.15 and min(found) > 1.05
    verdict = "SLOWER" if slower else "faster" if median < 0.87 and max(found) < 0.95 else "same"
    return f"| {name} | {median:.2f} ({min(found):.2f}-{max(found):.2f}) | {verdict} |"


def main() -> None:
    """Measure every task and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    lines = ["Cost of the new version divided by that of the old one, CPU time:", "", "| task | ratio | |"]
    lines.append("| --- | --- | --- |")
    for name, (setup, task) in TASKS.items():
        lines.append(line(name, ratios(given.old, given.new, setup, task, given.rounds)))
        print(lines[-1], flush=True)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
