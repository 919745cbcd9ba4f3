"""Fixtures for the tests of the experiments: the bankruptcy file, which does not travel with the package."""

import pytest

from experiments.data import SHARED, load


@pytest.fixture
def bankruptcy(monkeypatch):
    if not (SHARED / "bankruptcy.csv").is_file():
        pytest.skip("needs the shared data folder")
    monkeypatch.setenv("CLAUSAL_DATA", str(SHARED))
    return load("Bankruptcy")
