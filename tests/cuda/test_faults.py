"""What goes wrong on a GPU leaves everything as it was: Ctrl-C, too little memory, threads."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

from clausal import TsetlinClassifier
from clausal.engine.backends import backend_named
from clausal.engine.cuda import machine
from clausal.engine.cuda.device import Memory, open_device
from clausal.engine.cuda.machine import CudaEngine
from clausal.engine.native import NativeEngine, pack
from clausal.engine.protocol import TrainingJob
from tests.support.drawn_machines import run
from tests.support.host_gpu import HAS_GPU
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config, same_state

needs_cuda = pytest.mark.needs_cuda
CONFIG = make_config(n_clauses=500, n_columns=300, threshold=100, seed=3)


def data(n_visits):
    rows = keyed_bits(3, 40, CONFIG.n_columns)
    return pack(rows), keyed_targets(4, 40, 2), keyed_targets(5, n_visits, 40).astype(np.int64)


def press_ctrl_c_after(seconds):
    def press():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    return thread


@pytest.mark.parametrize("launch", range(4))
def test_an_interrupt_between_launches_leaves_all_as_before(gpu, monkeypatch, launch):
    """The first launch lists turns; then come three parts of training."""
    monkeypatch.setattr(machine, "_TURNS_PER_PART", 40)
    literals, targets, order = data(100)
    engine = CudaEngine(CONFIG)
    engine.fit_epoch(literals, targets, order)
    before, run_launch, n_launches = engine.export_state(), type(gpu).run, 0

    def run_until(*arguments, **options):
        nonlocal n_launches
        if n_launches == launch:
            raise KeyboardInterrupt
        n_launches += 1
        run_launch(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(type(gpu), "run", run_until)
        with pytest.raises(KeyboardInterrupt):
            engine.fit_epoch(literals, targets, order)
    assert same_state(engine.export_state(), before)
    expected = NativeEngine(CONFIG)
    for _ in range(2):
        expected.fit_epoch(literals, targets, order)
    engine.fit_epoch(literals, targets, order)
    assert same_state(engine.export_state(), expected.export_state())


@needs_cuda
def test_an_interrupted_call_leaves_all_as_before():
    literals, targets, order = data(5_000_000)
    engines = [CudaEngine(CONFIG) for _ in range(3)]
    engines[0].fit_epoch(literals, targets, order[:100])
    before = [engine.export_state() for engine in engines]
    begin = time.monotonic()
    thread = press_ctrl_c_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        backend_named("cuda").train_many(
            [TrainingJob(engine, literals, targets, order) for engine in engines], 1
        )
    thread.join()
    assert time.monotonic() - begin < 5
    for engine, state in zip(engines, before, strict=True):
        assert same_state(engine.export_state(), state)
    expected = NativeEngine(CONFIG)
    expected.fit_epoch(literals, targets, order[:100])
    assert same_state(
        run(engines[0], None, literals, targets, order[:50]),
        run(expected, None, literals, targets, order[:50]),
    )


@needs_cuda
def test_an_interrupted_fit_keeps_its_whole_epochs():
    X = keyed_bits(3, 20_000, 300)
    model = TsetlinClassifier(
        500, n_epochs=100_000, threshold=100, random_state=1, booleanizer=None, backend="cuda"
    )
    thread = press_ctrl_c_after(4.0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, X[:, 0])
    thread.join()
    assert 0 < model.n_iter_ < 100_000
    assert len(model.history_["epoch"]) == model.n_iter_
    assert model.model_.step == 20_000 * model.n_iter_
    again = clone(model).set_params(n_epochs=2).fit(X, X[:, 0])
    assert again.history_["n_live_clauses"] == model.history_["n_live_clauses"][:2]


@needs_cuda
def test_too_little_memory_is_an_error_and_harms_nothing():
    device = open_device()
    with device:
        with pytest.raises(MemoryError, match=r"backend='cuda' needs .* GiB more than .* has"):
            device.memory(1 << 45)
        small = device.put(np.arange(10))
        found = np.empty(10, np.int64)
        device.read(small, found)
    assert found.tolist() == list(range(10))
    assert isinstance(small, Memory)


@needs_cuda
def test_a_machine_that_does_not_fit_is_refused_before_it_trains():
    huge = make_config(n_clauses=2**24, n_columns=4096, threshold=100)
    with pytest.raises(MemoryError, match="backend='cuda' needs"):
        CudaEngine(huge)
    literals, targets, order = data(100)
    assert same_state(
        run(CudaEngine(CONFIG), None, literals, targets, order),
        run(NativeEngine(CONFIG), None, literals, targets, order),
    )


def test_a_machine_of_very_long_rows_is_refused():
    with pytest.raises(MemoryError, match="bytes of shared memory for clauses of"):
        run(
            CudaEngine(make_config(n_clauses=4, n_columns=1_000_000)),
            None,
            np.zeros((1, 31_250), np.uint64),
            np.zeros(1, np.int32),
            np.zeros(1, np.int64),
        )


def test_threads_may_train_and_predict_at_the_same_time():
    literals, targets, order = data(2_000 if HAS_GPU else 200)
    expected = run(NativeEngine(CONFIG), None, literals, targets, order)
    found = {}

    def work(index):
        found[index] = run(CudaEngine(CONFIG), None, literals, targets, order)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(same_state(expected, state) for state in found.values())
