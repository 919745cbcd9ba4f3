"""The groups of a protected column, which no rule tests. Not here: what is measured of them (fairness.py)."""

from __future__ import annotations

from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from clausal.encoding.columns import category_text, name_text
from clausal.encoding.values import plain_category

_MAX_GROUPS = 50
_MISSING_GROUP = "(missing)"


class Groups(NamedTuple):
    """The name of the protected column, and the group of each row, as printed."""

    column: str
    names: list[str]


def read_groups(model: Any, X: Any, protected: Any, n_rows: int) -> Groups:
    """The groups of the rows, from an array or the name of a column of the table."""
    column, values = getattr(protected, "name", None), protected
    if isinstance(protected, str):
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame) or protected not in frame.columns:
            raise ValueError(
                f"protected must be an array or the name of a column of the table. Got {protected!r}."
            )
        column, values = protected, frame[protected]
    rules = model.rules_
    used = {rules.encoding.feature_names[index] for index in rules.used_features}
    if isinstance(column, str) and column in used:
        raise ValueError(
            f"protected must be a column that no rule tests. Got {column!r}, which the model uses."
        )
    listed = values if hasattr(values, "to_list") else np.asarray(values, dtype=object).ravel()
    names = [group_text(item) for item in (listed.to_list() if listed is values else listed.tolist())]
    if len(names) != n_rows:
        raise ValueError(f"protected must have one group for each of the {n_rows} rows. Got {len(names)}.")
    if len(set(names)) > _MAX_GROUPS:
        raise ValueError(
            f"protected must have at most {_MAX_GROUPS} groups. Got {len(set(names))} different values; "
            "make groups of them, such as age bands."
        )
    return Groups(name_text(column) if isinstance(column, str) and column else "the protected column", names)


def group_text(item: Any) -> str:
    """A value of a protected column as printed."""
    if item is None or type(item).__name__ in ("NAType", "NaTType") or item != item:
        return _MISSING_GROUP
    if isinstance(item, (bool, np.bool_)):
        return str(bool(item)).lower()
    if isinstance(item, (int, float, np.number)):
        return category_text(plain_category(float(item)))
    return category_text(str(item))
