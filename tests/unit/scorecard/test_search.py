"""The sizes that are searched, and candidates under sign constraints."""

import numpy as np
import pytest

from clausal import Booleanizer
from clausal.outcome import make_outcome
from clausal.scorecard.candidates import single_literals
from clausal.scorecard.points import Scorecard
from clausal.scorecard.rows import LabeledRows
from clausal.scorecard.search import SEARCHES, Limits, SearchSpace
from tests.support.scorecards import machine

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (80, 3)).astype(float)
Y = (X[:, 0] + X[:, 1] > 3).astype(np.intp)
SINGLES = SEARCHES[3]


def space(X, **constraints):
    settings = {"booleanizer": Booleanizer(max_columns=3), **constraints}
    rows = LabeledRows(X, Y, np.ones(len(Y)), make_outcome(np.array([0, 1])))
    return SearchSpace([machine(**settings).fit(X, Y)], rows, 0)


@pytest.mark.parametrize(("limit", "last"), [(None, 40), (1, 1), (7, 7), (13, 13), (300, 300)])
def test_sizes_run_from_one_literal_to_the_limit(limit, last):
    sizes = Limits(limit, None, 10).sizes
    assert sizes[0] == 1
    assert sizes[-1] == last
    assert list(sizes) == sorted(set(sizes))


@pytest.mark.parametrize("constraint", [None, [1, 0, 0], [1, -1, 0]], ids=str)
def test_a_rule_and_its_negation_are_one_candidate(constraint):
    found = space(X, monotonic_cst=constraint)
    for search in SEARCHES:
        columns = found.candidates(search).fires.T
        both = [*map(bytes, columns.astype(np.uint8)), *map(bytes, (1 - columns).astype(np.uint8))]
        assert len(set(both)) == len(both)
    n_literals = len(single_literals(found.encoding.columns))
    assert found.candidates(SINGLES).fires.shape[1] == n_literals // 2


def test_a_constrained_literal_keeps_the_sign_that_it_may_have():
    found = space(X, monotonic_cst=[1, 0, 0])
    forms, candidates = found._candidates["single_literals"]
    features = [form[0].literals[0].column.feature_index for form in forms]
    signs = dict(zip(features, map(tuple, candidates.signs[:, 0].tolist()), strict=True))
    assert signs == {0: (False, True), 1: (True, True), 2: (True, True)}  # `x0 <= 1` may only subtract


def test_a_sign_that_only_a_twin_may_have_is_written_as_the_twin():
    twins = np.column_stack([X[:, 0], -X[:, 0], X[:, 1]])  # `x1 <= -1` is the negation of `x0 <= 0`
    found = space(twins, monotonic_cst=[1, 0, 0])
    forms, candidates = found._candidates["single_literals"]
    rule = next(i for i, form in enumerate(forms) if form[1].literals[0].column.feature_index == 0)
    assert candidates.signs[rule, 0].tolist() == [True, True]
    for points in (2, -2):
        card = Scorecard(np.array([rule]), np.array([0]), np.array([points]), 1.0, np.zeros(1), 1, 0.0)
        (written,), constant = found.rules(SINGLES, card)
        assert written.literals[0].column.feature_index == (1 if points > 0 else 0)
        fires = written.holds(found.bits(twins))
        expected = points * found.outputs(SINGLES, card, found.bits(twins))[:, 0]
        np.testing.assert_array_equal(constant + written.points * fires, expected)
        np.testing.assert_array_equal(expected, points * candidates.fires[:, rule])
