"""The candidate machine, and its clauses on the rows of a fold."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone

from clausal import RuleClassifier, TsetlinClassifier
from clausal.engine.native import pack
from clausal.machine import train
from clausal.scorecard.bins import BinnedPart
from clausal.scorecard.read import read_rows
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.search_space import (
    booleanizer_for,
    clauses_of,
    default_machine,
    epochs_for,
    train_machines,
)

RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, (80, 4)).astype(bool)
Y = (X[:, 0] & X[:, 1]).astype(int)
MACHINE = TsetlinClassifier(10, threshold=10, n_epochs=5, booleanizer=None, random_state=3)


def as_lists(clauses):
    starts, literals = clauses
    return [literals[first:last].tolist() for first, last in pairwise(starts)]


def test_large_tables_get_fewer_epochs():
    epochs = [epochs_for(n) for n in (0.5, 100, 2_000, 10**6)]
    assert epochs == sorted(epochs, reverse=True)
    assert epochs[-1] == 1
    assert default_machine(None, {"forbidden_features": [1]}).forbidden_features == [1]


def test_large_tables_get_more_columns():
    assert [booleanizer_for(n).max_columns for n in (10, 4_999, 5_000, 10**6)] == [12, 12, 24, 24]


def test_clauses_are_the_different_rules_of_the_machine():
    fitted = MACHINE.fit(X, Y)
    found = as_lists(clauses_of(fitted.model_))
    included = {
        tuple(np.flatnonzero(row))
        for row in fitted.model_.include[(fitted.model_.points > 0) & fitted.model_.include.any(axis=2)]
    }
    assert {tuple(clause) for clause in found} == included
    assert len(found) == len(included)


def test_rows_of_weight_0_are_left_out():
    fitted = MACHINE.fit(X, Y)
    literals = pack(X.astype(np.uint8))
    rows, _ = SearchRows.of(
        [BinnedPart.of(fitted.encoding_, literals)], Y, np.ones(80), fitted.encoding_, fitted._outcome
    )
    weights = rows.weights.copy()
    weights[rows.for_machines.literals[:, 0] % 2 == 0] = 0  # the rows where the first column is false
    (found,) = train_machines(MACHINE, rows, [(weights, 3)])
    kept = X[:, 0]
    direct = clone(MACHINE).fit(X[kept], Y[kept])
    assert as_lists(found) == as_lists(clauses_of(direct.model_))


@pytest.mark.parametrize("n_visits", [1, 100, 1 << 18])  # of a call
@pytest.mark.parametrize("changes", [{}, {"early_stopping": True}, {"backend": "reference"}])
def test_machines_of_one_call_are_those_trained_alone(n_visits, changes, monkeypatch):
    monkeypatch.setattr(train, "_VISITS_OF_CALL", n_visits)
    machine = clone(MACHINE).set_params(**changes)
    rows = read_rows(RuleClassifier(), machine, X, Y, None, 0).rows
    draw = np.random.default_rng(1)
    parts = [(rows.weights * draw.integers(0, 3, len(rows.weights)), seed) for seed in range(3)]
    together = train_machines(machine, rows, parts, 2)
    alone = [train_machines(machine, rows, [part])[0] for part in parts]
    assert [as_lists(clauses) for clauses in together] == [as_lists(clauses) for clauses in alone]
    assert len({str(as_lists(clauses)) for clauses in together}) == 3


@pytest.mark.parametrize(("n_rows", "more"), [(400, False), (600, True)])
def test_a_large_enough_table_has_more_cuts_that_only_rules_move_to(n_rows, more):
    numbers = RNG.normal(size=(n_rows, 2))
    y = (numbers[:, 0] > 0.123).astype(int)
    settings = RuleClassifier(max_literals=2)
    machine = default_machine("auto", {}).set_params(n_epochs=2)
    rows = read_rows(settings, machine, numbers, y, None, 0).rows
    assert (rows.first is not None) == more
    assert rows.begins.sum() == 2 * 12
    assert len(rows.begins) > 2 * 40 if more else rows.begins.all()
    ((_, literals),) = train_machines(machine, rows, [(rows.weights, 0)])
    assert rows.begins[literals % len(rows.begins)].all()
    encoding = rows.first or rows.encoding
    direct = pack(encoding.plain_bits(numbers, encoding.training_policy))
    assert {*map(tuple, rows.for_machines.literals)} == {*map(tuple, direct)}


def test_a_cut_point_moves_to_the_edge():
    numbers = np.random.default_rng(3).normal(size=(2_000, 1))
    y = (numbers[:, 0] > 0.77).astype(int)
    (rule,) = RuleClassifier(max_literals=1, random_state=0).fit(numbers, y).rules_
    one_part = np.quantile(numbers, 0.8) - np.quantile(numbers, 0.78)
    assert abs(rule.literals[0].column.value - 0.77) < one_part
