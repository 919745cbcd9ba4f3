"""`clausal export`: the rules for a database, a program or a document."""

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

_DATABASE_OPTIONS = ("dialect", "table")


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
    quiet: Quiet = False


@command(
    ExportOptions,
    """
clausal export model.json --to sql --dialect postgres --table patients
clausal export model.json --to json --output rules.json
clausal export model.json --to markdown --output rules.md
""",
)
def export(options: ExportOptions) -> None:
    """Write the rules as SQL that scores a table, as JSON, as Markdown, or as plain text."""
    check_outputs([options.output], [options.model])
    rules = load(options.model).rules_
    given = {name: getattr(options, name) for name in _DATABASE_OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in TARGETS[options.to].options:
            raise ValueError(f"--{name} must not be given with --to {options.to}. Got {given[name]!r}.")
    text = rules.export(options.to, **given)
    write_bytes(options.output, (text.rstrip("\n") + "\n").encode("utf-8"))
    screen = Screen(options.quiet)
    if options.to == "sql":
        screen.note(
            "The query takes NULL and NaN for missing, and texts as they are: make NULL of marks such as `?` "
            "and remove blanks around texts, as `clausal fit` does when it reads a CSV file."
        )
    if options.output != STANDARD:
        screen.note(f"Rules as {options.to}: {options.output}")
