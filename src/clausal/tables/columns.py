"""A column of a file as numbers, categories or booleans: as requested, or as inferred from its cells.

The inference looks at the distinct cells and uses no table library, so that it does not depend on the
installed one. If a few cells of a numeric column are not numbers, an error lists them with their rows and the
possible remedies. Otherwise one `unknown` would turn the column into categories, or into an ID that is
ignored. Also here: which cells are missing or booleans. Not here: which are numbers, codes or dates
(encoding/remarks.py), files (table_file.py).
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import category_text, name_text, number_text
from clausal.encoding.likeness import (
    is_code,
    is_date,
    like_id,
    like_numbers,
    like_row_number,
    parse_number,
    plain_number,
)
from clausal.encoding.remarks import ColumnFacts, ReadAs
from clausal.encoding.values import USUAL_MISSING

Stored = Literal["cells", "text", "category", "number", "boolean", "date", "other"]

_NUMBER_SHARE = 0.5  # of the values are numbers: warn about the others
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


@dataclass(frozen=True, eq=False)
class RawColumn:
    """A column as stored in the file.

    Attributes
    ----------
    name : str
    stored : the type in a Parquet file; "cells" for the text of a CSV file, whose type is not known yet
    values : n cells; None, or NaN for numbers, where the file has no value
    order : all categories in their order, if the file has one
    """

    name: str
    stored: Stored
    values: Sequence[Any] | NDArray[np.floating[Any]]
    order: Sequence[Any] = ()


@dataclass(frozen=True, eq=False)
class Column:
    """A column with a known type.

    Attributes
    ----------
    name, kind : its name and the type of its values
    values : float64 with NaN, or a list of str, bool or other values, with None for missing values
    n_missing, n_distinct : int
    example : the most frequent value, as printed
    stray : the most frequent value that is not a number, if most values of a category are numbers; else None
    forced : whether the user or the type in the file requested a category
    order : all categories in their order, if the file has one
    """

    name: str
    kind: ReadAs
    values: Sequence[Any] | NDArray[np.floating[Any]]
    n_missing: int
    n_distinct: int
    example: str
    stray: str | None = None
    forced: bool = False
    order: tuple[str, ...] = ()

    @cached_property
    def facts(self) -> ColumnFacts:
        """What remarks about the column depend on."""
        n_present = len(self.values) - self.n_missing
        is_id = self.kind == "category" and not self.forced and like_id(self.n_distinct, n_present)
        return ColumnFacts(
            self.name,
            self.kind,
            varies=self.n_distinct > 1 or bool(self.n_missing and n_present),
            like_id=is_id,
            like_numbers=is_id and like_numbers({text for text in self.values if text is not None}),
            like_row_number=self.kind == "number" and bool(like_row_number(np.asarray(self.values))),
        )


# --- conversion to a requested type ---


def to_numbers(raw: RawColumn, missing: MissingTexts) -> NDArray[np.float64]:
    """The values as numbers, NaN if missing; ValueError if one is not a number."""
    if raw.stored == "number":
        return np.asarray(raw.values, np.float64)
    found = _converted(raw, missing, parse_number, "numbers")
    return np.array([np.nan if value is None else value for value in found], np.float64)


def as_stored(raw: RawColumn, numbers: NDArray[np.float64]) -> NDArray[np.floating[Any]]:
    """The numbers of a column with no more digits than in the file."""
    single = isinstance(raw.values, np.ndarray) and raw.values.dtype == np.float32
    return numbers.astype(np.float32) if single else numbers


def to_booleans(raw: RawColumn, missing: MissingTexts) -> list[bool | None]:
    """The values as booleans, None if missing; ValueError if one is not a boolean."""
    return _converted(raw, missing, parse_boolean, "true or false, or 1 or 0")


def to_texts(raw: RawColumn, missing: MissingTexts, known: Collection[Any] = ()) -> list[str | None]:
    """The values as texts, None if missing.

    `known` texts are taken as they are, others without blanks around them if they are cells of a CSV file. A
    text with a type is missing only if the user says so.
    """
    _refuse_other_types(raw, "text, numbers or booleans")
    cells = raw.values.tolist() if isinstance(raw.values, np.ndarray) else raw.values
    typed, kept = raw.stored != "cells", frozenset(known)
    text_of = {cell: _text(cell, typed, missing, kept) for cell in set(cells)}
    return [text_of[cell] for cell in cells]


def _converted(
    raw: RawColumn, missing: MissingTexts, parse: Callable[[str], Any], expected: str
) -> list[Any | None]:
    _refuse_other_types(raw, expected)
    texts = to_texts(raw, missing)
    value_of = {text: parse(text.strip()) for text in set(texts) if text is not None}
    wrong = {text for text, value in value_of.items() if value is None}
    if wrong:
        row = next(row for row, text in enumerate(texts, 1) if text in wrong)
        raise ValueError(f"Column {raw.name!r} must hold {expected}. Got {texts[row - 1]!r} in row {row}.")
    return [None if text is None else value_of[text] for text in texts]


def _refuse_other_types(raw: RawColumn, expected: str) -> None:
    if raw.stored in ("date", "other"):
        got = "dates" if raw.stored == "date" else "values of another type"
        raise ValueError(f"Column {raw.name!r} must hold {expected}. Got {got}.")


def _text(cell: Any, typed: bool, missing: MissingTexts, known: Collection[Any]) -> str | None:
    if cell is None or cell != cell:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, str):
        return number_text(cell)
    if cell in known:
        return cell
    if typed:
        return None if missing.declares(cell) else cell
    text = cell.strip()
    return None if text in missing and text not in known else text


# --- inference of the type ---


def read_column(raw: RawColumn, missing: MissingTexts, as_category: bool = False) -> Column:
    """The column with its inferred type, or as a category if the user or the file says so."""
    as_category = as_category or raw.stored == "category"
    if raw.stored == "other" and all(value is None for value in raw.values):
        return Column(raw.name, "empty", raw.values, len(raw.values), 0, "")
    if raw.stored in ("date", "other"):
        return _unused_column(raw)
    if raw.stored == "number" and not as_category:
        return _number_column(raw.name, as_stored(raw, to_numbers(raw, missing)))
    texts = to_texts(raw, missing)
    counts = Counter(text for text in texts if text is not None)
    kind: ReadAs = "empty" if not counts else "category" if as_category else _kind(raw.stored, counts)
    if kind == "number":
        return _number_column(raw.name, to_numbers(raw, missing))
    values: Sequence[Any] = to_booleans(raw, missing) if kind == "boolean" else texts
    example = counts.most_common(1)[0][0] if counts else ""
    example = example.lower() if kind == "boolean" else category_text(example) if counts else ""
    stray = _stray(counts) if kind == "category" and raw.stored == "cells" and not as_category else None
    n_distinct = len({text.casefold() for text in counts}) if kind == "boolean" else len(counts)
    order = to_texts(RawColumn(raw.name, raw.stored, raw.order), missing)
    listed = tuple(text for text in order if text is not None)
    return Column(raw.name, kind, values, texts.count(None), n_distinct, example, stray, as_category, listed)


def _unused_column(raw: RawColumn) -> Column:
    """A column of dates or of another type that no rule tests; only dates have an example."""
    counts = Counter(str(value) for value in raw.values if value is not None)
    example = category_text(counts.most_common(1)[0][0]) if counts and raw.stored == "date" else ""
    kind: ReadAs = "date" if raw.stored == "date" else "other"
    return Column(raw.name, kind, raw.values, len(raw.values) - counts.total(), len(counts), example)


def _kind(stored: Stored, counts: Counter[str]) -> ReadAs:
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


def _number_column(name: str, numbers: NDArray[np.floating[Any]]) -> Column:
    missing = np.isnan(numbers)
    distinct, counts = np.unique(numbers[~missing], return_counts=True)
    example = number_text(distinct[counts.argmax()]) if len(distinct) else ""
    kind: ReadAs = "number" if len(distinct) else "empty"
    return Column(name, kind, numbers, int(missing.sum()), len(distinct), example)


def _stray(counts: Counter[str]) -> str | None:
    """The most frequent text that is not a number, if at least half of the values are numbers."""
    others = Counter({text: count for text, count in counts.items() if parse_number(text) is None})
    if not others or others.total() > (1 - _NUMBER_SHARE) * counts.total():
        return None
    return others.most_common(1)[0][0]


def shown_names(names: Collection[str]) -> str:
    """A list of column names for a message, with at most 12 of them."""
    listed = ", ".join(name_text(name) for name in list(names)[:12])
    return f"{listed} and {len(names) - 12} more" if len(names) > 12 else listed


# --- names ---


def check_name(name: str, names: Sequence[str]) -> None:
    """Raise ValueError if the table does not have the column."""
    if name in names:
        return
    near = get_close_matches(name, names, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"The table has no column {name!r}. Its columns are {shown_names(names)}.{hint}")


_NUMERIC_SHARE = 0.8  # of the cells of a numeric column are numbers
_SHOWN_CELLS = 3

Cell = tuple[int, str]
"""The number of a row, from 1, and the text of its cell."""


def check_numbers(
    raws: Iterable[RawColumn], rows: Sequence[int], missing: MissingTexts, categorical: Iterable[str]
) -> None:
    """Raise ValueError if most cells of a column are numbers and some are not.

    Parameters
    ----------
    raws : the columns as stored in the file
    rows : the indices of the rows to check
    missing : texts that stand for a missing value
    categorical : names of columns that are categories whatever their values
    """
    categories = set(categorical)
    broken = {
        raw.name: cells
        for raw in raws
        if raw.stored == "cells"
        and raw.name not in categories
        and (cells := _cells_without_number(raw, rows, missing))
    }
    if not broken:
        return
    name, cells = next(iter(broken.items()))
    others = list(broken)[1:]
    more = f" Such cells are also in {shown_names(others)}." if others else ""
    raise ValueError(f"{_problem(name, cells)} {_remedies(name, cells)}{more}")


def _cells_without_number(raw: RawColumn, rows: Sequence[int], missing: MissingTexts) -> list[Cell]:
    """The cells that are not numbers, in a column where at least `_NUMERIC_SHARE` are, in any notation."""
    texts = to_texts(raw, missing)
    cells = [(row + 1, text) for row in rows if (text := texts[row]) is not None]
    distinct = {text for _, text in cells}
    wrong = {text for text in distinct if parse_number(text) is None}
    if not wrong or any(map(is_code, distinct)) or all(map(is_date, distinct)):
        return []
    not_numeric = {text for text in wrong if plain_number(text) is None}
    if sum(text not in not_numeric for _, text in cells) < _NUMERIC_SHARE * len(cells):
        return []
    return [cell for cell in cells if cell[1] in wrong]


def _problem(name: str, cells: Sequence[Cell]) -> str:
    listed = ", ".join(f"{text!r} in row {row}" for row, text in cells[:_SHOWN_CELLS])
    more = f" and {len(cells) - _SHOWN_CELLS:,} more" if len(cells) > _SHOWN_CELLS else ""
    constraint = f"Column {name!r} must hold only numbers, because most of its cells are numbers."
    return f"{constraint} Got {listed}{more}."


def _remedies(name: str, cells: Sequence[Cell]) -> str:
    """How to write cells that can be numbers, and which options handle the others."""
    remedies = []
    texts = list(dict.fromkeys(text for _, text in cells))
    spelled = next(((text, plain) for text in texts if (plain := plain_number(text))), None)
    if spelled is not None:
        point = ", with a decimal point and no other separator" if "," in spelled[0] else ""
        remedies.append(f"Write {spelled[1]} instead of {spelled[0]!r}{point}.")
    unreadable = [text for text in texts if plain_number(text) is None]
    if unreadable:
        options = " ".join(f"--missing {shlex.quote(text)}" for text in unreadable[:_SHOWN_CELLS])
        remedies.append(f"If they mean missing: {options}, instead of {', '.join(USUAL_MISSING)}.")
    column = shlex.quote(name)
    remedies.append(f"If they are categories: --categorical {column}. To ignore the column: --drop {column}.")
    return " ".join(remedies)
