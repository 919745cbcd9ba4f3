"""Two samples are counted in the same bins."""

import numpy as np
import pandas as pd
import pytest

from clausal.evaluation.counted import (
    Sample,
    count_features,
    count_missing,
    count_new_values,
    count_rules,
    score_bands,
)
from clausal.evaluation.predictions import predict_table
from clausal.rules.rule import Override
from tests.support.periods import period, scorecard

CARD = scorecard()


def sample(X, card=CARD):
    return Sample(card.rules_, X, predict_table(card, X))


@pytest.fixture
def samples():
    return sample(period(200)), sample(period(100, seed=1))


def bins(counted):
    return {each.name: (each.reference, each.current) for each in counted.bins}


def total(counted):
    return tuple(map(sum, zip(*bins(counted).values(), strict=True)))


@pytest.mark.parametrize("kind", ["rules", "values"])
def test_every_row_is_in_one_bin_of_each_feature(samples, kind):
    found = list(count_features(*samples, kind))
    assert len(found) == 4
    assert {total(each) for each in found} == {(200, 100)}


def test_parts_are_those_that_rules_tell_apart(samples):
    age = next(each for each in count_features(*samples, "rules") if each.name == "age")
    young = (samples[0].X["age"] <= 40).sum(), (samples[1].X["age"] <= 40).sum()
    assert bins(age) == {"age <= 40": young, "age > 40": (200 - young[0], 100 - young[1])}


def test_values_are_counted_by_tenths_and_single_categories(samples):
    found = {each.name: bins(each) for each in count_features(*samples, "values")}
    assert 9 <= len(found["age"]) <= 10
    assert all(10 <= reference <= 35 for reference, _ in found["age"].values())
    states = samples[0].X["state"].value_counts()
    assert {name: pair[0] for name, pair in found["state"].items()} == {
        name if name.isalpha() else repr(name): count for name, count in states.items()
    }


def test_missing_and_new_values_are_counted(samples):
    X = samples[1].X.copy()
    X.loc[:4, "age"] = np.nan
    X.loc[:9, "state"] = "moon"
    X.loc[10, "state"] = None
    with pytest.warns(UserWarning, match="not seen in training"):
        other = sample(X)
    assert [(each.name, bins(each)) for each in count_missing(samples[0], other)] == [
        ("age", {"(missing)": (0, 5), "present": (200, 95)}),
        ("state", {"(missing)": (0, 1), "present": (200, 99)}),
    ]
    (new,) = count_new_values(samples[0], other)
    assert new.values == (("moon", 10),)
    assert bins(new.counted) == {"(new)": (0, 10), "known": (200, 90)}
    state = next(each for each in count_features(samples[0], other, "values") if each.name == "state")
    assert bins(state)["(new)"] == (0, 10)
    assert total(state) == (200, 100)


def test_a_feature_without_values_has_bins():
    X = period(100).assign(age=np.nan)
    with pytest.warns(UserWarning, match="not seen in training"):
        empty = sample(X)
    for pair in ((empty, sample(period(50))), (sample(period(50)), empty)):
        age = next(each for each in count_features(*pair, "values") if each.name == "age")
        assert total(age) == (pair[0].n_rows, pair[1].n_rows)


def test_rules_are_counted_where_they_hold(samples):
    found = list(count_rules(*samples))
    fires = CARD.rules_.fires(samples[1].X).sum(axis=0)
    assert [each.bins[0].current for each in found] == fires.tolist()


def test_overrides_are_counted_where_they_decide():
    places = zip(CARD.rules_, ("no", "yes"), strict=False)
    rules = CARD.rules_.with_overrides([Override(rule.literals, label) for rule, label in places])
    card = CARD.replace(rules=rules)
    one, two = sample(period(200), card), sample(period(100, seed=1), card)
    *_, first, second = count_rules(one, two)
    decided = rules.overridden(one.X)
    assert first.name == "age <= 40, override for no"
    assert [first.bins[0].reference, second.bins[0].reference] == [(decided == 0).sum(), (decided == 1).sum()]


def test_bands_of_scores_have_no_ends():
    card = scorecard()
    low, high = (predict_table(card, period(3000, seed=k)) for k in (3, 4))
    bands = score_bands(low, high)
    assert len(bands.names) == len(np.unique(bands.reference))
    assert bands.names[0].endswith("or less")
    assert bands.names[-1].endswith("or more")
    assert pd.Series(low.votes).groupby(bands.reference).max().is_monotonic_increasing
