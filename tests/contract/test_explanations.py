"""What `explain` promises: points that add up, counterfactuals that flip, any kind of table."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel

import clausal
from clausal import Booleanizer, TsetlinClassifier
from clausal.datasets import load_breast_cancer, load_heart_disease
from tests.support.small_data import bits, quick, table

WEIGHTINGS = ["integer", "none", "real"]


def with_changes(X, row, explained):
    """The row of a pandas table with the counterfactual's values typed in."""
    changed = X.iloc[[row]].astype(object)
    for change in explained.counterfactual.changes:
        changed[change.feature] = pd.Series([change.new], index=changed.index, dtype=object)
    return changed


def assert_exact(clf, X, explained):
    votes = clf.votes(X)
    for row, one in enumerate(explained):
        sums = list(one.constants)
        for rule in one.fired:
            sums[rule.bank] += rule.points
        assert tuple(sums) == one.votes == tuple(np.atleast_1d(votes[row]).tolist())
    assert [one.label for one in explained] == clf.predict(X).tolist()


def assert_flips(clf, X, explained):
    found = [row for row, one in enumerate(explained) if one.counterfactual is not None]
    assert found, "the test would show nothing"
    for row in found:
        label = clf.predict(with_changes(X, row, explained[row]))[0]
        assert label == explained[row].counterfactual.label != explained[row].label


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_points_add_up_to_votes_and_counterfactuals_flip(weighting, n_classes):
    X, y = table(n_classes)
    X = pd.DataFrame(X, columns=["a", "b", "c"])
    clf = quick(weighting=weighting).fit(X, y)
    explained = clf.explain(X)
    assert len(explained) == len(X)
    assert_exact(clf, X, explained)
    assert_flips(clf, X, explained)
    effects = clf.feature_effects(X)
    assert effects.shape == ((len(X), 3) if n_classes == 2 else (len(X), 3, 3))
    constants = np.squeeze(clf.rules_.constants)
    np.testing.assert_allclose(constants + effects.sum(axis=-1), clf.votes(X), atol=1e-9)


@pytest.mark.parametrize("load", [load_breast_cancer, load_heart_disease])
@pytest.mark.parametrize("booleanizer", ["auto", "paper", Booleanizer(max_columns=3)], ids=str)
def test_real_tables_with_categories_and_missing_values(load, booleanizer):
    X, y = load(as_frame=True, return_X_y=True)
    if not X.isna().any().any():
        X = X.assign(age=X["age"].mask(X.index % 9 == 0), thal=X["thal"].mask(X.index % 5 == 0))
    clf = quick(booleanizer=booleanizer, n_clauses=20).fit(X, y)
    rows = pd.concat([X[X.isna().any(axis=1)].head(8), X.head(12)])
    explained = clf.explain(rows)
    assert_exact(clf, rows, explained)
    assert_flips(clf, rows, explained)
    assert any(None in one.values.values() for one in explained)


