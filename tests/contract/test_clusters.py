"""Fits on clusters: the bits of a fit in memory whatever the partitions, and what bad partitions are told."""

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from clausal import (
    Booleanizer,
    RuleClassifier,
    RuleRegressor,
    TsetlinClassifier,
    TsetlinRegressor,
    cluster,
)
from tests.support.cluster_data import CARD, CLUSTERS, FRAME, opened, split, stored


@pytest.fixture(scope="module", params=CLUSTERS)
def table(request):
    """A function that makes a table on a cluster from data frames."""
    with opened(request.param) as make:
        yield make


@pytest.fixture(scope="module")
def in_memory(tmp_path_factory):
    columns = FRAME.drop(columns=["y", "weight"])
    card = RuleClassifier(**CARD.get_params()).fit(columns, FRAME.y, FRAME.weight)
    return stored(card, tmp_path_factory.mktemp("card"))


@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_scorecard_has_the_bits_of_a_fit_in_memory(table, in_memory, n, tmp_path):
    card = RuleClassifier(**CARD.get_params())
    assert cluster.fit(card, table(split(FRAME, n)), "y", sample_weight="weight") is card
    assert stored(card, tmp_path) == in_memory


def test_a_machine_has_the_bits_of_a_fit_in_memory(table, tmp_path):
    columns = FRAME.drop(columns=["y", "weight"])
    expected = TsetlinClassifier(20, n_epochs=3, random_state=0).fit(columns, FRAME.y, FRAME.weight)
    machine = TsetlinClassifier(20, n_epochs=3, random_state=0)
    cluster.fit(machine, table(split(FRAME, 2)), "y", sample_weight="weight")
    assert stored(machine, tmp_path) == stored(expected, tmp_path)


@pytest.mark.parametrize(
    "estimator",
    [
        RuleRegressor(max_literals=3, cv=2, random_state=0),
        TsetlinRegressor(20, n_epochs=2, random_state=0),
    ],
)
def test_regressors_have_the_bits_of_a_fit_in_memory(table, estimator, tmp_path):
    frame = FRAME.drop(columns="y").fillna({"income": 0.0})
    features = frame.drop(columns=["income", "weight"])
    expected = clone(estimator).fit(features, frame.income, frame.weight)
    found = cluster.fit(clone(estimator), table(split(frame, 3)), "income", sample_weight="weight")
    assert stored(found, tmp_path) == stored(expected, tmp_path)


def test_shards_do_not_depend_on_partitions(table, tmp_path):
    found = []
    for n in (1, 7):
        machine = TsetlinClassifier(24, threshold=90, n_epochs=3, random_state=0)
        cluster.fit(machine, table(split(FRAME, n)), "y", sample_weight="weight", n_shards=3)
        found.append(stored(machine, tmp_path))
    assert found[0] == found[1]
    assert (machine.model_.n_clauses, machine.model_.threshold, machine.n_iter_) == (24, 90, 3)
    assert machine.score(FRAME[["age", "income", "state"]], FRAME.y) > 0.4


def test_predictions_where_the_data_are(table):
    """Of three classes, with rows that the model refuses; lists and Ray have no lazy frames."""
    refused = np.arange(len(FRAME)) % 7 == 0
    data = table(split(FRAME.assign(age=FRAME.age.where(~refused)), 2))
    if not isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame):
        pytest.skip("no lazy frames")
    features = FRAME.drop(columns=["y", "weight"])
    strict = Booleanizer(handle_unknown="error", handle_missing="error")
    card = RuleClassifier(max_literals=4, cv=2, booleanizer=strict, random_state=0)
    card.fit(features, FRAME.y)
    assert 0 in {feature for rule in card.rules_ for feature in rule.features}
    predicted = card.with_predictions(data)
    found = predicted.compute() if hasattr(predicted, "compute") else predicted.toPandas()
    np.testing.assert_array_equal(found.prediction.isna(), refused)
    np.testing.assert_array_equal(found.prediction[~refused], card.predict(features[~refused]))
    shares = found[[f"probability {label}" for label in card.classes_]].to_numpy(float)
    np.testing.assert_allclose(shares[~refused], card.predict_proba(features[~refused]))
    assert np.isnan(shares[refused]).all()
    with pytest.raises(TypeError, match=r"Got a DataFrame of \w+, for which there are cluster.fit and"):
        card.predict(data)


