"""Tables in files: reading and writing CSV and Parquet, and checks of output paths.

The format of an input file follows from its first bytes, the format of an output file from the ending of its
name. An older result may be overwritten, an input never. CSV cells are kept exactly as in the file; Python's
own reader reads them, so that they do not depend on the installed table library. Not here: the types of
columns, and which cells are missing (columns.py).
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import IO, Any, Protocol

import narwhals as nw
import numpy as np

from clausal.encoding.columns import number_text
from clausal.encoding.texts import arrow_order
from clausal.encoding.values import EXACT_INTEGERS
from clausal.frames import FrameBackend, make_frame, not_installed
from clausal.tables.columns import MissingTexts, RawColumn, Stored, read_column

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

Added = Mapping[str, Sequence[Any]]


class TableFile(Protocol):
    """A table in a file."""

    names: tuple[str, ...]
    n_rows: int

    def column(self, name: str) -> RawColumn:
        """One column."""

    def write(self, path: str, added: Added, missing: MissingTexts) -> None:
        """Write the table with added columns; `-` is standard output. `missing`: texts without a number."""


def read_table(path: str) -> TableFile:
    """Read a CSV or Parquet file, or CSV from standard input for `-`."""
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


def is_parquet(path: str) -> bool:
    """Whether the ending of a path is that of a Parquet file."""
    return path.lower().endswith(_PARQUET_ENDINGS)


# --- CSV ---

_SEPARATORS = (",", ";", "\t", "|")
_MAX_CELL_LENGTH = 2**24
_MAX_SHARED = 10_000  # distinct texts per column that equal cells share, to save memory


@dataclass(frozen=True, eq=False)
class CsvText:
    """The content of a CSV file.

    Attributes
    ----------
    names : from the first line
    columns : list[str] [n] for each name
    separator : the character between cells
    """

    names: tuple[str, ...]
    columns: tuple[list[str], ...]
    separator: str


def read_csv(stream: IO[bytes] | gzip.GzipFile, source: str) -> CsvText:
    """Read a CSV file; error messages call it `source`."""
    csv.field_size_limit(_MAX_CELL_LENGTH)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        lines = _lines(text, source)
        first = next((line for line in lines if line.strip()), "")
        separator = _separator(first)
        rows = csv.reader(_tight(chain([first], lines), separator), delimiter=separator, strict=True)
        names = tuple(name.strip() for name in next(rows, []))
        columns = _read_columns(rows, len(names), source)
    except csv.Error as error:
        raise ValueError(f"{source} is not valid CSV: {error}.") from None
    except UnicodeDecodeError:
        raise _not_text(source) from None
    finally:
        text.detach()  # so that the stream is not closed
    if not names or not columns[0]:
        got = "a header only" if names else "an empty file"
        raise ValueError(f"{source} must have a header and at least one row. Got {got}.")
    repeated = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if repeated is not None:
        raise ValueError(f"{source} must have distinct column names. Got {repeated!r} more than once.")
    return CsvText(names, columns, separator)


def format_csv(names: Sequence[str], rows: Iterable[Sequence[str]], separator: str = ",") -> bytes:
    """The bytes of a CSV file in UTF-8; lines end with a newline."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8")


def _read_columns(rows: Iterator[list[str]], n_cells: int, source: str) -> tuple[list[str], ...]:
    columns: tuple[list[str], ...] = tuple([] for _ in range(n_cells))
    shared: tuple[dict[str, str], ...] = tuple({} for _ in range(n_cells))
    for number, row in enumerate(rows, 1):
        if not row and n_cells > 1:  # a blank line, which in a table of one column is an empty cell
            continue
        row = row or [""]
        if len(row) != n_cells:
            raise ValueError(
                f"{source} must have as many cells in every row as in its header, {n_cells}. "
                f"Got {len(row)} in row {number}."
            )
        for column, texts, cell in zip(columns, shared, row, strict=True):
            known = texts.get(cell)
            if known is None:
                known = cell
                if len(texts) < _MAX_SHARED:
                    texts[cell] = cell
            column.append(known)
    return columns


def _lines(stream: Iterable[str], source: str) -> Iterator[str]:
    for line in stream:
        if "\0" in line:
            raise _not_text(source)
        yield line


_CLOSING = re.compile(r'[^"]*(?:""[^"]*)*"(?!")')


def _tight(lines: Iterable[str], separator: str) -> Iterator[str]:
    """The lines without blanks before the opening quote of a cell, which would make the quote a character."""
    opening = re.compile(rf'(?:^|{re.escape(separator)})( *)"')
    quoted = False
    for line in lines:
        kept, place = [], 0
        while found := (_CLOSING.match if quoted else opening.search)(line, place):
            blanks = (found.end(), found.end()) if quoted else found.span(1)
            kept += [line[place : blanks[0]], line[blanks[1] : found.end()]]
            place, quoted = found.end(), not quoted
        yield "".join([*kept, line[place:]]) if kept else line


def _not_text(source: str) -> ValueError:
    return ValueError(f"{source} must be Parquet, or CSV in UTF-8. Got other bytes.")


def _separator(line: str) -> str:
    """The separator that splits the first line into the most cells; the comma on a tie."""
    return max(_SEPARATORS, key=lambda separator: len(next(csv.reader([line], delimiter=separator), [])))


