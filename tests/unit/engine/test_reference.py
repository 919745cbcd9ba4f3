"""The reference engine, by hand: single steps whose outcome is certain."""

import numpy as np
import pytest

from clausal.engine.protocol import EngineState, first_state
from clausal.engine.reference import ReferenceEngine, pack
from tests.support.toy_machines import ENGINES, make_config


def step(engine, x, y):
    engine.fit_epoch(pack(np.array([x], np.uint8)), np.array([y], np.int32), np.array([0], np.int64))
    return engine.export_state()


def test_the_first_state_is_just_excluded():
    state = first_state(make_config(n_states=5, weight_floor=0))
    assert np.all(state.states == 4)
    assert np.all(state.levels == 1)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_vote_at_the_threshold_teaches_nothing(engine):
    config = make_config(n_clauses=2, n_columns=2, threshold=3)
    machine = engine(config)
    start = first_state(config)
    machine.import_state(EngineState(start.states, np.array([[3 + 1, 1]], np.int32), 0))  # v = 4 - 1 = T
    after = step(machine, [1, 0], 1)
    assert np.array_equal(after.states, start.states)
    assert after.levels.tolist() == [[4, 1]]
    assert after.step == 1


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_type_two_pushes_false_literals_in_and_the_weight_down(engine):
    config = make_config(n_clauses=2, n_columns=2, threshold=3)
    machine = engine(config)
    start = first_state(config)
    machine.import_state(EngineState(start.states, np.array([[4, 1]], np.int32), 0))  # v = T and y = 0: p = 1
    after = step(machine, [1, 0], 0)
    literals = np.array([True, False, False, True])
    assert np.array_equal(after.states[0, 0], start.states[0, 0] + ~literals)
    assert after.levels[0, 0] == 3
    assert after.levels[0, 1] == 2, "the clause against was rewarded"


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_literal_that_is_not_allowed_never_moves(engine):
    allowed = np.ones((2, 4), bool)
    allowed[0, 1] = False
    config = make_config(n_clauses=2, n_columns=2, threshold=3, allowed=allowed)
    machine = engine(config)
    for x in ([1, 0], [0, 1], [0, 0], [1, 1]) * 20:
        state = step(machine, x, x[0])
    assert state.states[0, 0, 1] == 127
    assert np.any(state.states[0] != 127), "nothing moved: the test would show nothing"


def test_an_interrupted_epoch_leaves_no_trace():
    engine = ReferenceEngine(make_config())
    before = engine.export_state()
    with pytest.raises(IndexError):
        engine.fit_epoch(pack(np.zeros((1, 4), np.uint8)), np.array([1], np.int32), np.array([0, 0, 5]))
    after = engine.export_state()
    assert np.array_equal(before.states, after.states)
    assert after.step == 0
