"""The boundary to the compiled core: no silent casts, sizes named, the GIL released."""

import threading
import time
from dataclasses import fields, replace

import numpy as np
import pytest

from clausal import _core
from clausal.engine import native, reference
from clausal.engine.native import NativeEngine
from clausal.engine.protocol import EngineConfig, EngineState, pack_bits
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config


def data(n_rows=8, n_columns=4):
    return native.pack(keyed_bits(0, n_rows, n_columns)), keyed_targets(0, n_rows, 2), np.arange(n_rows)


@pytest.mark.parametrize("wrong", [np.float64, np.int64, np.uint32])
def test_arrays_are_not_cast(wrong):
    literals, targets, order = data()
    with pytest.raises(TypeError):
        NativeEngine(make_config()).fit_epoch(literals.astype(wrong), targets, order)


def test_sizes_are_named():
    literals, targets, order = data()
    engine = NativeEngine(make_config(n_columns=40))
    with pytest.raises(ValueError, match="the words of a literal row must be 2. Got 1"):
        engine.fit_epoch(literals, targets, order)
    engine = NativeEngine(make_config())
    with pytest.raises(ValueError, match="the number of targets must be 8. Got 7"):
        engine.fit_epoch(literals, targets[:-1], order)
    with pytest.raises(ValueError, match="a row in the order must be from 0 to 7. Got 8"):
        engine.fit_epoch(literals, targets, order + 1)
    with pytest.raises(ValueError, match="a target must be from 0 to 1. Got 2"):
        engine.fit_epoch(literals, targets + 2 - targets, order)


def test_a_job_without_a_machine_is_refused():
    with pytest.raises((TypeError, ValueError)):
        _core.train([(None, *data())], 1)


def test_states_out_of_range_are_refused():
    engine = NativeEngine(make_config(n_states=3))
    state = engine.export_state()
    with pytest.raises(ValueError, match="a state must be from 0 to 5. Got 6"):
        engine.import_state(EngineState(np.full_like(state.states, 6), state.levels, 0))
    with pytest.raises(ValueError, match="a weight level must be from 0 to 2147483647. Got -1"):
        engine.import_state(EngineState(state.states, state.levels * 0 - 1, 0))
    with pytest.raises(ValueError, match="the literals of the states must be 8. Got 6"):
        engine.import_state(EngineState(state.states[:, :, :6].copy(), state.levels, 0))


def test_a_config_out_of_range_is_refused():
    with pytest.raises(ValueError, match="needs banks, clauses, literals"):
        _core.Machine(replace(make_config(), n_banks=0), "portable")
    with pytest.raises(TypeError, match="the type of down_chance is not what the core takes"):
        _core.Machine(replace(make_config(), down_chance=np.ones(10)), "portable")
    with pytest.raises(ValueError, match="backend 'sse9' cannot run here"):
        _core.Machine(make_config(), "sse9")


def test_the_core_reads_every_field_of_a_configuration():
    own = {field.name for field in fields(EngineConfig)} - {"groups", "factor"}  # of GroupedEngine
    derived = {"n_columns": "n_literals", "allowed": "allowed_words"}
    assert set(_core.config_fields()) == {derived.get(name, name) for name in own}


@pytest.mark.parametrize("n_columns", [1, 31, 32, 33, 64, 65, 130])
def test_packing_matches_the_reference(n_columns):
    bits = keyed_bits(5, 13, n_columns)
    assert np.array_equal(native.pack(bits), reference.pack(bits))
    rows, columns = np.nonzero(bits)
    starts = np.searchsorted(rows, np.arange(14)).astype(np.int64)
    assert np.array_equal(native.pack_csr(starts, columns, n_columns), reference.pack(bits))
    assert np.array_equal(reference.pack_csr(starts, columns, n_columns), reference.pack(bits))


def test_packing_refuses_indices_beyond_the_columns():
    with pytest.raises(ValueError, match="sparse column index 5 is not below 5"):
        native.pack_csr(np.array([0, 1]), np.array([5]), 5)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_prediction_matches_the_reference(n_threads):
    include = (keyed_bits(1, 18, 140) & keyed_bits(2, 18, 140)).reshape(3, 6, 140).astype(bool)
    include[:, :, 5:] &= np.arange(135) % 40 == 0
    include[0, 2] = False
    points = keyed_targets(3, 18, 9).reshape(3, 6).astype(np.int32) - 4
    literals = native.pack(keyed_bits(4, 700, 70))
    packed = pack_bits(include)
    expected = reference.ReferenceClauses(packed, points, 70).votes(literals)
    assert np.array_equal(native.NativeClauses(packed, points, 70).votes(literals, n_threads), expected)
    fired = native.clause_outputs(packed, literals, n_threads)
    assert np.array_equal(fired, reference.clause_outputs(packed, literals))
    assert fired.any()
    assert not fired[:, 2].any(), "an empty clause never fires when predicting"


def test_other_python_threads_run_during_an_epoch():
    literals, targets, _ = data(1000, 200)
    engine = NativeEngine(make_config(n_clauses=500, n_columns=200, threshold=10**6))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.perf_counter()
    engine.fit_epoch(literals, targets, np.resize(np.arange(1000), 5000))
    ended = time.perf_counter()
    done.set()
    thread.join()
    during = [t for t in ticks if started < t < ended]
    assert ended - started > 0.02, "the epoch is too short to show anything"
    assert len(during) >= 3


def test_rows_that_are_not_aligned_have_the_same_bins():
    literals = data()[0]
    feature_of = np.array([0, 0, 1, 1], np.uint32)
    moved = np.frombuffer(b"." + literals.tobytes(), np.uint64, offset=1).reshape(literals.shape)
    assert not moved.flags.aligned
    expected, bins = (native.bin_rows(rows, feature_of) for rows in (literals, moved))
    assert np.array_equal(bins[0], expected[0])
    assert all(np.array_equal(one, other) for one, other in zip(bins[1], expected[1], strict=True))
