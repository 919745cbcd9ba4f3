"""What a command says: results on standard output; notes, warnings and errors on standard error.

Colours only where a person looks on. What comes from files is plain text: no markup, no control codes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

_UNBOUNDED = 100_000  # columns of a file or a pipe, where nothing is wrapped


class Screen:
    """Where one command writes.

    Parameters
    ----------
    quiet : bool
        Whether to leave out all but results and errors.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    @property
    def shows_progress(self) -> bool:
        """Whether bars should be drawn: a person looks on and did not ask for quiet."""
        return not self.quiet and bool(_console(stderr=True).is_terminal)

    def note(self, text: str) -> None:
        """Say what is being done."""
        if not self.quiet:
            _console(stderr=True).print(printable(text), soft_wrap=True)

    def warning(self, text: str) -> None:
        """Say what the user may want to change."""
        if not self.quiet:
            print_labelled("Warning:", "yellow", text)

    def note_table(self, head: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
        """A table of what is being done; heads that start with `>` are of numbers."""
        if not self.quiet:
            self.note(title)
            _console(stderr=True).print(_table(head, rows))

    def result(self, text: str) -> None:
        """Print text of the package's own making, line by line as it is."""
        _console().print("\n".join(map(printable, text.splitlines())), soft_wrap=True)

    def result_table(self, head: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
        """Print a table; heads that start with `>` are of numbers."""
        self.result(f"\n{title}")
        _console().print(_table(head, rows))


def print_labelled(label: str, colour: str, text: str) -> None:
    """One line on standard error that starts with a coloured word."""
    from rich.text import Text

    line = " ".join(printable(part) for part in text.split())
    _console(stderr=True).print(Text.assemble((label, f"bold {colour}"), " ", line), soft_wrap=True)


def counted(number: int, word: str) -> str:
    """A number of things: `1 row`, `2,000 rows`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """The text with control codes spelled out, which could otherwise steer a terminal."""
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)


def allow_any_text() -> None:
    """Let standard output and error spell out what their encoding lacks, in place of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def discard(stream: Any) -> None:
    """Send all that is yet to be written to a stream, whose reader has gone, to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _console(stderr: bool = False) -> Any:
    from rich.console import Console

    class PatientConsole(Console):
        """One whose command goes on where its reader has gone, as with `| head`: files are yet to come."""

        def on_broken_pipe(self) -> None:
            discard(self.file)

    console = PatientConsole(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _UNBOUNDED
    return console


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name in head:
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left")
    for row in rows:
        table.add_row(*map(printable, row))
    return table
