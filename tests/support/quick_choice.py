"""A choice of settings that takes milliseconds, for tests of what follows from a choice."""

import pytest

from clausal.machine import choosing


@pytest.fixture
def quick_choice(monkeypatch):
    """Four candidates of ten clauses and sixteen epochs."""
    monkeypatch.setattr(choosing, "_GRID", [(2, 2.0), (2, 4.0), (8, 3.0), (32, 3.0)])
    monkeypatch.setattr(choosing, "_N_CLAUSES", 10)
    monkeypatch.setattr(choosing, "_MOST_EPOCHS", 16)
