"""The law of samples with patches, by hand: single steps whose outcome is certain, and the drawn patch."""

import numpy as np
import pytest

from clausal.encoding.patch_view import PatchView
from clausal.engine.protocol import EngineState, first_state
from clausal.engine.reference import pack
from tests.support.toy_machines import ENGINES, make_config

VIEW = PatchView(height=1, width=4, depth=1, patch_height=1, patch_width=2)  # columns: 2 pixels, 2 places
LITERALS = 2 * VIEW.n_columns


def machine(engine, include, levels=(4, 1), threshold=3, states=128):
    """Two clauses, for and against; the first includes these literals, the vote is at the threshold."""
    config = make_config(
        n_clauses=2, n_columns=VIEW.n_columns, threshold=threshold, view=VIEW, n_states=states
    )
    made = engine(config)
    start = first_state(config)
    start.states[0, 0, list(include)] = states
    made.import_state(EngineState(start.states, np.array([levels], np.int32), 0))
    return made


def step(made, x, y):
    words = VIEW.pack(np.array(x, bool).reshape(1, 1, 4, 1))
    before = made.export_state()
    made.fit_epoch(words, np.array([y], np.int32), np.array([0], np.int64))
    after = made.export_state()
    return before, after


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_type_two_teaches_the_clause_the_one_patch_that_satisfies_it(engine):
    made = machine(engine, include=[0, 1])  # both pixels
    before, after = step(made, [0, 1, 1, 0], 0)  # only the second patch: literals 1 1 | place 0 1
    patch = np.array([1, 1, 0, 1, 0, 0, 1, 0], bool)
    assert np.array_equal(after.states[0, 0], before.states[0, 0] + ~patch)
    assert after.levels.tolist() == [[3, 2]]


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_clause_that_no_patch_satisfies_as_a_whole_does_not_fire(engine):
    made = machine(engine, include=[0, 1], levels=(1, 3), threshold=3)  # each pixel is somewhere 1
    before, after = step(made, [1, 0, 0, 1], 1)
    assert after.levels.tolist() == [[1, 2]], "the clause for did not fire, the one against was penalised"
    falls = before.states[0, 0].astype(int) - after.states[0, 0]
    assert set(falls.tolist()) <= {0, 1}, "Type Ib only lets literals fall"
    assert falls.any()


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_the_patch_is_drawn_uniformly_from_those_that_satisfy_the_clause(engine):
    counts = np.zeros(3)
    for seed in range(300):
        config = make_config(n_clauses=2, n_columns=VIEW.n_columns, threshold=3, view=VIEW, seed=seed)
        made, start = engine(config), first_state(config)
        start.states[0, 0, 0] = 128  # the first pixel of the patch
        made.import_state(EngineState(start.states, np.array([[4, 1]], np.int32), 0))
        before, after = step(made, [1, 0, 1, 0], 0)  # the first and the third patch satisfy it
        places = after.states[0, 0, 2:4] == before.states[0, 0, 2:4]  # `start <= 0`, `start <= 1`
        counts[{(True, True): 0, (False, True): 1, (False, False): 2}[tuple(places.tolist())]] += 1
    assert counts[1] == 0
    assert abs(counts[0] - 150) < 45, "5 standard deviations"


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_patch_as_large_as_the_sample_is_a_row(engine):
    whole = PatchView(height=2, width=3, depth=1, patch_height=2, patch_width=3)
    rows = np.random.default_rng(0).random((30, 6)) < 0.5
    targets = (rows[:, 0] ^ rows[:, 1]).astype(np.int32)
    order = np.arange(200, dtype=np.int64) % 30
    as_rows = engine(make_config(n_columns=6))
    as_rows.fit_epoch(pack(rows.astype(np.uint8)), targets, order)
    as_samples = engine(make_config(n_columns=6, view=whole))
    as_samples.fit_epoch(whole.pack(rows.reshape(30, 2, 3, 1)), targets, order)
    one, two = as_rows.export_state(), as_samples.export_state()
    assert np.array_equal(one.states, two.states)
    assert np.array_equal(one.levels, two.levels)
