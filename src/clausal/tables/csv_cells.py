"""CSV text and its cells: a stream of bytes to columns of cells and back, and what a cell of text means.

A cell is missing, a number, a boolean, a date or a code. Cells stay the very texts of the file. Python's own
reader serves, so that a file reads the same whichever table library is installed. Not here: what a whole
column is (columns.py), Parquet (table_file.py).
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from gzip import GzipFile
from itertools import chain
from typing import IO

USUAL_MISSING = ("?", "NA", "N/A", "nan", "null")

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PADDED = re.compile(r"[+-]?0[0-9]+")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_TIME = r"(?:[T ][0-9]{1,2}:[0-9]{2}.*)?"
_DATE = re.compile(
    rf"[0-9]{{4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,2}}{_TIME}|[0-9]{{1,2}}([-/.])[0-9]{{1,2}}\2[0-9]{{2,4}}{_TIME}"
)
_BOOLEANS = {"true": True, "false": False}
_BITS = {**_BOOLEANS, "1": True, "0": False}
_EXACT = 2**53  # whole numbers from here on are codes: float64 cannot tell them apart


class MissingTexts:
    """The texts that stand for a missing value, in any case; the empty one always does.

    Parameters
    ----------
    texts : iterable of str
        In place of the usual ones; none given stands for these.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = {text.strip().casefold() for text in (tuple(texts) or USUAL_MISSING)} | {""}

    def __contains__(self, text: str) -> bool:
        return text.casefold() in self._texts


def parse_number(text: str) -> float | None:
    """The number that a text spells in full, or None."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def parse_boolean(text: str) -> bool | None:
    """True or False where a text spells one of them or is 1 or 0, or None."""
    return _BITS.get(text.casefold())


def spells_boolean(text: str) -> bool:
    """Whether a text is `true` or `false`, in any case."""
    return text.casefold() in _BOOLEANS


def is_code(text: str) -> bool:
    """Whether digits are a code: padded with zeros, such as 02134, or too many for an exact number."""
    return _PADDED.fullmatch(text) is not None or (
        _WHOLE.fullmatch(text) is not None and abs(int(text[:400])) >= _EXACT
    )


def is_date(text: str) -> bool:
    """Whether a text is a date, with or without a time."""
    return _DATE.fullmatch(text) is not None


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
