"""`clausal export`: the rules for a database, a program or a document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from clausal import load
from clausal.cli.options import ModelPath, Quiet, command
from clausal.cli.screen import Screen
from clausal.tables.table_file import STANDARD, check_outputs, write_bytes


class Form(StrEnum):
    """What rules can be written as."""

    sql = "sql"
    json = "json"
    markdown = "markdown"


@dataclass(kw_only=True)
class ExportOptions:
    """See the help of each."""

    model: ModelPath
    to: Annotated[Form, typer.Option(help="What to write.", show_default=False)]
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = (
        STANDARD
    )
    dialect: Annotated[str, typer.Option(metavar="NAME", help="SQL: any dialect of sqlglot.")] = "duckdb"
    table: Annotated[str, typer.Option(metavar="NAME", help="SQL: the table to score.")] = "data"
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
    """Write the rules as SQL that scores a table, as JSON, or as Markdown."""
    check_outputs([options.output], [options.model])
    rules = load(options.model).rules_
    if options.to is Form.sql:
        text = rules.to_sql(options.dialect, options.table)
    else:
        text = rules.to_json() if options.to is Form.json else rules.to_markdown()
    write_bytes(options.output, (text.rstrip("\n") + "\n").encode("utf-8"))
    if options.output != STANDARD:
        Screen(options.quiet).note(f"Rules as {options.to.value}: {options.output}")
