"""Groups of clauses as one engine: each learns as if alone, and the state is theirs side by side."""

from dataclasses import replace

import numpy as np
import pytest

from clausal.engine.backends import backend_named
from clausal.engine.grouped_engine import GroupedEngine
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config, same_state

GROUPS = (
    make_config(n_clauses=6, n_columns=9, n_banks=3, seed=1, threshold=4),
    replace(make_config(n_clauses=10, n_columns=9, n_banks=3, seed=2, threshold=20), factor=2),
)
WHOLE = replace(GROUPS[0], n_clauses=16, groups=GROUPS)
ORDERS = [keyed_targets(seed, 40, 30).astype(np.int64) for seed in (3, 4)]
TARGETS = keyed_targets(5, 30, 3)


def trained(name, n_threads=1):
    backend = backend_named(name)
    engine, levels = GroupedEngine(WHOLE, n_threads, backend), np.empty((2, 3, 16), np.int32)
    literals = backend.pack(keyed_bits(6, 30, 9), 1)
    engine.fit_epochs(literals, TARGETS, ORDERS, levels)
    return engine, levels, literals


@pytest.mark.parametrize("n_threads", [1, 3])
def test_each_group_learns_as_if_alone(n_threads):
    engine, levels, literals = trained("cpu", n_threads)
    state, start = engine.export_state(), 0
    for config in GROUPS:
        alone = backend_named("cpu").engine(config, 1)
        for order in ORDERS:
            alone.fit_epoch(literals, TARGETS, order)
        own, end = alone.export_state(), start + config.n_clauses
        assert np.array_equal(state.states[:, start:end], own.states)
        assert np.array_equal(state.levels[:, start:end], own.levels)
        assert state.step == own.step == engine.step == 80
        start = end
    assert np.array_equal(levels[-1], state.levels)
    assert not np.array_equal(levels[0], levels[1])


def test_the_backends_agree():
    (one, levels, _), (other, others, _) = trained("cpu"), trained("reference")
    assert same_state(one.export_state(), other.export_state())
    assert np.array_equal(levels, others)


def test_a_state_that_was_taken_out_goes_on_alike():
    engine, _, literals = trained("cpu")
    other = GroupedEngine(WHOLE, 1, backend_named("cpu"))
    other.import_state(engine.export_state())
    for each in (engine, other):
        each.fit_epoch(literals, TARGETS, ORDERS[0])
    assert same_state(engine.export_state(), other.export_state())


def test_an_interrupt_leaves_the_last_whole_epoch(monkeypatch):
    engine, _, literals = trained("cpu")
    plain, calls, levels = engine.fit_epoch, [], np.zeros((2, 3, 16), np.int32)

    def interrupted(*arrays):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        plain(*arrays)

    monkeypatch.setattr(engine, "fit_epoch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.fit_epochs(literals, TARGETS, ORDERS, levels)
    assert engine.step == 120
    assert np.array_equal(levels[0], engine.levels)


def test_the_votes_of_a_group_count_as_often_as_its_factor_says():
    levels = np.full((3, 16), 5, np.int32)
    assert WHOLE.points(levels)[0].tolist() == [5] * 6 + [10] * 10
    assert GROUPS[0].points(levels[:, :6]).max() == 5
