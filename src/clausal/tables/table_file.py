"""Tables in files: CSV and Parquet, read and written, and the check of the files to write.

What a file holds shows in its first bytes, not in its name; what to write, in the name's ending. Writing over
an older result is normal; writing over an input never is. Not here: what columns mean (columns.py).
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import narwhals as nw
import numpy as np

from clausal.encoding.columns import number_text
from clausal.frames import BACKENDS, FrameBackend, make_frame
from clausal.tables.columns import RawColumn, Stored, read_column
from clausal.tables.csv_cells import CsvText, MissingTexts, format_csv, read_csv

STANDARD = "-"
"""Standard input or output, in place of a file's name."""


def check_outputs(outputs: Iterable[str | None], inputs: Iterable[str]) -> None:
    """Refuse outputs that are inputs, each other, folders, or in a folder that does not exist."""
    taken = {os.path.realpath(path): "is read by this command" for path in inputs if path != STANDARD}
    for path in outputs:
        if path is None or path == STANDARD:
            continue
        target = Path(os.path.realpath(path))
        if str(target) in taken:
            raise ValueError(f"{path} must not be written, as it {taken[str(target)]}.")
        if target.is_dir():
            raise ValueError(f"{path} must be a file to write. Got a folder.")
        if not target.parent.is_dir():
            raise ValueError(f"{path} must be in a folder that exists. Got none called {target.parent}.")
        taken[str(target)] = "is written twice by this command"


def write_bytes(path: str, content: bytes) -> None:
    """Write a file, or to standard output for `-`."""
    if path == STANDARD:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        Path(path).write_bytes(content)


_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"  # the first bytes of such files
_PARQUET_ENDINGS = (".parquet", ".pq")
_PARQUET_READERS: tuple[FrameBackend, ...] = ("polars", "pyarrow")  # pandas itself needs pyarrow
_INSTALL = 'install one with: pip install "clausal[all]"'

Added = Mapping[str, Sequence[Any]]


class TableFile(Protocol):
    """A table as its file has it."""

    names: tuple[str, ...]
    n_rows: int

    def column(self, name: str) -> RawColumn:
        """One column."""

    def write(self, path: str, added: Added) -> None:
        """Write the table, its columns as they were, with columns added; `-` is standard output."""


def read_table(path: str) -> TableFile:
    """Read a CSV or Parquet file, or CSV from standard input for `-`."""
    check_table_library()
    if path == STANDARD:
        return CsvTable(read_csv(sys.stdin.buffer, "Standard input"))
    with open(path, "rb") as file:
        start = file.read(4)
        file.seek(0)
        if start == _PARQUET:
            return _read_parquet(path)
        if not start.startswith(_GZIP):
            return CsvTable(read_csv(file, path))
        try:
            with gzip.open(file) as unpacked:
                return CsvTable(read_csv(unpacked, path))
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise ValueError(f"{path} is a damaged gzip file.") from None


def check_table_library() -> None:
    """Refuse to work without a table library, which carries columns and their names to the estimators."""
    if not any(find_spec(name) is not None for name in BACKENDS):
        raise ImportError(f"This command needs {' or '.join(BACKENDS)}. Got none of them; {_INSTALL}")


def is_parquet(path: str) -> bool:
    """Whether a file of this name is to be Parquet."""
    return path.lower().endswith(_PARQUET_ENDINGS)


class CsvTable:
    """A table of text."""

    def __init__(self, text: CsvText) -> None:
        self._text = text
        self.names = text.names
        self.n_rows = len(text.columns[0])

    def column(self, name: str) -> RawColumn:
        """One column."""
        return RawColumn(name, "cells", self._text.columns[self.names.index(name)])

    def write(self, path: str, added: Added) -> None:
        """Write the table with columns added: as CSV with the cells of the file, or as Parquet with types."""
        if is_parquet(path):
            typed = [read_column(self.column(name), MissingTexts()) for name in self.names]
            own = {column.name: _listed(column.values) for column in typed}
            nw.from_native(make_frame({**own, **added}), eager_only=True).write_parquet(path)
            return
        columns = [*self._text.columns, *([_cell(value) for value in values] for values in added.values())]
        rows = zip(*columns, strict=True)
        write_bytes(path, format_csv([*self.names, *added], rows, self._text.separator))


class ParquetTable:
    """A table whose columns have types."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self._frame = frame
        self.names = tuple(frame.columns)
        self.n_rows = len(frame)

    def column(self, name: str) -> RawColumn:
        """One column."""
        series = self._frame[name]
        stored = _stored(series.dtype)
        if stored == "number":
            missing = np.asarray(series.is_null().to_numpy(), bool)
            numbers = np.array(series.cast(nw.Float64).to_numpy(), np.float64)
            numbers[missing] = np.nan
            return RawColumn(name, stored, numbers)
        return RawColumn(name, stored, series.to_list())

    def write(self, path: str, added: Added) -> None:
        """Write the table with columns added."""
        backend = self._frame.implementation
        frame = self._frame.with_columns(
            *(nw.new_series(name, list(values), backend=backend) for name, values in added.items())
        )
        if is_parquet(path):
            frame.write_parquet(path)
        else:
            write_bytes(path, frame.write_csv().encode("utf-8"))


def _read_parquet(path: str) -> ParquetTable:
    backend = next((name for name in _PARQUET_READERS if find_spec(name) is not None), None)
    if backend is None:
        raise ImportError(f"Parquet needs {' or '.join(_PARQUET_READERS)}. Got neither; {_INSTALL}")
    try:
        frame: nw.DataFrame[Any] = nw.read_parquet(path, backend=backend)
    except Exception as error:  # each library has its own kinds of error
        raise ValueError(f"{path} is a damaged Parquet file: {error}") from None
    if not len(frame) or not frame.columns:
        raise ValueError(f"{path} must have at least one row and one column. Got {frame.shape}.")
    return ParquetTable(frame)


def _stored(dtype: Any) -> Stored:
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        return "text"
    return "date" if dtype.is_temporal() else "other"


def _listed(values: Any) -> list[Any]:
    """Plain values, whole numbers as int where all are, None where missing."""
    if not isinstance(values, np.ndarray):
        return list(values)
    present = values[~np.isnan(values)]
    whole = bool((present == np.rint(present)).all()) and bool((np.abs(present) < 2**53).all())
    return [None if value != value else int(value) if whole else value for value in values.tolist()]


def _cell(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
