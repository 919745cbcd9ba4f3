"""Cells: what no rule tells apart is one cell, and a cell allows the rules that can hold there."""

import numpy as np
from hypothesis import given, settings

from clausal.rules.cells import cells_of_rules
from tests.support.toy_rules import BOOLEANIZER, ROWS, frame, model, rule_sets

BITS = BOOLEANIZER.transform(frame(*ROWS))


@settings(max_examples=50)
@given(rule_sets())
def test_a_rule_holds_where_every_cell_allows_it(rules):
    allowed = np.ones((len(ROWS), len(rules)), bool)
    for cells in cells_of_rules(rules):
        allowed &= cells.allows[cells.of_bits(BITS)]
    np.testing.assert_array_equal(allowed, rules.fires_on(BITS))


def test_only_tested_columns_make_cells():
    rules = model((1, "n <= 3"), (1, "c is b", "n <= 3"))
    numbers, categories = cells_of_rules(rules)
    assert (numbers.feature, categories.feature) == (0, 2)
    assert numbers.of_pattern.tolist() == [0, 0, 1, 1, 2]  # the last one: not seen in training
    assert numbers.allows.tolist() == [[True, True], [False, False], [False, False]]
    assert categories.of_pattern.tolist() == [0, 1, 0, 0, 0, 2]  # a, b, c, any other, missing, not seen
    assert categories.allows.tolist() == [[True, False], [True, True], [True, False]]


def test_a_feature_that_no_rule_tests_has_no_cells():
    assert list(cells_of_rules(model())) == []
