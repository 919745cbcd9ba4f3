"""The options that commands share, and how a dataclass of options becomes a command.

A command has one parameter, a dataclass whose fields are its arguments and options.
Not here: what commands do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from clausal.tables.training_table import Reading

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")

_TABLE_PANEL, _OUTPUT_PANEL, MODEL_PANEL, TEST_PANEL = "The table", "Output", "The model", "Held-out rows"

TablePath = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="CSV or Parquet file; - is CSV from standard input.", show_default=False
    ),
]
ModelPath = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file that fit or tune wrote.", show_default=False)
]
Target = Annotated[
    str,
    typer.Option(
        metavar="COLUMN", help="The column of classes.", show_default=False, rich_help_panel=_TABLE_PANEL
    ),
]
Drop = Annotated[
    list[str],
    typer.Option(metavar="COLUMN", help="Leave this column out. Repeatable.", rich_help_panel=_TABLE_PANEL),
]
Categorical = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="Read this column as categories, whatever it holds. Repeatable.",
        rich_help_panel=_TABLE_PANEL,
    ),
]
Missing = Annotated[
    list[str],
    typer.Option(
        metavar="TEXT",
        help="Text that means missing, in place of ?, NA, N/A, nan and null; empty always does. Repeatable.",
        rich_help_panel=_TABLE_PANEL,
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print results and errors only.", rich_help_panel=_OUTPUT_PANEL)
]
ReportPath = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Write the report, one HTML page, here.", rich_help_panel=_OUTPUT_PANEL
    ),
]
SavePath = Annotated[
    str | None, typer.Option(metavar="FILE", help="Save the model here.", rich_help_panel=_OUTPUT_PANEL)
]
Seed = Annotated[
    int,
    typer.Option(
        min=0, max=2**32 - 1, help="The same seed gives the same model.", rich_help_panel=MODEL_PANEL
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Processor cores to use; all by default.", rich_help_panel=MODEL_PANEL
    ),
]
MaxLiterals = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Most conditions in all rules together.", rich_help_panel=MODEL_PANEL
    ),
]


@dataclass(kw_only=True)
class TrainingOptions:
    """What every command that trains takes: the table, the held-out rows, and where results go."""

    table: TablePath
    target: Target
    drop: Drop = field(default_factory=list)
    categorical: Categorical = field(default_factory=list)
    missing: Missing = field(default_factory=list)
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The class of interest, against all others; of two the last in sorted order by default.",
            rich_help_panel=_TABLE_PANEL,
        ),
    ] = None
    max_literals: MaxLiterals = None
    seed: Seed = 0
    jobs: Jobs = None
    test_size: Annotated[
        float,
        typer.Option(
            min=0.01, max=0.99, help="Share of the rows to judge the model by.", rich_help_panel=TEST_PANEL
        ),
    ] = 0.2
    no_test: Annotated[
        bool, typer.Option("--no-test", help="Train on all rows, judge by none.", rich_help_panel=TEST_PANEL)
    ] = False
    refit: Annotated[
        bool,
        typer.Option(
            "--refit",
            help="Judge by held-out rows, then save a model of all rows.",
            rich_help_panel=TEST_PANEL,
        ),
    ] = False
    model: SavePath = None
    report: ReportPath = None
    quiet: Quiet = False

    @property
    def reading(self) -> Reading:
        """How to read the table."""
        return Reading(self.target, self.drop, self.categorical, self.missing, self.positive)


@dataclass(frozen=True)
class Command:
    """A command: what to call with its options, and its help."""

    name: str
    call: Callable[..., None]
    help: str | None
    epilog: str

    def register(self, app: typer.Typer) -> None:
        """Make it a command of a program."""
        app.command(self.name, help=self.help, epilog=self.epilog)(self.call)


def command(options: type[Options], examples: str) -> Callable[[Callable[[Options], None]], Command]:
    """Make a command of a function of a dataclass of options, with examples at the end of its help."""

    def wrap(run: Callable[[Options], None]) -> Command:
        def call(**values: Any) -> None:
            run(options(**values))

        hints = get_type_hints(options, include_extras=True)
        parameters = [_parameter(own, hints[own.name]) for own in fields(options)]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {each.name: each.annotation for each in parameters}
        lines = "\n\n".join(examples.strip().splitlines())
        return Command(run.__name__, call, inspect.getdoc(run), f"Examples:\n\n{lines}")

    return wrap


def _parameter(own: Field[Any], hint: Any) -> inspect.Parameter:
    default: Any = inspect.Parameter.empty
    if own.default is not MISSING:
        default = own.default
    elif own.default_factory is not MISSING:
        default = own.default_factory()
    return inspect.Parameter(own.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
