"""The same model twice, whatever the backend, threads, chunks, row order or resumption; and Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from clausal import Booleanizer, TsetlinClassifier, load
from clausal.datasets import load_breast_cancer, load_heart_disease

RNG = np.random.RandomState(0)


def same_model(a, b) -> bool:
    fields = ("states", "levels", "points")
    arrays = all(np.array_equal(getattr(a.model_, name), getattr(b.model_, name)) for name in fields)
    return arrays and a.model_.step == b.model_.step and a.model_.seed == b.model_.seed


def small_table(n_classes):
    X, y = load_iris(return_X_y=True)
    rows = y < n_classes
    return X[rows][::3], y[rows][::3]


VARIANTS = [
    {},
    {"weighting": "none"},
    {"weighting": "real", "weight_gain": 0.2},
    {"boost_true_positive": True, "max_clause_literals": 3},
    {"drop_clause": 0.2, "specificity": (1.5, 6.0)},
    {"negative_sampling": "focused", "n_states": 7},
    {"class_weight": "balanced", "max_weight": 4, "weight_floor": 1},
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("variant", VARIANTS, ids=[str(v) for v in VARIANTS])
def test_backends_and_threads_agree(variant, n_classes):
    X, y = small_table(n_classes)
    params = {"n_clauses": 12, "threshold": 9, "n_epochs": 3, "random_state": 7, **variant}
    expected = TsetlinClassifier(**params, backend="reference").fit(X, y)
    for n_jobs in (1, 2, 3, 7):
        fitted = TsetlinClassifier(**params, n_jobs=n_jobs).fit(X, y)
        assert same_model(expected, fitted)
        assert np.array_equal(expected.votes(X), fitted.votes(X))
        assert np.array_equal(expected.transform(X), fitted.transform(X))


@pytest.mark.parametrize("booleanizer", [None, "fixed"])
@pytest.mark.parametrize("weighted", [False, True])
def test_partial_fit_row_by_row_is_partial_fit_at_once(booleanizer, weighted):
    X, y = small_table(3)
    if booleanizer is None:
        X = Booleanizer().fit_transform(X)
    weights = RNG.choice([0.0, 0.3, 1.0, 2.6], len(y)) if weighted else np.ones(len(y))
    params = {"n_clauses": 10, "booleanizer": booleanizer, "random_state": 3}
    if booleanizer == "fixed":
        params["booleanizer"] = "auto"
    start = TsetlinClassifier(**params).partial_fit(X, y, classes=[0, 1, 2])  # also fixes the columns
    once, rows = load_copy(start), load_copy(start)
    once.partial_fit(X, y, sample_weight=weights)
    for i in range(len(y)):
        rows.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weights[i : i + 1])
    assert same_model(once, rows)
    assert weighted == (once.model_.step != 2 * len(y))


def load_copy(estimator):
    import copy

    return copy.deepcopy(estimator)


def test_save_and_resume_is_never_having_stopped(tmp_path):
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target
    clf = TsetlinClassifier(20, n_epochs=2, random_state=1, warm_start=True).fit(X, y)
    clf.save(tmp_path / "model.json")
    resumed = load(tmp_path / "model.json")
    for estimator in (clf, resumed):
        estimator.partial_fit(X[:100], y[:100], sample_weight=np.linspace(0, 2, 100))
        estimator.fit(X, y)
        estimator.partial_fit(X[100:], y[100:])
    assert same_model(clf, resumed)


def test_row_order_does_not_matter_and_weights_are_repetitions():
    X, y = small_table(3)
    counts = RNG.randint(0, 4, len(y))
    params = {"n_clauses": 10, "n_epochs": 4, "random_state": 5}
    weighted = TsetlinClassifier(**params).fit(X, y, sample_weight=counts)
    rows = RNG.permutation(np.repeat(np.arange(len(y)), counts))
    repeated = TsetlinClassifier(**params).fit(X[rows], y[rows])
    assert same_model(weighted, repeated)
    assert [str(c) for c in weighted.columns_] == [str(c) for c in repeated.columns_]


def test_fractional_weights_are_visits_on_average():
    X, y = small_table(2)
    weights = np.full(len(y), 1.25)
    clf = TsetlinClassifier(10, n_epochs=200, random_state=0).fit(X, y, sample_weight=weights)
    expected = 200 * weights.sum()
    assert abs(clf.model_.step - expected) < 5 * np.sqrt(200 * len(y) * 0.25 * 0.75)


def test_two_processes_give_the_same_model(tmp_path):
    script = (
        "import sys; from clausal import TsetlinClassifier; from clausal.datasets import load_heart_disease;"
        "X, y = load_heart_disease(return_X_y=True);"
        "TsetlinClassifier(20, n_epochs=3, random_state=0).fit(X, y).save(sys.argv[1])"
    )
    for name, seed in (("a", "0"), ("b", "1")):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, str(tmp_path / name)], check=True, env=env)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


# --- Ctrl-C ---


def interrupt_after(seconds: float, begin: threading.Event | None = None) -> threading.Thread:
    def send():
        if begin is not None:
            begin.wait()
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_epochs_that_are_watched_and_those_that_are_not_give_the_same_bits(n_jobs, n_classes):
    X, y = small_table(n_classes)
    for weights in (None, np.arange(len(y)) % 3, 0.5 + np.arange(len(y)) % 2):
        clf = TsetlinClassifier(20, n_epochs=9, random_state=0, n_jobs=n_jobs)
        alone = clone(clf).fit(X, y, weights, callbacks=lambda event: None)
        together = clf.fit(X, y, weights)
        assert same_model(alone, together)
        assert alone.history_ == together.history_


def test_ctrl_c_in_a_call_of_many_epochs_leaves_the_last_whole_one():
    X, y = small_table(2)
    clf = TsetlinClassifier(20, n_epochs=10**7, random_state=0)
    thread = interrupt_after(1.0)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    thread.join()
    assert 0 < clf.n_iter_ == clf.model_.epoch == len(clf.history_["n_live_clauses"]) < 10**7
    again = TsetlinClassifier(20, n_epochs=clf.n_iter_, random_state=0).fit(X, y)
    assert same_model(clf, again)
    assert again.history_ == clf.history_


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_ctrl_c_leaves_the_last_whole_epoch(n_jobs, n_classes):
    X, y = small_table(n_classes)
    X, y = np.repeat(X, 100, axis=0), np.repeat(y, 100)
    params = {"n_clauses": 500, "random_state": 0, "n_jobs": n_jobs}
    clf = TsetlinClassifier(n_epochs=10**6, **params)
    first_epoch = threading.Event()
    thread = interrupt_after(1.0, first_epoch)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y, callbacks=lambda event: first_epoch.set())
    thread.join()
    assert 0 < clf.n_iter_ == clf.model_.epoch < 10**6
    assert clf.model_.step == clf.n_iter_ * len(y)
    again = TsetlinClassifier(n_epochs=clf.n_iter_, **params).fit(X, y)
    assert same_model(clf, again)
    assert clf.predict(X).shape == y.shape


def test_ctrl_c_within_one_long_epoch_is_answered_at_once():
    X, y = load_heart_disease(return_X_y=True)
    rows = np.resize(np.arange(len(y)), 400_000)
    clf = TsetlinClassifier(8000, threshold=10**6, random_state=0)
    bits = Booleanizer().fit_transform(X)[rows]
    clf.set_params(booleanizer=None)
    thread = interrupt_after(1.0)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        clf.partial_fit(bits, y[rows], classes=[0, 1])
    waited = time.monotonic() - started
    thread.join()
    assert waited < 6, "the interrupt was answered only long after it came"
    assert not hasattr(clf, "model_")
