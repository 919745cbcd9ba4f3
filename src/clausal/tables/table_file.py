"""Tables in files: reading and writing CSV and Parquet, and checks of output paths.

The format of an input file follows from its first bytes, the format of an output file from the ending of its
name. An older result may be overwritten, an input never. Not here: the types of columns (columns.py).
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
"""Standard input or output, instead of the name of a file."""


def check_outputs(outputs: Iterable[str | None], inputs: Iterable[str]) -> None:
    """Raise ValueError if an output is an input, another output, a folder, or in a folder that is missing."""
    taken = {os.path.realpath(path): "is read by this command" for path in inputs if path != STANDARD}
    for path in outputs:
        if path is None or path == STANDARD:
            continue
        target = Path(os.path.realpath(path))
        if str(target) in taken:
            raise ValueError(f"{path} must not be an output, because it {taken[str(target)]}.")
        if target.is_dir():
            raise ValueError(f"{path} must be a file. Got a folder.")
        if not target.parent.is_dir():
            raise ValueError(f"{path} must be in an existing folder. Got {target.parent}.")
        taken[str(target)] = "is written twice by this command"


def write_bytes(path: str, content: bytes) -> None:
    """Write a file, or to standard output for `-`."""
    if path == STANDARD:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        Path(path).write_bytes(content)


_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"  # the first bytes of these files
_PARQUET_ENDINGS = (".parquet", ".pq")
_PARQUET_READERS: tuple[FrameBackend, ...] = ("polars", "pyarrow")  # pandas itself needs pyarrow
_INSTALL = 'install one with: pip install "clausal[all]"'

Added = Mapping[str, Sequence[Any]]


class TableFile(Protocol):
    """A table in a file."""

    names: tuple[str, ...]
    n_rows: int

    def column(self, name: str) -> RawColumn:
        """One column."""

    def write(self, path: str, added: Added) -> None:
        """Write the table with added columns; `-` is standard output."""


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
            with gzip.open(file) as unzipped:
                return CsvTable(read_csv(unzipped, path))
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise ValueError(f"{path} is a damaged gzip file.") from None


def check_table_library() -> None:
    """Raise ImportError if no table library is installed; the estimators need one for named columns."""
    if not any(find_spec(name) is not None for name in BACKENDS):
        raise ImportError(
            f"This command needs {' or '.join(BACKENDS)}. None of them is installed; {_INSTALL}"
        )


def is_parquet(path: str) -> bool:
    """Whether the ending of a path is that of a Parquet file."""
    return path.lower().endswith(_PARQUET_ENDINGS)


class CsvTable:
    """A table of text cells."""

    def __init__(self, text: CsvText) -> None:
        self._text = text
        self.names = text.names
        self.n_rows = len(text.columns[0])

    def column(self, name: str) -> RawColumn:
        """One column."""
        return RawColumn(name, "cells", self._text.columns[self.names.index(name)])

    def write(self, path: str, added: Added) -> None:
        """Write the table with added columns: as CSV with the original cells, or as Parquet with types."""
        if is_parquet(path):
            typed = [read_column(self.column(name), MissingTexts()) for name in self.names]
            own = {column.name: _listed(column.values) for column in typed}
            nw.from_native(make_frame({**own, **added}), eager_only=True).write_parquet(path)
            return
        columns = [*self._text.columns, *([_cell(value) for value in values] for values in added.values())]
        rows = zip(*columns, strict=True)
        write_bytes(path, format_csv([*self.names, *added], rows, self._text.separator))


class ParquetTable:
    """A table with typed columns."""

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
        """Write the table with added columns."""
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
        raise ImportError(f"Parquet needs {' or '.join(_PARQUET_READERS)}. Neither is installed; {_INSTALL}")
    try:
        frame: nw.DataFrame[Any] = nw.read_parquet(path, backend=backend)
    except Exception as error:  # each library has its own exceptions
        raise ValueError(f"{path} is a damaged Parquet file: {error}") from None
    if not len(frame) or not frame.columns:
        raise ValueError(f"{path} must have at least one row and one column. Got {frame.shape}.")
    return ParquetTable(frame)


def _stored(dtype: Any) -> Stored:
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        return "category"
    if dtype == nw.String:
        return "text"
    return "date" if dtype.is_temporal() else "other"


def _listed(values: Any) -> list[Any]:
    """A list of Python values, int if all numbers are integers, None if missing."""
    if not isinstance(values, np.ndarray):
        return list(values)
    present = values[~np.isnan(values)]
    integers = bool((present == np.rint(present)).all()) and bool((np.abs(present) < 2**53).all())
    return [None if value != value else int(value) if integers else value for value in values.tolist()]


def _cell(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
