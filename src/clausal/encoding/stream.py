"""Tables that are read in batches, as they do not fit into memory: files, data sets, lazy frames, relations.

A StreamedTable reads its columns, one batch of rows after the other, as often as needed. What can be read
only once, or would be computed again, is first written to a temporary file. Not here: the values of a batch
(table.py), what is learned from all batches (summary.py).
"""

from __future__ import annotations

import functools
import glob
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeVar
from weakref import finalize

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.encoding.texts import arrow_texts
from clausal.frames import not_installed
from clausal.progress import progress

BATCH_ROWS = 131_072
"""The largest number of rows in memory at a time, besides what is kept of each row."""

T = TypeVar("T")

_MAX_SHOWN_NAMES = 10
_ACCEPTED = (
    "a Parquet file, a folder or a glob pattern of Parquet files, a pyarrow Dataset or RecordBatchReader, a "
    "polars LazyFrame or a DuckDB relation"
)


def is_stream(X: Any) -> bool:
    """Whether `X` is a table that is read in batches, or a path."""
    return not isinstance(X, np.ndarray) and (
        isinstance(X, (StreamedTable, str, os.PathLike))
        or nw.dependencies.is_polars_lazyframe(X)
        or _is_instance(X, "pyarrow.dataset", "Dataset")
        or _is_instance(X, "pyarrow", "RecordBatchReader")
        or _is_instance(X, "duckdb", "DuckDBPyRelation")
    )


def _is_instance(X: Any, module: str, name: str) -> bool:
    """Whether `X` is an instance of a class of a library that is perhaps not imported."""
    return module in sys.modules and isinstance(X, getattr(sys.modules[module], name))


def refuse_stream(X: Any, name: str = "X") -> None:
    """Raise TypeError for a table that is read in batches where all rows are needed; `name` is its own."""
    if is_stream(X):
        raise TypeError(
            f"{name} must be a table in memory here. Got a table that is read in batches; read the rows that "
            "you need first."
        )


def open_stream(X: Any, show_progress: bool = False) -> StreamedTable:
    """Open a table that `is_stream`; with `show_progress`, reading it shows a progress bar."""
    if isinstance(X, StreamedTable):
        return X
    if find_spec("pyarrow") is None:
        raise not_installed(f"X of type {type(X).__name__}, read in batches,", "pyarrow", "pyarrow")
    from pyarrow import dataset

    if isinstance(X, (str, os.PathLike)):
        return open_parquet([os.fspath(X)], show_progress)
    if isinstance(X, dataset.Dataset):
        return StreamedTable(_ArrowSource(X), show_progress)
    folder = tempfile.mkdtemp(prefix="clausal-")
    remove = partial(shutil.rmtree, folder, ignore_errors=True)
    try:
        path = Path(folder) / "table.arrow"
        if nw.dependencies.is_polars_lazyframe(X):
            table = StreamedTable(_PolarsSource(X, path), show_progress)
        else:
            _write_arrow(X, path)
            table = StreamedTable(_ArrowSource(dataset.dataset(path, format="ipc")), show_progress)
    except BaseException:
        remove()
        raise
    finalize(table.source, remove)
    return table


def open_parquet(paths: Sequence[str], show_progress: bool = False) -> StreamedTable:
    """Open Parquet files, folders or patterns of them as one table."""
    files = [file for path in paths for file in parquet_files(path)]
    folders = any(map(os.path.isdir, paths))
    return StreamedTable(_ArrowSource(_parquet_dataset(files, ", ".join(paths), folders)), show_progress)


def parquet_files(path: str) -> list[str]:
    """The files of a path: itself, or those of a folder or of a pattern."""
    if os.path.isdir(path):
        files = sorted(map(str, Path(path).rglob("*.parquet")))
        if not files:
            raise ValueError(f"A folder must have files that end in .parquet. Got none in {path!r}.")
        return files
    files = sorted(glob.glob(path)) if glob.has_magic(path) and not os.path.isfile(path) else [path]
    if not files or not all(map(os.path.isfile, files)):
        raise ValueError(f"X must be {_ACCEPTED}. Got {path!r}, and there is no such file.")
    return files


