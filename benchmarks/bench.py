"""Speed of clausal and other Tsetlin machines on equal work: `make bench`, `make bench-quick`.

The other packages (peers) are installed from PyPI into separate environments under .venv-peers on first use.
Every learner runs in its own process, on one thread, after a warm-up with its rows in memory; the measure is
the CPU time of this process. Runs alternate: clausal, peer, clausal, next peer, and so on in each round. A
ratio is the cost of the peer divided by that of the clausal run right before it; tables have the median
(minimum-maximum) over the rounds. speed/equal_work.py defines equal work and the sizes of each machine. The
accuracy on held-out rows is reported as well. XGBoost, LightGBM and EBM run with their defaults, for
orientation.

    python benchmarks/bench.py [--quick | --full] [--workloads W1 W3] [--peers tmu] [--rounds 2] [--resume]
    python benchmarks/bench.py --workloads threads --keep   # keep the other parts of the record

MNIST is read from the folder CLAUSAL_DATA or ../shared/data (mnist.npz). The record is
written to benchmarks/results/bench.json, with --quick to build/bench. Nothing here asserts a speed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from speed import ours, record, tables
from speed.goals import goals
from speed.install import ROOT, install
from speed.learners import CLAUSAL, FORESTS, PEERS, SET, Learner, takes_part
from speed.process import Worker, WorkerError
from speed.ratios import Spread
from speed.summary import Line, lines
from speed.turns import Journal, Turns
from speed.workloads import ONE_BANK, W3, Workload, rows_of, workloads

BUILD = ROOT / "build" / "bench"
LONG_RUN_EPOCHS = 60
QUICK_TEST_ROWS = 2000


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("CLAUSAL_DATA", ROOT.parent / "shared" / "data")
    names = sorted({learner.package for learner in (*PEERS, *FORESTS)})
    parts = ["W1", "W2", "W3", "W4", "threads"]
    add = parser.add_argument
    add("--quick", action="store_true", help="fewer sizes, rounds, epochs and rows; a few minutes")
    add("--full", action="store_true", help="also W3 on all 60,000 images, and 60 epochs of clausal on them")
    add("--workloads", nargs="+", choices=parts, default=parts, help="parts to run (all)")
    add("--peers", nargs="+", choices=names, default=names, help="packages to compare with clausal (all)")
    add("--rounds", type=int, help="rounds of every workload, instead of its default")
    add(
        "--limit",
        type=float,
        default=300.0,
        help="time limit of a training in seconds (300; 12 times that for all of MNIST)",
    )
    add("--resume", action="store_true", help="continue after the last complete round of an interrupted run")
    add("--keep", action="store_true", help="keep the parts of the earlier record that are not run now")
    add("--data", type=Path, default=Path(data), help="the folder of mnist.npz")
    add("--output", type=Path, help="the file for the JSON record")
    return parser.parse_args()


class Bench:
    """One run of the command: its options and its results so far."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        default = BUILD / "quick.json" if options.quick else ROOT / "benchmarks" / "results" / "bench.json"
        self.output: Path = options.output or default
        self.journal = Journal(BUILD / f"{self.output.stem}.jsonl", options.resume)
        self.record: dict[str, Any] = {"surroundings": record.surroundings(), "quick": options.quick}
        self.record |= {"peers": {}, "workloads": {}, "threads": {}, "skipped": {}}
        self.record["mnist_60000"] = record.kept(self.output, "mnist_60000")
        self.measured: dict[str, dict[str, Line]] = {}
        self.threads: dict[str, Spread] = {}
        if options.keep:
            self.keep()

    # --- parts ---

    def install(self) -> list[Learner]:
        """Install the learners and record the status of each package; returns the installed ones."""
        wanted = [learner for learner in (*PEERS, *FORESTS) if learner.package in self.options.peers]
        status = self.record["peers"]
        for learner in wanted:
            if learner.package not in status:
                status[learner.package] = {"pins": learner.pins, "status": install(learner)}
        return [SET, *(each for each in wanted if status[each.package]["status"] == "installed")]

    def compare(self, work: Workload, learners: list[Learner], rows: Path) -> None:
        """Run one workload with all learners alternately, and print its tables."""
        peers = [each for each in learners if takes_part(each, work.key, self.options.quick)]
        print(f"\n{work.key}: {work.title}", flush=True)
        limit_s = self.options.limit * (12 if work.key == "W3 full" else 1)
        turns = Turns(work, peers, rows, BUILD / "logs", limit_s)
        try:
            rounds = turns.measure(self.journal)
        except WorkerError as error:
            self.skip(work.key, f"clausal failed: {error}")
            return
        self.measured[work.key] = lines(rounds)
        when = self.record["surroundings"]
        entry = {"surroundings": when, "settings": asdict(work), "rounds": rounds, "failed": turns.failed}
        entry["summary"] = {name: asdict(line) for name, line in self.measured[work.key].items()}
        self.record["workloads"][work.key] = entry
        self.note(turns.found)
        self.show(work)

    def keep(self) -> None:
        """Copy the parts of the earlier record that are not run now; each has the date of its measurement."""
        self.record["peers"] = record.kept(self.output, "peers") or {}
        for key, entry in (record.kept(self.output, "workloads") or {}).items():
            if key.split()[0] not in self.options.workloads:
                self.record["workloads"][key] = entry
                self.measured[key] = lines(entry["rounds"])
        if "threads" not in self.options.workloads:
            for key, entry in (record.kept(self.output, "threads") or {}).items():
                self.record["threads"][key] = entry
                self.threads[key] = ours.speedup(entry["times"])

    def note(self, found: dict[str, dict[str, Any]]) -> None:
        """Record versions and workarounds as reported by the workers."""
        for learner in (CLAUSAL, *PEERS, *FORESTS):
            if learner.name not in found:
                continue
            entry = self.record["peers"].setdefault(learner.package, {"pins": (), "status": "this checkout"})
            entry |= found[learner.name]
            if entry.pop("workaround"):
                entry["status"] = f"needs a workaround: {found[learner.name]['workaround']}"

    def take_threads(self, work: Workload, rows: Path) -> None:
        worker = Worker(CLAUSAL, rows, BUILD / "logs" / f"threads-{work.key}.log")
        try:
            times = ours.two_threads(work, worker, self.options.limit)
            self.threads[work.key] = ours.speedup(times)
            when = self.record["surroundings"]
            self.record["threads"][work.key] = {
                "surroundings": when,
                "settings": asdict(work),
                "times": times,
            }
        except WorkerError as error:
            self.skip(f"threads, {work.title}", str(error))
        finally:
            worker.stop()

    def take_long_run(self, rows: Path) -> None:
        print(f"\nMNIST, all 60,000 images, {LONG_RUN_EPOCHS} epochs of clausal", flush=True)
        worker = Worker(CLAUSAL, rows, BUILD / "logs" / "long-run.log")
        try:
            found = ours.learning_curve(W3, worker, LONG_RUN_EPOCHS)
            self.record["mnist_60000"] = {"surroundings": self.record["surroundings"], **found}
            print(ours.best(found["accuracy"]), flush=True)
        except WorkerError as error:
            self.skip("MNIST, 60 epochs", str(error))
        finally:
            worker.stop()

    def skip(self, what: str, why: str) -> None:
        self.record["skipped"][what] = why
        print(f"{what} is skipped: {why}", flush=True)

    # --- the run ---

    def run(self) -> None:
        options = self.options
        (BUILD / "logs").mkdir(parents=True, exist_ok=True)
        learners = self.install()
        todo = [w for w in workloads(options.quick, options.full) if w.family in options.workloads]
        for work in todo:
            if options.rounds:
                work = replace(work, rounds=options.rounds)
            self.with_rows(work, lambda rows, work=work: self.compare(work, learners, rows))
            record.write(self.output, self.record)
        if "threads" in options.workloads:
            small = {"n_samples": 1000, "rounds": 2, "n_epochs": 1} if options.quick else {}
            for work in (replace(W3, **{"rounds": 9} | small), replace(ONE_BANK, **small)):
                self.with_rows(work, lambda rows, work=work: self.take_threads(work, rows))
        if options.full:
            self.with_rows(replace(W3, n_samples=60000), self.take_long_run)
        self.finish()

    def with_rows(self, work: Workload, act: Any) -> None:
        """Call `act` with a file of the rows of a workload; skip the workload if its data is missing."""
        try:
            rows = rows_of(work, self.options.data)
        except FileNotFoundError:
            self.skip(work.key, "mnist.npz was not found; set its folder with --data or CLAUSAL_DATA")
            return
        if self.options.quick:
            rows |= {part: rows[part][:QUICK_TEST_ROWS] for part in ("X_test", "y_test")}
        with tempfile.TemporaryDirectory() as folder:
            np.savez(path := Path(folder) / "rows.npz", **rows)
            act(path)

    # --- the report ---

    def show(self, work: Workload) -> None:
        found = self.measured[work.key]
        print(f"\n{tables.training_table(found)}")
        if work.family in ("W3", "W4"):
            print(f"\n{tables.prediction_table(found)}")
        for name, why in self.record["workloads"][work.key]["failed"].items():
            print(f"{name}: {why}")

    def finish(self) -> None:
        """Print peers, threads and goals, and write the record."""
        long_run = self.record["mnist_60000"] or {"accuracy": []}
        reached = goals(self.measured, self.threads, long_run["accuracy"])
        self.record["goals"] = [
            {"goal": g.text, "at_least": g.wanted, "verdict": g.verdict, "detail": g.detail}
            | ({} if g.verdict == "not measured" else {"measured": g.measured})
            for g in reached
        ]
        record.write(self.output, self.record)
        print()
        for package, entry in self.record["peers"].items():
            print(f"{package} {entry.get('version', '')}: {entry['status']}")
        for key, ratio in self.threads.items():
            print(f"speedup of 2 threads, {key}: {tables.cell(ratio)}")
        note = " (of the quick run; the goals are defined for the full work)" if self.options.quick else ""
        print(f"\ngoals{note}\n{tables.goals_table(reached)}\n\nrecord: {os.path.relpath(self.output)}")


if __name__ == "__main__":
    Bench(read_options()).run()
