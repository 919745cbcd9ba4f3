"""A table for training: usable features and class labels; and rows for prediction, as the model needs them.

Also here: labels for the evaluation of a model. Not here: the types of columns (columns.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.patches import require_table
from clausal.encoding.records import ColumnTable
from clausal.tables.columns import (
    Column,
    MissingTexts,
    RawColumn,
    as_stored,
    check_name,
    check_numbers,
    read_column,
    shown_names,
    to_booleans,
    to_numbers,
    to_texts,
)
from clausal.tables.table_file import TableFile

MAX_CLASSES = 100

Labels = list[Any]
"""One label per row: all int, all bool or all str, None if missing."""


def read_labels(file: TableFile, target: str, missing: MissingTexts) -> Labels:
    """The labels of the rows, integers as int."""
    check_name(target, file.names)
    return labels_of(file.column(target), missing)


def read_target_numbers(file: TableFile, target: str, missing: MissingTexts) -> Labels:
    """The numbers of the rows, None if missing."""
    check_name(target, file.names)
    column = read_column(file.column(target), missing)
    if column.kind != "number":
        raise ValueError(f"The target {target!r} must hold numbers. Got a column of kind {column.kind!r}.")
    numbers = np.asarray(column.values, np.float64)
    return [None if number != number else number for number in numbers.tolist()]


def labels_of(raw: RawColumn, missing: MissingTexts) -> Labels:
    """The labels of a column."""
    column, target = read_column(raw, missing), raw.name
    if column.kind in ("date", "other", "empty"):
        got = {"date": "dates", "empty": "missing values only"}.get(column.kind, "another type")
        raise ValueError(f"The target {target!r} must hold classes. Got {got}.")
    if column.kind == "number":
        numbers = np.asarray(column.values, np.float64)
        _check_integers(numbers, target)
        return [None if number != number else int(number) for number in numbers.tolist()]
    return list(column.values)


def check_classes(labels: Sequence[Any], target: str, n_missing: int = 0) -> None:
    """Raise ValueError if there are fewer than two classes or more than MAX_CLASSES."""
    classes = set(labels)
    if len(classes) < 2:
        missing = f", and {n_missing:,} rows without a value" if n_missing else ""
        raise ValueError(
            f"The target {target!r} must have at least 2 classes. Got only {labels[0]!r}{missing}."
        )
    if len(classes) > MAX_CLASSES:
        raise ValueError(
            f"The target {target!r} must have at most {MAX_CLASSES} classes. Got {len(classes)} distinct "
            "values; is it the right column?"
        )


def with_positive(labels: Labels, positive: str, target: str) -> tuple[Labels, Any]:
    """Labels of two classes, and the positive one, given by its name.

    Two classes stay as they are. If there are more, the others become one class.
    """
    names = {label: _name(label) for label in set(labels) if label is not None}
    if all(isinstance(label, (bool, np.bool_)) for label in names):
        positive = positive.casefold()  # True is shown for true
    if positive not in names.values():
        listed = ", ".join(sorted(names.values()))
        raise ValueError(f"--positive must be a class of {target!r}: {listed}. Got {positive!r}.")
    if len(names) == 2:
        return labels, next(label for label, name in names.items() if name == positive)
    merged = {label: positive if name == positive else _others(positive) for label, name in names.items()}
    return [None if label is None else merged[label] for label in labels], positive


class ModelLabels(NamedTuple):
    """Labels as classes of a model.

    Attributes
    ----------
    labels : one per row, None if missing
    others : the labels that count as the class of all others, `(not X)`, sorted
    positive : X, if the model has such a class; else None
    """

    labels: Labels
    others: tuple[str, ...]
    positive: str | None


def read_model_labels(
    file: TableFile, target: str, missing: MissingTexts, classes: NDArray[Any]
) -> ModelLabels:
    """The labels of the rows: classes of the model as they are written, or as `read_labels` reads them.

    "1" may become 1, and an unknown label the class of all others.
    """
    check_name(target, file.names)
    texts = {label for label in classes.tolist() if isinstance(label, str)}
    cells = [cell if isinstance(cell, str) else "" for cell in file.column(target).values]
    found: Labels = [next((text for text in (cell, cell.strip()) if text in texts), None) for cell in cells]
    if None in found:
        read = read_labels(file, target, missing)
        found = [label if text is None else text for label, text in zip(read, found, strict=True)]
    known = {_name(label): label for label in classes.tolist()}
    positive = next((name for name in known if _others(name) in known), None)
    if positive is None:
        return ModelLabels([known.get(_name(label), label) for label in found], (), None)
    others = {label for label in found if label is not None and _name(label) not in known}
    merged = dict.fromkeys(others, known[_others(positive)])
    labels = [merged.get(label, known.get(_name(label))) for label in found]
    return ModelLabels(labels, tuple(sorted(map(_name, others))), positive)


class NamedValues(list[Any]):
    """Values with the name of their column, for the report."""

    def __init__(self, name: str, values: Iterable[Any]) -> None:
        super().__init__(values)
        self.name = name


def _others(positive: str) -> str:
    return f"(not {positive})"


def _name(label: Any) -> str:
    return str(label).lower() if isinstance(label, (bool, np.bool_)) else str(label)


def _check_integers(numbers: NDArray[np.float64], target: str) -> None:
    fractions = numbers[~np.isnan(numbers) & (numbers != np.rint(numbers))]
    if len(fractions):
        raise ValueError(
            f"The target {target!r} must hold classes: text, booleans or integers. Got {fractions[0]:g}; "
            "convert it to classes, such as below and above a limit, or predict numbers with "
            "clausal fit --task numbers."
        )


@dataclass(frozen=True)
class Reading:
    """How to read a table for training.

    Attributes
    ----------
    target : name of the column with the classes
    drop, categorical : names of columns to ignore, and of columns that are categories whatever their values
    missing : texts that mean a missing value; if empty, the usual ones
    positive : the name of the class of interest; None for the last of two in sorted order
    of_numbers : whether the target holds numbers to predict, not classes
    """

    target: str
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    missing: Sequence[str] = ()
    positive: str | None = None
    of_numbers: bool = False


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Features and labels.

    Attributes
    ----------
    columns : all columns except the target and dropped ones, also those not used as features; none of a table
        that is read in batches
    X : ColumnTable of the features, n rows; a StreamedTable if it is read in batches
    y : labels [n]: int, bool or str; or numbers, float64
    target : name of the column with the labels
    n_unlabeled : number of rows without a label, which are dropped
    pos_label : the label of the class of interest, if one was named
    """

    columns: tuple[Column, ...]
    X: Any
    y: NDArray[Any]
    target: str
    n_unlabeled: int
    pos_label: Any = None


