"""What is missing is said where a GPU cannot be used; "auto" does without."""

import sys

import numpy as np
import pytest

from clausal import TsetlinClassifier
from clausal.engine.backends import backend_named
from clausal.engine.cuda import device
from clausal.engine.native import NativeEngine
from tests.support.toy_machines import make_config

X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5, np.uint8)


@pytest.fixture(autouse=True)
def _asked_again():
    device.open_device.cache_clear()
    yield
    device.open_device.cache_clear()


def test_the_packages_are_missing(monkeypatch):
    for name in ("cuda", "cuda.bindings", "cuda.bindings.driver", "cuda.core"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"backend='cuda' needs cuda-core, .* pip install .clausal\[cuda\]"):
        TsetlinClassifier(10, backend="cuda").fit(X, X[:, 0])
    assert not device.is_available()


def test_the_driver_or_the_gpu_is_missing():
    pytest.importorskip("cuda.core")
    if device.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(RuntimeError, match=r"backend='cuda' needs (the driver of )?an NVIDIA GPU"):
        TsetlinClassifier(10, backend="cuda").fit(X, X[:, 0])


def test_auto_does_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.core", None)
    engine = backend_named("auto").engine(make_config(n_clauses=2000, n_columns=784), 1)
    assert isinstance(engine, NativeEngine)


@pytest.mark.parametrize("backend", ["gpu", "cuda:", "cuda:x", "cuda:-1", "CUDA", 0, None])
def test_other_names_are_refused(backend):
    with pytest.raises(ValueError, match=r"The 'backend' parameter of TsetlinClassifier must be .*'cuda:N'"):
        TsetlinClassifier(10, backend=backend).fit(X, X[:, 0])
