"""CSV files: reading and writing columns of text cells; which cells are missing, and which are booleans.

Cells are kept exactly as in the file. Python's own CSV reader is used, so that the result does not depend on
the installed table library. Not here: which text is a number or a code (encoding/number_texts.py) or a date
(encoding/remarks.py), the type of a column (columns.py), Parquet (table_file.py).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from gzip import GzipFile
from itertools import chain
from typing import IO

from clausal.encoding.values import USUAL_MISSING

_BOOLEANS = {"true": True, "false": False}
_BITS = {**_BOOLEANS, "1": True, "0": False}


class MissingTexts:
    """The texts that mean a missing value, in upper or lower case. The empty text always does.

    Parameters
    ----------
    texts : iterable of str
        Used instead of the usual ones, if there are any.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        given = tuple(texts)
        self._texts = {text.strip().casefold() for text in (given or USUAL_MISSING)} | {""}
        self._given = {text.strip().casefold() for text in given}

    def __contains__(self, text: str) -> bool:
        return text.casefold() in self._texts

    def declares(self, text: str) -> bool:
        """Whether the user has listed the text: in a file with types, no other text is missing."""
        return text.strip().casefold() in self._given


def parse_boolean(text: str) -> bool | None:
    """The boolean that a text represents (true, false, 1 or 0), or None."""
    return _BITS.get(text.casefold())


def spells_boolean(text: str) -> bool:
    """Whether a text is `true` or `false`, in upper or lower case."""
    return text.casefold() in _BOOLEANS


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


def read_csv(stream: IO[bytes] | GzipFile, source: str) -> CsvText:
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
