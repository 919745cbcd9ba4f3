"""How the cost of training grows with rows, clauses and columns: a chart for docs/performance.md.

CPU time of one epoch (the median of a few after the first), one thread, on random rows whose class is a noisy
OR of two columns. Writes docs/performance-growth.svg and benchmarks/results/growth.json: `make bench-growth`.
"""

import json
from itertools import pairwise
from pathlib import Path
from time import process_time

import matplotlib.pyplot as plt
import numpy as np

from clausal import TsetlinClassifier

ROOT = Path(__file__).resolve().parent.parent
DEFAULT = {"rows": 2_000, "clauses": 400, "columns": 400}
SIZES = {
    "rows": [500, 1_000, 2_000, 4_000, 8_000, 16_000],
    "clauses": [50, 100, 200, 400, 800, 1_600, 3_200],
    "columns": [50, 100, 200, 400, 800, 1_600, 3_200],
}
N_EPOCHS = 5


def epoch_seconds(rows, clauses, columns):
    rng = np.random.default_rng(0)
    X = (rng.random((rows, columns)) < 0.3).astype(np.uint8)
    y = (X[:, 0] | X[:, 1]) ^ (rng.random(rows) < 0.1)
    ends = []
    TsetlinClassifier(
        clauses, threshold=clauses, specificity=5.0, n_epochs=N_EPOCHS, booleanizer=None, random_state=0
    ).fit(X, y, callbacks=[lambda _: ends.append(process_time())])
    return float(np.median([after - before for before, after in pairwise(ends)]))


def draw(record, path):
    figure, axes = plt.subplots(1, len(SIZES), figsize=(10, 3.2), sharey=True, layout="constrained")
    for axis, (what, sizes) in zip(axes, SIZES.items(), strict=True):
        times = 1e3 * np.array(record[what])
        axis.loglog(sizes, times, "o-", color="#1f5f8b", label="measured")
        middle = len(sizes) // 2
        axis.loglog(sizes, times[middle] * np.array(sizes) / sizes[middle], "--", color="0.6", label="linear")
        fixed = ", ".join(f"{value:,} {name}" for name, value in DEFAULT.items() if name != what)
        axis.set(xlabel=what, title=f"{fixed}")
    axes[0].set_ylabel("ms of CPU per epoch")
    axes[0].legend(frameon=False)
    figure.savefig(path)


def main():
    record = {
        what: [epoch_seconds(**DEFAULT | {what: size}) for size in sizes] for what, sizes in SIZES.items()
    }
    (ROOT / "benchmarks" / "results" / "growth.json").write_text(
        json.dumps({"sizes": SIZES, "seconds": record}, indent=1) + "\n", encoding="utf-8"
    )
    draw(record, ROOT / "docs" / "performance-growth.svg")
    for what, times in record.items():
        slope = np.polyfit(np.log(SIZES[what]), np.log(times), 1)[0]
        print(f"{what}: time grows as size to the {slope:.2f}; {[round(1e3 * t, 1) for t in times]} ms")


if __name__ == "__main__":
    main()
