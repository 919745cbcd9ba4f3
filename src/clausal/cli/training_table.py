"""A table to learn from: features that can be used, and labels.

Not here: what single columns are (file_columns.py), rows for a model that exists (model_rows.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.cli.almost_numbers import check_numbers
from clausal.cli.class_labels import check_classes, read_labels, with_positive
from clausal.cli.file_columns import Column, RawColumn, check_name, read_column
from clausal.cli.screen import Screen, counted
from clausal.cli.table_file import TableFile
from clausal.cli.text_cells import USUAL_MISSING, MissingTexts
from clausal.encoding.columns import name_text
from clausal.frames import make_frame


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


def show_table(table: TrainingTable, screen: Screen) -> None:
    """Say what each column was taken for, and what the user may want to change."""
    rows = [
        (
            name_text(column.name),
            column.kind if column.left_out is None else "left out",
            column.example,
            f"{column.n_missing:,}",
            f"{column.n_distinct:,}",
        )
        for column in table.columns
    ]
    classes, counts = np.unique(table.y, return_counts=True)
    size = f"{counted(len(table.y), 'row')}, {counted(len(table.columns), 'column')}"
    title = f"{size} besides the target {name_text(table.target)}"
    screen.note_table(("column", "read as", "such as", ">missing", ">different"), rows, title)
    shares = ", ".join(f"{label} ({count:,})" for label, count in zip(classes, counts, strict=True))
    screen.note(f"Classes of {name_text(table.target)}: {shares}.")
    if table.n_unlabelled:
        screen.warning(f"{counted(table.n_unlabelled, 'row')} without a value of {table.target!r} left out.")
    for column in table.columns:
        _show_doubts(column, screen)


def _show_doubts(column: Column, screen: Screen) -> None:
    if column.left_out is not None:
        screen.warning(f"Column {column.name!r} is left out: {column.left_out}.")
    elif column.is_row_number:
        screen.warning(f"Column {column.name!r} looks like a row number; leave it out with --drop.")
    elif column.stray is not None:
        screen.warning(
            f"Column {column.name!r} is read as categories because of values such as {column.stray!r}; "
            f"name those that mean missing with --missing (in place of {', '.join(USUAL_MISSING)})."
        )


def _take(raw: RawColumn, rows: Sequence[int]) -> RawColumn:
    if len(rows) == len(raw.values):
        return raw
    if isinstance(raw.values, np.ndarray):
        return RawColumn(raw.name, raw.stored, raw.values[rows])
    return RawColumn(raw.name, raw.stored, [raw.values[row] for row in rows])
