"""Tests of the CUDA backend: on a GPU where there is one, else on one that the CPU plays.

Those marked `needs_cuda` take too long there, or ask what only a GPU can answer.
"""

import pytest

from clausal.engine.cuda import clauses, device, machine
from tests.support.host_gpu import COMPILER, HAS_GPU, HostDevice


@pytest.fixture(autouse=True)
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> device.Device:
    """What the backend computes on."""
    if HAS_GPU:
        return device.open_device()
    if request.node.get_closest_marker("needs_cuda"):
        pytest.skip("needs an NVIDIA GPU, its driver and clausal[cuda]")
    if COMPILER is None:
        pytest.skip("needs an NVIDIA GPU, or g++ to do without")
    played = HostDevice()
    for module in (clauses, machine):
        monkeypatch.setattr(module, "open_device", lambda index=0: played)
    monkeypatch.setattr(device, "is_available", lambda: True)
    return played
