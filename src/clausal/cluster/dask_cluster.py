"""Dask as a cluster: partitions are futures. Needs `dask[dataframe]` and `distributed`."""

from __future__ import annotations

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
            futures: list[Any] = self._client.map(function, parts, *values, pure=False)
            return futures

    def reduce(self, merge: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
        """A task per pair."""
        submit = partial(self._client.submit, merge, pure=False)
        return merge_pairs(submit, parts).result()

    def gather(self, parts: Sequence[Any]) -> Iterator[Any]:
        """The results, one after the other."""
        for future in parts:
            yield future.result()


def _itself(value: Any) -> Any:
    return value


def open_partitions(data: Any, client: Any) -> tuple[DaskCluster, list[Any]]:
    """The partitions of a Dask DataFrame; `client` None takes the current one."""
    if not hasattr(data, "to_delayed") or not hasattr(data, "columns"):
        raise TypeError(f"data of Dask must be a DataFrame. Got {type(data).__name__}.")
    client = default_client() if client is None else client
    return DaskCluster(client), client.compute(data.to_delayed())
