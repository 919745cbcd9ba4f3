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
from functools import cache, partial
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = ["app", "main"]

_EXPECTED = (ValueError, OSError, ImportError, MemoryError)
"""Errors in the user's data and files. Any other error is a bug and shows its traceback."""


_COMMANDS = {
    "fit": "Train a scorecard of a few rules and evaluate it on held-out rows.",
    "predict": "Write a table with the predictions, votes and probabilities of a model as added columns.",
    "rules": "Print the rules of a model, which are the whole model, and the risk of each score.",
    "explain": "Explain the predictions for rows, and which changes would lead to another prediction.",
    "report": "Evaluate a model on rows it was not trained on, and write one HTML page that works offline.",
    "compare": "Compare models on rows that none was trained on: measures, rules, and decisions that differ.",
    "monitor": "Compare new rows with earlier ones. Exit code: 0 stable, 3 watch, 4 act; 1 and 2 are errors.",
    "tune": "Find good hyperparameters within a time budget, on the rows that are not held out.",
    "export": "Write the model as SQL, Python, C and other forms that score rows, or its rules as text.",
    "edit": "Change a scorecard by hand: show what that does to its scores, and keep it with a record.",
    "serve": "Answer requests over HTTP with the predictions and explanations of a model, until Ctrl-C.",
    "demo": "Train a scorecard on an embedded data set.",
    "info": "Print versions and libraries of this installation or, given a model, the values that its file "
    "holds.",
}
"""The first lines of the help of the commands, so that they are listed without importing what they need."""


@cache
def _command(name: str) -> Any:
    """A command, imported when it is asked for."""
    module = import_module(f"clausal.cli.commands.{'info' if name == 'rules' else name}")
    program = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    getattr(module, name).register(program)
    return typer.main.get_command(program)


class Commands(TyperGroup):
    """Commands that print each error and warning as one line on standard error."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name, None if there is none; only its name and help while commands are listed."""
        if cmd_name not in _COMMANDS:
            return None
        return TyperCommand(cmd_name, help=_COMMANDS[cmd_name]) if self._listing else _command(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        from clausal.cli.screen import discard, print_labeled
        from clausal.encoding.remarks import TableWarning
        from clausal.encoding.values import UnseenValueWarning

        with warnings.catch_warnings():
            warnings.simplefilter("always", TableWarning)
            warnings.simplefilter("always", UnseenValueWarning)
            warnings.showwarning = _shown_once(partial(print_labeled, "Warning:", "yellow"))
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
    cls=Commands,
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
    _allow_any_text()
    app(prog_name="clausal")


def _allow_any_text() -> None:
    """Make standard output and error escape characters that their encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, MemoryError) and not str(error):
        return "Not enough memory."
    return str(error) or type(error).__name__


def _shown_once(say: Callable[[str], None]) -> Callable[..., None]:
    """A function that says a warning unless it was said before: a command may read and fit twice."""
    shown: set[str] = set()

    def show(message: Any, *_: Any, **__: Any) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            say(str(message))

    return show
