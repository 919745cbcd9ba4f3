"""The workloads W1 to W4 and their data. Not here: learners (learners.py) and their sizes (equal_work.py).

W1: small data, 250 x 18, 50 epochs, s = 5, T = m. W2: noisy XOR, 10,000 x 20 bits, with 40 % of the training
labels flipped. W3: MNIST, pixels > 75. W4: 2,000 sparse rows with 5,000 columns. Test rows are not training
rows; their labels have no noise in W1 and W2. Arrays: X (rows, columns) uint8 of 0 and 1, y (rows,) uint32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.generic]]  # X_train, y_train, X_test, y_test


@dataclass(frozen=True)
class Workload:
    """One workload: data, and the settings of a machine with one bank of `n_clauses` per class."""

    key: str  # "W1 m=100"; what comes before the blank is the family
    title: str
    n_samples: int
    n_columns: int
    n_classes: int
    n_clauses: int
    threshold: int
    specificity: float
    n_epochs: int
    rounds: int

    @property
    def family(self) -> str:
        return self.key.split()[0]


def small_table() -> Arrays:
    """(x0 and x1) or (x2 and not x3) of 18 random bits; 10 % of the 250 training labels are flipped."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (2250, 18), dtype=np.uint8)
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & (1 - X[:, 3]))).astype(np.uint32)
    flipped = random.random(250) < 0.1
    return {"X_train": X[:250], "y_train": y[:250] ^ flipped, "X_test": X[250:], "y_test": y[250:]}


def noisy_xor() -> Arrays:
    """XOR of the first two of 20 random bits; 40 % of the 10,000 training labels are flipped."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (15000, 20), dtype=np.uint8)
    y = (X[:, 0] ^ X[:, 1]).astype(np.uint32)
    flipped = random.random(10000) < 0.4
    return {"X_train": X[:10000], "y_train": y[:10000] ^ flipped, "X_test": X[10000:], "y_test": y[10000:]}


def sparse_rows(n_test: int = 10000) -> Arrays:
    """5,000 columns, 1 with probability .02; of the first 100, 50 tell class 1 (.06, or .005), 50 class 0."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 2000 + n_test).astype(np.uint32)
    X = (random.random((len(y), 5000), dtype=np.float32) < 0.02).astype(np.uint8)
    often = (random.random((len(y), 50)) < 0.06).astype(np.uint8)
    seldom = (random.random((len(y), 50)) < 0.005).astype(np.uint8)
    X[:, :50], X[:, 50:100] = (np.where(y[:, None] == k, often, seldom) for k in (1, 0))
    return {"X_train": X[:2000], "y_train": y[:2000], "X_test": X[2000:], "y_test": y[2000:]}


def mnist(folder: Path, n_images: int) -> Arrays:
    """The first training images and all 10,000 test images; FileNotFoundError without mnist.npz."""
    rows: Arrays = {}
    with np.load(folder / "mnist.npz") as data:
        for part, n in {"train": n_images, "test": 10000}.items():
            rows[f"X_{part}"] = (data[f"x_{part}"][:n].reshape(-1, 784) > 75).astype(np.uint8)
            rows[f"y_{part}"] = data[f"y_{part}"][:n].astype(np.uint32)
    return rows


def upper_digits(folder: Path, n_images: int) -> Arrays:
    """MNIST with two classes, a digit below 5 or not: one bank, to measure threads."""
    rows = mnist(folder, n_images)
    return rows | {part: (rows[part] >= 5).astype(np.uint32) for part in ("y_train", "y_test")}


W1 = Workload("W1", "250 x 18, 50 epochs", 250, 18, 2, 0, 0, 5.0, 50, 5)
W2 = Workload("W2", "noisy XOR, 20 epochs", 10000, 20, 2, 100, 15, 3.9, 20, 5)
W3 = Workload("W3", "MNIST first 5,000, epochs 1-5", 5000, 784, 10, 2000, 5000, 10.0, 5, 3)
W4 = Workload("W4", "2,000 x 5,000 at 2 %, 3 epochs", 2000, 5000, 2, 1000, 50, 5.0, 3, 3)
ONE_BANK = Workload("bank", "one bank of 8,000 x 1,568", 2000, 784, 2, 8000, 5000, 10.0, 3, 5)


def small_tables(*sizes: int) -> list[Workload]:
    """W1 in several sizes; T equals the number of clauses."""
    return [
        replace(W1, key=f"W1 m={m}", title=f"{W1.title}, m = {m:,}", n_clauses=m, threshold=m) for m in sizes
    ]


def workloads(quick: bool, full: bool) -> list[Workload]:
    """All workloads. Quick: fewer sizes, rounds and epochs. Full: also W3 on all images."""
    if quick:
        one = [replace(w, rounds=1) for w in (W3, W4)]
        first = replace(one[0], title="MNIST first 1,000, epochs 1-2", n_samples=1000, n_epochs=2)
        third = replace(one[1], title="500 x 5,000 at 2 %, 1 epoch", n_samples=500, n_epochs=1)
        brief = replace(W2, title="noisy XOR, 4 epochs", n_epochs=4, rounds=2)
        return [replace(w, rounds=2) for w in small_tables(100, 2000)] + [brief, first, third]
    everything = [*small_tables(100, 500, 2000, 8000), W2, W3, W4]
    if full:
        title = "MNIST all 60,000, epochs 1-5"
        everything.append(replace(W3, key="W3 full", title=title, n_samples=60000, rounds=1))
    return everything


def rows_of(workload: Workload, folder: Path) -> Arrays:
    """The data of a workload; MNIST is read from the folder."""
    makers: dict[str, Callable[[], Arrays]] = {
        "W1": small_table,
        "W2": noisy_xor,
        "W3": lambda: mnist(folder, workload.n_samples),
        "W4": sparse_rows,
        "bank": lambda: upper_digits(folder, workload.n_samples),
    }
    rows, n = makers[workload.family](), workload.n_samples
    return rows | {"X_train": rows["X_train"][:n], "y_train": rows["y_train"][:n]}
