"""Every test here runs on an NVIDIA GPU, and is skipped where there is none; `make test-cuda` runs them."""

from pathlib import Path

import pytest

from clausal.engine.cuda.device import is_available

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    own = [item for item in items if HERE in item.path.parents]
    missing = own and not is_available()
    for item in own:
        item.add_marker(pytest.mark.needs_cuda)
        if missing:
            item.add_marker(pytest.mark.skip(reason="needs an NVIDIA GPU, its driver and clausal[cuda]"))
