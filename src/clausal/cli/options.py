"""Options that several commands have, and how a dataclass of options becomes a command.

A command has one parameter: a dataclass whose fields are its arguments and options. Not here: the commands.
"""

from __future__ import annotations

import inspect
import re
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
TablePaths = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE...",
        help="CSV or Parquet file; - is CSV from standard input. fit and predict read large or several "
        "Parquet files, a folder and a pattern of them in batches.",
        show_default=False,
    ),
]
ModelPath = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file that fit or tune wrote.", show_default=False)
]
Target = Annotated[
    str,
    typer.Option(
        metavar="COLUMN",
        help="The column with the classes.",
        show_default=False,
        rich_help_panel=_TABLE_PANEL,
    ),
]
Drop = Annotated[
    list[str],
    typer.Option(metavar="COLUMN", help="Ignore this column. Repeatable.", rich_help_panel=_TABLE_PANEL),
]
Categorical = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="Read this column as categories, whatever its values. Repeatable.",
        rich_help_panel=_TABLE_PANEL,
    ),
]
Missing = Annotated[
    list[str],
    typer.Option(
        metavar="TEXT",
        help="Text that means missing, instead of ?, NA, N/A, nan and null (empty always does). Repeatable.",
        rich_help_panel=_TABLE_PANEL,
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only results and errors.", rich_help_panel=_OUTPUT_PANEL)
]
ReportPath = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Write the report, one HTML page, to this file.", rich_help_panel=_OUTPUT_PANEL
    ),
]
SavePath = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Save the model to this file.", rich_help_panel=_OUTPUT_PANEL),
]
Protected = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="A protected column, such as sex, that no rule tests: figures of each of its groups.",
        show_default=False,
    ),
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
        min=1, metavar="N", help="Number of processor cores; all by default.", rich_help_panel=MODEL_PANEL
    ),
]
MaxLiterals = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Maximum number of conditions in all rules together.",
        rich_help_panel=MODEL_PANEL,
    ),
]
MaxFeatures = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Maximum number of columns in the rules.", rich_help_panel=MODEL_PANEL
    ),
]


@dataclass(kw_only=True)
class TrainingOptions:
    """The options of every command that trains: the table, the held-out rows, and the output files."""

    table: TablePaths
    target: Target
    drop: Drop = field(default_factory=list)
    categorical: Categorical = field(default_factory=list)
    missing: Missing = field(default_factory=list)
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The class of interest: scores, risks and F1 are about it. By default the last of two in "
            "sorted order; of more than two, the others become one class.",
            rich_help_panel=_TABLE_PANEL,
        ),
    ] = None
    max_literals: MaxLiterals = None
    seed: Seed = 0
    jobs: Jobs = None
    test_size: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=0.99,
            help="Share of the rows held out to evaluate the model.",
            rich_help_panel=TEST_PANEL,
        ),
    ] = 0.2
    no_test: Annotated[
        bool,
        typer.Option(
            "--no-test", help="Train on all rows, without an evaluation.", rich_help_panel=TEST_PANEL
        ),
    ] = False
    refit: Annotated[
        bool,
        typer.Option(
            "--refit",
            help="Evaluate on held-out rows, then train again on all rows and save that model.",
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
    """A command: its name, function and help."""

    name: str
    call: Callable[..., None]
    help: str | None
    epilog: str

    def register(self, app: typer.Typer) -> None:
        """Add the command to a program."""
        app.command(self.name, help=self.help, epilog=self.epilog)(self.call)


def command(options: type[Options], examples: str) -> Callable[[Callable[[Options], None]], Command]:
    """Make a command from a function of a dataclass of options, with examples at the end of its help."""

    def wrap(run: Callable[[Options], None]) -> Command:
        def call(**values: Any) -> None:
            run(options(**values))

        hints = get_type_hints(options, include_extras=True)
        parameters = [_parameter(option, hints[option.name]) for option in fields(options)]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {each.name: each.annotation for each in parameters}
        lines = "\n\n".join(examples.strip().splitlines())
        return Command(run.__name__, call, inspect.getdoc(run), f"Examples:\n\n{lines}")

    return wrap


def _parameter(option: Field[Any], hint: Any) -> inspect.Parameter:
    default: Any = inspect.Parameter.empty
    if option.default is not MISSING:
        default = option.default
    elif option.default_factory is not MISSING:
        default = option.default_factory()
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def read_scale(text: str) -> list[float]:
    """The base score, its odds and the points that double them, between commas or colons."""
    try:
        base, odds, double = (float(part) for part in re.split("[,:]", text))
    except ValueError:
        raise ValueError(f"must be SCORE,ODDS,DOUBLE, such as 600,50,20. Got {text!r}.") from None
    return [base, odds, double]
