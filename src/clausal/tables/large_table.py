"""Parquet files that are read in batches (encoding/stream.py): for training, and for prediction to a file.

Columns have the types of the file, as in Python. Not here: files that are read at once (table_file.py), the
types of their columns (columns.py).
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.encoding.stream import StreamedTable, open_parquet
from clausal.frames import not_installed
from clausal.tables.columns import MissingTexts, RawColumn, to_texts
from clausal.tables.table_file import STANDARD, ParquetTable, check_cells, is_parquet
from clausal.tables.training_table import (
    MAX_CLASSES,
    Reading,
    TrainingTable,
    check_classes,
    check_target,
    labels_of,
    with_positive,
)

LARGE = 5_000_000
"""A Parquet file with at most this number of values is read at once."""


def open_large(paths: Sequence[str], show_progress: bool = False) -> StreamedTable | None:
    """The table of several paths, a folder, a pattern or a large Parquet file; None for any other file."""
    if len(paths) == 1 and not _is_large(paths[0]):
        return None
    if find_spec("pyarrow") is None:
        raise not_installed("Reading a folder or several files", "pyarrow", "pyarrow")
    table = open_parquet(paths, show_progress)
    if not table.n_rows or not table.names:
        raise ValueError(f"{', '.join(paths)} must have at least one row and one column. Got {table.shape}.")
    return table


def _is_large(path: str) -> bool:
    if os.path.isdir(path) or (glob.has_magic(path) and not os.path.exists(path)):
        return True
    if os.path.isfile(path) and find_spec("pyarrow") is not None:
        unreadable = (import_module("pyarrow").ArrowException, ValueError, OSError)
        with suppress(*unreadable):  # not a Parquet file, a damaged one, or of a type that pyarrow lacks
            found = import_module("pyarrow.parquet").read_metadata(path)
            return bool(found.num_rows * found.num_columns > LARGE)
    return False


# --- training ---


def read_large_table(table: StreamedTable, reading: Reading) -> TrainingTable:
    """The labeled rows, which stay where they are, and their labels."""
    check_target(reading, table.names)
    if reading.of_numbers:
        raise ValueError(
            "A table with numbers to predict must be one file that is read at once, on the command line; in "
            "Python, RuleRegressor reads batches, too. Got a table that is read in batches."
        )
    missing = MissingTexts(reading.missing)
    distinct, codes = _distinct_labels(table, reading.target)
    labels = labels_of(distinct, missing)
    pos_label = None
    if reading.positive is not None:
        labels, pos_label = with_positive(labels, reading.positive, reading.target)
    known = [label for label in labels if label is not None]
    has_label = np.array([label is not None for label in labels])[codes]
    n_unlabeled = int((~has_label).sum())
    check_classes(known, reading.target, n_unlabeled)
    X = table.without([reading.target, *reading.drop])
    if not X.names:
        raise ValueError(f"The table must have a usable column besides {reading.target!r}. Got none.")
    X = X if has_label.all() else X.rows(has_label)
    if reading.missing or reading.categorical:
        X = X.changed(partial(_with_texts, missing, frozenset(reading.categorical)))
    y = np.array([known[0] if label is None else label for label in labels])[codes[has_label]]
    return TrainingTable((), X, y, reading.target, n_unlabeled, pos_label)


def _distinct_labels(table: StreamedTable, target: str) -> tuple[RawColumn, NDArray[np.int32]]:
    """The distinct values of a column, and the place of each row's value among them."""
    import pyarrow as pa

    places: dict[Any, int] = {}
    parts: list[NDArray[np.int32]] = []
    for frame in table.select([target]).frames(f"reading {target}"):
        column = frame[target]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        encoded = column.combine_chunks().dictionary_encode("encode")
        own = [places.setdefault(value, len(places)) for value in encoded.dictionary.to_pylist()]
        parts.append(np.array(own, np.int32)[encoded.indices.to_numpy(zero_copy_only=False)])
        if len(places) > 100 * MAX_CLASSES:
            break  # an error follows from those seen
    values = pa.table({target: pa.array(list(places), column.type)})
    return ParquetTable(nw.from_native(values, eager_only=True)).column(target), np.concatenate(parts)