def check_target(reading: Reading, names: Sequence[str]) -> None:
    """Raise ValueError unless the table has the columns, and the target is not dropped."""
    for name in (reading.target, *reading.drop, *reading.categorical):
        check_name(name, names)
    if reading.target in reading.drop:
        raise ValueError(f"The target {reading.target!r} must not be dropped.")


def read_training_table(file: TableFile, reading: Reading) -> TrainingTable:
    """Infer the types of the columns and keep the labeled rows."""
    check_target(reading, file.names)
    missing = MissingTexts(reading.missing)
    read = read_target_numbers if reading.of_numbers else read_labels
    labels = read(file, reading.target, missing)
    pos_label = None
    if reading.positive is not None:
        labels, pos_label = with_positive(labels, reading.positive, reading.target)
    rows = [row for row, label in enumerate(labels) if label is not None]
    n_unlabeled = len(labels) - len(rows)
    if not reading.of_numbers:
        check_classes([labels[row] for row in rows], reading.target, n_unlabeled)
    names = [name for name in file.names if name != reading.target and name not in reading.drop]
    check_numbers(map(file.column, names), rows, missing, reading.categorical)
    raws = (_take(file.column(name), rows) for name in names)
    columns = tuple(read_column(raw, missing, raw.name in reading.categorical) for raw in raws)
    features: dict[str, Any] = {
        column.name: column.values for column in columns if column.facts.reason_ignored is None
    }
    if not features:
        raise _no_feature(reading, columns)
    y = np.array([labels[row] for row in rows])
    forced = {column.name: column.order for column in columns if column.forced and column.name in features}
    return TrainingTable(columns, ColumnTable(features, forced), y, reading.target, n_unlabeled, pos_label)


def _no_feature(reading: Reading, columns: Sequence[Column]) -> ValueError:
    dropped = [f"{name!r} is dropped" for name in dict.fromkeys(reading.drop)]
    reasons = [
        *dropped,
        *(f"{column.name!r} is ignored ({column.facts.reason_ignored})" for column in columns),
    ]
    constraint = f"The table must have a usable column besides {reading.target!r}."
    return ValueError(f"{constraint} Got {', '.join(reasons) or 'no other column'}.")


def _take(raw: RawColumn, rows: Sequence[int]) -> RawColumn:
    if len(rows) == len(raw.values):
        return raw
    if isinstance(raw.values, np.ndarray):
        return replace(raw, values=raw.values[rows])
    return replace(raw, values=[raw.values[row] for row in rows])


Values = Sequence[Any] | NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class ModelRows:
    """A table as input of a model.

    Attributes
    ----------
    X : the features of the model, n rows
    absent : features that are not in the file and that no rule uses
    """

    X: ColumnTable
    absent: tuple[str, ...]


def read_model_rows(clf: Any, file: TableFile, missing: MissingTexts) -> ModelRows:
    """Read the features of a fitted classifier from a file; other columns are ignored."""
    encoding = clf.encoding_
    require_table(encoding, "rows of a file")
    names = encoding.names
    if names is None:
        raise ValueError(
            "The model must have been trained on a table with column names. Got a model without names."
        )
    used = {names[feature] for feature in clf.rules_.used_features}
    absent = tuple(name for name in names if name not in file.names)
    if needed := [name for name in absent if name in used]:
        raise ValueError(
            "The table must have the columns that the rules of the model use. "
            f"Got no column {shown_names(needed)}."
        )
    values: dict[str, Any] = {}
    for name, feature in zip(names, encoding.features, strict=True):
        values[name] = [None] * file.n_rows
        if name in used:
            values[name] = _feature_values(file.column(name), feature, missing)
        elif name not in absent:
            with suppress(ValueError):  # a column that no rule uses may hold anything
                values[name] = _feature_values(file.column(name), feature, missing)
    return ModelRows(ColumnTable(values), absent)


def _feature_values(raw: RawColumn, feature: Any, missing: MissingTexts) -> Values:
    """The cells with the type that the feature had in training."""
    if feature.kind == "empty" and raw.stored in ("date", "other"):
        return [None if value is None else str(value) for value in raw.values]
    if feature.kind == "empty":  # to be shown, not to be read
        return read_column(raw, missing).values
    if feature.kind == "boolean":
        return to_booleans(raw, missing)
    if feature.kind in ("nominal", "ranked") and isinstance(feature.categories[0], str):
        return to_texts(raw, missing, (*feature.categories, *getattr(feature, "not_missing", ())))
    return as_stored(raw, to_numbers(raw, missing))
