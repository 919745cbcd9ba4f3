"""What a cluster can do: hold partitions, map a pure function over them, merge and gather the results.

`InProcess` is the reference: a list of partitions in this process. The adapters of Dask, Ray and Spark do the
same elsewhere. Not here: what is computed (fitting.py, table.py).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol

from clausal.frames import not_installed

Parts = Any
"""Partitions, or results of a function on each, wherever they are; only their cluster can read it."""


class Cluster(Protocol):
    """Partitions and functions over them.

    A function is pure: a lost worker's results are computed again, from what they were computed from.
    """

    def scatter(self, values: Sequence[Any]) -> Parts:
        """Values of this process as partitions, one each."""

    def map(self, function: Callable[..., Any], parts: Parts, *values: Sequence[Any]) -> Parts:
        """`function(partition, *own)` of each partition; `own` are its entries of `values`."""

    def reduce(self, merge: Callable[[Any, Any], Any], parts: Parts) -> Any:
        """What the partitions hold, merged in pairs where they are; the result is in this process."""

    def gather(self, parts: Parts) -> Iterator[Any]:
        """What the partitions hold, in order, in this process."""


class InProcess:
    """A list of partitions in this process."""

    def scatter(self, values: Sequence[Any]) -> list[Any]:
        """The values themselves."""
        return list(values)

    def map(self, function: Callable[..., Any], parts: Sequence[Any], *values: Sequence[Any]) -> list[Any]:
        """One call after the other."""
        return [function(*own) for own in zip(parts, *values, strict=True)]

    def reduce(self, merge: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
        """One after the other."""
        return functools.reduce(merge, parts)

    def gather(self, parts: Sequence[Any]) -> Iterator[Any]:
        """The partitions themselves."""
        return iter(parts)


def merge_pairs(merge: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
    """One from several, of which `merge` makes one from two; as a tree, so that few wait for others."""
    while len(parts) > 1:
        pairs = [merge(one, other) for one, other in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs if len(parts) % 2 == 0 else [*pairs, parts[-1]]
    return parts[0]


_ADAPTERS = {"dask": "dask_cluster", "ray": "ray_cluster", "pyspark": "spark_cluster"}


def open_partitions(data: Any, client: Any) -> tuple[Cluster, Parts]:
    """The cluster of a table, and the partitions of the table on it.

    Parameters
    ----------
    data : a Dask or Spark DataFrame, a Ray Dataset, or a list of data frames
    client : as in `fit`
    """
    library = type(data).__module__.partition(".")[0]
    if library in _ADAPTERS:
        try:
            adapter = import_module(f"clausal.cluster.{_ADAPTERS[library]}")
        except ModuleNotFoundError as error:
            extra = library.removeprefix("py")
            raise not_installed(f"A table of {library}", str(error.name), f"clausal[{extra}]") from error
        opened: tuple[Cluster, Parts] = adapter.open_partitions(data, client)
        return opened
    if not isinstance(data, (list, tuple)):
        raise TypeError(
            "data must be a Dask DataFrame, a Ray Dataset, a Spark DataFrame or a list of data frames. "
            f"Got {type(data).__name__}; use the method fit of the estimator for a table that is not "
            "partitioned."
        )
    if client is not None:
        raise ValueError(f"client must be None for a list of data frames. Got {type(client).__name__}.")
    return InProcess(), list(data)
