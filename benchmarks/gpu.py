"""Training and prediction on an NVIDIA GPU: `make bench-gpu`, on a computer that has one.

Parts: `mnist` (60,000 images, 10 banks of 2,000 clauses, T 5,000, s 10: time per epoch, accuracy, time until
98 % of the test images are right, and whether the model after 3 epochs is that of the CPU), `predict` (rows
per second of that model, from memory of the GPU), `many` (1,000 small machines in one call, beside the CPU),
`sizes` (time per epoch on both by the number of clauses). MNIST is read from an .npz file.

Writes benchmarks/results/gpu.json with the device's name, driver and clocks. `--backend cpu --small` runs
everything on the CPU with little of each, to try the program itself.
"""

import argparse
import json
import subprocess
import time
from functools import partial
from pathlib import Path

import numpy as np

from clausal import TsetlinClassifier
from clausal.engine.backends import backend_named
from clausal.engine.cuda.device import DeviceArray, open_device
from clausal.engine.protocol import EngineConfig, TrainingJob, down_chances
from clausal.engine.weight_rule import weight_rule
from clausal.machine.prediction import compiled_model

ROOT = Path(__file__).resolve().parent.parent
MNIST = ROOT.parent / "shared" / "data" / "mnist.npz"
RESULTS = ROOT / "benchmarks" / "results" / "gpu.json"
GREY, RIGHT = 75, 0.98
PINNED_EPOCHS = 3


def device_of(backend):
    """What computes, as text; of a GPU with driver and clocks."""
    if backend == "cpu":
        return "CPU"
    open_device()  # says what is missing
    fields = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem"
    asked = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def images(path, small):
    """Training and test images as booleans, and their digits."""
    with np.load(path) as data:
        parts = [data[name] for name in ("x_train", "y_train", "x_test", "y_test")]
    if small:
        parts = [part[:300] for part in parts]
    X, y, X_test, y_test = parts
    return X.reshape(len(X), -1) > GREY, y, X_test.reshape(len(X_test), -1) > GREY, y_test


