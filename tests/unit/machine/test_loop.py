"""The loop around the epochs, run with an engine that only counts."""

import numpy as np
import pytest

from clausal.engine.protocol import EngineState
from clausal.engine.weight_rule import WeightRule
from clausal.machine.loop import Plan, Stopping, Training


class Counting:
    """An engine whose state says how many epochs it has seen; it may be interrupted in one of them."""

    def __init__(self, interrupted_in=None):
        self.orders, self.calls = [], []
        self.interrupted_in = interrupted_in

    def fit_epochs(self, literals, targets, orders, levels):
        self.calls.append(len(orders))
        for order, after in zip(orders, levels, strict=True):
            if len(self.orders) + 1 == self.interrupted_in:
                raise KeyboardInterrupt
            self.orders.append(order.tolist())
            after[...] = self.levels

    @property
    def step(self):
        return len(self.orders)

    @property
    def levels(self):
        return self.export_state().levels

    def export_state(self):
        n_epochs = len(self.orders)
        levels = np.array([[n_epochs, n_epochs // 3]], np.int32)  # the second comes to life in epoch 3
        return EngineState(np.full((1, 2, 2), n_epochs, np.uint8), levels, n_epochs)


class Orders:
    n_visits = 1

    def visits(self, epochs):
        return [np.array([epoch]) for epoch in epochs]


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
    assert training.history == {"epoch": [1, 2, 3], "n_live_clauses": [1, 1, 2]}


def test_epochs_after_which_nobody_looks_are_run_in_one_call(monkeypatch):
    alone = run(7, callbacks=[lambda event: None])
    assert alone.engine.calls == [1] * 7
    together = run(7)
    assert together.engine.calls == [7]
    monkeypatch.setattr("clausal.machine.loop._CALL_SIZE", 6)  # of 2 levels each
    in_parts = run(7)
    assert in_parts.engine.calls == [3, 3, 1]
    for training in (together, in_parts):
        assert training.engine.orders == alone.engine.orders
        assert training.history == alone.history
        assert (training.epoch, training.state.step, training.is_over) == (7, 7, True)


@pytest.mark.parametrize("watched", ["score", "progress", "keep"])
def test_where_anybody_looks_each_epoch_is_a_call(watched):
    plan = Plan(
        3,
        0,
        (lambda state: {"held": 0.5}) if watched == "score" else None,
        WeightRule(0, 100, 1),
        show_progress=watched == "progress",
    )
    training = Training(Counting(), plan, keep=(lambda: None) if watched == "keep" else None)
    training.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    assert training.engine.calls == [1, 1, 1]


@pytest.mark.parametrize("epoch", range(1, 9))
def test_an_interrupt_within_a_call_leaves_its_whole_epochs(epoch, monkeypatch):
    monkeypatch.setattr("clausal.machine.loop._CALL_SIZE", 6)
    training = Training(Counting(interrupted_in=epoch), Plan(8, 0, None, WeightRule(0, 100, 1)))
    with pytest.raises(KeyboardInterrupt):
        training.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    whole = run(8).history
    assert training.epoch == epoch - 1
    assert training.history == (
        {name: values[: epoch - 1] for name, values in whole.items()} if epoch > 1 else {}
    )
    assert training.state is None if epoch == 1 else training.state.step == epoch - 1


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
    live = [1, 1, 2][:done]
    assert training.history == {"epoch": [1, 2, 3][:done], "n_live_clauses": live, "held": [0.5] * done}


@pytest.mark.parametrize("scored", [False, True])
def test_an_interrupt_just_after_the_engine_is_done_counts_what_is_kept(scored):
    """Before the loop books the epoch; without scores only the engine has the state."""

    class Rude(Counting):
        def fit_epochs(self, literals, targets, orders, levels):
            super().fit_epochs(literals, targets, orders, levels)
            if len(self.orders) == 3:
                raise KeyboardInterrupt

    plan = Plan(
        9 if scored else 3, 0, (lambda state: {"held": 0.5}) if scored else None, WeightRule(0, 100, 1)
    )
    training = Training(Rude(), plan)
    with pytest.raises(KeyboardInterrupt):
        training.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    done = 2 if scored else 3
    assert training.epoch == training.state.step == len(training.history["epoch"]) == done
    assert training.history["n_live_clauses"] == [1, 1, 2][:done]


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
    engine = Counting(interrupted_in=4)
    engine.import_state = lambda state: engine.orders.extend([[None]] * state.step)
    rest = Training(engine, Plan(9, 0, None, WeightRule(0, 100, 1)))
    rest.go_on_from(training.standing)
    with pytest.raises(KeyboardInterrupt):
        rest.run(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), Orders())
    assert (rest.epoch, rest.state.step) == (3, 3)
    assert rest.history == {"epoch": [1, 2, 3], "n_live_clauses": [1, 1, 2]}
