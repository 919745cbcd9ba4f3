"""For all tests: the profile of Hypothesis, the shared data, a quick choice of settings, and Ctrl-C.

Hypothesis draws the same examples on every CI run and new ones elsewhere. A test that uses the fixture
`shared_data` gets the marker `needs_shared`, and is skipped where that folder is missing.
"""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from clausal.machine import choose_settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("developer", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "developer")

# A job in a shell's background ignores Ctrl-C, and so would the tests that send it, forever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def shared_data() -> Path:
    """The folder of data files that are not part of the repository, beside it."""
    return SHARED


@pytest.hookimpl(tryfirst=True)  # before -m selects by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.needs_shared)
            if not SHARED.is_dir():
                item.add_marker(
                    pytest.mark.skip(reason="needs the folder ../shared/data beside the repository")
                )


@pytest.fixture
def quick_choice(monkeypatch):
    """A choice of settings that takes milliseconds: four candidates of ten clauses, up to sixteen epochs."""
    monkeypatch.setattr(choose_settings, "_GRID", [(2, 2.0), (2, 4.0), (8, 3.0), (32, 3.0)])
    monkeypatch.setattr(choose_settings, "_N_CLAUSES", 10)
    monkeypatch.setattr(choose_settings, "_MOST_EPOCHS", 16)
