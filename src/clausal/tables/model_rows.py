"""Rows for prediction: the columns of a file as the model needs them, and values it has not seen in training.

Not here: reading a table for training (training_table.py).
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
    """A table as input of a model.

    Attributes
    ----------
    X : data frame with the features of the model, n rows
    unknown : for each feature, the categories that did not occur in training, with their counts
    newly_missing : for each feature without missing values in training, the number of missing values
    absent : features that are not in the file and that no rule uses
    """

    X: Any
    unknown: Mapping[str, Counter[Any]]
    newly_missing: Mapping[str, int]
    absent: tuple[str, ...]


def read_model_rows(clf: Any, file: TableFile, missing: MissingTexts) -> ModelRows:
    """Read the features of a fitted classifier from a file; other columns are ignored."""
    encoding = clf.encoding_
    names = encoding.names
    if names is None:
        raise ValueError(
            "The model must have been trained on a table with column names. Got a model without names."
        )
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
    """The absent features, which no rule uses; ValueError if a rule uses one."""
    absent = tuple(name for name in names if name not in file.names)
    if absent:
        used = {names[feature] for rule in clf.rules_ for feature in rule.features}
        needed = [name for name in absent if name in used]
        if needed:
            raise ValueError(
                "The table must have the columns that the rules of the model use. "
                f"Got no column {shown_names(needed)}."
            )
    return absent


def _feature_values(raw: RawColumn, feature: Any, missing: MissingTexts) -> Values:
    """The cells with the type that the feature had in training."""
    if feature.kind == "empty":
        return [None] * len(raw.values)
    if feature.kind == "boolean":
        return to_booleans(raw, missing)
    if feature.kind in ("nominal", "ranked") and isinstance(feature.categories[0], str):
        return to_texts(raw, missing, feature.categories)
    return to_numbers(raw, missing)
