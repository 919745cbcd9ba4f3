"""The boolean columns for models that have no encoder of their own: L1, FasterRisk and LogRR.

A number has a column `x <= cut` for at most 12 quantiles of the training part, a category a column per value;
of two values one is enough. `Bits.transform` gives 0 and 1, one column per literal. Not here: the models.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MAX_CUTS = 12


@dataclass(frozen=True)
class Bit:
    """One literal: the feature by its position, `<=` or `==`, and the value."""

    feature: int
    relation: str
    value: Any


class Bits:
    """Boolean columns that are learned from the training part."""

    columns: list[Bit]

    def fit(self, X: pd.DataFrame) -> Self:
        """Choose the cut points and the categories."""
        self.columns = [bit for i in range(X.shape[1]) for bit in _bits_of(i, X.iloc[:, i])]
        return self

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """The columns of these rows; a category that was not in `fit` has zeros."""
        read = {bit.feature: _cells(X.iloc[:, bit.feature]) for bit in self.columns}
        out = np.empty((len(X), len(self.columns)))
        for j, bit in enumerate(self.columns):
            cells = read[bit.feature]
            out[:, j] = cells <= bit.value if bit.relation == "<=" else cells == bit.value
        return out


def is_number(column: Any) -> bool:
    """Whether a column has numbers; booleans are categories."""
    return bool(pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column))


def _cells(column: Any) -> NDArray[Any]:
    return np.asarray(column, float) if is_number(column) else np.asarray(column.astype(str), object)


def _bits_of(feature: int, column: Any) -> list[Bit]:
    cells = _cells(column)
    if not is_number(column):
        values = sorted(set(cells))
        return [Bit(feature, "==", value) for value in (values[1:] if len(values) == 2 else values)]
    shares = np.arange(1, MAX_CUTS + 1) / (MAX_CUTS + 1)
    distinct = np.unique(cells)
    quantiles = np.quantile(cells, shares, method="lower")
    cuts = np.unique(quantiles) if len(distinct) > MAX_CUTS + 1 else distinct
    return [Bit(feature, "<=", float(cut)) for cut in cuts if cut < distinct[-1]]
