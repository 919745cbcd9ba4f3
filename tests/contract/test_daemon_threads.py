"""A process may end while a daemon thread computes: exit code 0 and not a word."""

from __future__ import annotations

import subprocess
import sys

import pytest

SETUP = """
import sys, threading, time, warnings
import numpy as np
from clausal import TsetlinClassifier
from clausal.engine import native
from tests.support.toy_machines import make_config

warnings.simplefilter("ignore")  # one column decides all
started = threading.Event()
X = np.random.default_rng(0).integers(0, 2, (500, 30), dtype=np.uint8)

def in_a_daemon_thread(work):
    threading.Thread(target=work, daemon=True).start()
    assert started.wait(60)
    time.sleep(0.2)
"""
WORK = {
    "one long fit": """
def work():
    clf = TsetlinClassifier(n_clauses=40, n_epochs=10**6, n_jobs=N_JOBS, random_state=0)
    clf.partial_fit(X, X[:, 0] ^ X[:, 1], classes=[0, 1])  # everything is imported
    started.set()
    clf.fit(X, X[:, 0] ^ X[:, 1])
in_a_daemon_thread(work)
""",
    "short calls": """
def work():
    while True:
        native.NativeEngine(make_config())
        native.pack(X[:5], N_JOBS)
        started.set()
for _ in range(3):
    in_a_daemon_thread(work)
sys.setswitchinterval(1e-6)
time.sleep(0.1)
""",
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("work", WORK)
def test_the_end_of_a_process_is_clean(work: str, n_jobs: int) -> None:
    code = SETUP + WORK[work].replace("N_JOBS", str(n_jobs))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
