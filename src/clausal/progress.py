"""The progress bar of a long fit, on standard error. `rich` is imported only if the bar is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Called after each step with a short text to display."""

    def __call__(self, note: str) -> None:
        """Advance by one step."""


class AdvanceBy(Protocol):
    """Like Advance, for any number of steps."""

    def __call__(self, note: str, steps: int = 1) -> None:
        """Advance by some steps."""


@contextmanager
def progress(n_steps: int, shown: bool, work: str = "training", unit: str = "epochs") -> Iterator[AdvanceBy]:
    """Show a progress bar of `n_steps` steps, or nothing if `shown` is False."""
    if not shown:
        yield lambda note, steps=1: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(work),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    # Without redirect_stdout=False, rich would move what callbacks print from stdout to stderr.
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as bar:
        task = bar.add_task(work, total=n_steps, note="")

        def advance(note: str, steps: int = 1) -> None:
            bar.update(task, advance=steps, note=note)

        yield advance


def say(text: str) -> None:
    """Print a line where progress bars are shown, on standard error."""
    print(text, file=sys.stderr, flush=True)