MIXED = {
    "age": [54, 61, 47, 55, 70, 33, 58, 41],
    "pain": ["mild", "none", "severe", "mild", None, "none", "severe", "mild"],
    "dose": [0.5, None, 1.25, 2.0, 0.75, 0.25, None, 1.5],
    "smoker": [True, False, True, True, False, False, True, False],
}
LABELS = np.array([1, 0, 1, 1, 0, 0, 1, 0])
FRAMES = {
    "pandas": pd.DataFrame(MIXED),
    "pandas with arrow types": pa.table(MIXED).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame(MIXED),
    "pyarrow": pa.table(MIXED),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_table_gives_the_same_explanations(kind):
    settings = {"booleanizer": Booleanizer(max_columns=4), "n_epochs": 20}
    expected = [
        one.to_dict() for one in quick(**settings).fit(FRAMES["pandas"], LABELS).explain(FRAMES["pandas"])
    ]
    clf = quick(**settings).fit(FRAMES[kind], LABELS)
    assert [one.to_dict() for one in clf.explain(FRAMES[kind])] == expected
    assert expected[0]["values"] == {name: values[0] for name, values in MIXED.items()}
    assert any(one["counterfactual"] for one in expected)
    json.dumps(expected)


def test_arrays_and_lists_without_names():
    objects = np.array(list(zip(*MIXED.values(), strict=True)), dtype=object)
    clf = quick(n_epochs=20).fit(objects, LABELS)
    by_array, by_list = clf.explain(objects), clf.explain(objects.tolist())
    assert by_array == by_list
    assert list(by_array[0].values) == ["x0", "x1", "x2", "x3"]
    assert_exact(clf, objects, by_array)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_tables(make):
    X, y = bits(), table()[1]
    clf = quick(booleanizer=None).fit(make(X), y)
    explained = clf.explain(make(X))
    assert_exact(clf, X, explained)
    for row, one in enumerate(explained):
        changed = X[[row]]
        for change in one.counterfactual.changes:
            changed[0, int(change.feature[1:])] = change.new
        assert clf.predict(changed)[0] == one.counterfactual.label != one.label


def test_unknown_categories_and_new_missing_values():
    X = pd.DataFrame({"c": list("aabbccdd") * 4, "n": [1.0, 2, 3, 4] * 8})
    y = (X["c"].isin(["a", "b"]) ^ (X["n"] > 3)).astype(int)
    for unknown in ("no_match", "missing"):
        booleanizer = Booleanizer(handle_unknown=unknown, handle_missing="as_false")
        clf = quick(booleanizer=booleanizer, n_epochs=20).fit(X, y)
        new = pd.DataFrame({"c": ["z", None, "a"], "n": [1.0, 4.0, None]})
        explained = clf.explain(new)
        assert_exact(clf, new, explained)
        assert_flips(clf, new, explained)
        assert [one.values for one in explained] == [
            {"c": "z", "n": 1},
            {"c": None, "n": 4},
            {"c": "a", "n": None},
        ]
        for one in explained:  # missing was never seen in training, so it is never proposed
            assert all(change.new is not None for change in one.counterfactual.changes)


def test_features_that_must_not_change_do_not():
    X, y = load_heart_disease(as_frame=True, return_X_y=True)
    clf = quick(n_clauses=20).fit(X, y)
    free = clf.explain(X.head(30))
    touched = {change.feature for one in free for change in one.counterfactual.changes}
    fixed = sorted(touched)[:2]
    held = clf.explain(X.head(30), fixed=fixed)
    assert not {c.feature for one in held if one.counterfactual for c in one.counterfactual.changes} & {
        *fixed
    }
    for before, after in zip(free, held, strict=True):
        if after.counterfactual is not None:
            assert len(after.counterfactual.changes) >= len(before.counterfactual.changes)
    assert_flips(clf, X.head(30), held)


def test_a_class_to_lead_to():
    X, y = load_iris(as_frame=True, return_X_y=True)
    clf = quick(n_epochs=20).fit(X, y)
    explained = clf.explain(X[::10], target=2)
    for one in explained:
        assert (one.counterfactual is None) == (one.label == 2)
        assert one.counterfactual is None or one.counterfactual.label == 2
    assert {one.label for one in explained} == {0, 1, 2}


def test_importances_are_scikit_learns():
    X, y = table()
    clf = quick().fit(X, y)
    importances = clf.feature_importances_
    assert importances.shape == (3,)
    assert importances.sum() == pytest.approx(1)
    assert importances.argmax() == 0  # it decides the label
    assert SelectFromModel(quick(), threshold="mean").fit(X, y).get_support()[0]


def test_nothing_is_explained_before_fit():
    clf = TsetlinClassifier()
    assert not hasattr(clf, "feature_importances_")
    for ask in (lambda: clf.explain([[1]]), lambda: clf.feature_effects([[1]])):
        with pytest.raises(NotFittedError):
            ask()


def test_a_loaded_model_explains_the_same(tmp_path):
    X, y = load_heart_disease(as_frame=True, return_X_y=True)
    clf = quick().fit(X, y)
    clf.save(tmp_path / "model.json")
    assert clausal.load(tmp_path / "model.json").explain(X.head(10)) == clf.explain(X.head(10))


def test_the_output_setting_of_scikit_learn_does_not_matter():
    X, y = load_heart_disease(as_frame=True, return_X_y=True)
    clf = quick().fit(X, y)
    expected, effects = clf.explain(X.head(5)), clf.feature_effects(X.head(5))
    with config_context(transform_output="pandas"):
        assert clf.explain(X.head(5)) == expected
        np.testing.assert_array_equal(clf.feature_effects(X.head(5)), effects)


def test_a_table_that_does_not_fit_is_refused_as_in_predict():
    X, y = table()
    clf = quick().fit(X, y)
    with pytest.raises(ValueError, match="2 features, but"):
        clf.explain(X[:, :2])


@pytest.mark.parametrize("kind", ["text", "grouped", "several", "number", "missing", "error"])
def test_a_scorecard_proposes_categories_that_it_no_longer_knows(kind):
    rng = np.random.default_rng(0)
    code = rng.choice(["yes", "no", "rarely", "never"], 500, p=[0.5, 0.4, 0.05, 0.05])
    bad = np.isin(code, ["yes", "no"]) if kind == "several" else code == "yes"
    y = np.where(bad & (rng.random(500) < 0.9) | (rng.random(500) < 0.1), "bad", "good")
    X = pd.DataFrame({"late": code, "age": rng.integers(20, 70, 500)}).astype({"late": object})
    settings = {"max_columns": 2 if kind == "several" else 1}
    if kind == "error":
        settings["handle_unknown"] = "error"
    if kind == "number":
        X["late"] = X["late"].map({"yes": 3, "no": 1, "rarely": 0, "never": 2})
        settings["categorical_features"] = ["late"]
    if kind == "grouped":
        settings["groups"] = {"late": {"owed": ["yes", "YES"]}}
    if kind == "missing":
        X.loc[::7, "late"], y[::7] = None, "good"
    own = {"max_literals": 3, "pos_label": "bad", "random_state": 0}
    clf = clausal.RuleClassifier(booleanizer=Booleanizer(**settings), **own)
    plain = clf.fit(X, y).to_scorecard()
    assert plain.rules_.encoding.features[0].complete == (kind == "error")
    for card in (clf, plain, plain.scaled(600, 50, 20, positive=False)):
        rows = X[(clf.predict(X) == "bad")].head(5)
        explained = card.explain(rows)
        assert all(one.counterfactual is not None for one in explained)
        assert_flips(card, rows, explained)
        for one in explained:
            (change,) = one.counterfactual.changes
            assert bool(change.any_but) == (kind != "error")
            for value in set(X["late"].dropna()) - {*change.any_but} if change.any_but else ():
                changed = rows[:1].assign(late=pd.Series([value], rows.index[:1], object))
                assert card.predict(changed)[0] == one.counterfactual.label
            new = {
                "several": "any value not in {no, yes}",
                "grouped": "any value not in {YES, yes}",
                "error": "never",
            }
            assert change.new_text == new.get(kind, f"any value but {change.old}")
            assert str(change) in str(one)
