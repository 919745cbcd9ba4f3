"""Estimators with backend="cuda" are those of the CPU, in every model and prediction."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import clausal
from clausal import PatchEncoder, RuleClassifier, TsetlinClassifier, TsetlinRegressor
from clausal.engine import backends
from clausal.engine.cuda import machine
from clausal.engine.cuda.machine import CudaEngine
from tests.support.toy_machines import make_config


def table(n_rows=400, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.integers(0, 9, n_rows)})
    X["c"] = rng.choice(["red", "green", "blue"], n_rows)
    y = (X["a"] > 0.2).astype(int) + (X["c"] == "red") * (n_classes > 2)
    return X, y.to_numpy()


def fitted(kind, X, y, backend, **options):
    return kind(**{"n_epochs": 4, "random_state": 3, "backend": backend} | options).fit(X, y)


def assert_same_fit(kind, X, y, **options):
    cpu, gpu = (fitted(kind, X, y, backend, **options) for backend in ("cpu", "cuda"))
    assert np.array_equal(cpu.model_.states, gpu.model_.states)
    assert np.array_equal(cpu.model_.levels, gpu.model_.levels)
    assert np.array_equal(cpu.votes(X), gpu.votes(X))
    assert np.array_equal(cpu.predict(X), gpu.predict(X))
    assert cpu.history_ == gpu.history_
    return cpu, gpu


@pytest.mark.parametrize("weighting", ["none", "integer", "real", "rwtla", "cpl_ats"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes(n_classes, weighting):
    X, y = table(n_classes=n_classes)
    assert_same_fit(TsetlinClassifier, X, y, n_clauses=60, weighting=weighting)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
def test_numbers(loss):
    X, y = table()
    quantile = 0.3 if loss == "quantile" else None
    assert_same_fit(TsetlinRegressor, X, X["a"] + y, n_clauses=60, loss=loss, quantile=quantile)


def test_settings_that_are_chosen(quick_choice):
    cpu, gpu = assert_same_fit(TsetlinClassifier, *table(n_classes=3), n_epochs="auto")
    assert cpu.chosen_ == gpu.chosen_


@pytest.mark.parametrize("sharing", [None, "clauses"])
def test_several_labels(sharing):
    X, y = table()
    Y = np.stack([y, X["b"] > 4, X["c"] == "red"], axis=1).astype(int)
    assert_same_fit(TsetlinClassifier, X, Y, n_clauses=40, sharing=sharing)


def test_images():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (60, 9, 9)).astype(bool)
    y = X[:, 3, 4] & X[:, 4, 4]
    assert_same_fit(TsetlinClassifier, X, y, n_clauses=20, booleanizer=PatchEncoder((3, 3)))


def test_sparse_and_boolean_tables():
    X = (np.random.default_rng(1).random((300, 40)) < 0.3).astype(np.uint8)
    y = X[:, 0] ^ X[:, 1]
    cpu, gpu = assert_same_fit(TsetlinClassifier, X, y, n_clauses=40, booleanizer=None)
    assert np.array_equal(cpu.votes(X), gpu.votes(sparse.csr_matrix(X)))


def test_epochs_that_are_scored_and_early_stopping():
    X, y = table(n_classes=3)
    assert_same_fit(TsetlinClassifier, X, y, n_clauses=40, n_epochs=20, early_stopping=True)


def test_partial_fit_and_warm_start():
    X, y = table(n_classes=3)
    models = []
    for backend in ("cpu", "cuda"):
        model = TsetlinClassifier(40, n_epochs=2, random_state=1, warm_start=True, backend=backend)
        model.fit(X, y).partial_fit(X, y).fit(X, y)
        models.append(model.model_)
    assert np.array_equal(models[0].states, models[1].states)


def test_a_scorecard_from_machines_on_a_gpu():
    X, y = table()
    cards = [
        RuleClassifier(TsetlinClassifier(20, n_epochs=5, backend=backend), random_state=1).fit(X, y)
        for backend in ("cpu", "cuda")
    ]
    assert cards[0].rules_ == cards[1].rules_


def test_the_machines_of_all_folds_are_trained_in_one_launch(monkeypatch):
    n_jobs, plain = [], machine.train_many

    def train_many(jobs, n_threads):
        n_jobs.append(len(jobs))
        plain(jobs, n_threads)

    monkeypatch.setattr(machine, "train_many", train_many)
    backends.backend_named.cache_clear()
    X, y = table()
    RuleClassifier(TsetlinClassifier(20, n_epochs=5, backend="cuda"), cv=4, random_state=1).fit(X, y)
    backends.backend_named.cache_clear()
    assert n_jobs == [1, 4]


def test_a_file_goes_to_the_cpu_and_back(tmp_path):
    X, y = table()
    model = fitted(TsetlinClassifier, X, y, "cuda", n_clauses=40)
    model.save(tmp_path / "model.json")
    loaded = clausal.load(tmp_path / "model.json")
    assert loaded.backend == "cuda"
    assert np.array_equal(loaded.votes(X), loaded.set_params(backend="cpu").votes(X))


@pytest.mark.parametrize("library", ["cupy", "torch"])
@pytest.mark.parametrize("dtype", ["bool", "uint8"])
def test_arrays_on_the_gpu_are_read_where_they_are(library, dtype):
    xp = pytest.importorskip(library)
    X = (np.random.default_rng(1).random((300, 48)) < 0.3).astype(dtype)
    model = fitted(TsetlinClassifier, X, X[:, 0] ^ X[:, 1], "cuda", n_clauses=40, booleanizer=None)
    there = xp.asarray(X) if library == "cupy" else xp.from_numpy(X).cuda()
    assert np.array_equal(model.predict(there), model.predict(X))
    assert np.array_equal(model.predict_proba(there[::2]), model.predict_proba(X[::2]))
    with pytest.raises(ValueError, match="X has 47 features, but TsetlinClassifier is expecting 48"):
        model.predict(there[:, 1:])
    with pytest.raises(ValueError, match="must be two-dimensional, of booleans or bytes"):
        model.predict(there[0])
    with pytest.raises(ValueError, match="The 'backend' parameter of TsetlinClassifier must be 'cuda'"):
        model.set_params(backend="cpu").predict(there)


def test_other_arrays_on_the_gpu_are_refused():
    cupy = pytest.importorskip("cupy")
    X = (np.random.default_rng(1).random((300, 48)) < 0.3).astype(np.uint8)
    model = fitted(TsetlinClassifier, X, X[:, 0], "cuda", n_clauses=40, booleanizer=None)
    with pytest.raises(ValueError, match="X on a GPU must hold only 0 and 1"):
        model.predict(cupy.asarray(3 * X))
    with pytest.raises(ValueError, match="of booleans or bytes"):
        model.predict(cupy.asarray(X, "float32"))
    numeric, y = table()
    model = fitted(TsetlinClassifier, numeric, y, "cuda", n_clauses=40)
    with pytest.raises(ValueError, match="X on a GPU must consist of boolean columns"):
        model.predict(cupy.zeros((4, 3), "uint8"))


@pytest.mark.needs_cuda
def test_a_device_by_its_number():
    X, y = table()
    first = fitted(TsetlinClassifier, X, y, "cuda:0", n_clauses=40)
    assert np.array_equal(first.votes(X), fitted(TsetlinClassifier, X, y, "cpu", n_clauses=40).votes(X))
    with pytest.raises(RuntimeError, match=r"backend='cuda:77' needs 78 GPUs. The driver finds \d+"):
        fitted(TsetlinClassifier, X, y, "cuda:77", n_clauses=40)


def test_auto_takes_the_gpu_for_large_machines(monkeypatch):
    monkeypatch.setattr(backends, "_GPU_WORDS", 100)
    engine = backends.backend_named("auto").engine
    assert isinstance(engine(make_config(n_clauses=100, n_columns=9), 1), CudaEngine)
    assert not isinstance(engine(make_config(n_clauses=98, n_columns=9), 1), CudaEngine)
    X, y = table(n_classes=3)
    assert_same_fit(TsetlinClassifier, X, y, n_clauses=400)
    assert np.array_equal(
        fitted(TsetlinClassifier, X, y, "auto", n_clauses=400).model_.states,
        fitted(TsetlinClassifier, X, y, "cpu", n_clauses=400).model_.states,
    )