def _parquet_dataset(files: Sequence[str], path: str, in_folders: bool) -> Any:
    """Parquet files, all with the same columns, perhaps in another order or of other width."""
    import pyarrow as pa
    from pyarrow import dataset

    read = partial(dataset.dataset, files, format="parquet", partitioning="hive" if in_folders else None)
    try:
        opened = read()
        fragments = list(opened.get_fragments())
        schemas = [fragment.physical_schema for fragment in fragments]
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"X must be {_ACCEPTED}. Got {path!r}: {error}") from error
    partitions = [name for name in opened.schema.names if name not in schemas[0].names]
    for fragment, schema in zip(fragments, schemas, strict=True):
        if set(schema.names) != set(schemas[0].names):
            name = sorted(set(schema.names) ^ set(schemas[0].names))[0]
            has, lacks = (fragment, fragments[0]) if name in schema.names else (fragments[0], fragment)
            raise ValueError(
                f"The Parquet files of X must have the same columns. Got {name!r} in {has.path!r} and not in "
                f"{lacks.path!r}."
            )
    try:
        unified = pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise ValueError(f"A column must have one type in all Parquet files of X. {error}") from error
    for name in partitions:
        unified = unified.append(opened.schema.field(name))
    return read(schema=unified.with_metadata(schemas[0].metadata))


def _index_columns(schema: Any) -> set[str]:
    """The columns in which pandas has stored the index, which is no part of the table."""
    stored = (schema.pandas_metadata or {}).get("index_columns", [])
    return {name for name in stored if isinstance(name, str)}


def _write_arrow(X: Any, path: Path) -> None:
    """Write what can be read once, or is computed when read, to an Arrow file."""
    import pyarrow as pa

    reader = X if isinstance(X, pa.RecordBatchReader) else pa.RecordBatchReader.from_stream(X)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


class _Source(Protocol):
    """What batches are read from."""

    names: tuple[str, ...]
    n_rows: int

    def frames(self, names: Sequence[str]) -> Iterator[Any]:
        """These columns of all rows, in order, as data frames."""


class _ArrowSource:
    """A pyarrow dataset."""

    def __init__(self, dataset: Any) -> None:
        index = _index_columns(dataset.schema)
        self.names = tuple(name for name in dataset.schema.names if name not in index)
        self.n_rows = int(dataset.count_rows())
        self._dataset = dataset

    def frames(self, names: Sequence[str]) -> Iterator[Any]:
        """These columns of all rows, in order, as data frames."""
        import pyarrow as pa
        from pyarrow import dataset

        options = None
        if isinstance(getattr(self._dataset, "format", None), dataset.ParquetFileFormat):
            options = dataset.ParquetFragmentScanOptions(pre_buffer=False)  # of a whole file otherwise
        scanner = self._dataset.scanner(
            columns=list(names),
            batch_size=BATCH_ROWS,
            batch_readahead=2,
            fragment_readahead=1,
            fragment_scan_options=options,
        )
        try:
            for batch in scanner.to_batches():
                yield pa.Table.from_batches([batch])
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"X could not be read. {error}") from error
        finally:
            pa.default_memory_pool().release_unused()


class _PolarsSource:
    """A polars lazy frame, computed once; its batches are polars frames, so that no type is lost."""

    def __init__(self, frame: Any, path: Path) -> None:
        import polars as pl

        try:
            frame.sink_ipc(path, compression=None)
        except pl.exceptions.InvalidOperationError:  # older ones cannot do so with every frame
            frame.collect().write_ipc(path)
        self._stored = pl.scan_ipc(path)
        self.names = tuple(self._stored.collect_schema().names())
        self.n_rows = int(self._stored.select(pl.len()).collect().item())

    def frames(self, names: Sequence[str]) -> Iterator[Any]:
        """These columns of all rows, in order, as data frames."""
        for start in range(0, self.n_rows, BATCH_ROWS):
            yield self._stored.select(names).slice(start, BATCH_ROWS).collect()


