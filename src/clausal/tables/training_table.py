"""A table to learn from: features that can be used, and class labels.

Here too: labels to judge a model by. Not here: what single columns are (columns.py), rows for a model that
exists (model_rows.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.frames import make_frame
from clausal.tables.columns import Column, RawColumn, check_name, check_numbers, read_column
from clausal.tables.csv_cells import MissingTexts
from clausal.tables.table_file import TableFile

MOST_CLASSES = 100

Labels = list[Any]
"""One per row: all int, all bool or all str, None where missing."""


def read_labels(file: TableFile, target: str, missing: MissingTexts) -> Labels:
    """The classes of a table's rows, whole numbers as int."""
    check_name(target, file.names)
    column = read_column(file.column(target), missing)
    if column.kind in ("date", "other", "empty"):
        got = {"date": "dates", "empty": "missing values only"}.get(column.kind, "another type")
        raise ValueError(f"The target {target!r} must hold classes. Got {got}.")
    if column.kind == "number":
        numbers = np.asarray(column.values, np.float64)
        _check_whole(numbers, target)
        return [None if number != number else int(number) for number in numbers.tolist()]
    return list(column.values)


def check_classes(labels: Sequence[Any], target: str) -> None:
    """Refuse what cannot be learned: fewer than two classes, or so many that they are none."""
    classes = set(labels)
    if len(classes) < 2:
        raise ValueError(f"The target {target!r} must have at least 2 classes. Got only {labels[0]!r}.")
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"The target {target!r} must have at most {MOST_CLASSES} classes. Got {len(classes)} different "
            "values; is it the right column?"
        )


def with_positive(labels: Labels, positive: str, target: str) -> Labels:
    """Labels in which one class is the positive one: the second of two.

    The others become one class, named so that it sorts before. Two classes that are in that order stay.
    """
    names = {label: _name(label) for label in set(labels) if label is not None}
    if positive not in names.values():
        listed = ", ".join(sorted(names.values()))
        raise ValueError(f"--positive must be a class of {target!r}: {listed}. Got {positive!r}.")
    if len(names) == 2 and names[max(names)] == positive:
        return labels
    others = _others(positive)
    if not others < positive:
        raise ValueError(
            f"--positive cannot be {positive!r}, as it sorts before {others!r}; rename that class."
        )
    return [None if label is None else positive if names[label] == positive else others for label in labels]


def labels_for_model(labels: Sequence[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Labels as a model knows them: 1 for "1" and such, and all others as one class if it has such a one."""
    known = {_name(label): label for label in classes.tolist()}
    others = known.get(_others(_name(classes[-1])))
    found = [known.get(_name(label), label if others is None else others) for label in labels]
    return np.array(found)


def named(labels: NDArray[Any], target: str) -> Any:
    """Labels as a series with a name, which the report shows."""
    return make_frame({target: labels.tolist()})[target]


def _others(positive: str) -> str:
    return f"(not {positive})"


def _name(label: Any) -> str:
    return str(label).lower() if isinstance(label, (bool, np.bool_)) else str(label)


def _check_whole(numbers: NDArray[np.float64], target: str) -> None:
    broken = numbers[~np.isnan(numbers) & (numbers != np.rint(numbers))]
    if len(broken):
        raise ValueError(
            f"The target {target!r} must hold classes: text, booleans or whole numbers. Got {broken[0]:g}; "
            "make classes of it, such as below and above a limit."
        )


@dataclass(frozen=True)
class Reading:
    """How a user wants a table read.

    Attributes
    ----------
    target : name of the column of classes
    drop, categorical : names of columns to leave out, and of those that are categories whatever they hold
    missing : texts that stand for a missing value; none for the usual ones
    positive : the class of interest; None for the last of two in sorted order
    """

    target: str
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    missing: Sequence[str] = ()
    positive: str | None = None


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Features and labels.

    Attributes
    ----------
    columns : all columns that were looked at, also those left out
    X : data frame of the features, n rows
    y : labels [n]: int where all are whole numbers, bool, or str
    target : name of the column of labels
    n_unlabelled : rows left out, for having no label
    """

    columns: tuple[Column, ...]
    X: Any
    y: NDArray[Any]
    target: str
    n_unlabelled: int


def read_training_table(file: TableFile, reading: Reading) -> TrainingTable:
    """Guess the columns' types and take the labelled rows."""
    for name in (reading.target, *reading.drop, *reading.categorical):
        check_name(name, file.names)
    if reading.target in reading.drop:
        raise ValueError(f"The target {reading.target!r} must not be dropped.")
    missing = MissingTexts(reading.missing)
    labels = read_labels(file, reading.target, missing)
    if reading.positive is not None:
        labels = with_positive(labels, reading.positive, reading.target)
    rows = [row for row, label in enumerate(labels) if label is not None]
    check_classes([labels[row] for row in rows], reading.target)
    names = [name for name in file.names if name != reading.target and name not in reading.drop]
    check_numbers(map(file.column, names), rows, missing, reading.categorical)
    raws = (_take(file.column(name), rows) for name in names)
    columns = tuple(read_column(raw, missing, raw.name in reading.categorical) for raw in raws)
    features: dict[str, Any] = {column.name: column.values for column in columns if column.left_out is None}
    if not features:
        raise _no_feature(reading, columns)
    y = np.array([labels[row] for row in rows])
    return TrainingTable(columns, make_frame(features), y, reading.target, len(labels) - len(rows))


def _no_feature(reading: Reading, columns: Sequence[Column]) -> ValueError:
    dropped = [f"{name!r} is dropped" for name in dict.fromkeys(reading.drop)]
    reasons = [*dropped, *(f"{column.name!r} is left out ({column.left_out})" for column in columns)]
    rule = f"The table must have a column besides {reading.target!r} that can be used."
    return ValueError(f"{rule} Got {', '.join(reasons) or 'no other column'}.")


def _take(raw: RawColumn, rows: Sequence[int]) -> RawColumn:
    if len(rows) == len(raw.values):
        return raw
    if isinstance(raw.values, np.ndarray):
        return RawColumn(raw.name, raw.stored, raw.values[rows])
    return RawColumn(raw.name, raw.stored, [raw.values[row] for row in rows])
