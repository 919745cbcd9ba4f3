"""The tables of the study of the defaults: Adult, German credit and generated ones; none of the paper's five.

Each is a function of the index of the split and returns X_train, X_test, y_train, y_test. Not here: the
settings (grid.py).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from clausal.datasets import make_noisy_xor
from studies.data import data_folder

Parts = Any  # X_train, X_test, y_train, y_test


def adult_table() -> tuple[Any, Any]:
    """All rows of Adult: the features, and whether the income is above 50,000."""
    table = pd.read_csv(data_folder() / "adult.csv.gz", skipinitialspace=True)
    label = table.columns[-1]
    return table, table.pop(label).astype(str).str.contains(">50K").to_numpy()


def adult(split: int) -> Parts:
    """2,000 training rows and 8,000 test rows."""
    table, y = adult_table()
    return train_test_split(table, y, train_size=2000, test_size=8000, random_state=split, stratify=y)


def german(split: int) -> Parts:
    """800 training rows and 200 test rows."""
    table = pd.read_csv(data_folder() / "german_credit.csv")
    y = table.pop("class").to_numpy()
    return train_test_split(table, y, test_size=0.2, random_state=split, stratify=y)


def german_small(split: int) -> Parts:
    """200 training rows, which are also the test rows."""
    X_train, X_test, y_train, y_test = german(split)
    rows = np.random.RandomState(split).permutation(len(y_train))[:200]
    return X_train.iloc[rows], X_test, y_train[rows], y_test


def boxes(split: int) -> Parts:
    """Conjunctions of intervals, with 5 % of the labels flipped."""
    rng = np.random.RandomState(split)
    X = rng.uniform(0, 10, (1500, 8))
    y = ((X[:, 0] > 5) & (X[:, 1] <= 3)) | ((X[:, 2] > 7) & (X[:, 3] > 4)) | (X[:, 4] <= 1)
    return train_test_split(X, y ^ (rng.rand(1500) < 0.05), train_size=500, random_state=split)


def additive(split: int) -> Parts:
    """A smooth score of ten numbers with much noise, as in medical data."""
    rng = np.random.RandomState(split)
    X = rng.normal(size=(1400, 10))
    score = X[:, 0] + 0.8 * X[:, 1] - 0.6 * X[:, 2] + 0.5 * np.abs(X[:, 3]) - 0.4
    return train_test_split(
        X, rng.rand(1400) < 1 / (1 + np.exp(-1.5 * score)), train_size=400, random_state=split
    )


def clusters(n_classes: int) -> Callable[[int], Parts]:
    """Normal clusters, two per class, with 5 % of the labels drawn at random."""

    def make(split: int) -> Parts:
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


def xor(split: int) -> Parts:
    """XOR of two columns out of twelve, with 20 % of the labels flipped."""
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
