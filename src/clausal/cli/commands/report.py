"""`clausal report`: a model and its evaluation on one HTML page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from clausal import load
from clausal import report as write_report
from clausal.cli.options import Missing, ModelPath, Protected, Quiet, TablePath, Target, command
from clausal.cli.screen import Screen, counted, show_model_rows
from clausal.encoding.columns import number_text
from clausal.tables.columns import MissingTexts, check_name, read_column, shown_names
from clausal.tables.table_file import TableFile, check_outputs, read_table
from clausal.tables.training_table import (
    Labels,
    NamedValues,
    read_model_labels,
    read_model_rows,
    read_target_numbers,
)


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
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The heading of the page.", show_default=False)
    ] = None
    about: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUE",
            help="Text at the top of the page; readers look for purpose, owner, data and period. Repeatable.",
        ),
    ] = field(default_factory=list)
    id: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that names the rows, which is not a feature. Otherwise rows are counted from 1.",
            show_default=False,
        ),
    ] = None
    protected: Protected = None
    missing: Missing = field(default_factory=list)
    quiet: Quiet = False


@command(
    ReportOptions,
    """
clausal report model.json test.csv --target class --output report.html
clausal report model.json test.csv --target class --train train.csv --output report.html
clausal report model.json test.csv --target class --protected sex
clausal report prices.json houses.csv --target price
clausal report model.json test.csv --target class --id patient --about owner=Cardiology --about period=2024
""",
)
def report(options: ReportOptions) -> None:
    """Evaluate a model on rows it was not trained on, and write one HTML page that works offline."""
    inputs = [options.model, options.table, *([] if options.train is None else [options.train])]
    check_outputs([options.output], inputs)
    about = read_about(options.about)
    screen = Screen(options.quiet)
    clf = load(options.model)
    test = labeled_rows(clf, options.table, options, screen, evaluated=True)
    train = (None, None)
    if options.train is not None:
        rows = labeled_rows(clf, options.train, options, screen)
        train = (rows.X, rows.y)
    y = NamedValues(options.target, test.y.tolist())
    described = {"title": options.title, "about": about, "ids": test.ids, "protected": test.protected}
    write_report(clf, test.X, y, options.output, *train, **described)
    screen.note(f"Report: {options.output}")
    screen.note(
        f"It evaluates the model on the rows of {options.table}. If the model was trained on any of them, it "
        "looks better than it is."
    )


def read_about(texts: Sequence[str]) -> dict[str, str]:
    """The texts `KEY=VALUE` as a dict."""
    about: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (equals and key.strip() and value.strip()):
            raise ValueError(f"--about must be KEY=VALUE, such as owner=Cardiology. Got {text!r}.")
        if key in about:
            raise ValueError(f"--about must have each key once. Got {key!r} twice.")
        about[key] = value
    return about


class LabeledRows(NamedTuple):
    """Rows with a class or a number.

    Attributes
    ----------
    X, y : input of the model, and classes or numbers
    ids : the names of the rows, None for row numbers
    protected : the protected column, None if there is none
    """

    X: Any
    y: Any
    ids: Any = None
    protected: Any = None


def labeled_rows(
    clf: Any, path: str, options: ReportOptions, screen: Screen, evaluated: bool = False
) -> LabeledRows:
    """The rows of a file with a class or number; if they are to be evaluated, with their names and groups."""
    file, missing = read_table(path), MissingTexts(options.missing)
    id_column, groups = (options.id, options.protected) if evaluated else (None, None)
    if clf.rules_.outcome.is_numeric:
        labels = read_target_numbers(file, options.target, missing)
    else:
        labels = class_labels(clf, file, options.target, missing, screen)
    rows = read_model_rows(clf, file, missing)
    show_model_rows(rows, screen)
    kept = [index for index, label in enumerate(labels) if label is not None]
    ids = None
    if id_column is not None:
        ids = _read_ids(clf, file, id_column, options.target)
    elif len(kept) < len(labels):  # so that a reader finds the rows in the file
        ids = NamedValues(f"row number in {os.path.basename(path)}", range(1, len(labels) + 1))
    if len(kept) < len(labels):
        n_unlabeled = len(labels) - len(kept)
        screen.warning(f"{counted(n_unlabeled, 'row')} without a value of {options.target!r} ignored.")
    X = rows.X.take(kept)
    y = np.array([labels[index] for index in kept])
    protected = None if groups is None else protected_column(file, groups, missing)
    return LabeledRows(X, y, *(None if each is None else _taken(each, kept) for each in (ids, protected)))


def _taken(values: NamedValues, rows: list[int]) -> NamedValues:
    return NamedValues(values.name, (values[row] for row in rows))


def protected_column(file: TableFile, column: str, missing: MissingTexts) -> NamedValues:
    """A column of a file as values with its name."""
    check_name(column, file.names)
    values = read_column(file.column(column), missing).values
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return NamedValues(column, listed)


def class_labels(clf: Any, file: TableFile, target: str, missing: MissingTexts, screen: Screen) -> Labels:
    """The classes of the rows; says which of them count as all others."""
    clf.rules_.outcome.require_classes("A table of classes")
    read = read_model_labels(file, target, missing, clf.classes_)
    if read.positive is not None and read.others:
        screen.note(f"Classes of {target!r} that count as (not {read.positive}): {shown_names(read.others)}.")
    if read.positive is not None and read.positive not in map(str, read.labels):
        screen.warning(f"No row has the class {read.positive!r}; is {target!r} the right column?")
    return read.labels


def _read_ids(clf: Any, file: TableFile, column: str, target: str) -> Any:
    """The cells of the id column as text."""
    check_name(column, file.names)
    if column == target:
        raise ValueError(f"--id must not be the target. Got {column!r}.")
    encoding = clf.encoding_
    read = {
        name for name, feature in zip(encoding.names, encoding.features, strict=True) if feature.n_columns
    }
    if column in read:
        raise ValueError(
            f"--id must be a column that the model does not read. Got {column!r}; to train without it, use "
            "--drop."
        )
    raw = file.column(column)
    cells = raw.values.tolist() if isinstance(raw.values, np.ndarray) else raw.values
    texts = [None if cell is None or cell != cell else _id_text(cell) for cell in cells]
    return NamedValues(column, texts)


def _id_text(cell: Any) -> str:
    return number_text(cell) if isinstance(cell, float) else str(cell).strip()
