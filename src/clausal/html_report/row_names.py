"""How the page names a row: by its number, counted from 1, or by the user's own id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clausal.encoding.columns import name_text, number_text

_MAX_LENGTH = 80  # characters of an id


@dataclass(frozen=True)
class RowNames:
    """The names of rows.

    Attributes
    ----------
    ids : the id of each row as printed, None where it is missing; None for row numbers
    column : the name of the ids, if they have one
    """

    ids: Sequence[str | None] | None = None
    column: str | None = None

    @classmethod
    def of(cls, ids: Any, n_rows: int) -> RowNames:
        """Check the user's ids, one for each row; None for row numbers."""
        if ids is None:
            return cls()
        values = _listed(ids)
        if len(values) != n_rows:
            raise ValueError(f"ids must have one id for each of the {n_rows} rows. Got {len(values)}.")
        column = getattr(ids, "name", None)
        return cls([_id_text(value) for value in values], column if isinstance(column, str) else None)

    def __getitem__(self, index: int) -> str:
        """The name of the row with this index, which is counted from 0."""
        own = None if self.ids is None else self.ids[index]
        return f"row {index + 1}" if own is None else f"row {own}"

    @property
    def sentence(self) -> str:
        """How rows are named, as one sentence."""
        if self.ids is None:
            return "Test rows are counted from 1."
        named = "id" if self.column is None else name_text(self.column)
        without = " Rows without one are counted from 1." if None in self.ids else ""
        return f"Test rows are named by their {named}.{without}"


def _listed(ids: Any) -> list[Any]:
    if isinstance(ids, (str, bytes, dict, set)):
        raise ValueError(f"ids must be an array or a list with one id per row. Got {type(ids).__name__}.")
    array = np.array(ids, dtype=object) if isinstance(ids, (list, tuple)) else np.asarray(ids)
    if array.ndim != 1:
        raise ValueError(f"ids must be one-dimensional, one id per row. Got shape {array.shape}.")
    values: list[Any] = array.tolist() if array.dtype.kind != "M" else array.astype(str).tolist()
    return values


def _id_text(value: Any) -> str | None:
    """An id as printed; None if it is missing."""
    if value is None or str(value) in ("", "NaT", "<NA>") or value != value:
        return None
    text = name_text(number_text(value) if isinstance(value, float) else str(value))
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"
