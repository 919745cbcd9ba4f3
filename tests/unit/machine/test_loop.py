"""The loop around the epochs, run with an engine that only counts."""

import numpy as np
import pytest

from clausal.engine.protocol import EngineState
from clausal.engine.weight_rule import WeightRule
from clausal.machine.loop import Plan, Stopping, Training


class Counting:
    """An engine whose state says how many epochs it has seen; it may be interrupted in one of them."""

    def __init__(self, interrupted_in=None):
        self.orders = []
        self.interrupted_in = interrupted_in

    def fit_epoch(self, literals, targets, order):
        if len(self.orders) + 1 == self.interrupted_in:
            raise KeyboardInterrupt
        self.orders.append(order.tolist())

    @property
    def step(self):
        return len(self.orders)

    @property
    def levels(self):
        return self.export_state().levels

    def export_state(self):
        n_epochs = len(self.orders)
        return EngineState(
            np.full((1, 2, 2), n_epochs, np.uint8), np.array([[n_epochs, 0]], np.int32), n_epochs
        )


class Orders:
    def visits(self, epoch):
        return np.array([epoch])


def run(n_epochs=5, scores=None, engine=None, **options):
    """A training of the engine above; `scores` are those of its epochs."""
    if scores is not None:
        options["score"] = lambda state: {"held": scores[state.step - 1]}
    plan = Plan(n_epochs, **{"first_epoch": 0, "score": None, "rule": WeightRule(0, 100, 1), **options})
    training = Training(engine or Counting(), plan)
    training.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    return training


def test_epochs_are_run_and_recorded():
    training = run(3, first_epoch=7)
    assert training.engine.orders == [[7], [8], [9]]
    assert training.epoch == 3
    assert training.state.step == 3
    assert training.history == {"epoch": [1, 2, 3], "n_live_clauses": [1, 1, 1]}


def test_before_an_epoch_is_done_there_is_nothing():
    engine = Counting(interrupted_in=1)
    training = Training(engine, Plan(5, 0, None, WeightRule(0, 100, 1)))
    with pytest.raises(KeyboardInterrupt):
        training.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    assert (training.epoch, training.state, training.history) == (0, None, {})


@pytest.mark.parametrize("where", ["engine", "score", "callback"])
def test_an_interrupt_leaves_whole_epochs(where):
    def interrupt(_):
        raise KeyboardInterrupt

    engine = Counting(interrupted_in=3 if where == "engine" else None)
    score = lambda state: interrupt(state) if where == "score" and state.step == 3 else {"held": 0.5}  # noqa: E731
    callback = lambda event: interrupt(event) if where == "callback" and event.epoch == 3 else None  # noqa: E731
    training = Training(engine, Plan(9, 0, score, WeightRule(0, 100, 1), callbacks=[callback]))
    with pytest.raises(KeyboardInterrupt):
        training.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    done = 3 if where == "callback" else 2
    assert training.epoch == training.state.step == done
    assert training.history == {"epoch": [1, 2, 3][:done], "n_live_clauses": [1] * done, "held": [0.5] * done}


@pytest.mark.parametrize("scored", [False, True])
def test_an_interrupt_just_after_the_engine_is_done_counts_what_is_kept(scored):
    """Before the loop books the epoch; without scores only the engine has the state."""

    class Rude(Counting):
        def fit_epoch(self, literals, targets, order):
            super().fit_epoch(literals, targets, order)
            if len(self.orders) == 3:
                raise KeyboardInterrupt

    training = Training(
        Rude(), Plan(9, 0, (lambda state: {"held": 0.5}) if scored else None, WeightRule(0, 100, 1))
    )
    with pytest.raises(KeyboardInterrupt):
        training.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    done = 2 if scored else 3
    assert training.epoch == training.state.step == len(training.history["epoch"]) == done
    assert training.history["n_live_clauses"] == [1] * done


@pytest.mark.parametrize(
    ("scores", "patience", "tol", "n_run", "best"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.5], 2, 0.0, 5, 5),  # always rising
        ([0.5, 0.4, 0.5, 0.9, 0.9], 2, 0.0, 3, 1),  # as good as before is no rise; the first best is kept
        ([0.5, 0.4, 0.6, 0.5, 0.5], 2, 0.0, 5, 3),
        ([0.5, 0.55, 0.6, 0.65, 0.7], 2, 0.08, 5, 5),  # small rises add up to one that counts
        ([0.5, 0.55, 0.58, 0.9, 0.9], 2, 0.1, 3, 3),  # too small to go on, but still the best
        ([0.5, 0.1, 0.1, 0.1, 0.9], 4, 0.0, 5, 5),
        ([0.5, 0.1, 0.1, 0.1, 0.1], 1, 0.0, 2, 1),
    ],
)
def test_early_stopping(scores, patience, tol, n_run, best):
    training = run(5, scores, stopping=Stopping("held", patience, tol))
    assert training.epoch == n_run
    assert training.history["held"] == scores[:n_run]
    assert training.state.step == best


def test_without_stopping_the_last_state_is_kept():
    assert run(3, [0.9, 0.1, 0.1]).state.step == 3


@pytest.mark.parametrize(
    ("answer", "n_run"), [(True, 2), (np.True_, 2), (False, 5), (None, 5), (1, 5), ("yes", 5)]
)
def test_only_true_stops(answer, n_run):
    assert run(5, callbacks=[lambda event: answer if event.epoch == 2 else None]).epoch == n_run


def test_an_event_is_a_picture_of_its_epoch():
    seen = []
    run(2, [0.25, 0.5], callbacks=[seen.append])
    assert [(event.epoch, event.n_epochs, dict(event.scores)) for event in seen] == [
        (1, 2, {"held": 0.25}),
        (2, 2, {"held": 0.5}),
    ]
    assert [event.weights.tolist() for event in seen] == [[[1, 0]], [[2, 0]]]
    with pytest.raises(ValueError, match="read-only"):
        seen[0].weights[0, 0] = 3


def test_a_training_goes_on_where_another_stood():
    scores = [0.5, 0.9, 0.8, 0.7, 0.95, 0.6, 0.6, 0.6, 0.6]
    options = {"scores": scores, "stopping": Stopping("held", patience=4, tol=0.0)}
    whole, part = run(9, **options), run(3, **options)
    engine = Counting()
    engine.import_state = lambda state: engine.orders.extend([[None]] * state.step)
    rest = Training(engine, whole.plan)
    rest.go_on_from(part.standing)
    assert (rest.epoch, rest.state.step, rest.is_over) == (3, 2, False)
    rest.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    assert (rest.epoch, rest.state.step, rest.is_over) == (9, 5, True)
    assert rest.history == whole.history
    assert engine.orders[3:] == whole.engine.orders[3:]


def test_what_keeps_is_called_after_each_epoch_and_at_the_end():
    kept = []
    plan = Plan(9, 0, None, WeightRule(0, 100, 1), callbacks=[lambda event: event.epoch == 3])
    training = Training(Counting(), plan)
    training.keep = lambda: kept.append((training.epoch, training.is_over))
    training.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    assert kept == [(1, False), (2, False), (3, True)]


def test_an_interrupt_just_after_a_resumed_epoch_leaves_that_epoch():
    training = run(2)
    training.engine.import_state = lambda state: None
    training.go_on_from(training.standing)
    training._done = (*training._done[:2], training.engine.step + 1)
    training.engine.orders.append([2])
    assert (training.epoch, training.state.step) == (3, 3)
