"""A process that trains and predicts on request, in the environment of one package: `python -m speed.worker`.

Requests and answers are one JSON object per line. The data are loaded once and a tiny fit loads everything
else, so a timed request pays for its own work only. CPU seconds are those of the whole process.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from importlib.metadata import version
from typing import Any

import numpy as np

from speed.adapters import ADAPTERS, Adapter

TINY = {"n_clauses": 10, "threshold": 10, "n_epochs": 1, "n_threads": 1}
LEAST_SECONDS = 0.3  # what is quick is repeated for this long, and the median counts


class Session:
    """One package, one set of rows, and the machine trained last."""

    def __init__(self, package: str, variant: str, rows: str) -> None:
        self.adapter: Adapter = ADAPTERS[package](variant)
        with np.load(rows) as data:
            self.X, self.X_test = (self.adapter.prepared(data[part]) for part in ("X_train", "X_test"))
            self.y, self.y_test = data["y_train"], data["y_test"]

    def describe(self, settings: dict[str, Any]) -> dict[str, Any]:
        """A tiny fit, and what is installed."""
        self.adapter.fit(self.X, self.y, settings | TINY, seed=0)
        self.adapter.predict(self.X_test[:10])
        found = {"version": version(self.adapter.package), "numpy": np.__version__}
        found |= {"python": platform.python_version(), "workaround": self.adapter.workaround}
        if self.adapter.package == "clausal":
            from clausal.engine.native import instruction_set

            found["instruction_set"] = instruction_set()
        return found

    def fit(self, settings: dict[str, Any], seed: int) -> dict[str, Any]:
        """CPU and wall seconds of a training, the median of a few where it is quick."""
        cpu: list[float] = []
        wall: list[float] = []
        while sum(cpu) < LEAST_SECONDS:
            starts = time.process_time(), time.perf_counter()
            epochs = self.adapter.fit(self.X, self.y, settings, seed)
            cpu.append(time.process_time() - starts[0])
            wall.append(time.perf_counter() - starts[1])
        return {"cpu": float(np.median(cpu)), "wall": float(np.median(wall)), "epochs": epochs}

    def prepare(self, settings: dict[str, Any], seed: int) -> dict[str, Any]:
        """Train a machine of another size, kept to measure prediction with."""
        self.prepared = type(self.adapter)(self.adapter.variant)
        self.prepared.fit(self.X, self.y, settings, seed)
        return {}

    def predict(self, prepared: bool) -> dict[str, Any]:
        """Seconds per pass over the test rows, the median of a few; compiled before."""
        adapter = self.prepared if prepared else self.adapter
        adapter.predict(self.X_test[:10])
        seconds: list[float] = []
        while sum(seconds) < LEAST_SECONDS:
            start = time.process_time()
            labels = adapter.predict(self.X_test)
            seconds.append(time.process_time() - start)
        accuracy = float(np.mean(np.asarray(labels) == self.y_test))
        rate = len(self.y_test) / float(np.median(seconds))
        return {"rows_per_s": rate, "accuracy": accuracy}

    def learning_curve(self, settings: dict[str, Any], seed: int) -> dict[str, Any]:
        """Ours only: the accuracy on the test rows after every epoch."""
        start, held_out = time.perf_counter(), (self.X_test, self.y_test)
        accuracy = self.adapter.learning_curve(self.X, self.y, settings, seed, held_out)
        return {"wall": time.perf_counter() - start, "accuracy": accuracy}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")  # packages print; what they print goes to stderr
    os.dup2(2, 1)
    session = Session(*sys.argv[1:4])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(session, request.pop("do"))(**request)
        except Exception as error:
            lines = str(error).splitlines() or [""]
            answer = {"error": f"{type(error).__name__}: {lines[-1]}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