class StreamedTable:
    """A table that is read in batches of rows.

    Attributes
    ----------
    source : what the batches come from
    names : tuple of str, the columns that are read
    shape : tuple of int, the numbers of rows and columns
    """

    def __init__(self, source: _Source, show_progress: bool = False) -> None:
        self.source, self._show_progress = source, show_progress
        self._kept: NDArray[np.bool_] | None = None
        self._change: Callable[[Any], Any] | None = None
        self.names = source.names
        self.shape = (source.n_rows, len(self.names))
        for name, count in Counter(self.names).items():
            if count > 1:
                raise ValueError(f"The columns of X must have different names. Got {name!r} more than once.")

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.shape[0]

    @property
    def n_features(self) -> int:
        """The number of columns that are read."""
        return self.shape[1]

    def __len__(self) -> int:
        return self.n_rows

    def select(self, names: Sequence[str]) -> StreamedTable:
        """The same rows with these columns, in this order."""
        absent = [name for name in names if name not in self.names]
        if absent:
            listed = ", ".join(map(repr, absent[:_MAX_SHOWN_NAMES]))
            raise ValueError(
                f"X must have the columns that the model was trained on. Got no column {listed}."
            )
        table = copy(self)
        table.names, table.shape = tuple(names), (self.n_rows, len(names))
        return table

    def without(self, names: Sequence[str]) -> StreamedTable:
        """The same rows without these columns."""
        return self.select([name for name in self.names if name not in names])

    def rows(self, kept: NDArray[np.bool_]) -> StreamedTable:
        """Some of the rows [n]."""
        table = copy(self)
        if self._kept is None:
            table._kept = kept
        else:
            table._kept = self._kept.copy()
            table._kept[self._kept] = kept
        table.shape = (int(kept.sum()), self.n_features)
        return table

    def changed(self, change: Callable[[Any], Any]) -> StreamedTable:
        """The same table, of whose data frames each is replaced by `change(frame)`."""
        table = copy(self)
        table._change = change
        return table

    def frames(self, what: str) -> Iterator[Any]:
        """The rows as data frames, in order; `what` is said beside the progress bar."""
        with progress(self.n_rows, self._show_progress, what, "rows") as advance:
            for frame in self._frames_with_kept():
                if n_rows := frame.shape[0]:
                    yield frame if self._change is None else self._change(frame)
                    advance("", n_rows)

    def _frames_with_kept(self) -> Iterator[Any]:
        start = 0
        for frame in self.source.frames(self.names):
            start, own = start + frame.shape[0], slice(start, start + frame.shape[0])
            if self._kept is None or self._kept[own].all():
                yield frame
            else:
                yield nw.from_native(frame, eager_only=True).filter(self._kept[own].tolist()).to_native()

    def map(self, function: Callable[..., T], what: str, rows: NDArray[Any] | None = None) -> Iterator[T]:
        """`function(frame, own)` of each batch, in order; `own` are its entries of `rows` [n], or None.

        The function is pure and can be pickled, because batches may be on other computers.
        """
        start = 0
        for frame in self.frames(what):
            stop = start + frame.shape[0]
            yield function(frame, None if rows is None else rows[start:stop])
            start = stop

    def reduce(
        self,
        function: Callable[..., T],
        merge: Callable[[T, T], T],
        what: str,
        rows: NDArray[Any] | None = None,
    ) -> T:
        """What `map` gives, merged; there is at least one batch. In which order must make no difference."""
        return functools.reduce(merge, self.map(function, what, rows))

    def column(self, name: str, parameter: str) -> NDArray[Any]:
        """One column of all rows; `parameter` is the argument that names it, for messages."""
        if name not in self.names:
            listed = ", ".join(map(repr, self.names[:_MAX_SHOWN_NAMES]))
            more = (
                ""
                if len(self.names) <= _MAX_SHOWN_NAMES
                else f" and {len(self.names) - _MAX_SHOWN_NAMES} more"
            )
            raise ValueError(f"{parameter} must be the name of a column of X: {listed}{more}. Got {name!r}.")
        parts: list[NDArray[Any]] = [np.empty(0)] if not self.n_rows else []
        parts.extend(self.select([name]).map(_only_column, f"reading {name}"))
        return np.concatenate(parts)


def _only_column(frame: Any, own: None) -> NDArray[Any]:
    """The only column of a frame as an array."""
    column = nw.from_native(frame, eager_only=True)
    column = column[column.columns[0]].to_arrow()
    texts = arrow_texts(column)
    return np.asarray(column.to_numpy(zero_copy_only=False)) if texts is None else texts.values


def open_training_table(
    X: Any, y: Any, sample_weight: Any, show_progress: bool = False, needs_labels: bool = True
) -> tuple[Any, Any, Any]:
    """X, y and sample weights; of a table that is read in batches, `y` and `sample_weight` name columns."""
    if not is_stream(X) or isinstance(X, StreamedTable):
        return X, y, sample_weight
    table = open_stream(X, show_progress)
    labels, taken = None, []
    if isinstance(y, str):
        labels, taken = table.column(y, "y"), [y]
    elif needs_labels or y is not None:
        raise ValueError(
            "y must be the name of a column of X if X is read in batches. "
            f"Got {'None' if y is None else f'an object of type {type(y).__name__}'}."
        )
    if isinstance(sample_weight, str):
        taken.append(sample_weight)
        sample_weight = table.column(sample_weight, "sample_weight")
    return table.without(taken), labels, sample_weight
