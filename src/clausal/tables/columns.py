"""A column of a file as numbers, categories or booleans: as asked for, or as guessed from all of its cells.

Guessing looks at the distinct cells only and needs no table library, so that it never depends on one. A
column of numbers that a few cells spoil is refused with those cells, their rows and the way out: without
that, one `unknown` would turn it into categories, or into an id that is left out. Not here: single cells
(csv_cells.py), files (table_file.py).
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import category_text, name_text, number_text
from clausal.tables.csv_cells import (
    USUAL_MISSING,
    MissingTexts,
    is_code,
    is_date,
    parse_boolean,
    parse_number,
    spells_boolean,
)

Stored = Literal["cells", "text", "number", "boolean", "date", "other"]
Kind = Literal["number", "category", "boolean", "date", "other", "empty"]

_FEW_ROWS = 20  # too few to call a column an id
_ID_SHARE = 0.9  # of the values are different in an id
_NUMBER_SHARE = 0.5  # of the values are numbers where the others are worth a warning


@dataclass(frozen=True, eq=False)
class RawColumn:
    """A column as the file has it.

    Attributes
    ----------
    name : str
    stored : "cells" are text of a CSV file, whose meaning is open; the others are types of a Parquet file
    values : n cells; None, or NaN for numbers, where the file has none
    """

    name: str
    stored: Stored
    values: Sequence[Any] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Column:
    """A column whose meaning is known.

    Attributes
    ----------
    name, kind : its name, and what its values are
    values : float64 with NaN, or a list of str, of bool or of whatever else, with None for missing ones
    n_missing, n_distinct : int
    example : the most frequent value, as printed
    stray : the most frequent value that is no number, in a category most of whose values are; else None
    forced : whether the user asked for a category
    """

    name: str
    kind: Kind
    values: Sequence[Any] | NDArray[np.float64]
    n_missing: int
    n_distinct: int
    example: str
    stray: str | None = None
    forced: bool = False

    @property
    def left_out(self) -> str | None:
        """Why the column is of no use as a feature, or None."""
        n_present = len(self.values) - self.n_missing
        if self.kind == "date":
            return "dates; make numbers of them, such as an age or a month, to use them"
        if self.kind == "other":
            return "neither numbers nor text"
        if self.n_distinct <= 1 and not (self.n_missing and n_present):
            return "no value at all" if self.kind == "empty" else "the same value in every row"
        many = n_present >= _FEW_ROWS and self.n_distinct > _ID_SHARE * n_present
        if self.kind == "category" and many and not self.forced:
            return "text that differs from row to row, like an id"
        return None

    @property
    def is_row_number(self) -> bool:
        """Whether these are the numbers 0, 1, 2, ... or such, one per row."""
        n_rows = len(self.values)
        if self.kind != "number" or self.n_missing or n_rows < _FEW_ROWS or self.n_distinct != n_rows:
            return False
        numbers = np.asarray(self.values, np.float64)
        return bool((numbers == np.rint(numbers)).all() and np.ptp(numbers) == n_rows - 1)


# --- as asked for ---


def to_numbers(raw: RawColumn, missing: MissingTexts) -> NDArray[np.float64]:
    """The values as numbers, NaN where missing; ValueError where one is none."""
    if raw.stored == "number":
        return np.asarray(raw.values, np.float64)
    found = _converted(raw, missing, parse_number, "numbers")
    return np.array([np.nan if value is None else value for value in found], np.float64)


def to_booleans(raw: RawColumn, missing: MissingTexts) -> list[bool | None]:
    """The values as booleans, None where missing; ValueError where one is none."""
    return _converted(raw, missing, parse_boolean, "true or false, or 1 or 0")


def to_texts(raw: RawColumn, missing: MissingTexts, known: Collection[Any] = ()) -> list[str | None]:
    """The values as texts, None where missing; `known` ones are never taken for missing."""
    _refuse_other_types(raw, "text, numbers or booleans")
    cells = raw.values.tolist() if isinstance(raw.values, np.ndarray) else raw.values
    meaning = {cell: _text(cell, missing, known) for cell in set(cells)}
    return [meaning[cell] for cell in cells]


def _converted(
    raw: RawColumn, missing: MissingTexts, parse: Callable[[str], Any], wanted: str
) -> list[Any | None]:
    _refuse_other_types(raw, wanted)
    texts = to_texts(raw, missing)
    meaning = {text: parse(text) for text in set(texts) if text is not None}
    wrong = {text for text, value in meaning.items() if value is None}
    if wrong:
        row = next(row for row, text in enumerate(texts, 1) if text in wrong)
        raise ValueError(f"Column {raw.name!r} must hold {wanted}. Got {texts[row - 1]!r} in row {row}.")
    return [None if text is None else meaning[text] for text in texts]


def _refuse_other_types(raw: RawColumn, wanted: str) -> None:
    if raw.stored in ("date", "other"):
        got = "dates" if raw.stored == "date" else "values of another type"
        raise ValueError(f"Column {raw.name!r} must hold {wanted}. Got {got}.")


def _text(cell: Any, missing: MissingTexts, known: Collection[Any]) -> str | None:
    if cell is None or cell != cell:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, str):
        return number_text(cell)
    text = cell.strip()
    return None if text in missing and text not in known else text


# --- guessed ---


def read_column(raw: RawColumn, missing: MissingTexts, as_category: bool = False) -> Column:
    """The column as what it seems to be, or as a category if asked for."""
    if raw.stored in ("date", "other"):
        return Column(raw.name, raw.stored, raw.values, 0, 0, "")
    if raw.stored == "number" and not as_category:
        return _number_column(raw.name, to_numbers(raw, missing))
    texts = to_texts(raw, missing)
    counts = Counter(text for text in texts if text is not None)
    kind: Kind = "empty" if not counts else "category" if as_category else _kind(raw.stored, counts)
    if kind == "number":
        return _number_column(raw.name, to_numbers(raw, missing))
    values: Sequence[Any] = to_booleans(raw, missing) if kind == "boolean" else texts
    example = category_text(counts.most_common(1)[0][0]) if counts else ""
    stray = _stray(counts) if kind == "category" and raw.stored == "cells" and not as_category else None
    n_distinct = len({text.casefold() for text in counts}) if kind == "boolean" else len(counts)
    return Column(raw.name, kind, values, texts.count(None), n_distinct, example, stray, as_category)


def _kind(stored: Stored, counts: Counter[str]) -> Kind:
    if stored == "boolean":
        return "boolean"
    if all(map(is_date, counts)):
        return "date"
    if stored == "text":
        return "category"
    if all(map(spells_boolean, counts)):
        return "boolean"
    numbers = all(parse_number(text) is not None for text in counts)
    return "number" if numbers and not any(map(is_code, counts)) else "category"


def _number_column(name: str, numbers: NDArray[np.float64]) -> Column:
    missing = np.isnan(numbers)
    distinct, counts = np.unique(numbers[~missing], return_counts=True)
    example = number_text(distinct[counts.argmax()]) if len(distinct) else ""
    kind: Kind = "number" if len(distinct) else "empty"
    return Column(name, kind, numbers, int(missing.sum()), len(distinct), example)


def _stray(counts: Counter[str]) -> str | None:
    """The most frequent text that is no number where most are."""
    others = Counter({text: count for text, count in counts.items() if parse_number(text) is None})
    if not others or others.total() > (1 - _NUMBER_SHARE) * counts.total():
        return None
    return others.most_common(1)[0][0]


def shown_names(names: Collection[str]) -> str:
    """Names of columns, for a sentence; a few of them where there are many."""
    listed = ", ".join(name_text(name) for name in list(names)[:12])
    return f"{listed} and {len(names) - 12} more" if len(names) > 12 else listed


# --- names ---


def check_name(name: str, names: Sequence[str]) -> None:
    """Refuse a column that the table does not have."""
    if name in names:
        return
    near = get_close_matches(name, names, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"The table has no column {name!r}. Its columns are {shown_names(names)}.{hint}")


_SHARE = 0.8  # of the cells are numbers in a column of numbers
_SHOWN_CELLS = 3
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_COMMA = re.compile(r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]*),[0-9]+")

Cell = tuple[int, str]
"""A row of the file, from 1, and the text in it."""


def check_numbers(
    raws: Iterable[RawColumn], rows: Sequence[int], missing: MissingTexts, sure: Iterable[str]
) -> None:
    """Refuse columns most of whose cells are numbers and some are not.

    Parameters
    ----------
    raws : the columns, as the file has them
    rows : the places, from 0, of the rows that count
    missing : texts that stand for a missing value
    sure : names of columns that are categories whatever they hold
    """
    settled = set(sure)
    broken = {
        raw.name: cells
        for raw in raws
        if raw.stored == "cells" and raw.name not in settled and (cells := _spoilers(raw, rows, missing))
    }
    if not broken:
        return
    name, cells = next(iter(broken.items()))
    others = list(broken)[1:]
    more = f" Such cells are also in {shown_names(others)}." if others else ""
    raise ValueError(f"{_complaint(name, cells)} {_advice(name, cells)}{more}")


def plain_number(text: str) -> str | None:
    """What to write for a number with a percent sign or commas, or None where the text is none of these."""
    bare = text.removesuffix("%").rstrip()
    if _THOUSANDS.fullmatch(bare):
        bare = bare.replace(",", "")
    elif _COMMA.fullmatch(bare):
        bare = bare.replace(".", "").replace(",", ".")
    return bare if bare != text and parse_number(bare) is not None else None


def _spoilers(raw: RawColumn, rows: Sequence[int], missing: MissingTexts) -> list[Cell]:
    """The cells that are no numbers, in a column where at least `_SHARE` are, give or take their spelling."""
    texts = to_texts(raw, missing)
    cells = [(row + 1, text) for row in rows if (text := texts[row]) is not None]
    distinct = {text for _, text in cells}
    wrong = {text for text in distinct if parse_number(text) is None}
    if not wrong or any(map(is_code, distinct)) or all(map(is_date, distinct)):
        return []
    hopeless = {text for text in wrong if plain_number(text) is None}
    if sum(text not in hopeless for _, text in cells) < _SHARE * len(cells):
        return []
    return [cell for cell in cells if cell[1] in wrong]


def _complaint(name: str, cells: Sequence[Cell]) -> str:
    listed = ", ".join(f"{text!r} in row {row}" for row, text in cells[:_SHOWN_CELLS])
    more = f" and {len(cells) - _SHOWN_CELLS:,} more" if len(cells) > _SHOWN_CELLS else ""
    rule = f"Column {name!r} must hold numbers throughout, as most of its cells look like some."
    return f"{rule} Got {listed}{more}."


def _advice(name: str, cells: Sequence[Cell]) -> str:
    """How to write the cells that can be numbers, how to name those that cannot, and the ways around."""
    ways = []
    texts = list(dict.fromkeys(text for _, text in cells))
    spelled = next(((text, plain) for text in texts if (plain := plain_number(text))), None)
    if spelled is not None:
        point = ", with a decimal point and no other mark" if "," in spelled[0] else ""
        ways.append(f"Write {spelled[1]} for {spelled[0]!r}{point}.")
    unreadable = [text for text in texts if plain_number(text) is None]
    if unreadable:
        options = " ".join(f"--missing {shlex.quote(text)}" for text in unreadable[:_SHOWN_CELLS])
        ways.append(f"If no value is meant: {options}, in place of {', '.join(USUAL_MISSING)}.")
    column = shlex.quote(name)
    ways.append(f"If categories are meant: --categorical {column}; to leave the column out: --drop {column}.")
    return " ".join(ways)