@pytest.mark.parametrize("change", ["missing text", "missing numbers", "int8", "order"])
def test_types_and_orders_that_differ_between_partitions(change, tmp_path):
    one, two = split(FRAME, 2)
    match change:
        case "missing text":  # a column of None has no type of its own
            one = one.assign(state=None)
        case "missing numbers":
            one = one.assign(income=None)
        case "int8":
            one = one.assign(age=one.age.astype(np.int8))
        case "order":
            two = two[two.columns[::-1]]
    columns = pd.concat([one, two])[FRAME.columns]
    columns["income"] = columns["income"].astype(float)
    y, weights = columns.pop("y"), columns.pop("weight")
    expected = RuleClassifier(**CARD.get_params()).fit(columns, y, weights)
    card = cluster.fit(RuleClassifier(**CARD.get_params()), [one, two], "y", sample_weight="weight")
    assert stored(card, tmp_path) == stored(expected, tmp_path)


def assert_refused(data, kind, message, y="y", estimator=None, **options):
    """That a fit is refused with a message, and that the estimator is as before."""
    estimator = RuleClassifier(**CARD.get_params()) if estimator is None else estimator
    with pytest.raises(kind, match=message):
        cluster.fit(estimator, data, y, **options)
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)


def test_what_partitions_must_have(table):
    one, two = split(FRAME, 2)
    assert_refused(
        [one, two.drop(columns="age")], ValueError, r"Got 'age' in partition 0 and not in partition 1"
    )
    assert_refused(
        table([one, two]), ValueError, r"y must be the name of a column of X: 'age'.*Got 'bad'", "bad"
    )
    mixed = [one, two.assign(age="old")]
    assert_refused(
        mixed, ValueError, r"Feature 'age' must have one type in all batches. Got numbers and text"
    )
    assert_refused([], ValueError, r"at least 1 partition. Got 0")
    assert_refused([one.iloc[:0]], ValueError, r"y must hold at least 2 classes|minimum of 1 is required")
    only = FRAME[FRAME.y == "low"]
    assert_refused(
        table(split(only, 2)), ValueError, r"y must hold at least 2 classes. Got 1 class: \['low'\]"
    )


def test_arguments():
    assert_refused(FRAME, TypeError, r"data must be a Dask DataFrame.*Got DataFrame; use the method fit")
    assert_refused([FRAME], TypeError, r"y must be the name of a column of data. Got Series", FRAME.y)
    assert_refused(
        [FRAME], ValueError, r"client must be None for a list of data frames. Got str", client="here"
    )
    assert_refused(
        [FRAME], TypeError, r"n_shards must be None unless estimator is a Tset.*Got 2 for Rule", n_shards=2
    )
    with pytest.raises(
        TypeError, match=r"estimator must be a RuleClassifier, .* or TsetlinRegressor. Got str"
    ):
        cluster.fit("card", [FRAME], "y")


@pytest.mark.parametrize(
    ("options", "n_shards", "message"),
    [
        (
            {},
            2,
            r"'n_clauses' parameter of TsetlinClassifier must be a multiple of 4 for n_shards=2. Got 'auto'",
        ),
        ({"n_clauses": 10}, 4, r"'n_clauses' .* must be a multiple of 8 for n_shards=4. Got 10"),
        (
            {"n_clauses": 8, "threshold": 7},
            2,
            r"'threshold' .* multiple of 2 or 'auto' for n_shards=2. Got 7",
        ),
        ({"n_clauses": 8, "warm_start": True}, 2, r"'warm_start' .* must be False for shards. Got True"),
        ({"n_clauses": 8}, 1, r"n_shards must be None or an int from 2 to 1048576. Got 1"),
        (
            {"n_clauses": 800},
            100,
            r"n_shards must be at most the number of rows of the rarest class, \d+. Got 100",
        ),
    ],
)
def test_shards_that_cannot_be(options, n_shards, message):
    assert_refused([FRAME], ValueError, message, estimator=TsetlinClassifier(**options), n_shards=n_shards)
