"""Spark as a cluster: partitions are the only elements of the partitions of an RDD. Needs `pyspark`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel


class SparkCluster:
    """Partitions as an RDD with one element in each; Spark computes again what a lost executor had."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def scatter(self, values: Sequence[Any]) -> Any:
        """One value per partition."""
        return self._context.parallelize(list(values), max(len(values), 1))

    def map(self, function: Callable[..., Any], parts: Any, *values: Sequence[Any]) -> Any:
        """An RDD that is computed when it is gathered."""
        if not values:
            return parts.map(function)
        own = self.scatter(list(zip(*values, strict=True)))
        return parts.zip(own).map(lambda pair: function(pair[0], *pair[1]))

    def reduce(self, merge: Callable[[Any, Any], Any], parts: Any) -> Any:
        """Merged on the executors first."""
        return parts.treeReduce(merge)

    def gather(self, parts: Any) -> Iterator[Any]:
        """The results, all at once."""
        return iter(parts.collect())


def _stored(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches of a partition as one binary value."""
    sink, writer = pa.BufferOutputStream(), None
    for batch in batches:
        writer = writer or pa.ipc.new_stream(sink, batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()
    yield pa.record_batch([pa.array([sink.getvalue().to_pybytes()], pa.binary())], names=["table"])


def _table(row: Any, names: Sequence[str]) -> pa.Table:
    stored = bytes(row[0])
    return pa.ipc.open_stream(stored).read_all() if stored else pa.table({name: [] for name in names})


def open_partitions(data: Any, client: Any) -> tuple[SparkCluster, Any]:
    """The partitions of a Spark DataFrame, kept in memory or on disk; `client` must be None."""
    if client is not None:
        raise ValueError(f"client must be None for a Spark DataFrame. Got {type(client).__name__}.")
    if not hasattr(data, "mapInArrow"):
        raise TypeError(f"data of Spark must be a DataFrame. Got {type(data).__name__}.")
    names = list(data.columns)
    parts = data.mapInArrow(_stored, "table binary").rdd.map(lambda row: _table(row, names))
    return SparkCluster(data.sparkSession.sparkContext), parts.persist(StorageLevel.MEMORY_AND_DISK)
