"""Selection of features by name, position or mask, as in the Booleanizer's `categorical_features`.

Not here: what a categorical feature becomes (fitting.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_OWNER = "The 'categorical_features' parameter of Booleanizer"


def categorical_mask(
    parameter: Any, names: Sequence[str] | None, n_features: int
) -> NDArray[np.bool_] | None:
    """Which features are categorical, shape (n_features,); None if their types decide ("from_dtype")."""
    if isinstance(parameter, str):
        return None
    mask = np.zeros(n_features, dtype=bool)
    for index in selected_indices(plain_selection(parameter), names, n_features):
        mask[index] = True
    return mask


def plain_selection(parameter: Any, owner: str = _OWNER) -> Any:
    """The parameter as plain values: "from_dtype", None or a list of str, int or bool."""
    if parameter is None or isinstance(parameter, str):
        return parameter
    if isinstance(parameter, np.ndarray) and parameter.ndim != 1:
        raise ValueError(f"{owner} must be one-dimensional. Got an array of shape {parameter.shape}.")
    return [item.item() if isinstance(item, np.generic) else item for item in parameter]


def selected_indices(
    selection: list[Any] | None, names: Sequence[str] | None, n_features: int, owner: str = _OWNER
) -> list[int]:
    """The indices selected by a plain list of names, of positions or of booleans; errors name `owner`."""
    if not selection:
        return []
    types = {type(item) for item in selection}
    if types == {bool}:
        if len(selection) != n_features:
            raise ValueError(
                f"{owner} must, as a boolean mask, have one entry per feature ({n_features}). "
                f"Got {len(selection)}."
            )
        return [index for index, chosen in enumerate(selection) if chosen]
    if types == {int}:
        return _checked_positions(selection, n_features, owner)
    if types == {str}:
        return _positions_of_names(selection, names, owner)
    found = sorted(kind.__name__ for kind in types)
    raise ValueError(f"{owner} must list only names, only positions or only booleans. Got {found}.")


def _checked_positions(selection: list[int], n_features: int, owner: str) -> list[int]:
    for index in selection:
        if not 0 <= index < n_features:
            raise ValueError(f"{owner} must list positions from 0 to {n_features - 1}. Got {index!r:.60}.")
    return selection


def _positions_of_names(selection: list[str], names: Sequence[str] | None, owner: str) -> list[int]:
    if names is None:
        raise ValueError(
            f"{owner} must list positions, not names, when X has no column names. Got {selection[0]!r:.60}."
        )
    positions = {name: index for index, name in enumerate(names)}
    for name in selection:
        if name not in positions:
            raise ValueError(f"{owner} must list names of columns of X. Got {name!r:.60}.")
    return [positions[name] for name in selection]
