"""`clausal report`: a model and its evaluation on one HTML page."""

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
    """The options; see the help of each."""

    model: ModelPath
    table: TablePath
    target: Target
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write.")] = (
        "report.html"
    )
    train: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="The training rows, to show the rules on both tables.", show_default=False
        ),
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
    """Evaluate a model on rows it was not trained on, and write one HTML page that works offline."""
    inputs = [options.model, options.table, *([] if options.train is None else [options.train])]
    check_outputs([options.output], inputs)
    screen = Screen(options.quiet)
    clf = load(options.model)
    X, y = labeled_rows(clf, options.table, options, screen)
    train = (None, None) if options.train is None else labeled_rows(clf, options.train, options, screen)
    write_report(clf, X, named(y, options.target), options.output, *train)
    screen.note(f"Report: {options.output}")
    screen.note(
        f"It evaluates the model on the rows of {options.table}. If the model was trained on any of them, it "
        "looks better than it is."
    )


def labeled_rows(clf: Any, path: str, options: ReportOptions, screen: Screen) -> tuple[Any, Any]:
    """The rows of a file with a class, as input of the model, and their classes."""
    file, missing = read_table(path), MissingTexts(options.missing)
    labels = read_labels(file, options.target, missing)
    rows = read_model_rows(clf, file, missing)
    show_model_rows(rows, screen)
    kept = [index for index, label in enumerate(labels) if label is not None]
    if len(kept) < len(labels):
        n_unlabeled = len(labels) - len(kept)
        screen.warning(f"{counted(n_unlabeled, 'row')} without a value of {options.target!r} ignored.")
    X = nw.from_native(rows.X, eager_only=True)[kept].to_native()
    y = labels_for_model([labels[index] for index in kept], clf.classes_)
    return X, y
