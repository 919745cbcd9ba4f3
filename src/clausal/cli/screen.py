"""The output of a command: results on standard output; notes, warnings and errors on standard error.

Colors are used only in a terminal. Text from files is printed without markup and control characters. Also
here: what is shown of a table, of a model and of its measures. Not here: reading the table (clausal.tables).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import name_text
from clausal.encoding.remarks import TableWarning, remarks, warn_of_table
from clausal.encoding.values import USUAL_MISSING
from clausal.tables.columns import Column, shown_names
from clausal.tables.training_table import ModelRows, TrainingTable
from clausal.wording import label_text

_MAX_SCORES = 25
_UNLIMITED_WIDTH = 100_000  # of a file or a pipe, so that lines are not wrapped


class Screen:
    """The output of one command.

    Parameters
    ----------
    quiet : bool
        Whether to print only results and errors.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    @property
    def shows_progress(self) -> bool:
        """Whether to show progress bars: only in a terminal and unless quiet."""
        return not self.quiet and bool(_console(stderr=True).is_terminal)

    def note(self, text: str) -> None:
        """Print what is being done."""
        if not self.quiet:
            _console(stderr=True).print(printable(text), soft_wrap=True)

    def warning(self, text: str) -> None:
        """Print a warning."""
        if not self.quiet:
            print_labeled("Warning:", "yellow", text)

    def note_table(self, head: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
        """Print a table as a note; columns whose name starts with `>` are right-aligned."""
        if not self.quiet:
            self.note(title)
            _console(stderr=True).print(_table(head, rows))

    def result(self, text: str) -> None:
        """Print a result without wrapping its lines."""
        _console().print("\n".join(map(printable, text.splitlines())), soft_wrap=True)

    def result_table(self, head: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
        """Print a table as a result; columns whose name starts with `>` are right-aligned."""
        self.result(f"\n{title}")
        _console().print(_table(head, rows))


def print_labeled(label: str, color: str, text: str) -> None:
    """Print one line on standard error that starts with a colored label."""
    from rich.text import Text

    line = " ".join(printable(part) for part in text.split())
    _console(stderr=True).print(Text.assemble((label, f"bold {color}"), " ", line), soft_wrap=True)


def counted(number: int, word: str) -> str:
    """A number with a noun: `1 row`, `2,000 rows`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """The text with escaped control characters, which could otherwise control the terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def discard(stream: Any) -> None:
    """Redirect a stream whose reader has closed it to the null device."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def _console(stderr: bool = False) -> Any:
    from rich.console import Console

    class RobustConsole(Console):
        """A console that ignores a closed pipe, as with `| head`, because files may still be written."""

        def on_broken_pipe(self) -> None:
            discard(self.file)

    console = RobustConsole(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _UNLIMITED_WIDTH
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


def show_table(table: TrainingTable, screen: Screen) -> None:
    """Print the type of each column, and warnings."""
    rows = [
        (
            name_text(column.name),
            _read_as(column),
            column.example,
            f"{column.n_missing:,}",
            f"{column.n_distinct:,}",
        )
        for column in table.columns
    ]
    size = f"{counted(len(table.y), 'row')}, {counted(len(table.columns) or table.X.shape[1], 'column')}"
    title = f"{size} besides the target {name_text(table.target)}"
    if table.columns:
        screen.note_table(("column", "read as", "example", ">missing", ">distinct"), rows, title)
    else:
        screen.note(f"{title}, read in batches")
    if table.y.dtype.kind == "f":
        low, middle, high = np.quantile(table.y, [0, 0.5, 1])
        screen.note(f"{name_text(table.target)}: from {low:g} to {high:g}, half of them at most {middle:g}.")
        return
    classes, counts = np.unique(table.y, return_counts=True)
    shares = ", ".join(f"{label} ({count:,})" for label, count in zip(classes, counts, strict=True))
    screen.note(f"Classes of {name_text(table.target)}: {shares}.")
    if table.n_unlabeled:
        screen.warning(f"{counted(table.n_unlabeled, 'row')} without a value of {table.target!r} ignored.")
    for column in table.columns:
        if column.stray is not None and column.facts.reason_ignored is None:
            screen.warning(
                f"Column {column.name!r} is read as categories because of values such as {column.stray!r}; "
                f"list the values that mean missing with --missing (instead of {', '.join(USUAL_MISSING)})."
            )
    if screen.quiet:
        warnings.simplefilter("ignore", TableWarning)  # until the end of the command
    warn_of_table(remarks(column.facts for column in table.columns))
    if any(column.facts.like_row_number for column in table.columns):
        screen.note("To leave out a column: --drop NAME.")


def _read_as(column: Column) -> str:
    if column.facts.reason_ignored is not None:
        return "ignored"
    return "ordered category" if column.order else column.kind


def show_model_rows(rows: ModelRows, screen: Screen) -> None:
    """Print which features of the model are not in the table."""
    if rows.absent:
        screen.note(f"Not in the table, but not used by any rule: {shown_names(rows.absent)}.")


def show_model(clf: Any, screen: Screen) -> None:
    """Print the rules and, if there is one, the risk of each score."""
    rules = clf.rules_
    screen.result(f"{counted(rules.n_rules, 'rule')}, {counted(rules.n_literals, 'condition')}")
    chosen = getattr(clf, "chosen_", None)
    if chosen is not None:
        screen.result(f"Chosen by validation: {chosen}")
    path = getattr(clf, "path_", None)
    if path is not None:
        index = int(np.flatnonzero(np.asarray(path.n_literals) == path.chosen)[0])
        score = f"{path.scores[index]:.3f} ± {path.errors[index]:.3f} (standard error)"
        screen.result(f"Cross-validated {path.scoring}: {score}")
        screen.result(
            "It was used to choose the size, so it is slightly optimistic. Report measures on other rows."
        )
    screen.result("")
    screen.result(rules.to_text())
    for entry in getattr(clf, "log_", ()):
        screen.result(f"Edit: {entry}")
    if hasattr(clf, "risk_table_"):
        _show_risks(clf.risk_table_, label_text(clf.pos_label_), screen)
    if getattr(clf, "alternatives_", ()):
        _show_alternatives(clf, screen)


def _show_risks(risks: Any, positive: str, screen: Screen) -> None:
    """Print the risk of each score; of many scores, _MAX_SCORES evenly spaced ones."""
    n_scores = len(risks.scores)
    indices = np.unique(np.linspace(0, n_scores - 1, min(n_scores, _MAX_SCORES)).round().astype(int))
    columns = (risks.scores, risks.risks, risks.counts, risks.positives)
    head = [">score", f">risk of {positive}", ">rows", ">observed"]
    rows = [
        [f"{score}", f"{risk:.1%}", f"{count:,g}", f"{positives / count:.1%}"]
        for score, risk, count, positives in zip(*(column[indices] for column in columns), strict=True)
    ]
    if risks.errors is not None:
        head.insert(2, ">95 % interval")
        for row, (low, high) in zip(rows, risks.interval(risks.scores[indices]), strict=True):
            row.insert(2, f"{low:.1%} to {high:.1%}")
    some = "" if len(indices) == n_scores else f" ({len(indices)} of {n_scores} scores)"
    title = f"Score and risk of {positive}, with the observed share in training{some}"
    screen.result_table(head, rows, title)


def _show_alternatives(clf: Any, screen: Screen) -> None:
    """Print the other scorecards and how they were validated."""
    rows = [
        (
            f"{number}",
            "fewer conditions" if other.without is None else f"without {other.without}",
            f"{other.n_literals}",
            f"{other.score:.3f} ± {other.error:.3f}",
            f"{other.loss:.3f}",
            f"{other.worse_by:+.3f} ± {other.worse_by_error:.3f}",
        )
        for number, other in enumerate(clf.alternatives_, 1)
    ]
    head = (">number", "scorecard", ">conditions", f">{clf.path_.scoring}", ">log-loss", ">worse by")
    screen.result_table(head, rows, "Other scorecards that are about as good, cross-validated")
    for number, other in enumerate(clf.alternatives_, 1):
        screen.result(f"Scorecard {number}")
        screen.result(other.rules.to_text())


def show_metrics(clf: Any, X: Any, y: NDArray[Any], screen: Screen) -> None:
    """Print measures on held-out rows, with confidence intervals."""
    if clf.rules_.outcome.is_numeric:
        from clausal.evaluation.intervals import number_measures, quantile_of

        found = number_measures(y, clf.predict(X), quantile_of(clf))
        cells = [(name, *(f"{number:.4g}" for number in numbers)) for name, numbers in found.items()]
        shown = [(name, value, f"{low} to {high}") for name, value, low, high in cells]
        screen.result_table(
            ("measure", ">value", ">95 % interval"), shown, f"On {counted(len(y), 'held-out row')}"
        )
        return
    from clausal.evaluation.metrics import measure
    from clausal.evaluation.predictions import evaluate

    rules = clf.rules_
    metrics = measure(evaluate(clf, rules, X, y, "y"))
    rows = [
        (metric.name, f"{metric.value:.3f}", f"{metric.low:.3f} to {metric.high:.3f}")
        for metric in metrics.items
        if metric.defined
    ]
    label = rules.outcome.pos_label
    positive = "" if label is None else f"; the positive class is {label_text(label)}"
    title = f"On {counted(len(y), 'held-out row')}{positive}"
    screen.result_table(("measure", ">value", ">95 % interval"), rows, title)
