"""`clausal predict`: a table with added predictions, votes and probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from clausal import load
from clausal.cli.options import Missing, ModelPath, Quiet, TablePath, command
from clausal.cli.screen import Screen, counted, show_model_rows
from clausal.tables.columns import MissingTexts
from clausal.tables.table_file import STANDARD, check_outputs, read_table
from clausal.tables.training_table import read_model_rows


@dataclass(kw_only=True)
class PredictOptions:
    """The options; see the help of each."""

    model: ModelPath
    table: TablePath
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
cat new.csv | clausal predict model.json - > scored.csv
""",
)
def predict(options: PredictOptions) -> None:
    """Write a table with the predictions, votes and probabilities of a model as added columns."""
    check_outputs([options.output], [options.model, options.table])
    screen = Screen(options.quiet)
    clf, file = load(options.model), read_table(options.table)
    missing = MissingTexts(options.missing)
    rows = read_model_rows(clf, file, missing)
    show_model_rows(rows, screen)
    added = {f"{options.prefix}{name}": cells for name, cells in predictions(clf, rows.X).items()}
    existing = [name for name in added if name in file.names]
    if existing:
        raise ValueError(
            f"The table must not have a column {existing[0]!r}, which predict adds. With --prefix, the "
            "columns that it adds have other names."
        )
    file.write(options.output, added, missing)
    if options.output != STANDARD:
        screen.note(f"{counted(file.n_rows, 'row')} with predictions: {options.output}")


def predictions(clf: Any, X: Any) -> dict[str, Sequence[Any]]:
    """The columns to add: prediction, then vote and probability of the positive class or of each."""
    outcome = clf.rules_.outcome
    votes, probabilities = outcome.banked(clf.votes(X)), outcome.by_label(clf.predict_proba(X))
    added: dict[str, Sequence[Any]] = {"prediction": clf.predict(X).tolist()}
    added |= dict(zip(outcome.vote_names(), votes.T.tolist(), strict=True))
    shown, labels = probabilities[:, -outcome.n_banks :], outcome.classes[-outcome.n_banks :]  # with a vote
    named = (f"probability_{label}" for label in labels.tolist())
    return added | dict(zip(named, shown.T.tolist(), strict=True))