class CsvTable:
    """A table of text cells."""

    def __init__(self, text: CsvText) -> None:
        self._text = text
        self.names = text.names
        self.n_rows = len(text.columns[0])

    def column(self, name: str) -> RawColumn:
        """One column."""
        return RawColumn(name, "cells", self._text.columns[self.names.index(name)])

    def write(self, path: str, added: Added, missing: MissingTexts) -> None:
        """Write the table with added columns: as CSV with the original cells, or as Parquet with types."""
        if is_parquet(path):
            own = {name: _typed(self.column(name), missing) for name in self.names}
            frame = make_frame({**own, **added}, _parquet_library())
            nw.from_native(frame, eager_only=True).write_parquet(path)
            return
        columns = [*self._text.columns, *([_cell(value) for value in values] for values in added.values())]
        rows = zip(*columns, strict=True)
        write_bytes(path, format_csv([*self.names, *added], rows, self._text.separator))


# --- Parquet ---


class ParquetTable:
    """A table with typed columns.

    Attributes
    ----------
    frame : the table
    """

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self.frame = frame
        self.names = tuple(frame.columns)
        self.n_rows = len(frame)

    def column(self, name: str) -> RawColumn:
        """One column."""
        series = self.frame[name]
        stored = _stored(series.dtype)
        if series.dtype.is_integer() and _has_codes(series):  # as in CSV, digits are a code
            return RawColumn(name, "text", [None if cell is None else str(cell) for cell in series.to_list()])
        if stored == "number":
            missing = np.asarray(series.is_null().to_numpy(), bool)
            single = series.dtype == nw.Float32
            numbers = np.array(series.to_numpy() if single else series.cast(nw.Float64).to_numpy())
            numbers[missing] = np.nan
            return RawColumn(name, stored, numbers)
        return RawColumn(name, stored, series.to_list(), _order(series))

    def write(self, path: str, added: Added, missing: MissingTexts) -> None:
        """Write the table with added columns."""
        frame = self.with_added(added).frame
        if is_parquet(path):
            frame.write_parquet(path)
        else:
            check_cells(self.frame)
            write_bytes(path, frame.write_csv().encode("utf-8"))

    def with_added(self, added: Added) -> ParquetTable:
        """The table with added columns."""
        backend = self.frame.implementation
        columns = (nw.new_series(name, list(values), backend=backend) for name, values in added.items())
        return ParquetTable(self.frame.with_columns(*columns))


def _read_parquet(path: str) -> ParquetTable:
    backend = _parquet_library(pyarrow_first=_has_pandas_order(path))
    try:
        frame: nw.DataFrame[Any] = nw.read_parquet(path, backend=backend)
    except Exception as error:  # each library has its own exceptions
        raise ValueError(f"{path} is a damaged Parquet file: {error}") from None
    if not len(frame) or not frame.columns:
        raise ValueError(f"{path} must have at least one row and one column. Got {frame.shape}.")
    return ParquetTable(frame)


def _parquet_library(pyarrow_first: bool = False) -> FrameBackend:
    readers = reversed(_PARQUET_READERS) if pyarrow_first else _PARQUET_READERS
    for name in readers:
        if find_spec(name) is not None:
            return name
    raise not_installed("Parquet", " or ".join(_PARQUET_READERS), "polars")


def _has_pandas_order(path: str) -> bool:
    """Whether pandas says in the last part of the file that categories are ordered; polars ignores that."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 8, 0))
        length = int.from_bytes(file.read(4), "little")
        file.seek(max(size - 8 - length, 0))
        return b'"ordered": true' in file.read()


def _has_codes(series: nw.Series[Any]) -> bool:
    """Whether there are integers that float64 would round."""
    ends = (series.min(), series.max())
    return any(end is not None and abs(int(end)) >= EXACT_INTEGERS for end in ends)


def _order(series: nw.Series[Any]) -> Sequence[Any]:
    """All categories in their order; nothing if they have none."""
    if isinstance(series.dtype, nw.Enum):
        return tuple(series.dtype.categories)
    return (arrow_order(series.name, series) or ()) if series.dtype == nw.Categorical else ()


def check_cells(frame: nw.DataFrame[Any]) -> None:
    """Raise ValueError if the table has values that CSV cannot hold."""
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (nw.Binary, nw.Object):
            raise ValueError(
                f"Column {name!r} must hold single values to be written as CSV. Got {dtype}; write Parquet "
                "instead, to a file whose name ends with .parquet."
            )


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


def _typed(raw: RawColumn, missing: MissingTexts) -> list[Any]:
    """The cells as numbers or booleans, None if missing, or else as they are, None if empty."""
    column = read_column(raw, missing)
    if column.kind in ("number", "boolean"):
        return _listed(column.values)
    return [cell or None for cell in raw.values]


def _listed(values: Any) -> list[Any]:
    """A list of Python values, int if all numbers are integers, None if missing."""
    if not isinstance(values, np.ndarray):
        return list(values)
    present = values[~np.isnan(values)]
    integers = bool((present == np.rint(present)).all()) and bool((np.abs(present) < 2**53).all())
    return [None if value != value else int(value) if integers else value for value in values.tolist()]


def _cell(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
