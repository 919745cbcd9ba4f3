"""`clausal export`: the model for a database, a program or a document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from clausal import load
from clausal.cli.options import ModelPath, Quiet, command
from clausal.cli.screen import Screen
from clausal.export import TARGETS
from clausal.tables.table_file import STANDARD, check_outputs, write_bytes

Form = StrEnum("Form", list(TARGETS))  # type: ignore[misc]  # members are known when the program starts
"""What rules can be written as."""

_TARGET_OPTIONS = ("dialect", "table", "probability", "name")


@dataclass(kw_only=True)
class ExportOptions:
    """See the help of each."""

    model: ModelPath
    to: Annotated[Form, typer.Option(help="What to write.", show_default=False)]
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = (
        STANDARD
    )
    dialect: Annotated[
        str | None, typer.Option(metavar="NAME", help="SQL: any dialect of sqlglot; duckdb if not given.")
    ] = None
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="SQL: the table to score; data if not given.")
    ] = None
    probability: Annotated[
        str | None, typer.Option(metavar="NAME", help="SQL: a column for the probability.")
    ] = None
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="C: what names begin with; model if not given.")
    ] = None
    quiet: Quiet = False


@command(
    ExportOptions,
    """
clausal export model.json --to sql --dialect postgres --table patients
clausal export model.json --to python --output model.py
clausal export model.json --to c --name risk --output risk.h
clausal export model.json --to markdown --output rules.md
""",
)
def export(options: ExportOptions) -> None:
    """Write the model as SQL, Python, C and other forms that score rows, or its rules as text."""
    check_outputs([options.output], [options.model])
    model = load(options.model)
    given = {name: getattr(options, name) for name in _TARGET_OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in TARGETS[options.to].options:
            raise ValueError(f"--{name} must not be given with --to {options.to}. Got {given[name]!r}.")
    written = model.export(options.to.value, **given)
    if isinstance(written, str):
        written = (written.rstrip("\n") + "\n").encode("utf-8")
    write_bytes(options.output, written)
    screen = Screen(options.quiet)
    if options.to == "sql":
        screen.note(
            "The query takes NULL and NaN for missing, and texts as they are: make NULL of marks such as `?` "
            "and remove blanks around texts, as `clausal fit` does when it reads a CSV file."
        )
    if options.output != STANDARD:
        screen.note(f"The model as {options.to}: {options.output}")
