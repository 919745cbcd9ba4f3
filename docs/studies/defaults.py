"""The study behind the defaults: specificity, threshold="auto", n_epochs, max_columns, weight_gain.

Data: Adult, German credit (from a folder given by CLAUSAL_DATA) and generated tables; never the paper's five.
Writes one CSV line per (table, split, setting, epoch); docs/decisions/0004-defaults.md has the outcome.

    CLAUSAL_DATA=folder python docs/studies/defaults.py grid|far|farther|columns|clauses|none|real
"""

import csv
import gzip
import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from clausal import Booleanizer, TsetlinClassifier
from clausal.datasets import make_noisy_xor

EPOCHS = (10, 20, 30, 50, 75, 100, 150, 200)
N_SPLITS = 3
HERE = Path(__file__).parent
COLUMNS = (
    "table split max_columns n_clauses threshold specificity weighting weight_gain epoch accuracy n_literals"
)


def adult(split):
    table = pd.read_csv(Path(os.environ["CLAUSAL_DATA"]) / "adult.csv.gz", skipinitialspace=True)
    label = table.columns[-1]
    y = table.pop(label).astype(str).str.contains(">50K").to_numpy()
    return train_test_split(table, y, train_size=2000, test_size=8000, random_state=split, stratify=y)


def german(split):
    table = pd.read_csv(Path(os.environ["CLAUSAL_DATA"]) / "german_credit.csv")
    y = table.pop("class").to_numpy()
    return train_test_split(table, y, test_size=0.2, random_state=split, stratify=y)


def german_small(split):
    X_train, X_test, y_train, y_test = german(split)
    rows = np.random.RandomState(split).permutation(len(y_train))[:200]
    return X_train.iloc[rows], X_test, y_train[rows], y_test


def boxes(split):
    """Crisp logic on numbers, with 5 % of the labels flipped."""
    rng = np.random.RandomState(split)
    X = rng.uniform(0, 10, (1500, 8))
    y = ((X[:, 0] > 5) & (X[:, 1] <= 3)) | ((X[:, 2] > 7) & (X[:, 3] > 4)) | (X[:, 4] <= 1)
    return train_test_split(X, y ^ (rng.rand(1500) < 0.05), train_size=500, random_state=split)


def additive(split):
    """A smooth score on ten numbers with much noise, as in medicine."""
    rng = np.random.RandomState(split)
    X = rng.normal(size=(1400, 10))
    score = X[:, 0] + 0.8 * X[:, 1] - 0.6 * X[:, 2] + 0.5 * np.abs(X[:, 3]) - 0.4
    return train_test_split(
        X, rng.rand(1400) < 1 / (1 + np.exp(-1.5 * score)), train_size=400, random_state=split
    )


def clusters(n_classes):
    def make(split):
        X, y = make_classification(
            1600,
            12,
            n_informative=6,
            n_classes=n_classes,
            n_clusters_per_class=2,
            flip_y=0.05,
            random_state=split,
        )
        return train_test_split(X, y, train_size=600, random_state=split)

    return make


def xor(split):
    X, y = make_noisy_xor(3000, n_features=12, noise=0.2, random_state=split)
    return train_test_split(X, y, train_size=1500, random_state=split)


TABLES = {
    "adult": adult,
    "german": german,
    "german_small": german_small,
    "boxes": boxes,
    "additive": additive,
    "clusters2": clusters(2),
    "clusters4": clusters(4),
    "xor": xor,
}


def run(table, split, params, max_columns=16):
    """Accuracy on the held-out part after each of EPOCHS, and literals at the end."""
    X_train, X_test, y_train, y_test = TABLES[table](split)
    booleanizer = Booleanizer(max_columns=max_columns, handle_unknown="no_match", handle_missing="as_false")
    clf = TsetlinClassifier(n_epochs=max(EPOCHS), booleanizer=booleanizer, random_state=split, **params)
    clf.fit(X_train, y_train, eval_set=(X_test, y_test))
    scores = clf.history_["eval"]
    return [
        [table, split, max_columns, *params.values(), e, f"{scores[e - 1]:.4f}", clf.n_literals_]
        for e in EPOCHS
    ]


GRIDS = {  # clauses, T / clauses, s, weightings, gains, columns per feature
    "grid": ([100], [0.1, 0.25, 0.5, 1, 2, 4], [1.3, 1.6, 2, 2.5, 3, 4, 6], ["integer"], [0.1], [16]),
    "far": ([100], [8, 16, 32, 64], [2, 3, 4, 6, 10], ["integer"], [0.1], [16]),
    "farther": ([100], [64, 128, 256], [2, 2.5, 3, 4], ["integer"], [0.1], [16]),
    "columns": ([100], [64], [3], ["integer"], [0.1], [4, 8, 12, 16, 24, 32]),
    "clauses": ([20, 50, 300], [16, 64], [3], ["integer"], [0.1], [16]),
    "none": ([100], [0.05, 0.1, 0.25, 0.5, 1], [2, 3, 4, 6], ["none"], [0.1], [16]),
    "real": ([100], [1, 8, 64], [3], ["real"], [0.01, 0.03, 0.1, 0.3], [16]),
}


def settings(kind):
    for m, ratio, s, weighting, gain, columns in itertools.product(*GRIDS[kind]):
        params = {"n_clauses": m, "threshold": max(1, round(ratio * m)), "specificity": s}
        yield params | {"weighting": weighting, "weight_gain": gain}, columns


def main(kind):
    jobs = [(t, i, p, c) for p, c in settings(kind) for t in TABLES for i in range(N_SPLITS)]
    rows = Parallel(n_jobs=int(os.environ.get("JOBS", "1")), verbose=1)(delayed(run)(*job) for job in jobs)
    with gzip.open(HERE / f"defaults_{kind}.csv.gz", "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS.split())
        writer.writerows(line for lines in rows for line in lines)


if __name__ == "__main__":
    main(sys.argv[1])
