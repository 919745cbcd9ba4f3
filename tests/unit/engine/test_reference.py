"""The reference engine, by hand: single steps whose outcome is certain."""

import numpy as np
import pytest

from clausal.engine.feedback import NumericLoss
from clausal.engine.native import NativeEngine
from clausal.engine.protocol import EngineState, first_state
from clausal.engine.reference import ReferenceEngine, pack
from tests.support.toy_machines import ENGINES, keyed_bits, make_config


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


SQUARED = NumericLoss(2**32, 2**32, proportional=True)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize(("level", "share", "after"), [(0, 2**30, 1), (3, 0, 2), (1, 2**30 // 2, 1)])
def test_numbers_move_all_clauses_alike(engine, level, share, after):
    """At the largest error every clause gets feedback: Type I too low, Type II too high, none where right."""
    config = make_config(n_clauses=2, n_columns=2, threshold=4, loss=SQUARED)
    machine = engine(config)
    start = first_state(config)
    levels = np.full((1, 2), level, np.int32)
    machine.import_state(EngineState(start.states, levels if level < 3 else levels - 1, 0))
    state = step(machine, [1, 0], share)
    if level == 3:  # v = 4 = T
        assert state.levels.tolist() == [[1, 1]]
        assert np.array_equal(state.states[0] - start.states[0], [[0, 1, 1, 0]] * 2)
    else:
        assert state.levels.tolist() == [[after, after]]
    if level == 1:  # v = 2, the target
        assert np.array_equal(state.states, start.states)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("threshold", [1, 3])
def test_the_rounded_target_has_the_right_mean(engine, threshold):
    """A clause that always fires, with error 1 or 0: its weight moves as often as the target rounds up."""
    config = make_config(n_clauses=2, n_columns=1, threshold=threshold, loss=NumericLoss(2**32, 2**32, False))
    machine, start = engine(config), first_state(config)
    share, n_steps, rises = int(0.3 * 2**30), 600, 0
    floor = int(0.3 * threshold)
    for index in range(n_steps):
        levels = np.array([[floor, 0]], np.int32)
        machine.import_state(EngineState(start.states, levels, index))
        rises += int(step(machine, [1], share).levels[0, 0] > floor)
    expected = 0.3 * threshold - floor
    assert abs(rises / n_steps - expected) < 4 * np.sqrt(expected * (1 - expected) / n_steps)


def test_machines_of_numbers_are_checked():
    allowed = keyed_bits(1, 2, 8).astype(bool)
    for options in ({"n_banks": 2}, {"allowed": allowed}):
        with pytest.raises(ValueError, match=r"one bank|same literals"):
            NativeEngine(make_config(loss=SQUARED, **options))
    with pytest.raises(ValueError, match="must not exceed 2\\^32"):
        NativeEngine(make_config(loss=NumericLoss(2**32 + 1, 1, proportional=True)))
    for target in (-1, 2**30 + 1):
        with pytest.raises(ValueError, match="a target"):
            step(NativeEngine(make_config(n_columns=1, loss=SQUARED)), [1], target)


def test_the_weights_of_shared_clauses_start_with_drawn_signs():
    state = first_state(make_config(n_banks=3, n_clauses=400, shared=True))
    assert state.states.shape == (1, 400, 8)
    assert state.levels.shape == (3, 400)
    assert np.all(abs(state.levels) == 1)
    assert np.all(abs(state.levels.sum(axis=1)) < 100)
    assert not np.array_equal(state.levels[0], state.levels[1])
    other = first_state(make_config(n_banks=3, n_clauses=400, shared=True, seed=1))
    assert not np.array_equal(state.levels, other.levels)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_the_second_bank_of_a_step_sees_what_the_first_has_done_to_shared_clauses(engine):
    config = make_config(n_banks=2, n_clauses=2, n_columns=2, threshold=1, shared=True)
    machine = engine(config)
    start = first_state(config)
    machine.import_state(EngineState(start.states, np.array([[-5, -5], [5, 5]], np.int32), 0))
    after = step(machine, [1, 0], 0)  # for bank 0, v = -T: Type II makes both clauses silent
    assert after.levels.tolist() == [[-4, -4], [5, 5]]
    assert np.all(after.states[:, :, [1, 2]] == 128)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_weights_of_shared_clauses_cross_zero(engine):
    config = make_config(n_banks=2, n_clauses=2, n_columns=1, threshold=50, specificity=1.0, shared=True)
    machine = engine(config)
    start = first_state(config)
    machine.import_state(EngineState(start.states, np.array([[0, -1], [1, 0]], np.int32), 0))
    seen = [step(machine, [1], 0).levels for _ in range(40)]
    assert np.all(seen[-1][0] > 0)
    assert np.all(seen[-1][1] < 0)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_with_sets_of_labels_every_bank_learns_from_a_row(engine):
    config = make_config(
        n_banks=3, n_clauses=2, n_columns=1, threshold=1, label_sets=np.array([[0, 1, 1]], np.uint8)
    )
    machine = engine(config)
    start = first_state(config)
    machine.import_state(EngineState(start.states, np.array([[3, 1], [1, 3], [3, 1]], np.int32), 0))
    after = step(machine, [1], 0)  # bank 0 and 1 are wrong for certain, bank 2 right
    assert after.levels.tolist() == [[2, 2], [2, 2], [3, 1]]
