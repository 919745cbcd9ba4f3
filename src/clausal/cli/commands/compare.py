"""`clausal compare`: two or more models on the same rows, side by side."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import typer

from clausal import load
from clausal.cli.commands.report import class_labels
from clausal.cli.options import Missing, Quiet, Target, command
from clausal.cli.screen import Screen, counted
from clausal.tables.columns import MissingTexts
from clausal.tables.table_file import check_outputs, read_table
from clausal.tables.training_table import read_model_rows


@dataclass(kw_only=True)
class CompareOptions:
    """The options; see the help of each."""

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="MODELS... TABLE", help="Two or more model files, and a table.", show_default=False
        ),
    ]
    target: Target
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write one HTML page.", show_default=False),
    ] = None
    missing: Missing = field(default_factory=list)
    quiet: Quiet = False


@command(
    CompareOptions,
    """
clausal compare old.json new.json test.csv --target class
clausal compare old.json new.json other.json test.csv --target class --output compare.html
""",
)
def compare(options: CompareOptions) -> None:
    """Compare models on rows that none was trained on: measures, rules, and decisions that differ."""
    from clausal.evaluation.compare import compare_tables

    *paths, table = options.files
    if len(paths) < 2:
        wanted = f"two or more models and a table are needed. Got {counted(len(options.files), 'file')}."
        raise typer.BadParameter(wanted, param_hint="MODELS... TABLE")
    check_outputs([options.output], options.files)
    screen, missing = Screen(options.quiet), MissingTexts(options.missing)
    models = dict(zip(_names(paths), map(load, paths), strict=True))
    file = read_table(table)
    first = next(iter(models.values()))
    labels = class_labels(first, file, options.target, missing, screen)
    kept = [row for row, label in enumerate(labels) if label is not None]
    if len(kept) < len(labels):
        n_unlabeled = len(labels) - len(kept)
        screen.warning(f"{counted(n_unlabeled, 'row')} without a value of {options.target!r} ignored.")
    tables = [read_model_rows(clf, file, missing).X.take(kept) for clf in models.values()]
    result = compare_tables(models, tables, tables[0], np.array([labels[row] for row in kept]))
    if options.output is not None:
        result.to_html(options.output)
        screen.note(f"Page: {options.output}")
    screen.result(str(result))


def _names(paths: list[str]) -> list[str]:
    """The names of the files without their ending or, if two are the same, the paths."""
    names = [os.path.splitext(os.path.basename(path))[0] for path in paths]
    if len(set(names)) == len(names):
        return names
    if len(set(paths)) < len(paths):
        repeated = next(path for index, path in enumerate(paths) if path in paths[:index])
        raise ValueError(f"compare must be given different models. Got {repeated} twice.")
    return list(paths)
