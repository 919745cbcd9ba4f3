"""A data set as a pandas DataFrame: categories with their names, booleans as bool, whole numbers as int64.

The only place of this package that imports pandas, and only when a frame is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.datasets.feature import MISSING, Feature


def make_frame(features: Sequence[Feature], rows: Sequence[Sequence[str]], target: NDArray[np.int64]) -> Any:
    """One column per feature and a last column 'target'; a missing cell becomes a missing value."""
    pandas = _import_pandas()
    columns = {
        feature.name: _column(pandas, feature, [row[position] for row in rows])
        for position, feature in enumerate(features)
    }
    return pandas.DataFrame({**columns, "target": target})


def _import_pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "as_frame=True needs pandas, which is not installed. Install pandas, or leave as_frame=False."
        ) from error
    return pandas


def _column(pandas: Any, feature: Feature, cells: list[str]) -> Any:
    """The cells of one feature, shape (n_samples,)."""
    if feature.kind == "category":
        position = {cell: index for index, cell in enumerate(feature.categories)}
        codes = [-1 if cell == MISSING else position[cell] for cell in cells]
        names = list(feature.categories.values())
        return pandas.Categorical.from_codes(codes, categories=names, ordered=feature.ordered)
    numbers = np.array([float(cell) for cell in cells])
    if feature.kind == "number":
        return numbers
    return numbers.astype(np.bool_ if feature.kind == "boolean" else np.int64)
