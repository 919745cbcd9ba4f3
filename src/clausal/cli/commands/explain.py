"""`clausal explain`: explanations of predictions for single rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from clausal import load
from clausal.cli.options import Missing, ModelPath, Quiet, TablePath, command
from clausal.cli.screen import Screen, show_model_rows
from clausal.tables.columns import MissingTexts, check_name
from clausal.tables.table_file import TableFile, read_table
from clausal.tables.training_table import read_model_rows

_FIRST_ROWS = 5


@dataclass(kw_only=True)
class ExplainOptions:
    """The options; see the help of each."""

    model: ModelPath
    table: TablePath
    row: Annotated[
        list[int],
        typer.Option(
            min=1,
            metavar="N",
            help=f"The row to explain, counted from 1; the first {_FIRST_ROWS} rows by default. Repeatable.",
        ),
    ] = field(default_factory=list)
    fixed: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="A column that cannot change, such as the age. Repeatable."),
    ] = field(default_factory=list)
    lost_points: Annotated[
        bool,
        typer.Option(
            "--lost-points",
            help="Also print the features that lost the most points towards another class.",
        ),
    ] = False
    missing: Missing = field(default_factory=list)
    quiet: Quiet = False


@command(
    ExplainOptions,
    """
clausal explain model.json new.csv --row 7
clausal explain model.json new.csv --row 7 --row 12 --fixed age --fixed sex
clausal explain model.json new.csv --row 7 --lost-points
""",
)
def explain(options: ExplainOptions) -> None:
    """Explain the predictions for rows, and which changes would lead to another prediction."""
    screen = Screen(options.quiet)
    clf, file = load(options.model), read_table(options.table)
    numbers = _row_numbers(options.row, file.n_rows)
    fixed = _fixed_features(options.fixed, clf, file, screen)
    rows = read_model_rows(clf, file, MissingTexts(options.missing))
    show_model_rows(rows, screen)
    chosen = rows.X.take([number - 1 for number in numbers])
    lost = clf.reasons(chosen) if options.lost_points else [None] * len(numbers)
    for number, explanation, reasons in zip(numbers, clf.explain(chosen, fixed=fixed), lost, strict=True):
        screen.result(f"Row {number}: {explanation}")
        if reasons is not None:
            screen.result("\n".join(reasons.lines()))
        screen.result("")
    if not options.row and file.n_rows > len(numbers):
        screen.note(f"{file.n_rows - len(numbers):,} more rows; select rows with --row.")


def _fixed_features(requested: Sequence[str], clf: Any, file: TableFile, screen: Screen) -> list[str]:
    """The columns that the model uses; ValueError if a column is not in the file either."""
    known = clf.encoding_.names or ()
    for name in requested:
        if name not in known:
            check_name(name, file.names)
            screen.warning(f"Column {name!r} is not used by the model, so --fixed has no effect for it.")
    return [name for name in requested if name in known]


def _row_numbers(requested: Sequence[int], n_rows: int) -> Sequence[int]:
    for number in requested:
        if number > n_rows:
            raise ValueError(f"--row must be from 1 to {n_rows}, the number of rows. Got {number}.")
    return list(requested) or range(1, min(_FIRST_ROWS, n_rows) + 1)
