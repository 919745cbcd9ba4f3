"""Rows for a model that exists: the file's columns as the model knows them, and what is new to it.

Not here: reading a table to learn from (training_table.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.frames import make_frame
from clausal.tables.columns import RawColumn, shown_names, to_booleans, to_numbers, to_texts
from clausal.tables.csv_cells import MissingTexts
from clausal.tables.table_file import TableFile

Values = Sequence[Any] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ModelRows:
    """A table as a model reads it.

    Attributes
    ----------
    X : data frame of the model's features, n rows
    unknown : for each feature the categories that training did not have, with their number
    newly_missing : for each feature that was never missing in training, how many values are
    absent : features that the file does not have, and no rule needs
    """

    X: Any
    unknown: Mapping[str, Counter[Any]]
    newly_missing: Mapping[str, int]
    absent: tuple[str, ...]


def read_model_rows(clf: Any, file: TableFile, missing: MissingTexts) -> ModelRows:
    """The features of a fitted classifier from a file; columns that it does not know are passed over."""
    encoding = clf.encoding_
    names = encoding.names
    if names is None:
        raise ValueError("The model must have been trained on a table whose columns have names.")
    absent = _check_present(clf, names, file)
    values: dict[str, Any] = {}
    unknown: dict[str, Counter[Any]] = {}
    newly_missing: dict[str, int] = {}
    for name, feature in zip(names, encoding.features, strict=True):
        if name in absent:
            values[name] = [None] * file.n_rows
            continue
        own = values[name] = _feature_values(file.column(name), feature, missing)
        present = [value for value in own if value is not None and value == value]
        known = set(getattr(feature, "categories", ()))
        new = Counter(value for value in present if value not in known) if known else Counter()
        if new:
            unknown[name] = new
        if not feature.nullable and len(present) < len(own):
            newly_missing[name] = len(own) - len(present)
    return ModelRows(make_frame(values), unknown, newly_missing, absent)


def _check_present(clf: Any, names: Sequence[str], file: TableFile) -> tuple[str, ...]:
    """The absent features that no rule tests; ValueError where a rule tests one."""
    absent = tuple(name for name in names if name not in file.names)
    if absent:
        used = {names[feature] for rule in clf.rules_ for feature in rule.features}
        needed = [name for name in absent if name in used]
        if needed:
            raise ValueError(
                "The table must have the columns that the model's rules use. "
                f"Got none called {shown_names(needed)}."
            )
    return absent


def _feature_values(raw: RawColumn, feature: Any, missing: MissingTexts) -> Values:
    """The cells as what the feature was in training."""
    if feature.kind == "empty":
        return [None] * len(raw.values)
    if feature.kind == "boolean":
        return to_booleans(raw, missing)
    if feature.kind in ("nominal", "ranked") and isinstance(feature.categories[0], str):
        return to_texts(raw, missing, feature.categories)
    return to_numbers(raw, missing)
