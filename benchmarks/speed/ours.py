"""Measurements of clausal only: the speedup of two threads in wall time, and a long run on all of MNIST."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from speed.equal_work import AS_SET, settings
from speed.process import Worker
from speed.ratios import Spread, ratios
from speed.workloads import Workload


def two_threads(work: Workload, worker: Worker, limit_s: float) -> list[dict[str, float]]:
    """The wall times of training with 1 and 2 threads, alternately."""
    one = settings(AS_SET, work)  # one bank of m for two classes
    worker.ask("describe", limit_s, settings=asdict(one))
    times: dict[int, list[float]] = {1: [], 2: []}
    for number in range(work.rounds):
        for n_threads, listed in times.items():
            asked = asdict(replace(one, n_threads=n_threads))
            listed.append(worker.ask("fit", limit_s, settings=asked, seed=number)["wall"])
    return [
        {"one_thread_s": one_s, "two_threads_s": two_s} for one_s, two_s in zip(*times.values(), strict=True)
    ]


def speedup(times: Sequence[dict[str, float]]) -> Spread:
    """The time with one thread divided by the time with two."""
    return ratios([pair["one_thread_s"] for pair in times], [pair["two_threads_s"] for pair in times])


def learning_curve(work: Workload, worker: Worker, n_epochs: int) -> dict[str, Any]:
    """Test accuracy after each of many epochs, with two threads, which do not change the result."""
    asked = asdict(replace(settings(AS_SET, work), n_epochs=n_epochs, n_threads=2))
    answer: dict[str, Any] = worker.ask("learning_curve", 6 * 3600.0, settings=asked, seed=0)
    return {"settings": asked, "seed": 0, **answer}


def best(accuracy: Sequence[float]) -> str:
    """A sentence about the best epoch."""
    epoch = max(range(len(accuracy)), key=accuracy.__getitem__)
    return f"{100 * accuracy[epoch]:.2f} % after epoch {epoch + 1}, {100 * accuracy[-1]:.2f} % at the end"
