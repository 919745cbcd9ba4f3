"""Bit for bit: a GPU gives the states and weights of the reference, whatever the layout and the call."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from clausal.encoding.patch_view import PatchView
from clausal.engine.backends import backend_named
from clausal.engine.cuda import machine
from clausal.engine.cuda.machine import CudaEngine
from clausal.engine.native import NativeEngine, pack
from clausal.engine.protocol import EngineState, TrainingJob
from clausal.engine.reference import ReferenceEngine
from tests.support.drawn_machines import WIDE, machines, random_state, run, wide_machine
from tests.support.golden_machines import VARIANTS, fingerprint, pinned
from tests.support.host_gpu import HAS_GPU
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config, same_state
from tests.support.training_jobs import make_jobs

N_PARTS, N_DRAWN = 20, 500
N_TURNS = 600 if HAS_GPU else 120
needs_cuda = pytest.mark.needs_cuda


@pytest.mark.parametrize("variant", VARIANTS)
def test_fingerprint(variant):
    assert fingerprint(CudaEngine, VARIANTS[variant]) == pinned()[variant]


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[needs_cuda] if part else []) for part in range(N_PARTS)]
)
def test_drawn_machines(part):
    n_examples = N_DRAWN // N_PARTS if HAS_GPU else 5

    @seed(part)
    @settings(max_examples=n_examples, database=None, deadline=None, phases=[Phase.generate])
    @given(machines(), st.booleans())
    def check(machine, anywhere):
        config, rows, targets, order, first_step = machine
        state = random_state(config, 7, first_step) if anywhere else None
        expected = run(ReferenceEngine(config), state, pack(rows), targets, order)
        assert same_state(expected, run(CudaEngine(config), state, pack(rows), targets, order))

    check()


@pytest.mark.parametrize("anywhere", [False, True])
@pytest.mark.parametrize("n_columns", WIDE)
def test_wide_tables(n_columns, anywhere):
    config, rows, targets, order = wide_machine(n_columns)
    state = random_state(config, 7, 1018) if anywhere else None
    expected = run(ReferenceEngine(config), state, pack(rows), targets, order)
    assert same_state(expected, run(CudaEngine(config), state, pack(rows), targets, order))


VIEWS = {
    "one column": PatchView(3, 1, 1, 2, 1),
    "strides": PatchView(9, 70, 2, 2, 33, 2, 3),
    "many patches": PatchView(40, 40, 1, 3, 3),
    "one patch": PatchView(6, 5, 3, 6, 5),
}


@pytest.mark.parametrize("options", [{}, {"n_banks": 3}, {"n_banks": 3, "focused_negatives": True}])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_patches(view, options):
    config = make_config(n_clauses=24, n_columns=view.n_columns, threshold=9, view=view, seed=4, **options)
    samples = view.pack(keyed_bits(1, 12, view.n_bits) == 1)
    targets, order = keyed_targets(2, 12, max(config.n_banks, 2)), np.arange(80, dtype=np.int64) % 12
    expected = run(NativeEngine(config), None, samples, targets, order)
    assert same_state(expected, run(CudaEngine(config), None, samples, targets, order))


LARGE = make_config(n_banks=3, n_clauses=1001, n_columns=500, threshold=300, specificity=5.0, seed=3)
LAYOUTS = [
    {"blocks": 1},
    {"blocks": 2, "threads": 64, "shared_planes": 0},
    {"blocks": 4, "threads": 256, "shared_planes": 2, "lanes": 8},
    {"blocks": 8, "threads": 1024, "shared_planes": 1, "lanes": 32},
    {"blocks": 16, "threads": 512, "shared_planes": 3, "lanes": 16},
    {"blocks": 8, "threads": 128, "lanes": 1, "shared_planes": 0},
]


@pytest.fixture
def trained_layout(monkeypatch):
    """A function that makes training use a changed layout."""
    chosen = machine.layout_of

    def use(changes):
        def layout_of(*arguments, **options):
            changed = replace(chosen(*arguments, **options), **{"shared_planes": 0} | changes)
            assert changed.shared_bytes <= arguments[3]
            return changed

        monkeypatch.setattr(machine, "layout_of", layout_of)

    return use


def large_data():
    rows = keyed_bits(3, 40, LARGE.n_columns)
    return pack(rows), keyed_targets(4, 40, 3), keyed_targets(5, N_TURNS, 40).astype(np.int64)


@pytest.mark.parametrize("changes", LAYOUTS, ids=str)
def test_layouts_do_not_matter(trained_layout, changes):
    trained_layout(changes)
    expected = run(NativeEngine(LARGE, 4), None, *large_data())
    assert same_state(expected, run(CudaEngine(LARGE), None, *large_data()))


@pytest.mark.parametrize("options", [{}, {"n_banks": 3, "focused_negatives": True}, {"n_banks": 3}])
def test_a_block_may_have_no_clause(trained_layout, options):
    trained_layout({"blocks": 8, "threads": 64, "shared_planes": 9})
    config = make_config(n_clauses=33, n_columns=70, threshold=12, seed=4, **options)
    rows = keyed_bits(3, 20, config.n_columns)
    data = pack(rows), keyed_targets(4, 20, 3 if options else 2), np.arange(80, dtype=np.int64) % 20
    assert same_state(run(NativeEngine(config), None, *data), run(CudaEngine(config), None, *data))


def test_parts_of_a_call_do_not_matter(monkeypatch):
    monkeypatch.setattr(machine, "_TURNS_PER_PART", 37)
    expected = run(NativeEngine(LARGE, 4), None, *large_data())
    assert same_state(expected, run(CudaEngine(LARGE), None, *large_data()))


def test_chunks_and_resumption_do_not_matter():
    literals, targets, order = large_data()
    expected = run(NativeEngine(LARGE, 4), None, literals, targets, order)
    state, engine = None, CudaEngine(LARGE)
    for part in np.split(order, [N_TURNS // 5, N_TURNS // 2]):
        state = run(engine, state, literals, targets, part)
        engine = CudaEngine(LARGE)
    assert same_state(expected, state)


@pytest.mark.parametrize("shared", [True, False])
def test_each_of_many_is_as_if_trained_alone(shared):
    alone, together = make_jobs(backend_named("cpu"), shared), make_jobs(backend_named("cuda"), shared)
    for _ in range(2):
        backend_named("cpu").train_many(alone, 2)
        backend_named("cuda").train_many(together, 1)
    for one, other in zip(alone, together, strict=True):
        assert other.engine.step == 120
        assert same_state(one.engine.export_state(), other.engine.export_state())


def test_many_machines_of_one_shape():
    configs = [make_config(n_clauses=20, n_columns=9, seed=i, specificity=1.5 + i % 7) for i in range(300)]
    alone = make_jobs(backend_named("cpu"), True, configs=configs)
    together = make_jobs(backend_named("cuda"), True, configs=configs)
    backend_named("cpu").train_many(alone, 2)
    backend_named("cuda").train_many(together, 1)
    for one, other in zip(alone, together, strict=True):
        assert same_state(one.engine.export_state(), other.engine.export_state())


def test_levels_after_each_epoch():
    literals, targets, order = large_data()
    orders = np.split(order, [N_TURNS // 3, N_TURNS // 2])
    found = [np.zeros((3, 3, LARGE.n_clauses), np.int32) for _ in range(2)]
    engines = [NativeEngine(LARGE, 4), CudaEngine(LARGE)]
    for engine, levels in zip(engines, found, strict=True):
        engine.fit_epochs(literals, targets, orders, levels)
    assert np.array_equal(*found)
    assert same_state(*(engine.export_state() for engine in engines))


def test_an_array_that_was_changed_is_copied_again():
    literals, targets, order = large_data()
    expected, found = NativeEngine(LARGE, 4), CudaEngine(LARGE)
    for _ in range(2):
        for engine in (expected, found):
            engine.fit_epoch(literals, targets, order)
        literals ^= np.uint64(5)
        targets[:] = targets[::-1].copy()
    assert same_state(expected.export_state(), found.export_state())


def test_arrays_that_do_not_fit_are_refused():
    literals, targets, order = large_data()
    engine = CudaEngine(LARGE)
    before = engine.export_state()
    with pytest.raises(ValueError, match="the number of targets must be 40. Got 39"):
        engine.fit_epoch(literals, targets[:-1], order)
    with pytest.raises(ValueError, match="the words of a row must be 16. Got 15"):
        engine.fit_epoch(literals[:, 1:].copy(), targets, order)
    with pytest.raises(ValueError, match="a row in the order must be from 0 to 39. Got 40"):
        engine.fit_epoch(literals, targets, order + (order == order.max()))
    with pytest.raises(ValueError, match="a target must be from 0 to 2. Got -1"):
        engine.fit_epoch(literals, targets - 1, order)
    with pytest.raises(TypeError, match="must be uint64, int32 and int64"):
        engine.fit_epoch(literals, targets, order.astype(np.int32))
    with pytest.raises(ValueError, match="a machine must be given once"):
        backend_named("cuda").train_many([TrainingJob(engine, literals, targets, order)] * 2, 1)
    assert same_state(engine.export_state(), before)
    backend_named("cuda").train_many([], 1)


def test_arrays_of_any_layout_are_read_as_they_are():
    literals, targets, order = large_data()
    expected = run(NativeEngine(LARGE, 4), None, literals, targets, order)
    sparse = [np.repeat(array, 2, axis=0)[::2] for array in (literals, targets, order)]
    assert same_state(expected, run(CudaEngine(LARGE), None, np.asfortranarray(sparse[0]), *sparse[1:]))


def test_a_state_goes_through_a_file_of_another_backend():
    literals, targets, order = large_data()
    state = run(NativeEngine(LARGE, 4), None, literals, targets, order)
    there, back = CudaEngine(LARGE), NativeEngine(LARGE, 4)
    there.import_state(EngineState(state.states, state.levels, state.step))
    back.import_state(there.export_state())
    assert same_state(run(there, None, literals, targets, order), run(back, None, literals, targets, order))
