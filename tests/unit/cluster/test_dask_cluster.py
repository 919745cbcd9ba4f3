"""What workers of Dask do with memory while they work for clausal."""

import os
import sys
import threading
from types import SimpleNamespace

import pytest

pytest.importorskip("distributed", reason="LEFT OUT: no Dask")

from clausal.cluster import dask_cluster
from clausal.cluster.dask_cluster import _applied, _KeptMemory

TRIM, MMAP = -1, -3


@pytest.fixture
def calls(monkeypatch):
    """What the C library was asked for."""
    found = []
    library = SimpleNamespace(
        mallopt=lambda *arguments: found.append(arguments), malloc_trim=lambda pad: found.append("trim")
    )
    memory = _KeptMemory()
    memory._library = library
    monkeypatch.setattr(dask_cluster, "_KEPT_MEMORY", memory)
    return found


def test_memory_is_kept_during_a_call_and_given_back_after_it(calls, monkeypatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    kept, given_back = [(TRIM, 1 << 28), (MMAP, 1 << 25)], [(TRIM, 65536), (MMAP, 128 << 10), "trim"]
    assert _applied(lambda a, b: (a + b, list(calls)), 1, 2) == (3, kept)
    assert calls == kept + given_back
    with pytest.raises(ZeroDivisionError):
        _applied(lambda: 1 // 0)
    assert calls == (kept + given_back) * 2


def test_the_last_of_several_threads_gives_it_back(calls):
    entered, may_end = threading.Event(), threading.Event()

    def wait():
        entered.set()
        may_end.wait(10)

    thread = threading.Thread(target=_applied, args=(wait,))
    thread.start()
    entered.wait(10)
    assert _applied(lambda: 5) == 5
    assert "trim" not in calls
    may_end.set()
    thread.join()
    assert calls.count("trim") == 1
    assert calls[-1] == "trim"


def test_without_glibc_a_call_is_only_a_call(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    memory = _KeptMemory()
    assert memory._library is None
    with memory:
        assert os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="glibc")
def test_glibc_takes_the_sizes():
    library = _KeptMemory()._library
    if library is None:
        pytest.skip("no glibc")
    try:
        assert [library.mallopt(*each) for each in _KeptMemory._KEPT_BYTES] == [1, 1]
    finally:
        with _KeptMemory():
            pass
