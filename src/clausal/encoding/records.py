"""Tables of plain values by name, which need no table library.

`ColumnTable` is what the command line reads from a file, `RecordTable` rows as dictionaries, as a service
receives them. The latter cause no warning of values that were not seen in training, because a warning quotes
values, and those of a service belong in no log. Not here: which names a row must have (clausal.service), the
types of columns of a file (clausal.tables).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.values import (
    FeatureValues,
    categories_from_objects,
    values_from_array,
    values_from_texts,
)

Record = Mapping[str, Any]


class RecordTable:
    """Rows by name of the feature; a feature that a row lacks is missing there."""

    def __init__(self, records: Sequence[Record], names: Sequence[str]) -> None:
        self.records, self.names = records, names
        self.n_rows, self.n_features = len(records), len(names)

    def feature(self, index: int, name: str) -> FeatureValues:
        """Read one feature; `name` is for messages."""
        column = np.empty(self.n_rows, object)
        column[:] = [record.get(self.names[index]) for record in self.records]
        return values_from_array(name, column)

    def plain(self, index: int) -> NDArray[Any] | None:
        """None: the values are objects."""
        return None

    def numbers(self) -> NDArray[np.float64] | None:
        """None: the values are objects."""
        return None

    def changed(self, row: int, changes: Mapping[int, Any]) -> RecordTable:
        """A table of only this row, after changes, by index of the feature."""
        named = {self.names[index]: value for index, value in changes.items()}
        return RecordTable([{**self.records[row], **named}], self.names)


class ColumnTable:
    """Columns by name, all of the same length.

    Parameters
    ----------
    columns : numbers as an array, with NaN where a value is missing, or a list of str, bool and None
    orders : the columns that are categories whatever their values, with their order, which may be empty
    """

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any] | NDArray[Any]],
        orders: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.names = tuple(columns)
        self.n_features = len(self.names)
        self._columns = [_as_array(values) for values in columns.values()]
        self._orders = dict(orders or {})
        self.n_rows = len(self._columns[0]) if self._columns else 0
        self.shape = (self.n_rows, self.n_features)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The values of a column."""
        return self._columns[self.names.index(name)]

    def check_names(self, names: Sequence[str] | None) -> None:
        """Raise ValueError unless these are the names of the columns, in this order; None is any."""
        if names is not None and tuple(names) != self.names:
            raise ValueError(f"X must have the columns {names!r:.200}. Got {self.names!r:.200}.")

    def take(self, rows: Sequence[int] | NDArray[np.integer[Any]]) -> ColumnTable:
        """Some of the rows."""
        chosen = np.asarray(rows, np.intp)
        columns = (column[chosen] for column in self._columns)
        return ColumnTable(dict(zip(self.names, columns, strict=True)), self._orders)

    def feature(self, index: int, name: str) -> FeatureValues:
        """Read one feature; `name` is for messages."""
        column, order = self._columns[index], self._orders.get(self.names[index])
        if column.dtype != object:
            return values_from_array(name, column)
        missing = np.array([value is None for value in column], bool)
        of_texts = all(isinstance(value, str) for value in column[~missing]) and not missing.all()
        read = (
            values_from_texts(name, column, missing) if of_texts else values_from_array(name, column, missing)
        )
        if order is None:
            return read
        declared = categories_from_objects(name, order)
        return replace(read, categorical=True, declared=declared, ordered=bool(order))

    def plain(self, index: int) -> NDArray[Any] | None:
        """The feature as an array of numbers or booleans, without a copy, shape (n,); None if impossible."""
        column = self._columns[index]
        return None if column.dtype == object else column

    def numbers(self) -> NDArray[np.float64] | None:
        """None: features are read one by one."""
        return None

    def changed(self, row: int, changes: Mapping[int, Any]) -> ColumnTable:
        """A table of only this row, after changes, by index of the feature."""
        columns: dict[str, Any] = {
            name: [changes[index]] if index in changes else column[row : row + 1]
            for index, (name, column) in enumerate(zip(self.names, self._columns, strict=True))
        }
        return ColumnTable(columns, self._orders)


def _as_array(values: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    if isinstance(values, np.ndarray):
        return values
    if values and all(isinstance(value, (bool, np.bool_)) for value in values):
        return np.array(values, bool)
    array = np.empty(len(values), object)
    array[:] = values
    return array
