"""The study that chose the defaults: specificity, threshold="auto", n_epochs, max_columns, weight_gain.

Writes one CSV line per (table, split, setting, epoch) to results/; docs/decisions/0004-defaults.md has the
outcome. Adult and German credit are read from the folder CLAUSAL_DATA, otherwise ../shared/data.

    python -m studies.defaults.grid grid|far|farther|columns|clauses|none|real
"""

import csv
import gzip
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from clausal import Booleanizer, TsetlinClassifier
from studies.defaults.tables import TABLES

EPOCHS = (10, 20, 30, 50, 75, 100, 150, 200)
N_SPLITS = 3
RESULTS = Path(__file__).parent / "results"
COLUMNS = (
    "table split max_columns n_clauses threshold specificity weighting weight_gain epoch accuracy n_literals"
)


def run(table: str, split: int, params: dict[str, Any], max_columns: int = 16) -> list[list[Any]]:
    """Accuracy on the held-out part after each number of EPOCHS, and the number of literals at the end."""
    X_train, X_test, y_train, y_test = TABLES[table](split)
    booleanizer = Booleanizer(max_columns=max_columns, handle_unknown="no_match", handle_missing="as_false")
    clf = TsetlinClassifier(n_epochs=max(EPOCHS), booleanizer=booleanizer, random_state=split, **params)
    clf.fit(X_train, y_train, eval_set=(X_test, y_test))
    scores = clf.history_["eval"]
    return [
        [table, split, max_columns, *params.values(), e, f"{scores[e - 1]:.4f}", clf.n_literals_]
        for e in EPOCHS
    ]


GRIDS: dict[str, tuple[list[Any], ...]] = {  # clauses, T / clauses, s, weightings, gains, columns per feature
    "grid": ([100], [0.1, 0.25, 0.5, 1, 2, 4], [1.3, 1.6, 2, 2.5, 3, 4, 6], ["integer"], [0.1], [16]),
    "far": ([100], [8, 16, 32, 64], [2, 3, 4, 6, 10], ["integer"], [0.1], [16]),
    "farther": ([100], [64, 128, 256], [2, 2.5, 3, 4], ["integer"], [0.1], [16]),
    "columns": ([100], [64], [3], ["integer"], [0.1], [4, 8, 12, 16, 24, 32]),
    "clauses": ([20, 50, 300], [16, 64], [3], ["integer"], [0.1], [16]),
    "none": ([100], [0.05, 0.1, 0.25, 0.5, 1], [2, 3, 4, 6], ["none"], [0.1], [16]),
    "real": ([100], [1, 8, 64], [3], ["real"], [0.01, 0.03, 0.1, 0.3], [16]),
}


def settings(kind: str) -> Iterator[tuple[dict[str, Any], int]]:
    """The parameters of the machine and the columns per feature, for every point of a grid."""
    for m, ratio, s, weighting, gain, columns in itertools.product(*GRIDS[kind]):
        params = {"n_clauses": m, "threshold": max(1, round(ratio * m)), "specificity": s}
        yield params | {"weighting": weighting, "weight_gain": gain}, columns


def main(kind: str) -> None:
    """Run one grid; JOBS is the number of processes."""
    jobs = [(t, i, p, c) for p, c in settings(kind) for t in TABLES for i in range(N_SPLITS)]
    rows = Parallel(n_jobs=int(os.environ.get("JOBS", "1")), verbose=1)(delayed(run)(*job) for job in jobs)
    with gzip.open(RESULTS / f"{kind}.csv.gz", "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS.split())
        writer.writerows(line for lines in rows for line in lines)


if __name__ == "__main__":
    main(sys.argv[1])
