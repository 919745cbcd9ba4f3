"""Values that a person could type: each gives its pattern, all patterns that can be given are, and short."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal import Booleanizer
from clausal.encoding.category_features import NominalFeature
from clausal.encoding.encoding import Encoding
from clausal.encoding.values import NO_RULE
from clausal.explain.cells import NEVER, exceptions, just_above, make_domain
from clausal.rules.cells import cells_of_rules
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet


def domain(values, kind="number", **params):
    """The domain of a feature with these training values, all of its columns in use."""
    booleanizer = Booleanizer(**params).fit(pd.DataFrame({"x": values}))
    rules = [Rule((Literal(column, k, False),), 1, "") for k, column in enumerate(booleanizer.columns_)]
    (cells,) = cells_of_rules(RuleSet(rules, booleanizer, [0, 1]))
    return make_domain(booleanizer.features_[0], cells, kind)


@given(st.floats(-1e300, 1e300), st.floats(0, 1e300))
def test_a_number_just_above_lies_within_the_limit_and_is_short(cut, width):
    limit = cut + width
    number = just_above(cut, limit)
    if number is None:
        assert limit == cut
    else:
        assert cut < number <= limit
    assert cut < just_above(cut, math.inf) < math.inf


@pytest.mark.parametrize(
    ("cut", "limit", "above"),
    [
        (54, math.inf, 55),
        (54, 54.5, 54.1),
        (0.35, 0.4, 0.36),
        (0.35, 0.352, 0.351),
        (-0.05, math.inf, -0.04),
        (0, math.inf, 1),
        (5000.0, 7000.0, 5001),
        (1e22, math.inf, 2e22),
        (1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 2.0)),
        (1.0, 1.0, None),
        (np.finfo(float).max, math.inf, None),
    ],
)
def test_numbers_just_above(cut, limit, above):
    assert just_above(cut, limit) == above


@pytest.mark.parametrize(
    ("values", "params", "typed"),
    [
        ([1, 2, 4], {}, [1, 2, 3]),
        ([0.25, 0.75, None], {}, [0.5, 0.6, None]),
        (["b", "a", "c"], {}, ["a", "b", "c"]),
        (["b", "a", "a", "a", "b", "c"], {"max_columns": 2}, ["a", "b", "c"]),
        ([True, False], {}, [1, 0]),
        ([5.0, None, 5.0], {}, [0, None]),  # any number is not missing
    ],
)
def test_every_pattern_that_a_value_gives_has_one(values, params, typed):
    found = domain(values, **params)
    assert list(found.values) == typed
    n_given = len({*found.patterns.tolist()})
    assert n_given == len(
        {*found.cells.patterns.of_bits(bits_of(found, values, params)).tolist(), *found.patterns}
    )


def bits_of(found, values, params):
    table = pd.DataFrame({"x": values})
    return Booleanizer(**params).fit(table).transform(table)


def test_a_category_that_matches_no_column_leads_to_the_last_cell_only_if_it_exists():
    listed = domain(["a", "b", "c"])
    assert listed.costs(0)[-2:].tolist() == [NEVER, NEVER]  # no column holds, not seen in training
    cut = domain(["b", "a", "a", "a", "b", "c"], max_columns=2)
    assert cut.costs(0)[-2] < NEVER
    assert cut.nearest(0, "a", 2) == "c"


def test_a_boolean_column_is_only_ever_true_or_false():
    assert domain([False, True, True], kind="bool", mode="paper").values == (False, True)
    assert domain([0, 1, 2], kind="bool").values == (False, True)
    assert domain([False, True], kind="bool").values == (True, False)
    assert domain([False, True], kind="unknown").values == (True, False)


@pytest.mark.parametrize(
    ("categories", "kind", "another"),
    [
        (("yes",), "text", ["another value"]),
        (("another value", "yes"), "text", ["another value'"]),
        ((1, 2), "number", [0]),
        ((0, 1), "number", [2]),
        ((1,), "bool", [0]),
        ((0, 1), "bool", []),
    ],
)
def test_one_value_stands_for_all_categories_that_were_left_out(categories, kind, another):
    own = tuple(range(len(categories)))
    feature = NominalFeature(categories, own, nullable=False, complete=False)
    encoding = Encoding((feature,), ("x",), NO_RULE)
    rules = [Rule((Literal(column, k, False),), 1, "") for k, column in enumerate(encoding.columns)]
    (cells,) = cells_of_rules(RuleSet(rules, encoding, [0, 1]))
    found = make_domain(feature, cells, kind)
    assert list(found.values) == [*categories, *another]
    assert {exceptions(feature, value) for value in categories} == {()}
    assert [exceptions(feature, value) for value in another] == [categories] * len(another)
    assert exceptions(replace(feature, complete=True), "other") == exceptions(feature, None) == ()


def test_the_nearest_value_of_a_pattern_is_taken():
    ages = domain([50, 54, 60, 61, 70])
    assert [ages.nearest(4, 75, cell) for cell in range(4)] == [50, 54, 60, 61]
    assert [ages.nearest(0, 40, cell) for cell in range(1, 5)] == [51, 55, 61, 62]


def test_costs_count_cut_points_and_prefer_values_to_none():
    ages = domain([50, 54, 60, None])
    costs = ages.costs(0) - ages.costs(0)[1] + 1
    assert costs[1:3].tolist() == [1, 2]
    assert ages.costs(0)[0] == 0
    assert ages.costs(0)[3] > 1000 + ages.costs(0)[2]
    from_missing = ages.costs(3)
    assert len({*from_missing[:3].tolist()}) == 1
    assert from_missing[3] == 0
