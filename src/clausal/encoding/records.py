"""Rows as dictionaries of plain values by name, as a service receives them.

Such rows cause no warning of values that were not seen in training, because a warning quotes values, and
those of a service belong in no log. Not here: which names a row must have (clausal.service).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.values import FeatureValues, values_from_array

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
