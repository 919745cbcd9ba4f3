"""`fit` and `predict` need the packed literals and little more: no boolean rows, no copy of the table."""

import subprocess
import sys

import pytest

PEAK = """
import sys
import numpy as np
from clausal import TsetlinClassifier

def peak():
    status = open("/proc/self/status").read()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024

def table(n_rows, n_features):
    rng = np.random.default_rng(0)
    numbers = rng.random((n_rows, n_features))
    return np.asfortranarray(numbers) if order == "F" else (numbers < 0.5 if order == "bool" else numbers)

def learn(X):
    return TsetlinClassifier(2, n_epochs=1, random_state=0).fit(X, X[:, 0] > 0.5).predict(X)

n_rows, order = int(sys.argv[1]), sys.argv[2]
learn(table(1000, 3))  # imports and caches
X = table(n_rows, 40)
before = peak()
learn(X)
print((peak() - before) / n_rows)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
@pytest.mark.parametrize(("order", "n_columns"), [("C", 640), ("F", 640), ("bool", 40)])
def test_a_fit_adds_its_literals_and_a_few_numbers_per_row(order, n_columns):
    """Boolean rows would add a byte per column, a copy of the numbers 320 bytes."""
    run = subprocess.run(
        [sys.executable, "-c", PEAK, "150000", order], capture_output=True, text=True, check=True
    )
    literals = 8 * ((2 * n_columns + 63) // 64)
    assert float(run.stdout) < literals + 100
