"""Training speed of clausal beside pyTsetlinMachine 0.6.6, on one thread, in CPU time.

`make bench-peer` runs it. The peer is installed from PyPI into an environment of its own under build/peers
(it compiles C). Two pieces of work: a table of 250 x 18 with 2,000 clauses, and the first MNIST images with
2,000 clauses per class (skipped where mnist.npz is absent). Every fit runs in a fresh process that first
makes a tiny fit to load everything; the clock is `time.process_time` around `fit` alone. The packages take
turns: clausal, peer, clausal, peer. Both train the same kind of machine: same s and T, integer weights of at
least 1, 128 states per action, no boost of true positives.

A sample trains two banks of m clauses in the peer, always; in clausal one bank for two classes and two banks
for more. So there are two comparisons: the plain time of `fit`, and nanoseconds per clause visit, where
clause visits = samples x clauses touched per sample x epochs. Of the peer's `indexed=True` and `False` the
faster one in a trial counts. Accuracy on held-out rows stands beside the times. Nothing here asserts a speed.

The record goes to benchmarks/results/against_pytsetlinmachine.json, that of `--quick` to build/peers.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np  # the one dependency that both environments have

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "build" / "peers"
NAME = "against_pytsetlinmachine.json"
PEER, PEER_VERSION = "pyTsetlinMachine", "0.6.6"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Arrays = dict[str, Any]  # X_train, y_train, X_test, y_test
Result = dict[str, Any]  # what a worker prints: seconds, accuracy, versions


@dataclass(frozen=True)
class Work:
    """One piece of work, the same for both packages."""

    title: str
    n_classes: int
    n_clauses: int
    threshold: int
    specificity: float
    n_epochs: int
    rounds: int

    def visits(self, package: str, n_samples: int) -> int:
        """Clause visits of a fit: samples x clauses touched per sample x epochs."""
        banks = 1 if package == "clausal" and self.n_classes == 2 else 2
        return n_samples * banks * self.n_clauses * self.n_epochs


# --- data ---


def logical_rows() -> Arrays:
    """(x0 and x1) or (x2 and not x3) of 18 random bits; 10 % of the training labels are flipped."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (2250, 18), dtype=np.uint8)
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & (1 - X[:, 3]))).astype(np.uint32)
    y_train = y[:250] ^ (random.random(250) < 0.1)
    return {"X_train": X[:250], "y_train": y_train, "X_test": X[250:], "y_test": y[250:]}


def mnist_rows(path: Path, n_images: int) -> Arrays:
    """The first images with pixels > 75 as boolean columns; the first 2,000 test images held out."""
    counts = {"train": n_images, "test": 2000}
    rows: Arrays = {}
    with np.load(path) as data:
        for part, n in counts.items():
            rows[f"X_{part}"] = (data[f"x_{part}"][:n].reshape(-1, 784) > 75).astype(np.uint8)
            rows[f"y_{part}"] = data[f"y_{part}"][:n].astype(np.uint32)
    return rows


# --- the worker: one fit in a process of its own, in the environment of its package ---


def clausal_machine(work: Work, seed: int) -> tuple[Any, dict[str, int]]:
    from clausal import TsetlinClassifier

    settings = {"threshold": work.threshold, "specificity": work.specificity, "n_epochs": work.n_epochs}
    same_as_peer = {"weighting": "integer", "weight_floor": 1, "n_states": 128, "boost_true_positive": False}
    rest = {"booleanizer": None, "n_jobs": 1, "random_state": seed}
    return TsetlinClassifier(work.n_clauses, **settings, **same_as_peer, **rest), {}


def peer_machine(work: Work, indexed: bool) -> tuple[Any, dict[str, int]]:
    from pyTsetlinMachine.tm import MultiClassTsetlinMachine

    same_as_ours = {"weighted_clauses": True, "number_of_state_bits": 8, "boost_true_positive_feedback": 0}
    sizes = (work.n_clauses, work.threshold, work.specificity)
    return MultiClassTsetlinMachine(*sizes, indexed=indexed, **same_as_ours), {"epochs": work.n_epochs}


def run_worker(task: dict[str, Any]) -> Result:
    """Fit once, timed, after a tiny fit; score on the held-out rows."""
    package, work, rows = task["package"], Work(**task["work"]), dict(np.load(task["rows"]))
    make, choice = (clausal_machine, "seed") if package == "clausal" else (peer_machine, "indexed")
    tiny = replace(work, n_clauses=10, n_epochs=1)
    for each in (tiny, work):
        machine, options = make(each, task[choice])
        start = time.process_time()
        machine.fit(rows["X_train"], rows["y_train"], **options)
        seconds = time.process_time() - start
    accuracy = float(np.mean(machine.predict(rows["X_test"]) == rows["y_test"]))
    versions = {package: version(package), "numpy": np.__version__, "python": platform.python_version()}
    if package == "clausal":
        from clausal.engine.native import instruction_set

        versions["instruction_set"] = instruction_set()
    return {"seconds": seconds, "accuracy": accuracy, "versions": versions}


# --- taking turns ---


