"""`clausal predict`: a table with added predictions, votes and probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, repeat
from typing import Annotated, Any

import typer

from clausal import load
from clausal.cli.options import Missing, ModelPath, Quiet, TablePaths, command
from clausal.cli.screen import Screen, counted, show_model_rows
from clausal.encoding.stream import parquet_files
from clausal.evaluation.predictions import prediction_columns
from clausal.tables.columns import MissingTexts
from clausal.tables.large_table import open_large, write_batches
from clausal.tables.table_file import STANDARD, Added, ParquetTable, TableFile, check_outputs, read_table
from clausal.tables.training_table import read_model_rows


@dataclass(kw_only=True)
class PredictOptions:
    """The options; see the help of each."""

    model: ModelPath
    table: TablePaths
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write: Parquet if it ends with .parquet or .pq, else CSV.",
        ),
    ] = STANDARD
    prefix: Annotated[
        str, typer.Option(metavar="TEXT", help="The start of the names of the added columns.")
    ] = ""
    missing: Missing = field(default_factory=list)
    quiet: Quiet = False


@command(
    PredictOptions,
    """
clausal predict model.json new.csv --output scored.csv
clausal predict model.json new.parquet --output scored.parquet
clausal predict other.json scored.csv --prefix other_ --output both.csv
clausal predict model.json data/*.parquet --output scored.parquet
cat new.csv | clausal predict model.json - > scored.csv
""",
)
def predict(options: PredictOptions) -> None:
    """Write a table with the predictions, votes and probabilities of a model as added columns."""
    check_outputs([options.output], [options.model, *options.table])
    screen = Screen(options.quiet)
    clf, missing = load(options.model), MissingTexts(options.missing)
    table = open_large(options.table, screen.shows_progress)
    if table is None:
        file = read_table(options.table[0])
        added, n_rows = _added(clf, file, options, screen), file.n_rows
        file.write(options.output, added, missing)
    else:
        check_outputs([options.output], [file for path in options.table for file in parquet_files(path)])
        n_rows, screens = table.n_rows, chain([screen], repeat(Screen(quiet=True)))
        write_batches(options.output, table, partial(_with_predictions, clf, options, screens))
    if options.output != STANDARD:
        screen.note(f"{counted(n_rows, 'row')} with predictions: {options.output}")


def _with_predictions(
    clf: Any, options: PredictOptions, screens: Iterator[Screen], batch: ParquetTable
) -> ParquetTable:
    """A batch with the columns to add. Values that were not seen in training are said once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = batch.with_added(_added(clf, batch, options, next(screens)))
    for warning in caught:
        warnings.warn(f"In the first batch with such values: {warning.message}", warning.category, 2)
        warnings.simplefilter("ignore", warning.category)
    return result


def _added(clf: Any, file: TableFile, options: PredictOptions, screen: Screen) -> Added:
    """The columns to add, by name."""
    rows = read_model_rows(clf, file, MissingTexts(options.missing))
    show_model_rows(rows, screen)
    added = {f"{options.prefix}{name}": cells for name, cells in prediction_columns(clf, rows.X).items()}
    existing = [name for name in added if name in file.names]
    if existing:
        raise ValueError(
            f"The table must not have a column {existing[0]!r}, which predict adds. With --prefix, the "
            "columns that it adds have other names."
        )
    return added
