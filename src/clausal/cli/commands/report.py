"""`clausal report`: a model and a judgement of it on one HTML page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import narwhals as nw
import typer

from clausal import load
from clausal import report as write_report
from clausal.cli.options import Missing, ModelPath, Quiet, TablePath, Target, command
from clausal.cli.screen import Screen, counted
from clausal.cli.table_notes import show_model_rows
from clausal.tables.csv_cells import MissingTexts
from clausal.tables.model_rows import read_model_rows
from clausal.tables.table_file import check_outputs, read_table
from clausal.tables.training_table import labels_for_model, named, read_labels


@dataclass(kw_only=True)
class ReportOptions:
    """See the help of each."""

    model: ModelPath
    table: TablePath
    target: Target
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The page to write.")] = (
        "report.html"
    )
    train: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="The rows trained on, to show rules on both.", show_default=False),
    ] = None
    missing: Missing = field(default_factory=list)
    quiet: Quiet = False


@command(
    ReportOptions,
    """
clausal report model.json test.csv --target class --output report.html
clausal report model.json test.csv --target class --train train.csv --output report.html
""",
)
def report(options: ReportOptions) -> None:
    """Judge a model by rows it was not trained on, on one HTML page that opens offline."""
    inputs = [options.model, options.table, *([] if options.train is None else [options.train])]
    check_outputs([options.output], inputs)
    screen = Screen(options.quiet)
    clf = load(options.model)
    X, y = labelled_rows(clf, options.table, options, screen)
    train = (None, None) if options.train is None else labelled_rows(clf, options.train, options, screen)
    write_report(clf, X, named(y, options.target), options.output, *train)
    screen.note(f"Report: {options.output}")
    screen.note(
        f"It judges the model on the rows of {options.table}: any that it was trained on make it look better "
        "than it is."
    )


def labelled_rows(clf: Any, path: str, options: ReportOptions, screen: Screen) -> tuple[Any, Any]:
    """The rows of a file that have a class, as the model reads them, and their classes."""
    file, missing = read_table(path), MissingTexts(options.missing)
    labels = read_labels(file, options.target, missing)
    rows = read_model_rows(clf, file, missing)
    show_model_rows(rows, screen)
    kept = [place for place, label in enumerate(labels) if label is not None]
    if len(kept) < len(labels):
        n_unlabelled = len(labels) - len(kept)
        screen.warning(f"{counted(n_unlabelled, 'row')} without a value of {options.target!r} left out.")
    X = nw.from_native(rows.X, eager_only=True)[kept].to_native()
    y = labels_for_model([labels[place] for place in kept], clf.classes_)
    return X, y
