"""A data set as read, and its delivery the way scikit-learn's loaders do it: a Bunch or the pair (X, y).

Not here: where the rows come from (a file per data set) and pandas frames (`frame`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from clausal.datasets.feature import MISSING, Feature
from clausal.datasets.frame import make_frame


@dataclass(frozen=True)
class Table:
    """Cells as text, row by row, with what the columns and the two classes mean."""

    features: tuple[Feature, ...]
    rows: Sequence[Sequence[str]]  # (n_samples, n_features)
    target: Sequence[bool]  # (n_samples,)
    target_names: tuple[str, str]
    description: str

    def array(self) -> NDArray[Any]:
        """The rows as float64, or as an object array of str and None where a feature has text cells."""
        if any(feature.has_text_cells for feature in self.features):
            cells = [[None if cell == MISSING else cell for cell in row] for row in self.rows]
            return np.array(cells, dtype=object)
        return np.array([[float(cell) for cell in row] for row in self.rows], dtype=np.float64)


def deliver(table: Table, *, return_X_y: bool, as_frame: bool) -> Any:
    """A Bunch, or (X, y) when `return_X_y`; pandas objects when `as_frame`."""
    data: Any = None
    frame: Any = None
    target: Any = np.array(table.target, dtype=np.int64)  # (n_samples,)
    names = [feature.name for feature in table.features]
    if as_frame:
        frame = make_frame(table.features, table.rows, target)
        data, target = frame[names], frame["target"]
    else:
        data = table.array()
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=names,
        target_names=np.array(table.target_names),
        category_names={f.name: tuple(f.categories.values()) for f in table.features if f.categories},
        DESCR=table.description,
    )
