"""The command line `clausal`: rules, predictions, explanations and reports from tables in files.

Here: the program with its commands, `--version`, and errors as one line instead of a traceback. Exit codes:
0 success, 1 error in the data or files, 2 error in the command line, 3 and 4 the verdicts of `monitor`, 130
interrupted.
Not here: learning and explaining; the commands call functions of the package.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from clausal.cli.commands.compare import compare
from clausal.cli.commands.demo import demo
from clausal.cli.commands.edit import edit
from clausal.cli.commands.explain import explain
from clausal.cli.commands.export import export
from clausal.cli.commands.fit import fit
from clausal.cli.commands.info import info, rules
from clausal.cli.commands.monitor import monitor
from clausal.cli.commands.predict import predict
from clausal.cli.commands.report import report
from clausal.cli.commands.serve import serve
from clausal.cli.commands.tune import tune
from clausal.cli.screen import allow_any_text, discard, print_labeled
from clausal.encoding.remarks import TableWarning
from clausal.encoding.values import UnseenValueWarning

__all__ = ["app", "main"]

_EXPECTED = (ValueError, OSError, ImportError, MemoryError)
"""Errors in the user's data and files. Any other error is a bug and shows its traceback."""


class CleanErrors(TyperGroup):
    """Commands that print each error and warning as one line on standard error."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", TableWarning)
            warnings.simplefilter("always", UnseenValueWarning)
            warnings.showwarning = _shown_once()
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                discard(sys.stdout)  # the reader has closed the pipe, as `| head` does; this is not an error
                return None
            except KeyboardInterrupt:
                print_labeled("Interrupted.", "red", "")
                raise typer.Exit(130) from None
            except _EXPECTED as error:
                print_labeled("Error:", "red", _sentence(error))
                raise typer.Exit(1) from None


app = typer.Typer(
    cls=CleanErrors,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from clausal import __version__

        typer.echo(f"clausal {__version__}")
        raise typer.Exit


@app.callback()
def clausal(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Scorecards of short rules from tables: train, evaluate, explain and export.

    Start with: clausal demo
    """


def main() -> None:
    """Run the program with the arguments of the command line."""
    allow_any_text()
    app(prog_name="clausal")


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, MemoryError) and not str(error):
        return "Not enough memory."
    return str(error) or type(error).__name__


def _shown_once() -> Callable[..., None]:
    """A function that prints a warning unless it was printed before: a command may read and fit twice."""
    shown: set[str] = set()

    def show(message: Any, *_: Any, **__: Any) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            print_labeled("Warning:", "yellow", str(message))

    return show


for command in (
    fit,
    predict,
    rules,
    explain,
    report,
    compare,
    monitor,
    tune,
    edit,
    export,
    serve,
    demo,
    info,
):
    command.register(app)
