"""A process that trains and predicts on request, in the environment of one package: `python -m speed.worker`.

Requests and answers are JSON objects, one per line. The data is loaded once, and a very small fit loads
everything else, so that a request measures only its own work. CPU seconds are those of the whole process.
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
MIN_SECONDS = 0.3  # shorter runs are repeated for this long, and the median counts


class Session:
    """One package, one set of rows, and the last trained machine."""

    def __init__(self, package: str, variant: str, rows: str) -> None:
        self.adapter: Adapter = ADAPTERS[package](variant)
        with np.load(rows) as data:
            self.X, self.X_test = (self.adapter.prepared(data[part]) for part in ("X_train", "X_test"))
            self.y, self.y_test = data["y_train"], data["y_test"]

    def describe(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Run a very small fit; returns the installed versions."""
        self.adapter.fit(self.X, self.y, settings | TINY, seed=0)
        self.adapter.predict(self.X_test[:10])
        found = {"version": version(self.adapter.package), "numpy": np.__version__}
        found |= {"python": platform.python_version(), "workaround": self.adapter.workaround}
        if self.adapter.package == "clausal":
            from clausal.engine.native import instruction_set

            found["instruction_set"] = instruction_set()
        return found

    def fit(self, settings: dict[str, Any], seed: int) -> dict[str, Any]:
        """CPU and wall seconds of a training, the median of several if it is short."""
        cpu: list[float] = []
        wall: list[float] = []
        while sum(cpu) < MIN_SECONDS:
            starts = time.process_time(), time.perf_counter()
            epochs = self.adapter.fit(self.X, self.y, settings, seed)
            cpu.append(time.process_time() - starts[0])
            wall.append(time.perf_counter() - starts[1])
        return {"cpu": float(np.median(cpu)), "wall": float(np.median(wall)), "epochs": epochs}

    def prepare(self, settings: dict[str, Any], seed: int) -> dict[str, Any]:
        """Train a machine of another size for the measurement of prediction."""
        self.prepared = type(self.adapter)(self.adapter.variant)
        self.prepared.fit(self.X, self.y, settings, seed)
        return {}

    def predict(self, prepared: bool) -> dict[str, Any]:
        """Seconds per pass over the test rows, the median of several, after compilation."""
        adapter = self.prepared if prepared else self.adapter
        adapter.predict(self.X_test[:10])
        seconds: list[float] = []
        while sum(seconds) < MIN_SECONDS:
            start = time.process_time()
            labels = adapter.predict(self.X_test)
            seconds.append(time.process_time() - start)
        accuracy = float(np.mean(np.asarray(labels) == self.y_test))
        rate = len(self.y_test) / float(np.median(seconds))
        return {"rows_per_s": rate, "accuracy": accuracy}

    def learning_curve(self, settings: dict[str, Any], seed: int) -> dict[str, Any]:
        """The accuracy on the test rows after every epoch; only for clausal."""
        start, held_out = time.perf_counter(), (self.X_test, self.y_test)
        accuracy = self.adapter.learning_curve(self.X, self.y, settings, seed, held_out)
        return {"wall": time.perf_counter() - start, "accuracy": accuracy}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")  # the output of packages goes to stderr
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
