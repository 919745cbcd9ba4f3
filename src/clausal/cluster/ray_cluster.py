"""Ray as a cluster: partitions are references to objects. Needs `ray[data]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import ray

from clausal.cluster.protocol import merge_pairs


class RayCluster:
    """Partitions as references to objects; Ray computes again what a lost worker had."""

    def __init__(self) -> None:
        self._apply = ray.remote(_apply)

    def scatter(self, values: Sequence[Any]) -> list[Any]:
        """Each value as an object."""
        return [ray.put(value) for value in values]

    def map(self, function: Callable[..., Any], parts: Sequence[Any], *values: Sequence[Any]) -> list[Any]:
        """A task per partition."""
        function_once = ray.put(function)
        return [self._apply.remote(function_once, *own) for own in zip(parts, *values, strict=True)]

    def reduce(self, merge: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
        """A task per pair."""
        return ray.get(merge_pairs(partial(self._apply.remote, merge), parts))

    def gather(self, parts: Sequence[Any]) -> Iterator[Any]:
        """The results, one after the other."""
        for part in parts:
            yield ray.get(part)


def _apply(function: Callable[..., Any], *own: Any) -> Any:
    return function(*own)


def open_partitions(data: Any, client: Any) -> tuple[RayCluster, list[Any]]:
    """The blocks of a Ray Dataset; `client` must be None, because Ray has one cluster per process."""
    if client is not None:
        raise ValueError(f"client must be None for a Ray Dataset. Got {type(client).__name__}.")
    if not isinstance(data, ray.data.Dataset):
        raise TypeError(f"data of Ray must be a Dataset. Got {type(data).__name__}.")
    return RayCluster(), data.to_arrow_refs()
