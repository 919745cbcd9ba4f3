"""The rows to explain: their values as plain Python values, and copies of a row with changed values.

Supports every kind of table that the encoding reads. Not here: which values to change (cells.py,
fewest_changes.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import narwhals as nw
import numpy as np

from clausal.encoding.encoding import Encoding
from clausal.encoding.table import SparseTable
from clausal.encoding.values import FeatureValues, plain_category

Value = str | int | float | bool | None  # None means missing


class GivenRows:
    """The user's table, read once.

    Parameters
    ----------
    X : any table that the encoding reads
    encoding : the encoding
    used : indices of the features that rules use; for a sparse table, only these are read
    """

    def __init__(self, X: Any, encoding: Encoding, used: Iterable[int]) -> None:
        self._table = encoding.read(X)
        self._X = X
        self.n_rows = self._table.n_rows
        self.names = list(encoding.feature_names)
        self.kinds: dict[int, str] = {}
        self._values: dict[int, list[Value]] = {}
        sparse = isinstance(self._table, SparseTable)
        for index in sorted(used) if sparse else range(encoding.n_features):
            self._read(index)

    def _read(self, index: int) -> None:
        if isinstance(self._table, SparseTable):
            self.kinds[index] = "number"
            self._values[index] = self._table.matrix[:, [index]].toarray()[:, 0].tolist()
            return
        values = self._table.feature(index, self.names[index])
        self.kinds[index] = "unknown" if values.missing.all() else values.kind
        self._values[index] = _plain_values(values)

    def value(self, row: int, feature: int) -> Value:
        """One value, None if it is missing."""
        return self._values[feature][row]

    def values(self, row: int) -> dict[str, Value]:
        """The values of a row by feature name; for a sparse table, only of features that rules use."""
        return {self.names[index]: column[row] for index, column in self._values.items()}

    def changed(self, row: int, changes: Mapping[int, Value]) -> Any:
        """A table of the same kind with only this row, after changes, by index of the feature."""
        if isinstance(self._table, SparseTable):
            matrix = self._table.matrix[[row]].tolil()
            for index, value in changes.items():
                matrix[0, index] = value
            return matrix.tocsr()
        if nw.dependencies.is_into_dataframe(self._X):
            frame = nw.from_native(self._X, eager_only=True)
            new = [
                nw.new_series(frame.columns[index], [value], backend=frame.implementation)
                for index, value in changes.items()
            ]
            return frame[row : row + 1].with_columns(*new).to_native()
        given = self._X if isinstance(self._X, list) else np.asarray(self._X)
        array = np.array(given[row : row + 1], dtype=object)
        for index, value in changes.items():
            array[0, index] = value
        return array


def _plain_values(values: FeatureValues) -> list[Value]:
    """The values as Python objects: whole numbers as int, None if missing."""
    items, missing = values.values.tolist(), values.missing.tolist()
    if values.kind == "number":
        return [None if hide else plain_category(item) for item, hide in zip(items, missing, strict=True)]
    return [None if hide else item for item, hide in zip(items, missing, strict=True)]
