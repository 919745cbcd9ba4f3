"""Columns of numbers that a few cells spoil: refused with those cells, their rows and the way out.

Without this, one `unknown` would turn a column of numbers into categories, or into an id that is left out.
Not here: what a column is otherwise (file_columns.py).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from clausal.cli.file_columns import RawColumn, shown_names, to_texts
from clausal.cli.text_cells import USUAL_MISSING, MissingTexts, is_code, is_date, parse_number

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
