"""Literals of another package are counted without the bits that pad its words."""

import numpy as np
import pytest

from studies import regression_machines as study


def test_padding_is_not_counted():
    included = np.random.default_rng(0).random((5, 40)) < 0.3
    bits = np.ones((5, 64), bool)  # the last 24 are no literals
    bits[:, :40] = included
    actions = np.packbits(bits, axis=1, bitorder="little").view("<u4")
    states = np.random.default_rng(1).integers(0, 2**32, (5, 2, 8), dtype=np.uint32)
    states[:, :, 7] = actions
    assert study.count_literals(states.ravel(), 5, 40) == included.sum()


def test_other_machines_are_there_if_they_are_installed():
    names = [name for name, _ in study.learners(with_ebm=False)]
    assert names[:2] == ["TsetlinRegressor()", "TsetlinRegressor(100)"]
    for package in ("pyTsetlinMachine", "tmu"):
        assert sum(name.startswith(package) for name in names) == 2 * study.is_installed(package)
    assert not study.is_installed("no_such_package")


@pytest.mark.parametrize("package", ["pyTsetlinMachine", "tmu"])
def test_other_machines_learn_the_artificial_table(package):
    pytest.importorskip(package, reason="not installed by any make command")
    X, y = study.artificial(0.0, 0, 300)
    parts = [X[:200], X[200:], y[:200], y[200:]]
    run = study.peer if package == "pyTsetlinMachine" else study.tmu_peer
    error, n_literals, _ = run(parts, 100, 400, 20)
    assert error < y.std() / 2
    assert 0 < n_literals <= 100 * 2 * 4
