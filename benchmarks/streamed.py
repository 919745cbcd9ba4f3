"""A scorecard of a Parquet file that is read in batches: time and memory of `fit` by the number of rows.

The file is generated: 20 columns, of which 8 are normal float32, 4 whole numbers below 100, 4 amounts and 4
of 8 categories. Each size runs in a process of its own, whose peak memory is that of everything, Python and
libraries included. Writes benchmarks/results/streamed.json: `make bench-streamed`; STREAMED="--rows 1000000"
does a part.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
SIZES = [1_000_000, 5_000_000, 20_000_000]
PART_ROWS = 500_000


def make_part(rng, n):
    """Some rows: the class depends on numbers, a pair of them and a category."""
    columns = {f"normal{k}": rng.normal(size=n).astype(np.float32) for k in range(8)}
    columns |= {f"whole{k}": rng.integers(0, 100, n) for k in range(4)}
    columns |= {f"amount{k}": np.round(rng.lognormal(7, 1, n), 2) for k in range(4)}
    kinds = {f"kind{k}": rng.integers(0, 8, n) for k in range(4)}
    score = (
        0.8 * columns["normal0"]
        - 0.5 * columns["normal1"]
        + 1.0 * (columns["whole0"] > 60)
        + 1.2 * ((columns["amount0"] > 2_000) & (columns["whole1"] < 30))
        + 0.9 * (kinds["kind0"] == 3)
        - 1.5
    )
    target = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(np.int64)
    names = pa.array([f"kind {k}" for k in range(8)])
    texts = {name: names.take(pa.array(codes)) for name, codes in kinds.items()}
    return pa.table({**columns, **texts, "target": target})


def write_table(path, n_rows):
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(path, make_part(rng, 0).schema) as writer:
        for start in range(0, n_rows, PART_ROWS):
            writer.write_table(make_part(rng, min(PART_ROWS, n_rows - start)))


def fit(path):
    """Fit and predict in this process; prints the figures as JSON."""
    from clausal import RuleClassifier

    before, start = os.times(), time.perf_counter()
    clf = RuleClassifier(max_literals=20, random_state=0).fit(path, "target")
    seconds, after = time.perf_counter() - start, os.times()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    cpu = after.user + after.system - before.user - before.system
    print(json.dumps({"seconds": seconds, "cpu": cpu, "peak_gib": peak, "literals": clf.n_literals_}))


def measure(n_rows, folder):
    path = Path(folder) / f"{n_rows}.parquet"
    write_table(path, n_rows)
    run = [sys.executable, __file__, "--fit", str(path)]
    found = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    path.unlink()
    return {"rows": n_rows, **found, "rows_per_cpu_second": n_rows / found["cpu"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES)
    parser.add_argument("--fit", metavar="FILE", help="only fit this file")
    options = parser.parse_args()
    if options.fit:
        fit(options.fit)
        return
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for n_rows in options.rows:
            results.append(measure(n_rows, folder))
            print(results[-1], flush=True)
    if options.rows == SIZES:
        path = ROOT / "benchmarks" / "results" / "streamed.json"
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
