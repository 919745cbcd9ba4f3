"""Dask as a cluster: partitions are futures. Needs `dask[dataframe]` and `distributed`."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import dask
from distributed import default_client

from clausal.cluster.protocol import merge_pairs

_ANY_SIZE = {"distributed.admin.large-graph-warning-threshold": "1 TiB"}


class DaskCluster:
    """Partitions as futures of a client.

    Values travel with the tasks and not by `Client.scatter`, whose data are lost with the worker that has
    them. What a lost worker had is computed again by Dask's scheduler.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def scatter(self, values: Sequence[Any]) -> list[Any]:
        """Tasks that give the values."""
        return self.map(_itself, values)

    def map(self, function: Callable[..., Any], parts: Sequence[Any], *values: Sequence[Any]) -> list[Any]:
        """A task per partition."""
        with dask.config.set(_ANY_SIZE):
            futures: list[Any] = self._client.map(partial(_applied, function), parts, *values, pure=False)
            return futures

    def reduce(self, merge: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
        """A task per pair."""
        submit = partial(self._client.submit, partial(_applied, merge), pure=False)
        return merge_pairs(submit, parts).result()

    def gather(self, parts: Sequence[Any]) -> Iterator[Any]:
        """The results, one after the other."""
        for future in parts:
            yield future.result()


def _itself(value: Any) -> Any:
    return value


def _applied(function: Callable[..., Any], *values: Any) -> Any:
    """What a function gives, on a worker."""
    with _KEPT_MEMORY:
        return function(*values)


class _KeptMemory:
    """While in use, the C library keeps memory that is free, to use it again.

    Workers of Dask set MALLOC_TRIM_THRESHOLD_=65536, so that the library gives it back at once, and asks for
    it again, which takes more time than the work. When no thread is left in it, the memory is given back.
    Does nothing where the C library is not glibc.
    """

    _TRIM, _MMAP = -1, -3  # parameters of mallopt
    _DEFAULTS = ((_TRIM, "MALLOC_TRIM_THRESHOLD_"), (_MMAP, "MALLOC_MMAP_THRESHOLD_"))
    _DEFAULT_BYTES = 128 << 10
    _KEPT_BYTES = ((_TRIM, 1 << 28), (_MMAP, 1 << 25))  # 32 MiB are the most for the second

    def __init__(self) -> None:
        self._lock, self._n_users = threading.Lock(), 0
        library = ctypes.CDLL(None) if sys.platform == "linux" else None
        self._library = library if hasattr(library, "malloc_trim") else None

    def __enter__(self) -> None:
        with self._lock:
            self._n_users += 1
            if self._n_users == 1 and self._library is not None:
                for parameter, n_bytes in self._KEPT_BYTES:
                    self._library.mallopt(parameter, n_bytes)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_users -= 1
            if self._n_users == 0 and self._library is not None:
                for parameter, name in self._DEFAULTS:
                    self._library.mallopt(parameter, int(os.environ.get(name, self._DEFAULT_BYTES)))
                self._library.malloc_trim(0)


_KEPT_MEMORY = _KeptMemory()


def open_partitions(data: Any, client: Any) -> tuple[DaskCluster, list[Any]]:
    """The partitions of a Dask DataFrame; `client` None takes the current one."""
    if not hasattr(data, "to_delayed") or not hasattr(data, "columns"):
        raise TypeError(f"data of Dask must be a DataFrame. Got {type(data).__name__}.")
    client = default_client() if client is None else client
    return DaskCluster(client), client.compute(data.to_delayed())