def install_peer() -> str:
    """The peer's Python, installed on first use; the peer needs NumPy but does not declare it."""
    home = PEERS / f"{PEER}-{PEER_VERSION}"
    python = str(home / "bin" / "python")
    works = [python, "-c", f"import {PEER}.tm"]
    if not Path(python).exists() or subprocess.run(works, capture_output=True).returncode:
        print(f"installing {PEER} {PEER_VERSION} into {home}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "numpy", f"{PEER}=={PEER_VERSION}"], check=True)
        subprocess.run(works, check=True)
    return python


def fit_apart(python: str, task: dict[str, Any]) -> Result:
    """One fit in a process of its own."""
    command = [python, __file__, "--worker", json.dumps(task)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | ONE_THREAD)
    result: Result = json.loads(done.stdout.splitlines()[-1])
    options = {key: task[key] for key in ("seed", "indexed") if key in task}
    print(f"  {task['package']:<16} {options} {result['seconds']:.3f} s", flush=True)
    return result


def compare(work: Work, rows: Arrays, peer_python: str) -> dict[str, Any]:
    """Both packages in turns, after a trial that chooses the peer's `indexed`."""
    print(f"{work.title}: trial of the peer, then {work.rounds} round(s)", flush=True)
    fits: dict[str, list[Result]] = {"clausal": [], PEER: []}
    with tempfile.TemporaryDirectory() as folder:
        task = {"work": asdict(work), "rows": f"{folder}/rows.npz"}
        np.savez(task["rows"], **rows)
        peer = [task | {"package": PEER, "indexed": indexed} for indexed in (True, False)]
        trial = [fit_apart(peer_python, each) for each in peer]
        faster = peer[int(np.argmin([result["seconds"] for result in trial]))]
        for seed in range(work.rounds):
            ours = task | {"package": "clausal", "seed": seed}
            fits["clausal"].append(fit_apart(sys.executable, ours))
            fits[PEER].append(fit_apart(peer_python, faster))
    n_samples, n_columns = rows["X_train"].shape
    record = {"settings": asdict(work), "n_samples": n_samples, "n_columns": n_columns}
    record |= {"peer_indexed": faster["indexed"], "peer_trial_indexed_then_not": trial}
    return record | {"fits": fits, "summary": summary(work, n_samples, fits)}


def summary(work: Work, n_samples: int, fits: dict[str, list[Result]]) -> dict[str, dict[str, Any]]:
    """[median, least, greatest] over the rounds; ratios are peer / clausal within a round."""
    raw: dict[str, dict[str, list[float]]] = {}
    for package, results in fits.items():
        seconds = [result["seconds"] for result in results]
        cost = [s * 1e9 / work.visits(package, n_samples) for s in seconds]
        raw[package] = {"seconds": seconds, "ns_per_clause_visit": cost}
    ours, peer = raw["clausal"], raw[PEER]
    raw["peer / clausal"] = {k: [p / o for p, o in zip(peer[k], ours[k], strict=True)] for k in ours}
    for package, results in fits.items():
        raw[package]["accuracy"] = [result["accuracy"] for result in results]
    return {
        row: {key: [statistics.median(x), min(x), max(x)] for key, x in cells.items()}
        for row, cells in raw.items()
    }


# --- the report ---


def print_table(record: dict[str, Any]) -> None:
    print(f"\n{record['settings']['title']}; median (min-max) of the rounds")
    print(f"{'':<18}{'fit, CPU s':<24}{'ns per clause visit':<24}accuracy")
    for row, cells in record["summary"].items():
        texts = ["{:.3g} ({:.3g}-{:.3g})".format(*cell) for cell in cells.values()]
        print(f"{row:<18}" + "".join(f"{text:<24}" for text in texts).rstrip())
    print(f"the peer with indexed={record['peer_indexed']}", flush=True)


def surroundings() -> dict[str, Any]:
    """Where and on what this ran; the versions of the packages are beside each fit."""
    described = ["git", "--no-optional-locks", "describe", "--always", "--dirty"]
    commit = subprocess.run(described, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else platform.processor()
    about = {"date": time.strftime("%Y-%m-%d"), "clausal_commit": commit, "processor": processor}
    return about | {"cores": os.cpu_count(), "load_average_at_start": os.getloadavg()}


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("CLAUSAL_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(data), help="the folder of mnist.npz")
    parser.add_argument("--images", type=int, help="training images (5000; 1000 with --quick)")
    parser.add_argument("--epochs", type=int, default=3, help="epochs over the images (3)")
    parser.add_argument("--quick", action="store_true", help="fewer images and rounds")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = read_options()
    if options.worker:
        print(json.dumps(run_worker(json.loads(options.worker))))
        return
    quick, n_images = options.quick, options.images or (1000 if options.quick else 5000)
    peer_python, mnist, record = install_peer(), options.data / "mnist.npz", surroundings()
    title = "250 x 18, 2,000 clauses, T 2000, s 5, 50 epochs"
    small = Work(title, 2, 2000, 2000, 5.0, 50, rounds=2 if quick else 5)
    record["work"] = [compare(small, logical_rows(), peer_python)]
    if mnist.exists():
        title = f"MNIST first {n_images:,}, 2,000 clauses per class, T 5000, s 10, epochs 1-{options.epochs}"
        large = Work(title, 10, 2000, 5000, 10.0, options.epochs, rounds=1 if quick else 3)
        record["work"].append(compare(large, mnist_rows(mnist, n_images), peer_python))
    else:
        print(f"MNIST is skipped: {mnist} does not exist; --data or CLAUSAL_DATA names its folder")
    for each in record["work"]:
        print_table(each)
    path = (PEERS if quick else ROOT / "benchmarks" / "results") / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"\nrecord: {path}")


if __name__ == "__main__":
    main()
