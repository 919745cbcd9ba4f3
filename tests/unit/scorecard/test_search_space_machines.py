"""The candidate machine, and its clauses on the rows of a fold."""

from itertools import pairwise

import numpy as np
from sklearn.base import clone

from clausal import TsetlinClassifier
from clausal.engine.native import pack
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.search_space import (
    booleanizer_for,
    clauses_of,
    default_machine,
    epochs_for,
    train_machine,
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
    rows = SearchRows.of(literals, Y, np.ones(80), fitted.encoding_, fitted._outcome)
    weights = rows.weights.copy()
    weights[rows.literals[:, 0] % 2 == 0] = 0  # the rows where the first column is false
    found = train_machine(MACHINE, rows, weights, 3)
    kept = X[:, 0]
    direct = clone(MACHINE).fit(X[kept], Y[kept])
    assert as_lists(found) == as_lists(clauses_of(direct.model_))
