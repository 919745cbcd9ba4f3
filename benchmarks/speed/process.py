"""Control of worker.py: start it, send requests, stop it. A hang or a crash raises a WorkerError."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any

from speed.install import last_line, python_of, without_folders
from speed.learners import Learner

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)


class WorkerError(RuntimeError):
    """A worker crashed, raised an error or did not answer in time, as the message says."""


class Worker:
    """A process that trains and predicts for one learner on one set of rows."""

    def __init__(self, learner: Learner, rows: Path, log: Path) -> None:
        self.log = log
        command = [str(python_of(learner)), "-m", "speed.worker", learner.package, learner.variant, str(rows)]
        with log.open("w") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=Path(__file__).resolve().parents[1],
                env=os.environ | ONE_THREAD,
            )
        self.answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.answers.put(line)
        self.answers.put("")  # the end

    def ask(self, do: str, limit_s: float, **request: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        try:
            if self.process.stdin:
                self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
                self.process.stdin.flush()
            line = self.answers.get(timeout=limit_s)
        except BrokenPipeError:
            line = ""
        except queue.Empty:
            self.stop()
            raise WorkerError(f"{do}: no answer within {limit_s:.0f} s") from None
        if not line:
            code = self.process.wait(timeout=10)
            raise WorkerError(f"{do}: ended with {code}: {last_line(self.log.read_text(errors='replace'))}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(f"{do}: {without_folders(answer['error'])}")
        return answer

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
