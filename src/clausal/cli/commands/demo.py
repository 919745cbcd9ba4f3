"""`clausal demo`: a scorecard for an embedded data set."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer

from clausal import datasets
from clausal.cli.commands.fit import FitOptions, fit_scorecard, train
from clausal.cli.options import Jobs, MaxLiterals, Quiet, ReportPath, SavePath, Seed, command
from clausal.cli.screen import Screen
from clausal.encoding.columns import number_text
from clausal.tables.table_file import (
    CsvTable,
    CsvText,
    check_outputs,
    format_csv,
    write_bytes,
)

_TARGET = "class"


class Demo(StrEnum):
    """The embedded data sets."""

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
    """The options; see the help of each."""

    name: Annotated[Demo, typer.Argument(help="The data set.")] = Demo.heart
    max_literals: MaxLiterals = 12
    seed: Seed = 0
    jobs: Jobs = None
    table: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the table as CSV, to try other commands.")
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
    """Train a scorecard on an embedded data set."""
    check_outputs([options.table, options.model, options.report], [])
    screen = Screen(options.quiet)
    text, description = demo_table(options.name)
    screen.note(description)
    if options.table is not None:
        write_bytes(options.table, format_csv(text.names, zip(*text.columns, strict=True)))
        screen.note(f"Table: {options.table}")
    training = FitOptions(
        table=[options.name.value],
        target=_TARGET,
        max_literals=options.max_literals,
        seed=options.seed,
        jobs=options.jobs,
        model=options.model,
        report=options.report,
        quiet=options.quiet,
    )
    train(training, CsvTable(text), partial(fit_scorecard, training, screen), screen)
    screen.note("Try your own table next: clausal fit TABLE --target COLUMN")


def demo_table(name: Demo) -> tuple[CsvText, str]:
    """A data set as CSV cells, with category names instead of codes, and a short description."""
    bunch = _LOADERS[name]()
    columns = [
        _cells(bunch.data[:, index], bunch.category_names.get(feature, ()))
        for index, feature in enumerate(bunch.feature_names)
    ]
    columns.append(bunch.target_names[bunch.target].tolist())
    title, details, *_ = bunch.DESCR.split("\n\n")
    source = next(line for line in details.splitlines() if line.startswith("Source"))
    return CsvText((*bunch.feature_names, _TARGET), tuple(columns), ","), f"{title}. {source}"


def _cells(values: Any, names: tuple[str, ...]) -> list[str]:
    """One feature [n] as text: names instead of codes, or false and true instead of 0 and 1."""
    if values.dtype == object:
        return ["" if value is None else str(value) for value in values]
    codes, indices = np.unique(values, return_inverse=True)
    texts = names or (("false", "true") if codes.tolist() == [0, 1] else tuple(map(number_text, codes)))
    return [texts[index] for index in indices.tolist()]
