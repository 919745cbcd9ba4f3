"""Values that training did not have: the same answer from machines, rules, SQL and both engines."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_val_score

from clausal import Booleanizer, RuleClassifier, RuleSet, TsetlinClassifier, UnseenValueWarning, load, report
from tests.support.sql_scoring import run_sql

ignore_unseen = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")


LEVELS = ["low", "mid", "high"]


def table(n_rows: int = 200, seed: int = 0) -> pd.DataFrame:
    """Numbers, categories with and without missing values, ordered categories, a boolean."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "n": rng.integers(0, 20, n_rows).astype(float),
            "c": rng.choice(["a", "b", "c"], n_rows),
            "d": rng.choice(np.array(["x", "y", None], dtype=object), n_rows),
            "o": pd.Categorical(
                rng.choice(["low", "mid", "high"], n_rows), ["low", "mid", "high"], ordered=True
            ),
            "b": rng.random(n_rows) < 0.5,
        }
    )


def labels(X: pd.DataFrame, n_classes: int) -> np.ndarray:
    """Depends on all features."""
    score = X["n"] / 4 + 2 * (X["c"] == "a") + 2 * (X["d"] != "x") + 2 * (X["o"] != "low") - 2 * X["b"]
    return np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def spoiled(X: pd.DataFrame) -> pd.DataFrame:
    """Rows with values that training did not have, alone and together; every second row has none."""
    new = X.astype(object)
    for row in range(0, len(new), 2):
        kinds = {"n": None, "c": ("new", None), "d": "new", "o": ("new", None), "b": None}
        for place, (name, value) in enumerate(kinds.items()):
            if (row // 2) >> place & 1:
                new.loc[row, name] = value[row // 4 % 2] if isinstance(value, tuple) else value
    return new


def slow_votes(clf: TsetlinClassifier, X: pd.DataFrame) -> np.ndarray:
    """Votes [n, banks] clause by clause: a clause that tests an unseen value does not fire."""
    encoding = clf.encoding_
    bits = encoding.plain_bits(X, encoding.policy.matching_no_column)
    unseen = np.zeros((len(X), encoding.n_features), bool)
    for index, (name, feature) in enumerate(zip(X.columns, encoding.features, strict=True)):
        known = set(getattr(feature, "categories", X[name]))
        missing = X[name].isna().to_numpy()
        unseen[:, index] = (missing & (not feature.nullable)) | (~missing & ~X[name].isin(known).to_numpy())
    feature_of = np.array([column.feature_index for column in encoding.columns] * 2)
    votes = np.zeros((len(X), clf.model_.n_banks), np.int64)
    literals = np.c_[bits == 1, bits == 0] & ~unseen[:, feature_of]
    for bank, clause in np.ndindex(clf.model_.points.shape):
        included = clf.model_.include[bank, clause]
        if included.any():
            votes[:, bank] += literals[:, included].all(axis=1) * clf.model_.signed_points[bank, clause]
    return votes


@ignore_unseen
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("backend", ["auto", "reference"])
def test_a_clause_that_tests_an_unseen_value_does_not_fire(n_classes: int, backend: str):
    X = table()
    clf = TsetlinClassifier(20, n_epochs=20, random_state=0, backend=backend).fit(X, labels(X, n_classes))
    new = spoiled(table(256, seed=1))
    expected = slow_votes(clf, new)
    assert (expected != slow_votes(clf, table(256, seed=1))).any()
    votes = clf.votes(new).reshape(len(new), -1)
    np.testing.assert_array_equal(votes, expected)
    np.testing.assert_array_equal(clf.rules_.votes(new).reshape(len(new), -1), expected)
    fires = clf.transform(new).reshape(len(new), clf.model_.n_banks, -1)
    np.testing.assert_array_equal((fires * clf.model_.signed_points).sum(axis=2), expected)


@ignore_unseen
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_scorecard_its_rules_and_its_query_agree(n_classes: int):
    X = table()
    machine = TsetlinClassifier(10, n_epochs=10, random_state=0)
    clf = RuleClassifier(machine, max_literals=12, cv=2, random_state=0).fit(X, labels(X, n_classes))
    new = spoiled(table(64, seed=1))
    votes = clf.votes(new).reshape(len(new), -1)
    np.testing.assert_array_equal(clf.rules_.votes(new).reshape(len(new), -1), votes)
    types = {"n": "DOUBLE", "c": "VARCHAR", "d": "VARCHAR", "o": "VARCHAR", "b": "BOOLEAN"}
    columns: dict[str, tuple[str, list[Any]]] = {
        name: (kind, [None if pd.isna(value) else value for value in new[name]])
        for name, kind in types.items()
    }
    columns["row"] = ("INTEGER", list(range(len(new))))
    for dialect in ("duckdb", "sqlite"):
        scored = sorted(run_sql(dialect, clf.rules_.to_sql(dialect, keep=["row"]), columns))
        assert [list(row[1 : 1 + votes.shape[1]]) for row in scored] == votes.tolist()
        assert [row[-1] for row in scored] == clf.predict(new).tolist()


def test_there_is_one_warning_per_call_and_none_without_unseen_values():
    X = table()
    clf = TsetlinClassifier(20, n_epochs=20, random_state=0).fit(X, labels(X, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict(table(seed=1))
    new = table(5, seed=1).assign(c=["a", "new", "new", "old", "b"]).astype({"n": object})
    new.loc[0, "n"] = None
    with pytest.warns(UnseenValueWarning) as caught:
        clf.predict(new)
    assert [str(each.message) for each in caught] == [
        "Values in 4 rows were not seen in training, so no rule that tests their feature holds there: "
        "n missing (1 row); c 'new' (2 rows), 'old' (1 row)."
    ]


def test_a_counterfactual_that_keeps_an_unseen_value_does_not_warn_again():
    X = table()
    clf = TsetlinClassifier(20, n_epochs=20, random_state=0).fit(X, labels(X, 2))
    with pytest.warns(UnseenValueWarning) as caught:
        (explained,) = clf.explain(X[:1].assign(c="new"), fixed=["c"])
    assert explained.counterfactual is not None
    assert len(caught) == 1


def test_a_report_warns_once(tmp_path: Any):
    X = table()
    clf = RuleClassifier(max_literals=4, cv=2, random_state=0).fit(X, labels(X, 2))
    new = table(60, seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report(clf, spoiled(new), labels(new, 2), tmp_path / "report.html")
    assert [each.category for each in caught] == [UnseenValueWarning]


def test_the_policy_error_still_refuses():
    X = table()
    strict = Booleanizer(handle_unknown="error", handle_missing="error")
    clf = TsetlinClassifier(20, n_epochs=5, booleanizer=strict, random_state=0).fit(X, labels(X, 2))
    with pytest.raises(ValueError, match="'c' must be one of the categories seen in training"):
        clf.predict(X.assign(c="new"))
    with pytest.raises(ValueError, match="'n' must not be missing"):
        clf.predict(X.assign(n=np.nan))
    clf.set_policy(handle_unknown="no_rule")
    with pytest.warns(UnseenValueWarning):
        clf.predict(X.assign(c="new"))


@ignore_unseen
def test_rare_categories_do_not_stop_model_selection():
    X = table(120)
    X.loc[7, "c"] = "once"
    y = labels(X, 2)
    clf = TsetlinClassifier(10, n_epochs=5, random_state=0)
    assert np.isfinite(cross_val_score(clf, X, y, cv=4)).all()
    search = GridSearchCV(clf, {"specificity": [2.0, 4.0]}, cv=4).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_column_that_no_rule_tests_may_hold_anything():
    X = table().assign(same="always", number=1.0)
    y = X["n"] > 10
    clf = RuleClassifier(TsetlinClassifier(2, n_epochs=5), max_literals=1, cv=2, random_state=0).fit(X, y)
    assert {rule.features for rule in clf.rules_} == {(0,)}
    machine = TsetlinClassifier(2, n_epochs=10, specificity=1.0, random_state=0).fit(X[["n", "same"]], y)
    other = X.assign(
        c="new", d=7, o=pd.Timestamp("2026-01-01"), b="perhaps", same=[{}] * len(X), number="text"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(clf.predict(other), clf.predict(X))
        np.testing.assert_array_equal(clf.rules_.predict(other), clf.predict(X))
        np.testing.assert_array_equal(
            machine.predict(other[["n", "same"]]), machine.predict(X[["n", "same"]])
        )


@pytest.mark.parametrize("library", [pd, pl])
def test_a_rule_set_takes_columns_by_name(library: Any):
    X = table()
    machine = TsetlinClassifier(10, n_epochs=10, random_state=0)
    clf = RuleClassifier(machine, max_literals=4, cv=2, random_state=0).fit(X, labels(X, 2))
    rules = clf.rules_
    used = [X.columns[feature] for feature in sorted(rules.used_features)]
    assert len(used) < X.shape[1]
    frame = X[used[::-1]].assign(extra=range(len(X)))
    frame = pl.from_pandas(frame) if library is pl else frame
    np.testing.assert_array_equal(rules.votes(frame), rules.votes(X))
    assert rules.from_json(rules.to_json()).votes(frame).tolist() == rules.votes(X).tolist()
    with pytest.raises(ValueError, match=f"columns that the rules test. Got no column '{used[0]}'"):
        RuleSet(rules, rules.encoding, rules.outcome, rules.constants).votes(X.drop(columns=used[0]))
    with pytest.raises(ValueError, match="feature names should match"):  # scikit-learn's contract
        clf.predict(X[X.columns[::-1]])


def test_a_scorecard_may_test_whether_a_flag_is_missing():
    X, y = table(), table()["b"].to_numpy()
    X = X.assign(flag=np.where(y ^ (np.arange(len(y)) % 9 == 0), "Yes", None)).drop(columns="b")
    clf = RuleClassifier(TsetlinClassifier(4, n_epochs=5), max_literals=2, cv=2, random_state=0).fit(X, y)
    assert "flag is missing" in str(clf.rules_)
    with pytest.warns(UnseenValueWarning, match=r"flag 'No' \(200 rows\)"):
        clf.predict(X.assign(flag="No"))


def test_a_scorecard_of_booleans_predicts_sparse_rows():
    X = np.random.default_rng(0).random((200, 4)) < [0.5, 0.5, 0.5, 1.0]  # the last column is constant
    machine = TsetlinClassifier(4, n_epochs=5)
    clf = RuleClassifier(machine, max_literals=1, cv=2, random_state=0).fit(X, X[:, 1])
    np.testing.assert_array_equal(clf.predict(sparse.csr_array(X.astype(np.uint8))), clf.predict(X))


def test_the_warning_points_to_the_caller():
    X = table()
    clf = TsetlinClassifier(20, n_epochs=5, random_state=0).fit(X, labels(X, 2))
    for call in (clf.predict, clf.transform, clf.rules_.predict, clf.explain):
        with pytest.warns(UnseenValueWarning) as caught:
            call(X[:2].assign(n=np.nan))
        assert {each.filename for each in caught} == {__file__}


def test_a_scorecard_does_not_keep_what_no_rule_needs(tmp_path: Any):
    X = table().assign(job=[f"job {i}" for i in range(200)])
    machine = TsetlinClassifier(2, n_epochs=5)
    clf = RuleClassifier(machine, max_literals=1, cv=2, random_state=0).fit(X, X["n"] > 10)
    clf.save(tmp_path / "card.json")
    assert "job 7" not in (tmp_path / "card.json").read_text()
    assert "job" in (tmp_path / "card.json").read_text()
    loaded = load(tmp_path / "card.json")
    np.testing.assert_array_equal(loaded.predict(X.assign(job=None)), clf.predict(X))
