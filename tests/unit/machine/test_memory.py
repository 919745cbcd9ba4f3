"""MemoryError before memory runs out: the limit of the machine or of its container, whichever is less."""

from collections.abc import Iterator

import pytest

from clausal.machine import memory


@pytest.fixture(autouse=True)
def _limits_are_read_anew() -> Iterator[None]:
    memory._available.cache_clear()
    yield
    memory._available.cache_clear()


def test_memory_is_the_least_of_the_machines_and_the_containers(monkeypatch, tmp_path):
    limited, unlimited = tmp_path / "limited", tmp_path / "unlimited"
    limited.write_text(f"{2**30}\n")
    unlimited.write_text("max\n")
    monkeypatch.setattr(memory, "_CONTAINER_LIMITS", (unlimited, tmp_path / "absent"))
    memory.require_memory(2**30 + 1, "A thing")
    with pytest.raises(MemoryError, match=r"^A thing would need about .* GiB. This machine has .* GiB\.$"):
        memory.require_memory(2**60, "A thing")
    monkeypatch.setattr(memory, "_CONTAINER_LIMITS", (unlimited, limited))
    memory._available.cache_clear()
    memory.require_memory(2**30, "A thing")
    with pytest.raises(MemoryError, match=r"would need about 1.0 GiB. This machine has 1.0 GiB\.$"):
        memory.require_memory(2**30 + 1, "A thing")


def test_a_system_that_does_not_tell_its_memory_is_trusted(monkeypatch):
    monkeypatch.setattr(memory, "_CONTAINER_LIMITS", ())
    monkeypatch.delattr(memory.os, "sysconf")
    memory.require_memory(2**60, "A thing")
