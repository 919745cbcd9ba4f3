"""Several machines trained in one call: each as if alone, and interrupted, all as before."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from clausal.engine.backends import backend_named
from tests.support.toy_machines import same_state
from tests.support.training_jobs import make_jobs


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("n_threads", [1, 2, 7])
@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_each_is_as_if_trained_alone(name, n_threads, shared):
    backend = backend_named(name)
    alone, together = make_jobs(backend, shared), make_jobs(backend, shared)
    for _ in range(2):
        for job in alone:
            job.engine.fit_epoch(job.literals, job.targets, job.order)
        backend.train_many(together, n_threads)
    for one, other in zip(alone, together, strict=True):
        assert other.engine.step == 120
        assert same_state(one.engine.export_state(), other.engine.export_state())


@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_one_that_cannot_be_trained_leaves_all_as_before(name):
    backend = backend_named(name)
    jobs = make_jobs(backend, shared=True)
    before = [job.engine.export_state() for job in jobs]
    wrong = jobs[-1]._replace(order=np.array([0, 1, 99]))
    with pytest.raises((ValueError, IndexError)):
        backend.train_many([*jobs[:-1], wrong], 2)
    with pytest.raises(ValueError, match="a machine must be given once"):
        backend.train_many([*jobs, jobs[0]], 2)
    for job, state in zip(jobs, before, strict=True):
        assert same_state(job.engine.export_state(), state)
    backend.train_many([], 2)


def interrupt_soon():
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_an_interrupted_call_leaves_all_as_before(name, n_threads):
    backend = backend_named(name)
    jobs = make_jobs(backend, shared=True, n_visits=20)
    endless = np.zeros(30_000_000 if name == "cpu" else 100_000, np.int64)
    jobs[1:] = [job._replace(order=endless) for job in jobs[1:]]
    before = [job.engine.export_state() for job in jobs]
    old = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
    try:
        killer = threading.Thread(target=interrupt_soon)
        killer.start()
        with pytest.raises(KeyboardInterrupt):
            backend.train_many(jobs, n_threads)
        killer.join()
    finally:
        signal.signal(signal.SIGINT, old)
    for job, state in zip(jobs, before, strict=True):
        assert same_state(job.engine.export_state(), state)


def test_two_threads_that_name_the_machines_in_opposite_order_do_not_wait_for_ever():
    code = """
import threading
from clausal.engine.backends import backend_named
from tests.support.training_jobs import make_jobs
backend = backend_named("cpu")
jobs = make_jobs(backend, shared=True)
run = lambda some: [backend.train_many(some, 2) for _ in range(200)]
threads = [threading.Thread(target=run, args=(some,)) for some in (jobs, jobs[::-1])]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(jobs[0].engine.step)
"""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=root
    )
    assert done.stdout.strip() == str(2 * 200 * 60)
