"""The candidate machines: settings that depend on the number of rows, and one seed per machine."""

import numpy as np

from clausal import Booleanizer
from clausal.scorecard.candidates import default_machines, train_machines
from tests.support.small_data import table


def test_small_tables_get_more_machines_and_epochs_than_large_ones():
    few, many = (default_machines(n, "auto", {}) for n in (200, 100_000))
    assert len(few) > len(many) > 1
    assert few[0].n_epochs > many[0].n_epochs
    assert len({machine.specificity for machine in few}) == len(few)


def test_booleanizer_and_constraints_reach_every_machine():
    own = Booleanizer(max_columns=3)
    for machine in default_machines(10, own, {"monotonic_cst": [1], "forbidden_features": [0]}):
        assert machine.booleanizer is own
        assert machine.monotonic_cst == [1]
        assert machine.forbidden_features == [0]


def test_each_machine_is_trained_with_its_own_seed():
    X, y = table()
    twin = default_machines(10, "auto", {})[0].set_params(n_clauses=10, n_epochs=3)
    first, second = train_machines([twin, twin], X, y, None, 5, lambda note: None)
    assert not hasattr(twin, "model_")
    assert not np.array_equal(first.model_.states, second.model_.states)
    assert (first.random_state, second.random_state) == (5, 6)
