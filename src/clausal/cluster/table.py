"""A table whose partitions are on a cluster, read like one that is read in batches (encoding/stream.py).

Functions go to the partitions, and only their results come back. Not here: the clusters themselves
(protocol.py and the adapters).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.cluster.protocol import Cluster, Parts
from clausal.encoding.stream import StreamedTable
from clausal.encoding.table import read_frame
from clausal.progress import progress

T = TypeVar("T")


class _Failure(NamedTuple):
    """An error in a function, which comes back as a result, so that it reads the same on every cluster."""

    error: Exception


class ClusterTable(StreamedTable):
    """A table on a cluster.

    Attributes
    ----------
    cluster : where its partitions are
    """

    def __init__(self, cluster: Cluster, parts: Parts, show_progress: bool = False) -> None:
        self.cluster, self._parts, self._show_progress = cluster, parts, show_progress
        facts: list[tuple[tuple[str, ...], int]] = list(
            results(lambda: cluster.gather(cluster.map(partial(guarded, _facts), parts)))
        )
        self._counts = [n_rows for _, n_rows in facts]
        self.names = _common_names(facts)
        self.shape = (sum(self._counts), len(self.names))

    def map(self, function: Callable[..., T], what: str, rows: NDArray[Any] | None = None) -> Iterator[T]:
        """`function(frame, own)` of each partition that has rows, as in StreamedTable."""
        with progress(self.n_rows, self._show_progress, what, "rows") as advance:
            applied = results(lambda: self.cluster.gather(self._apply(function, rows)))
            for n_rows, result in zip(self._counts, applied, strict=True):
                if n_rows:
                    yield result
                    advance("", n_rows)

    def reduce(
        self,
        function: Callable[..., T],
        merge: Callable[[T, T], T],
        what: str,
        rows: NDArray[Any] | None = None,
    ) -> T:
        """What `map` gives, merged where the partitions are."""
        merged = partial(_merged, merge)
        with progress(self.n_rows, self._show_progress, what, "rows") as advance:
            found = results(lambda: iter([self.cluster.reduce(merged, self._apply(function, rows))]))
            result: T = next(found)
            advance("", self.n_rows)
        return result

    def _apply(self, function: Callable[..., Any], rows: NDArray[Any] | None) -> Parts:
        """`function(frame, own)` of each partition; None of those without rows."""
        ends = np.cumsum([0, *self._counts]).tolist()
        own = [None if rows is None else rows[a:b] for a, b in pairwise(ends)]
        return self.cluster.map(
            partial(guarded, partial(_on_columns, function, self.names)), self._parts, own
        )

    def without(self, names: Sequence[str]) -> ClusterTable:
        """The same rows without these columns."""
        return cast(ClusterTable, super().without(names))

    def frames(self, what: str) -> Iterator[Any]:
        """The rows as data frames, which come to this process."""
        return self.map(_frame, what)


def results(ask: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """What guarded functions gave; raises what they raised, and RuntimeError where the cluster failed.

    `ask` asks a cluster for the results.
    """
    gathered: Iterator[Any] | None = None
    while True:
        try:
            gathered = ask() if gathered is None else gathered
            result = next(gathered)
        except StopIteration:
            return
        except Exception as error:
            raise RuntimeError(
                "The cluster did not complete the fit, so the estimator is as it was before. "
                f"{type(error).__name__}: {error}"
            ) from error
        if isinstance(result, _Failure):
            raise result.error
        yield result


def guarded(function: Callable[..., Any], *own: Any) -> Any:
    """What a function gives, or its error as a value."""
    try:
        return function(*own)
    except Exception as error:  # for the process that asked
        return _Failure(error)


def _merged(merge: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    """Two results of guarded functions as one; None is that of a partition without rows."""
    if other is None or isinstance(one, _Failure):
        return one
    if one is None or isinstance(other, _Failure):
        return other
    return guarded(merge, one, other)


def _facts(part: Any) -> tuple[tuple[str, ...], int]:
    """The names of the columns and the number of rows of a partition."""
    frame = read_frame(part)
    return tuple(frame.columns), frame.shape[0]


def _on_columns(function: Callable[..., T], names: Sequence[str], part: Any, own: Any) -> T | None:
    frame = read_frame(part)
    return function(nw.to_native(frame.select(*names)), own) if frame.shape[0] else None


def _frame(frame: Any, own: None) -> Any:
    return frame


def _common_names(facts: Sequence[tuple[tuple[str, ...], int]]) -> tuple[str, ...]:
    """The names of the columns of all partitions that have rows, in the order of the first of them."""
    with_rows = [(index, names) for index, (names, n_rows) in enumerate(facts) if n_rows]
    if not with_rows:
        with_rows = [(index, names) for index, (names, _) in enumerate(facts)][:1]
    if not with_rows:
        raise ValueError("data must have at least 1 partition. Got 0.")
    first, expected = with_rows[0]
    for name, count in Counter(expected).items():
        if not isinstance(name, str):
            raise TypeError(f"The names of the columns must be text. Got {name!r}.")
        if count > 1:
            raise ValueError(f"The columns of data must have different names. Got {name!r} more than once.")
    for index, names in with_rows:
        different = sorted(set(names) ^ set(expected), key=str)
        if different:
            has, lacks = (index, first) if different[0] in names else (first, index)
            raise ValueError(
                f"All partitions of data must have the same columns. Got {different[0]!r} in partition {has} "
                f"and not in partition {lacks}, counted from 0."
            )
    return expected
