"""The model file keeps a model whole: what it predicts, how it goes on learning, labels, parameters."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import clausal
from clausal import Booleanizer, TsetlinClassifier
from clausal.datasets import load_breast_cancer
from tests.support import model_documents as documents
from tests.support.toy_machines import keyed_bits, keyed_targets

BITS = keyed_bits(1, 60, 5)
NUMBERS = np.round(np.linspace(-3, 9, 300) % 1.7 * 10, 1).reshape(60, 5)
TWO = keyed_targets(2, 60, 2) ^ BITS[:, 0]
THREE = (TWO + BITS[:, 1]).astype(np.int64)
FRACTIONS = np.linspace(0.3, 2.6, 60)


def classifier(**parameters: Any) -> TsetlinClassifier:
    return TsetlinClassifier(
        **{"n_clauses": 8, "threshold": 6, "n_epochs": 4, "random_state": 5, **parameters}
    )


def through_a_file(clf: TsetlinClassifier, folder: Path) -> TsetlinClassifier:
    path = folder / "model.json"
    clf.save(path)
    return clausal.load(path)


def through_joblib(clf: TsetlinClassifier, folder: Path) -> TsetlinClassifier:
    joblib.dump(clf, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


WAYS: dict[str, Callable[[TsetlinClassifier, Path], TsetlinClassifier]] = {
    "file": through_a_file,
    "pickle": lambda clf, folder: pickle.loads(pickle.dumps(clf)),
    "deepcopy": lambda clf, folder: copy.deepcopy(clf),
    "copy": lambda clf, folder: copy.copy(clf),
    "joblib": through_joblib,
}


def assert_same_model(a: TsetlinClassifier, b: TsetlinClassifier) -> None:
    """Every array in every bit, every number, labels with their type, the columns."""
    for name in ("states", "levels", "points"):
        first, second = getattr(a.model_, name), getattr(b.model_, name)
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second)
        assert not second.flags.writeable
    for name in ("n_states", "threshold", "scale", "seed", "step", "epoch", "row"):
        assert getattr(a.model_, name) == getattr(b.model_, name), name
    assert a.classes_.dtype == b.classes_.dtype
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.columns_ == b.columns_
    assert (a.history_, a.n_iter_) == (b.history_, b.n_iter_)
    assert a.n_features_in_ == b.n_features_in_
    names = [getattr(clf, "feature_names_in_", np.array([])).tolist() for clf in (a, b)]
    assert names[0] == names[1]


def assert_same_parameters(a: TsetlinClassifier, b: TsetlinClassifier) -> None:
    ours, theirs = a.get_params(deep=False), b.get_params(deep=False)
    first, second = ours.pop("booleanizer"), theirs.pop("booleanizer")
    assert ours == theirs
    assert type(first) is type(second)
    if isinstance(first, Booleanizer):
        assert first.get_params() == second.get_params()
    else:
        assert first == second


def assert_same_predictions(a: TsetlinClassifier, b: TsetlinClassifier, X: Any) -> None:
    for method in ("votes", "predict", "predict_proba", "decision_function", "transform"):
        first, second = getattr(a, method)(X), getattr(b, method)(X)
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second)
    assert str(a.rules_) == str(b.rules_)
    assert len(a.rules_) > 0


# --- save and load ---


@pytest.mark.parametrize("weighting", ["integer", "none", "real", "rwtla", "cpl_ats"])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three classes"])
@pytest.mark.parametrize("booleanizer", ["auto", "paper", None, Booleanizer(max_columns=2)], ids=str)
def test_a_loaded_model_is_the_saved_one(tmp_path: Path, weighting: str, y: Any, booleanizer: Any) -> None:
    X = BITS if booleanizer is None else NUMBERS
    clf = classifier(weighting=weighting, booleanizer=booleanizer).fit(X, y, eval_set=(X, y))
    read = through_a_file(clf, tmp_path)
    assert_same_model(clf, read)
    assert_same_parameters(clf, read)
    assert_same_predictions(clf, read, X)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype="U20"),
        np.array(["no", "yes"], dtype=object),
        np.array(["", "\ud800", "é\x00'\"", "x" * 300]),
        np.array([False, True]),
        np.array([-128, 127], dtype=np.int8),
        np.array([0, 255], dtype=np.uint8),
        np.array([-(2**63), 2**63 - 1]),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([-1.0, 1.0]),
        np.array([0.0, 1.0, 2.0], dtype=np.float32),
        np.array([0.0, 1.0], dtype=np.float16),
        np.array([0.0, 2.0**62]),
    ],
    ids=str,
)
def test_labels_keep_their_values_and_type(tmp_path: Path, labels: Any) -> None:
    y = labels[np.arange(60) % len(labels)]
    clf = classifier(class_weight={labels[0]: 2.0}).fit(BITS, y)
    read = through_a_file(clf, tmp_path)
    assert clf.classes_.dtype == labels.dtype
    assert_same_model(clf, read)
    assert read.predict(BITS).dtype == labels.dtype
    assert list(read.class_weight) == labels[:1].tolist()
    assert len(str(read.rules_)) > 0
    assert_same_model(clf.partial_fit(BITS, y), read.partial_fit(BITS, y))


@pytest.mark.parametrize("booleanizer", ["auto", "paper", Booleanizer(handle_unknown="no_match")], ids=str)
def test_categories_orders_and_missing_values_are_kept(tmp_path: Path, booleanizer: Any) -> None:
    X, y = load_breast_cancer(as_frame=True, return_X_y=True)
    assert X.isna().any().any()
    clf = classifier(booleanizer=booleanizer).fit(X, y)
    read = through_a_file(clf, tmp_path)
    assert_same_model(clf, read)
    assert_same_predictions(clf, read, X)
    assert read.feature_names_in_.tolist() == X.columns.tolist()


def test_a_model_of_sparse_data_is_kept(tmp_path: Path) -> None:
    X = sparse.csr_array(BITS)
    clf = classifier(booleanizer=None).fit(X, TWO)
    read = through_a_file(clf, tmp_path)
    assert_same_predictions(clf, read, X)
    np.testing.assert_array_equal(read.votes(X), clf.votes(BITS))


def test_every_parameter_is_kept(tmp_path: Path) -> None:
    given = {
        "specificity": (1.5, 4.0),
        "weighting": "real",
        "weight_gain": 0.25,
        "max_weight": np.float64(8.5),
        "n_states": np.int64(100),
        "boost_true_positive": True,
        "max_clause_literals": 4,
        "drop_clause": 0.125,
        "negative_sampling": "focused",
        "class_weight": {0: 1.5, 2: 1},
        "categorical_features": [0, 3],
        "forbidden_features": [1],
        "early_stopping": True,
        "validation_fraction": 0.25,
        "n_iter_no_change": 3,
        "tol": 0.01,
        "backend": "cpu",
        "n_jobs": -1,
        "verbose": False,
    }
    clf = classifier(**given).fit(NUMBERS, THREE)
    read = through_a_file(clf, tmp_path)
    assert_same_parameters(clf, read)
    assert_same_model(clf, read)


@pytest.mark.parametrize("selection", [np.array([0, 3]), (True, False, False, True, False)], ids=str)
def test_arrays_as_parameters_come_back_as_lists(tmp_path: Path, selection: Any) -> None:
    clf = classifier(categorical_features=selection).fit(NUMBERS, TWO)
    assert through_a_file(clf, tmp_path).categorical_features == list(selection)


def test_a_generator_as_random_state_is_left_out_with_a_warning(tmp_path: Path) -> None:
    clf = classifier(random_state=np.random.RandomState(3)).fit(BITS, TWO)
    with pytest.warns(UserWarning, match="random_state .* saved as None") as caught:
        clf.save(tmp_path / "model.json")
    assert caught[0].filename == __file__
    read = clausal.load(tmp_path / "model.json")
    assert read.random_state is None
    assert_same_model(clf.partial_fit(BITS, TWO), read.partial_fit(BITS, TWO))


# --- going on as if never interrupted ---


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("weighting", ["integer", "real", "rwtla", "cpl_ats"])
def test_learning_goes_on_as_if_never_interrupted(tmp_path: Path, way: str, weighting: str) -> None:
    settings = {"weighting": weighting, "drop_clause": 0.2, "class_weight": {0: 1.3}}
    whole = classifier(**settings).fit(NUMBERS, THREE, sample_weight=FRACTIONS)
    halting = classifier(**settings).fit(NUMBERS, THREE, sample_weight=FRACTIONS)
    whole.partial_fit(NUMBERS, THREE, sample_weight=FRACTIONS)
    for chunk in (slice(0, 7), slice(7, 8), slice(8, 60)):
        halting = WAYS[way](halting, tmp_path)
        halting.partial_fit(NUMBERS[chunk], THREE[chunk], sample_weight=FRACTIONS[chunk])
    assert_same_model(whole, WAYS[way](halting, tmp_path))
    assert_same_predictions(whole, halting, NUMBERS)


@pytest.mark.parametrize("way", list(WAYS))
def test_warm_start_goes_on_as_if_never_interrupted(tmp_path: Path, way: str) -> None:
    whole = classifier(n_epochs=3, warm_start=True).fit(NUMBERS, TWO, sample_weight=FRACTIONS)
    halting = WAYS[way](classifier(n_epochs=3, warm_start=True).fit(NUMBERS, TWO, FRACTIONS), tmp_path)
    whole.fit(NUMBERS, TWO, sample_weight=FRACTIONS)
    halting.fit(NUMBERS, TWO, sample_weight=FRACTIONS)
    assert_same_model(whole, halting)
    once = classifier(n_epochs=6).fit(NUMBERS, TWO, sample_weight=FRACTIONS)
    np.testing.assert_array_equal(once.model_.states, halting.model_.states)


@pytest.mark.parametrize("way", list(WAYS))
def test_copies_predict_the_same(tmp_path: Path, way: str) -> None:
    X, y = load_breast_cancer(as_frame=True, return_X_y=True)
    clf = classifier(booleanizer=Booleanizer(max_columns=4)).fit(X, y)
    copied = WAYS[way](clf, tmp_path)
    assert_same_model(clf, copied)
    assert_same_parameters(clf, copied)
    assert_same_predictions(clf, copied, X)


def test_a_clone_of_a_loaded_model_is_unfitted_and_learns_the_same(tmp_path: Path) -> None:
    clf = classifier(specificity=(1.5, 3.0), class_weight={0: 2.0}).fit(NUMBERS, TWO)
    read = through_a_file(clf, tmp_path)
    fresh = clone(read)
    assert not hasattr(fresh, "model_")
    assert_same_model(clf, fresh.fit(NUMBERS, TWO))


# --- writing ---


def test_what_is_not_fitted_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        classifier().save(tmp_path / "model.json")
    assert os.listdir(tmp_path) == []


def test_a_failing_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    clf = documents.small_model()
    clf.save(path)
    before = path.read_bytes()

    def fail(handle: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        clf.partial_fit(np.array([[1]]), [1]).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]


def test_saving_again_replaces_the_file_also_through_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "model.json", tmp_path / "link.json"
    link.symlink_to(path)
    clf = documents.small_model()
    clf.save(link)
    clf.partial_fit(np.array([[1]]), [1]).save(str(link))
    assert link.is_symlink()
    assert clausal.load(path).model_.row == 1
    assert sorted(os.listdir(tmp_path)) == ["link.json", "model.json"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    documents.small_model().save(tmp_path / "model.json")
    (tmp_path / "other").write_text("")
    assert (tmp_path / "model.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_path_that_is_not_there_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        clausal.load(tmp_path / "model.json")
    with pytest.raises(FileNotFoundError):
        documents.small_model().save(tmp_path / "nowhere" / "model.json")
    with pytest.raises(OSError, match="directory"):
        documents.small_model().save(tmp_path)
    assert os.listdir(tmp_path) == []


class OtherClassifier(TsetlinClassifier):
    """A subclass, which a file could not bring back."""


def refused_subclass() -> TsetlinClassifier:
    return OtherClassifier(2, n_epochs=1).fit(BITS, TWO)


def refused_parameter() -> TsetlinClassifier:
    return documents.small_model().set_params(threshold=0)


def refused_labels() -> TsetlinClassifier:
    labels = np.array(["a", "b"], dtype="U3000000")
    return TsetlinClassifier(2, n_epochs=1).fit(BITS[:2], labels)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (refused_subclass, "estimator must be one of .*'OtherClassifier'"),
        (refused_parameter, "'threshold' parameter"),
        (refused_labels, "classes must need at most 4194304 characters"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(
    tmp_path: Path, make: Callable[[], TsetlinClassifier], words: str
) -> None:
    clf = make()
    with pytest.raises(ValueError, match=words):
        clf.save(tmp_path / "model.json")
    assert os.listdir(tmp_path) == []


def test_parameters_set_after_training_are_kept_and_learning_refuses_what_does_not_fit(
    tmp_path: Path,
) -> None:
    clf = classifier(weighting="real").fit(BITS, TWO).set_params(weighting="none", n_clauses=20)
    read = through_a_file(clf, tmp_path)
    assert_same_predictions(clf, read, BITS)
    with pytest.raises(ValueError, match="'n_clauses' parameter .* must stay 8"):
        read.partial_fit(BITS, TWO)
    with pytest.raises(ValueError, match="must allow the weights to go on from"):
        read.set_params(n_clauses=8).partial_fit(BITS, TWO)
