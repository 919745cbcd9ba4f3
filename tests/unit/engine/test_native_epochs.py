"""Several epochs in one call: the bits of one call per epoch; interrupted, the last whole epoch is kept."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from clausal.engine.backends import backend_named
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config, same_state

CONFIGS = {
    "two classes": make_config(n_clauses=20, n_columns=9, seed=1),
    "real weights": make_config(n_clauses=20, n_columns=9, seed=2, weighting="real"),
    "three classes": make_config(n_clauses=10, n_columns=9, n_banks=3, seed=3, drop_clause=0.3),
    "focused": make_config(n_clauses=10, n_columns=9, n_banks=3, seed=4, focused_negatives=True),
}


def make(backend, config):
    """An engine, and what it learns from."""
    targets = keyed_targets(7, 30, max(config.n_banks, 2))
    return backend.engine(config, 1), backend.pack(keyed_bits(5, 30, 9), 1), targets


def orders_of(lengths):
    return [keyed_targets(9 + i, length, 30).astype(np.int64) for i, length in enumerate(lengths)]


def levels_for(config, orders):
    return np.zeros((len(orders), config.n_banks, config.n_clauses), np.int32)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_epochs_in_one_call_are_those_of_one_call_each(name, config):
    one_by_one, literals, targets = make(backend_named(name), config)
    together, *_ = make(backend_named(name), config)
    orders = orders_of([30, 17, 0, 30, 1])
    after = []
    for order in orders:
        one_by_one.fit_epoch(literals, targets, order)
        after.append(one_by_one.export_state().levels)
    levels = levels_for(config, orders)
    together.fit_epochs(literals, targets, orders, levels)
    assert np.array_equal(levels, after)
    assert same_state(together.export_state(), one_by_one.export_state())
    together.fit_epochs(literals, targets, [], levels[:0])
    assert together.step == 78


@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_an_order_that_cannot_be_visited_leaves_the_epochs_before_it(name):
    config = CONFIGS["two classes"]
    engine, literals, targets = make(backend_named(name), config)
    before, *_ = make(backend_named(name), config)
    orders = orders_of([30, 20, 10])
    before.fit_epochs(literals, targets, orders[:2], levels_for(config, orders[:2]))
    orders[2][5] = 30
    levels = levels_for(config, orders)
    with pytest.raises((ValueError, IndexError)):
        engine.fit_epochs(literals, targets, orders, levels)
    assert same_state(engine.export_state(), before.export_state())
    assert np.array_equal(levels[1], engine.levels)


@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_an_interrupted_call_leaves_the_last_whole_epoch(name):
    config = CONFIGS["two classes"]
    engine, literals, targets = make(backend_named(name), config)
    n_visits, n_epochs = (1000, 100_000) if name == "cpu" else (20, 10_000)
    orders = orders_of([n_visits]) * n_epochs
    levels = levels_for(config, orders)
    old = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
    try:
        killer = threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGINT)))
        killer.start()
        with pytest.raises(KeyboardInterrupt):
            engine.fit_epochs(literals, targets, orders, levels)
        killer.join()
    finally:
        signal.signal(signal.SIGINT, old)
    n_done, rest = divmod(engine.step, n_visits)
    assert 0 < n_done < n_epochs
    assert rest == 0
    again, *_ = make(backend_named(name), config)
    again.fit_epochs(literals, targets, orders[:n_done], levels_for(config, orders[:n_done]))
    assert same_state(engine.export_state(), again.export_state())
    assert np.array_equal(levels[n_done - 1], engine.levels)