def machine(n_clauses, n_epochs, backend):
    return TsetlinClassifier(
        n_clauses,
        threshold=max(1, 5 * n_clauses // 2),
        specificity=10.0,
        n_epochs=n_epochs,
        booleanizer=None,
        backend=backend,
        n_jobs=2,
        random_state=0,
    )


def timed_fit(clf, X, y):
    """Seconds of each epoch but the first, which has the compilation of kernels in it."""
    ends = []
    clf.fit(X, y, callbacks=[lambda end: ends.append(time.perf_counter())])
    return np.diff(ends)


def mnist(options, data):
    X, y, X_test, y_test = data
    n_clauses, n_epochs = (20, 3) if options.small else (2_000, 60)
    timed_fit(machine(n_clauses, 1, options.backend), X, y)  # compiles the kernels
    clf = machine(n_clauses, n_epochs, options.backend)
    seconds = timed_fit(clf, X, y)
    same = [machine(n_clauses, PINNED_EPOCHS, name).fit(X, y).model_ for name in (options.backend, "cpu")]
    reached = epochs_until_right(options, data, n_clauses, n_epochs)
    return clf, {
        "milliseconds_per_epoch": round(1e3 * float(np.mean(seconds)), 2),
        "second_epoch": round(1e3 * float(seconds[0]), 2),
        "last_epoch": round(1e3 * float(seconds[-1]), 2),
        "accuracy": float(clf.score(X_test, y_test)),
        "epochs_until_98_percent": reached,
        "same_model_as_cpu": all(
            np.array_equal(getattr(same[0], name), getattr(same[1], name)) for name in ("states", "weights")
        ),
    }


def epochs_until_right(options, data, n_clauses, n_epochs):
    """The first epoch after which 98 % of the test images are right; None if there is none."""
    X, y, *test = data
    scores = machine(n_clauses, n_epochs, options.backend).fit(X, y, eval_set=[tuple(test)]).history_
    (found,) = (values for name, values in scores.items() if name not in ("epoch", "n_live_clauses"))
    return next((epoch for epoch, score in enumerate(found, 1) if score >= RIGHT), None)


def predict(options, clf, X):
    """Rows per second; on a GPU of rows that lie there already."""
    rows = np.ascontiguousarray(np.tile(X, (1 if options.small else 50, 1)), np.uint8)
    compiled = compiled_model(clf.model_, backend_named(options.backend))
    given = rows
    if options.backend != "cpu":
        with open_device() as gpu:
            given = DeviceArray(gpu.put(rows), rows.shape, rows.shape[1])
    seconds = least(partial(compiled.votes_of_bits, given))
    return {"rows": len(rows), "rows_per_second": round(len(rows) / seconds)}


def small_machines(backend, n_machines, n_epochs):
    """Jobs of machines with 100 clauses on 216 rows of 18 columns, with different seeds and s."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (216, 18), dtype=np.uint8)
    targets = (bits[:, 0] ^ bits[:, 1] ^ (rng.random(216) < 0.1)).astype(np.int32)
    literals = backend.pack(bits, 1)
    order = np.concatenate([rng.permutation(216) for _ in range(n_epochs)]).astype(np.int64)
    rule = weight_rule("integer", floor=0, maximum=None, gain=0.1, threshold=400, signed=False)
    jobs = []
    for seed in range(n_machines):
        config = EngineConfig(
            n_banks=1,
            n_clauses=100,
            n_columns=18,
            n_states=128,
            threshold=400 * rule.scale,
            down_chance=down_chances(1.5 + seed % 17 / 2, 100),
            rule=rule,
            seed=seed,
            drop_chance=0,
        )
        jobs.append(TrainingJob(backend.engine(config, 1), literals, targets, order))
    return jobs


def many(options):
    n_machines, n_epochs = (20, 5) if options.small else (1_000, 100)
    seconds, levels = {}, []
    for name in (options.backend, "cpu"):
        backend = backend_named(name)
        backend.train_many(small_machines(backend, n_machines, 1), 2)  # compiles the kernels
        jobs = small_machines(backend, n_machines, n_epochs)
        start = time.perf_counter()
        backend.train_many(jobs, 2)
        seconds[name] = time.perf_counter() - start
        levels.append(np.stack([job.engine.levels for job in jobs]))
    return {
        "machines": n_machines,
        "seconds": round(seconds[options.backend], 4),
        "seconds_of_cpu_on_two_threads": round(seconds["cpu"], 4),
        "same_weights": bool(np.array_equal(*levels)),
    }


def sizes(options, data):
    """Seconds of an epoch by the number of clauses per bank, on both."""
    X, y, *_ = data
    X, y = X[:5_000], y[:5_000]
    found = []
    for n_clauses in (10, 20) if options.small else (10, 30, 100, 300, 1_000, 3_000):
        own = {
            name: float(np.median(timed_fit(machine(n_clauses, 4, name), X, y)))
            for name in dict.fromkeys((options.backend, "cpu"))
        }
        found.append({"clauses": n_clauses, "seconds": own})
    return found


def least(call, n=5):
    seconds = []
    for _ in range(n):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--mnist", type=Path, default=MNIST, metavar="FILE")
    parser.add_argument("--small", action="store_true", help="little of each; writes no file")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FILE")
    options = parser.parse_args()
    data = images(options.mnist, options.small)
    results = {"device": device_of(options.backend), "many": many(options)}
    print(json.dumps(results), flush=True)
    clf, results["mnist"] = mnist(options, data)
    print(json.dumps(results["mnist"]), flush=True)
    results["predict"] = predict(options, clf, data[2])
    print(json.dumps(results["predict"]), flush=True)
    results["sizes"] = sizes(options, data)
    print(json.dumps(results["sizes"]), flush=True)
    if not options.small:
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
