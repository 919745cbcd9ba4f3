"""What a command says about a table: what was left out or doubtful, and what a model has not seen before.

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


def show_model_rows(rows: ModelRows, screen: Screen) -> None:
    """Say what the model has not seen before."""
    if rows.absent:
        screen.note(f"Not in the table, and not needed by any rule: {shown_names(rows.absent)}.")
    if rows.unknown:
        total = sum(count.total() for count in rows.unknown.values())
        listed = [
            f"{name} {value} ({count:,})"
            for name, counts in rows.unknown.items()
            for value, count in counts.most_common(3)
        ]
        screen.warning(
            f"{counted(total, 'value')} of categories that training did not have, which match none of a "
            f"rule: {shown_names(listed)}."
        )
    if rows.newly_missing:
        total = sum(rows.newly_missing.values())
        screen.warning(
            f"{counted(total, 'value')} missing in columns that were complete in training: "
            f"{shown_names(tuple(rows.newly_missing))}."
        )
