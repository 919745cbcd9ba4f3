"""`clausal monitor`: whether new rows are still those that a model was made for."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer

from clausal import load
from clausal import monitor as compare_periods
from clausal.cli.commands.report import class_labels, protected_column
from clausal.cli.options import Missing, ModelPath, Protected, Quiet, command
from clausal.cli.screen import Screen, counted
from clausal.tables.columns import MissingTexts, check_name
from clausal.tables.table_file import TableFile, check_outputs, read_table
from clausal.tables.training_table import read_model_rows

EXIT_CODES = {"stable": 0, "watch": 3, "act": 4}
"""Of the command, by verdict; 1 and 2 are errors."""

Bins = StrEnum("Bins", ["rules", "values"])


@dataclass(kw_only=True)
class MonitorOptions:
    """The options; see the help of each."""

    model: ModelPath
    reference: Annotated[
        str,
        typer.Argument(metavar="REFERENCE", help="Table of the earlier period.", show_default=False),
    ]
    current: Annotated[
        str, typer.Argument(metavar="CURRENT", help="Table of the new period.", show_default=False)
    ]
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the classes, in one table or both; empty where not known yet.",
            show_default=False,
        ),
    ] = None
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write one HTML page.", show_default=False),
    ] = None
    bins: Annotated[
        Bins,
        typer.Option(
            help="Count features in the parts that rules tell apart, or by tenths and single categories."
        ),
    ] = Bins.rules
    protected: Protected = None
    missing: Missing = field(default_factory=list)
    quiet: Quiet = False


@command(
    MonitorOptions,
    """
clausal monitor model.json test.csv this-month.csv
clausal monitor model.json test.csv this-month.csv --target class --output monitor.html
clausal monitor model.json test.csv this-month.csv --quiet || echo "exit code 3: watch, 4: act"
""",
)
def monitor(options: MonitorOptions) -> None:
    """Compare new rows with earlier ones. Exit code: 0 stable, 3 watch, 4 act; 1 and 2 are errors."""
    check_outputs([options.output], [options.model, options.reference, options.current])
    screen = Screen(options.quiet)
    clf = load(options.model)
    files = [read_table(path) for path in (options.reference, options.current)]
    if options.target is not None and options.target not in files[0].names:
        check_name(options.target, files[1].names)  # an error if neither table has it
    paths = (options.reference, options.current)
    reference, current = (
        _read_period(clf, file, path, options, screen) for file, path in zip(files, paths, strict=True)
    )
    protected = None
    if options.protected is not None:
        protected = protected_column(files[1], options.protected, MissingTexts(options.missing))
    result = compare_periods(
        clf, reference.X, current.X, reference.y, current.y, bins=options.bins.value, protected=protected
    )
    if options.output is not None:
        result.to_html(options.output)
        screen.note(f"Page: {options.output}")
    screen.result(str(result))
    if code := EXIT_CODES[result.verdict]:
        raise typer.Exit(code)


class _Period(NamedTuple):
    """The rows of one table: input of the model, and classes, None if they are not known."""

    X: Any
    y: Any


def _read_period(clf: Any, file: TableFile, path: str, options: MonitorOptions, screen: Screen) -> _Period:
    missing = MissingTexts(options.missing)
    X = read_model_rows(clf, file, missing).X
    if options.target is None:
        return _Period(X, None)
    if options.target not in file.names:
        screen.note(f"{path} has no column {options.target!r}, so that its classes are not known.")
        return _Period(X, None)
    labels = class_labels(clf, file, options.target, missing, screen)
    if unknown := sum(label is None for label in labels):
        screen.note(f"{counted(unknown, 'row')} of {path} without a value of {options.target!r}.")
    return _Period(X, labels)
