"""`clausal demo`: a scorecard of a data set that comes with the package."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
import typer

from clausal import datasets
from clausal.cli.commands.fit import FitOptions, fit_scorecard
from clausal.cli.options import Jobs, MaxLiterals, Quiet, ReportPath, SavePath, Seed, command
from clausal.cli.screen import Screen
from clausal.cli.training import train
from clausal.encoding.columns import number_text
from clausal.tables.csv_cells import CsvText, format_csv
from clausal.tables.table_file import CsvTable, check_outputs, check_table_library, write_bytes

_TARGET = "class"


class Demo(StrEnum):
    """The data sets to show."""

    heart = "heart"
    breast = "breast"
    liver = "liver"
    balance = "balance"


_LOADERS = {
    Demo.heart: datasets.load_heart_disease,
    Demo.breast: datasets.load_breast_cancer,
    Demo.liver: datasets.load_liver_disorders,
    Demo.balance: datasets.load_balance_scale,
}


@dataclass(kw_only=True)
class DemoOptions:
    """See the help of each."""

    name: Annotated[Demo, typer.Argument(help="The data set.")] = Demo.heart
    max_literals: MaxLiterals = 12
    seed: Seed = 0
    jobs: Jobs = None
    table: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the table as CSV, to try other commands on.")
    ] = None
    model: SavePath = None
    report: ReportPath = None
    quiet: Quiet = False


@command(
    DemoOptions,
    """
clausal demo
clausal demo heart --table heart.csv --model heart.json --report heart.html
clausal demo balance --max-literals 35
""",
)
def demo(options: DemoOptions) -> None:
    """Train a scorecard on a data set that comes with the package."""
    check_table_library()
    check_outputs([options.table, options.model, options.report], [])
    screen = Screen(options.quiet)
    text, about = demo_table(options.name)
    screen.note(about)
    if options.table is not None:
        write_bytes(options.table, format_csv(text.names, zip(*text.columns, strict=True)))
        screen.note(f"Table: {options.table}")
    training = FitOptions(
        table=options.name.value,
        target=_TARGET,
        max_literals=options.max_literals,
        seed=options.seed,
        jobs=options.jobs,
        model=options.model,
        report=options.report,
        quiet=options.quiet,
    )
    train(training, CsvTable(text), lambda X, y: fit_scorecard(training, X, y, screen), screen)
    screen.note("Now on a table of your own: clausal fit TABLE --target COLUMN")


def demo_table(name: Demo) -> tuple[CsvText, str]:
    """A data set as the text of a CSV file, with words for its codes, and what it is in a few words."""
    bunch = _LOADERS[name]()
    columns = [
        _cells(bunch.data[:, place], bunch.category_names.get(feature, ()))
        for place, feature in enumerate(bunch.feature_names)
    ]
    columns.append(bunch.target_names[bunch.target].tolist())
    about = bunch.DESCR.split("\n\n")
    text = CsvText((*bunch.feature_names, _TARGET), tuple(columns), ",")
    return text, f"{about[0]}. {next(line for line in about[1].splitlines() if line.startswith('Source'))}"


def _cells(values: Any, names: tuple[str, ...]) -> list[str]:
    """One feature [n] as text: codes by their names, in the same order, and 0 and 1 as false and true."""
    if values.dtype == object:
        return ["" if value is None else str(value) for value in values]
    codes, places = np.unique(values, return_inverse=True)
    words = names or (("false", "true") if codes.tolist() == [0, 1] else tuple(map(number_text, codes)))
    return [words[place] for place in places.tolist()]
