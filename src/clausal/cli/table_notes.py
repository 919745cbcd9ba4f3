"""Notes and warnings about a table: its columns, ignored ones, and values that a model has not seen.

Not here: reading the table (clausal.tables).
"""

from __future__ import annotations

import numpy as np

from clausal.cli.screen import Screen, counted
from clausal.encoding.columns import name_text
from clausal.tables.columns import Column, shown_names
from clausal.tables.csv_cells import USUAL_MISSING
from clausal.tables.model_rows import ModelRows
from clausal.tables.training_table import TrainingTable


def show_table(table: TrainingTable, screen: Screen) -> None:
    """Print the type of each column, and warnings."""
    rows = [
        (
            name_text(column.name),
            column.kind if column.reason_ignored is None else "ignored",
            column.example,
            f"{column.n_missing:,}",
            f"{column.n_distinct:,}",
        )
        for column in table.columns
    ]
    classes, counts = np.unique(table.y, return_counts=True)
    size = f"{counted(len(table.y), 'row')}, {counted(len(table.columns), 'column')}"
    title = f"{size} besides the target {name_text(table.target)}"
    screen.note_table(("column", "read as", "example", ">missing", ">distinct"), rows, title)
    shares = ", ".join(f"{label} ({count:,})" for label, count in zip(classes, counts, strict=True))
    screen.note(f"Classes of {name_text(table.target)}: {shares}.")
    if table.n_unlabeled:
        screen.warning(f"{counted(table.n_unlabeled, 'row')} without a value of {table.target!r} ignored.")
    for column in table.columns:
        _show_warnings(column, screen)


def _show_warnings(column: Column, screen: Screen) -> None:
    if column.reason_ignored is not None:
        screen.warning(f"Column {column.name!r} is ignored: {column.reason_ignored}.")
    elif column.is_row_number:
        screen.warning(f"Column {column.name!r} looks like a row number; ignore it with --drop.")
    elif column.stray is not None:
        screen.warning(
            f"Column {column.name!r} is read as categories because of values such as {column.stray!r}; "
            f"list the values that mean missing with --missing (instead of {', '.join(USUAL_MISSING)})."
        )


def show_model_rows(rows: ModelRows, screen: Screen) -> None:
    """Print warnings about values that the model has not seen in training."""
    if rows.absent:
        screen.note(f"Not in the table, but not used by any rule: {shown_names(rows.absent)}.")
    if rows.unknown:
        total = sum(count.total() for count in rows.unknown.values())
        listed = [
            f"{name} {value} ({count:,})"
            for name, counts in rows.unknown.items()
            for value, count in counts.most_common(3)
        ]
        screen.warning(
            f"{counted(total, 'value')} of categories that did not occur in training; they match no category "
            f"in a rule: {shown_names(listed)}."
        )
    if rows.newly_missing:
        total = sum(rows.newly_missing.values())
        screen.warning(
            f"{counted(total, 'value')} missing in columns that were complete in training: "
            f"{shown_names(tuple(rows.newly_missing))}."
        )
