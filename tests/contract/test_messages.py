"""Messages name what the user wrote; lists of features may be columns of any table library."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clausal import Booleanizer, RuleClassifier, TableWarning, TsetlinClassifier, load
from tests.support.small_data import quick

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=60).round(2), "b": RNG.integers(0, 5, 60), "c": list("xyz") * 20})
Y = (X["a"] > 0).to_numpy().astype(int)


def scorecard(**params):
    return RuleClassifier(**{"max_literals": 2, "cv": 2, "random_state": 0, **params})


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"forbidden_features": ["z"]}, "must list names of columns of X. Got 'z'"),
        ({"forbidden_features": ["a", "b", "c"]}, "must leave at least one feature"),
        ({"monotonic_cst": {"z": 1}}, "must list names of columns of X. Got 'z'"),
        ({"monotonic_cst": {"c": 1}}, "must be 0 for feature 'c'"),
        ({"class_weight": {7: 1}}, "must name only classes in y"),
    ],
)
def test_the_estimator_that_was_called_is_named(params, words):
    for clf in (scorecard(**params), quick(booleanizer="auto", **params)):
        (name,) = params
        with pytest.raises(ValueError, match=f"The '{name}' parameter of {type(clf).__name__} {words}"):
            clf.fit(X, Y)


def test_the_users_own_machine_is_named():
    with pytest.raises(ValueError, match="The 'forbidden_features' parameter of TsetlinClassifier must"):
        scorecard(estimator=quick(booleanizer="auto", forbidden_features=["z"])).fit(X, Y)


def test_categorical_features_belong_to_whom_they_were_given():
    for given, words in ((["z"], "must list names"), (["b"], "must include every feature that holds text")):
        with pytest.raises(
            ValueError, match=f"'categorical_features' parameter of TsetlinClassifier {words}"
        ):
            quick(booleanizer="auto", categorical_features=given).fit(X, Y)
        booleanizer = Booleanizer(categorical_features=given)
        for clf in (quick(booleanizer=booleanizer), scorecard(booleanizer=booleanizer)):
            with pytest.raises(ValueError, match=f"'categorical_features' parameter of Booleanizer {words}"):
                clf.fit(X, Y)


def test_the_parts_of_a_fit_do_not_warn():
    light = {0: 0.01, 1: 0.01}
    with pytest.warns(UserWarning, match=r"these weights average 0\.01"):
        quick(booleanizer="auto", class_weight=light).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", TableWarning)
        scorecard(estimator=quick(booleanizer="auto"), class_weight=light).fit(X, Y)


@pytest.mark.parametrize("listed", [pd.Index, pd.Series, pl.Series, np.array], ids=lambda kind: str(kind))
def test_features_may_be_listed_by_any_library(listed, tmp_path):
    clf = TsetlinClassifier(
        10,
        n_epochs=2,
        random_state=0,
        forbidden_features=listed(["a"]),
        categorical_features=listed(["b", "c"]),
    ).fit(X, Y)
    plain = TsetlinClassifier(
        10, n_epochs=2, random_state=0, forbidden_features=["a"], categorical_features=["b", "c"]
    ).fit(X, Y)
    assert clf.encoding_ == plain.encoding_
    assert clf.rules_ == plain.rules_
    clf.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").forbidden_features == ["a"]
    monotone = scorecard(monotonic_cst=listed([1, 0, 0])).fit(X, Y)
    assert monotone.rules_ == scorecard(monotonic_cst=[1, 0, 0]).fit(X, Y).rules_


def test_a_table_is_no_list_of_features():
    with pytest.raises(ValueError, match="'forbidden_features' parameter .* must be one-dimensional"):
        quick(booleanizer="auto", forbidden_features=X[["a"]]).fit(X, Y)
