"""Compute the missing results: `python -m studies.paper [--budget quick] [--parts sweep ...]`.

An interrupted run continues where it stopped; no cell is computed twice. Cells run through joblib, on the
cores of this machine or, with --scheduler, on the workers of a Dask cluster. Not here: the page
(results_page.py).
"""

import argparse
import platform
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from studies.paper.budget import BUDGETS, Budget
from studies.paper.cells import PARTS, Cell, cells_of, estimated_seconds
from studies.paper.evaluation import evaluate, setting_dict
from studies.paper.result_files import RESULTS, Record

PACKAGES = ("clausal", "numpy", "scikit-learn", "xgboost", "xgboost-cpu", "interpret-core")
SECONDS_BETWEEN_NEWS = 15.0


def compute(cell: Cell) -> dict[str, Any]:
    """The line of a cell: its result with settings, time and versions."""
    start = time.process_time()
    found = evaluate(cell)
    return {
        "key": cell.key,
        "part": cell.part,
        "system": cell.system,
        "data": cell.data,
        "trial": cell.trial,
        "settings": [setting_dict(setting) for setting in cell.settings],
        "options": dict(cell.options),
        **found,
        "seconds": round(time.process_time() - start, 4),
        "versions": versions(),
    }


@cache
def versions() -> dict[str, str]:
    """The versions of Python and of the installed packages."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def run_part(part: str, budget: Budget, folder: Path, n_jobs: int = 1) -> int:
    """Compute the missing cells of a part; returns their number."""
    search, record = Record(folder, "search"), Record(folder, part)
    cells = cells_of(part, budget, search.lines.values())
    missing = [cell for cell in cells if cell.key not in record.lines]
    news = _News(part, missing)
    by_key = {cell.key: cell for cell in missing}
    work = (delayed(compute)(cell) for cell in missing)
    for line in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(work):
        record.add(line)
        news.done(by_key[line["key"]])
    return len(missing)


class _News:
    """Progress on stderr: the completed share by estimated cost, and the remaining time."""

    def __init__(self, part: str, cells: Iterable[Cell]) -> None:
        cells = list(cells)
        self.part, self.n_cells, self.total = part, len(cells), sum(cell.seconds for cell in cells)
        self.n_done, self.spent = 0, 0.0
        self.start = self.last = time.monotonic()
        print(f"{part}: {self.n_cells} cells to compute", file=sys.stderr, flush=True)

    def done(self, cell: Cell) -> None:
        self.n_done += 1
        self.spent += cell.seconds
        now = time.monotonic()
        if now - self.last < SECONDS_BETWEEN_NEWS and self.n_done < self.n_cells:
            return
        self.last, share = now, self.spent / self.total if self.total else 1.0
        left = (now - self.start) * (1 - share) / share if share else float("nan")
        print(
            f"{self.part}: {self.n_done} of {self.n_cells} cells, {share:.0%} of the work, "
            f"{(now - self.start) / 60:.1f} minutes gone, about {max(left, 0) / 60:.1f} left",
            file=sys.stderr,
            flush=True,
        )


@contextmanager
def workers(scheduler: str | None = None) -> Iterator[None]:
    """The joblib backend: the cores of this computer, one thread each, or the workers of a Dask scheduler."""
    if scheduler is None:
        with parallel_config(backend="loky", inner_max_num_threads=1):
            yield
    else:
        from distributed import Client

        with Client(scheduler), parallel_config(backend="dask"):
            yield


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compute the cells of the paper that are missing.")
    parser.add_argument("--budget", choices=sorted(BUDGETS), default="full")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--jobs", type=int, default=-1, help="processes; all cores by default")
    parser.add_argument("--scheduler", help="address of a Dask scheduler, whose workers then compute")
    parser.add_argument("--pack", action="store_true", help="compress the results when done")
    parser.add_argument("--estimate", action="store_true", help="only say how long it may take")
    options = parser.parse_args(arguments)
    budget, folder = BUDGETS[options.budget], RESULTS / options.budget
    if options.estimate:
        estimated = estimated_seconds(budget)
        for part, seconds in [*estimated.items(), ("all of it, from nothing", sum(estimated.values()))]:
            print(f"{part}: about {seconds / 60:.0f} processor minutes")
        return
    with workers(options.scheduler):
        for part in options.parts:
            run_part(part, budget, folder, options.jobs)
            if options.pack:
                Record(folder, part).pack()