def _with_texts(missing: MissingTexts, categorical: frozenset[str], frame: Any) -> Any:
    """A batch in which listed texts are missing and listed columns are categories."""
    read = nw.from_native(frame, eager_only=True)
    file, texts, orders = ParquetTable(read), [], {}
    for name, dtype in read.schema.items():
        is_category = name in categorical or isinstance(dtype, (nw.Categorical, nw.Enum))
        if not is_category and dtype != nw.String:
            continue
        raw = file.column(name)
        cells = to_texts(raw, missing)
        texts.append(nw.new_series(name, cells, nw.String, backend=read.implementation))
        if is_category:
            order = to_texts(RawColumn(name, raw.stored, raw.order), missing)
            orders[name] = [text for text in order if text is not None]
    return _with_categories(read.with_columns(*texts).to_native(), orders)


def _with_categories(frame: Any, orders: Mapping[str, Sequence[str]]) -> Any:
    """The data frame with a categorical type of these columns, so that no text of them is taken for an ID.

    A column with an order of its categories keeps it.
    """
    read = nw.from_native(frame, eager_only=True)
    return read.with_columns(*(_categorical(read[name], order) for name, order in orders.items())).to_native()


def _categorical(series: nw.Series[Any], order: Sequence[str]) -> nw.Series[Any]:
    if not order:
        return series.cast(nw.Categorical)
    if not series.implementation.is_pyarrow():
        return series.cast(nw.Enum(order))
    pa: Any = import_module("pyarrow")
    places = {text: place for place, text in enumerate(order)}
    codes = pa.array([places.get(text) for text in series.to_list()], pa.int32())
    array = pa.DictionaryArray.from_arrays(codes, list(order), ordered=True)
    ordered: nw.Series[Any] = nw.from_native(pa.chunked_array([array]), series_only=True)
    return ordered.alias(series.name)


class HeldOut(NamedTuple):
    """Rows for training and for evaluation; the latter are in memory."""

    X_train: StreamedTable
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]


MOST_HELD_OUT = 100_000


def hold_out(table: TrainingTable, test: NDArray[np.integer]) -> HeldOut:
    """The rows at these positions, in this order, apart from the others."""
    is_test = np.zeros(len(table.y), bool)
    is_test[test] = True
    frames = [nw.from_native(frame, eager_only=True) for frame in table.X.rows(is_test).frames("holding out")]
    X_test = nw.concat(frames)[np.argsort(np.argsort(test)).tolist()].to_native()
    return HeldOut(table.X.rows(~is_test), table.y[~is_test], X_test, table.y[test])


# --- prediction ---


def write_batches(path: str, table: StreamedTable, change: Callable[[ParquetTable], ParquetTable]) -> None:
    """Write `change(batch)` of each batch to a file, which is there when all are written; `-`: as CSV."""
    frames = (
        change(ParquetTable(nw.from_native(frame, eager_only=True))).frame
        for frame in table.frames("predicting")
    )
    if path == STANDARD:
        _write_csv(sys.stdout.buffer, frames)
        sys.stdout.buffer.flush()
        return
    with _replaced(path) as part:
        if is_parquet(path):
            _write_parquet(part, frames)
        else:
            with part.open("wb") as file:
                _write_csv(file, frames)


@contextmanager
def _replaced(path: str) -> Iterator[Path]:
    """A file that takes the name `path` if nothing fails."""
    part = Path(f"{path}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _write_parquet(path: Path, frames: Iterable[nw.DataFrame[Any]]) -> None:
    writer = None
    try:
        for frame in frames:
            arrow = frame.to_arrow()
            if writer is None:
                writer = import_module("pyarrow.parquet").ParquetWriter(path, arrow.schema)
            writer.write_table(arrow)
    finally:
        if writer is not None:
            writer.close()


def _write_csv(file: IO[bytes], frames: Iterable[nw.DataFrame[Any]]) -> None:
    """The frames as one CSV file, as polars writes it, if it is installed."""
    header = b""
    for frame in frames:
        check_cells(frame)
        read = nw.from_arrow(frame, backend="polars") if find_spec("polars") is not None else frame
        content = read.write_csv().encode("utf-8")
        file.write(content.removeprefix(header))
        header = header or read.head(0).write_csv().encode("utf-8")
