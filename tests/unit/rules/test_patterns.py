"""Patterns of a feature's columns: all that `transform` can give, and the fewest literals for each set."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.rules.patterns import Patterns, patterns_of_features, reachable_patterns
from tests.support.rule_models import POLICIES, TABLE, literals, setting

every_feature = pytest.mark.parametrize("feature", TABLE.columns)
every_policy = pytest.mark.parametrize("policy", POLICIES, ids=str)


def patterns_as_set(values):
    return {tuple(row) for row in values.tolist()}


@every_policy
def test_reachable_patterns_are_those_that_transform_gives(policy):
    given = setting("nmcdobt", *policy) if policy[0] == "auto" else setting("nmcdt", *policy)
    found = reachable_patterns(given.booleanizer.encoding_)
    assert sorted(found) == list(range(given.X.shape[1]))
    for patterns in found.values():
        width = patterns.values.shape[1]
        own = given.bits[:, patterns.first : patterns.first + width]
        assert patterns_as_set(patterns.values) == patterns_as_set(np.unique(own, axis=0))
        assert len(patterns.values) == patterns.n_patterns == len(patterns_as_set(patterns.values))


@every_policy
def test_patterns_of_columns_alone_are_those_or_one_more(policy):
    given = setting("nmcdt", *policy)
    wider = patterns_of_features(given.booleanizer.encoding_)
    for feature, patterns in reachable_patterns(given.booleanizer.encoding_).items():
        more = patterns_as_set(wider[feature].values) - patterns_as_set(patterns.values)
        assert wider[feature].first == patterns.first
        assert len(more) == (not patterns.other)
        assert not any(any(row) for row in more)


def test_features_without_columns_have_no_patterns():
    X = pd.DataFrame({"one": ["a", "a", "a"], "x": [1, 2, 3], "none": [None] * 3, "some": [1.0, None, 1.0]})
    found = reachable_patterns(Booleanizer().fit(X).encoding_)
    assert {feature: patterns.first for feature, patterns in found.items()} == {1: 0, 3: 2}
    assert found[3] == Patterns(2, 0, ranked=False, other=True, nullable=True)
    assert found[3].values.tolist() == [[0], [1]]


@every_feature
@every_policy
def test_a_meaning_is_said_with_the_fewest_literals(policy, feature):
    given = setting(feature, *policy)
    (patterns,) = reachable_patterns(given.booleanizer.encoding_).values()
    fewest = {patterns.full: 0}
    for size in range(1, 2 * given.n_columns + 1):
        for chosen in combinations(range(2 * given.n_columns), size):
            own = literals(given.booleanizer, chosen)
            allowed = patterns.allowed(own)
            meaning = patterns.meaning(own)
            assert [bool(meaning >> i & 1) for i in range(patterns.n_patterns)] == allowed.tolist()
            fewest.setdefault(meaning, size)
    for meaning in range(1, patterns.full + 1):
        found = patterns.literals(meaning)
        if meaning not in fewest:
            assert found is None
            continue
        numbers = [place + given.n_columns * negated for place, negated in found]
        assert patterns.meaning(literals(given.booleanizer, numbers)) == meaning
        assert len(found) == fewest[meaning]
        assert [negated for _, negated in found] == sorted((negated for _, negated in found), reverse=True)
    assert patterns.literals(0) is None


def test_one_category_is_said_rather_than_all_others_denied():
    given = setting("c", "auto", "error", "error")  # a, b and c, and nothing else can come
    (patterns,) = reachable_patterns(given.booleanizer.encoding_).values()
    assert patterns.literals(0b001) == ((0, False),)
    assert patterns.literals(0b110) == ((0, True),)
