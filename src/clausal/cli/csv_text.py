"""CSV text: a stream of bytes to columns of cells, and back. The cells stay the very texts of the file.

Python's own reader serves, so that a file reads the same whichever table library is installed.
Not here: what a cell means (text_cells.py), Parquet (table_file.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from gzip import GzipFile
from itertools import chain
from typing import IO

_SEPARATORS = (",", ";", "\t", "|")
_MOST_CELL = 2**24  # characters in one cell
_MOST_SHARED = 10_000  # different texts of a column that are kept once for all their cells


@dataclass(frozen=True, eq=False)
class CsvText:
    """The content of a CSV file.

    Attributes
    ----------
    names : from the first line
    columns : list[str] [n] for each name
    separator : what stands between cells
    """

    names: tuple[str, ...]
    columns: tuple[list[str], ...]
    separator: str


def read_csv(stream: IO[bytes] | GzipFile, shown: str) -> CsvText:
    """Read a CSV file; errors call it `shown`."""
    csv.field_size_limit(_MOST_CELL)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        lines = _lines(text, shown)
        first = next((line for line in lines if line.strip()), "")
        separator = _separator(first)
        rows = csv.reader(chain([first], lines), delimiter=separator, skipinitialspace=True, strict=True)
        names = tuple(name.strip() for name in next(rows, []))
        columns = _read_columns(rows, len(names), shown)
    except csv.Error as error:
        raise ValueError(f"{shown} is not proper CSV: {error}.") from None
    except UnicodeDecodeError:
        raise _no_text(shown) from None
    finally:
        text.detach()  # the stream stays its owner's to close
    if not names or not columns[0]:
        got = "a header only" if names else "an empty file"
        raise ValueError(f"{shown} must have a header and at least one row. Got {got}.")
    repeated = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if repeated is not None:
        raise ValueError(f"{shown} must have columns of different names. Got {repeated!r} more than once.")
    return CsvText(names, columns, separator)


def format_csv(names: Sequence[str], rows: Iterable[Sequence[str]], separator: str = ",") -> bytes:
    """The bytes of a CSV file, in UTF-8 with lines that end in a newline."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8")


def _read_columns(rows: Iterator[list[str]], n_cells: int, shown: str) -> tuple[list[str], ...]:
    columns: tuple[list[str], ...] = tuple([] for _ in range(n_cells))
    shared: tuple[dict[str, str], ...] = tuple({} for _ in range(n_cells))
    for number, row in enumerate(rows, 1):
        if not row:  # a blank line is no row
            continue
        if len(row) != n_cells:
            raise ValueError(
                f"{shown} must have as many cells in every row as in its header, {n_cells}. "
                f"Got {len(row)} in row {number}."
            )
        for column, texts, cell in zip(columns, shared, row, strict=True):
            known = texts.get(cell)
            if known is None:
                known = cell
                if len(texts) < _MOST_SHARED:
                    texts[cell] = cell
            column.append(known)
    return columns


def _lines(stream: Iterable[str], shown: str) -> Iterator[str]:
    for line in stream:
        if "\0" in line:
            raise _no_text(shown)
        yield line


def _no_text(shown: str) -> ValueError:
    return ValueError(f"{shown} must be Parquet, or CSV in UTF-8. Got other bytes.")


def _separator(line: str) -> str:
    """Whichever mark splits the first line into the most parts, the comma on a tie."""
    return max(_SEPARATORS, key=lambda mark: len(next(csv.reader([line], delimiter=mark), [])))
