"""Training and evaluation, which `fit`, `tune` and `demo` have in common.

Not here: which model is trained (the commands), reading files (tables/table_file.py).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from clausal import report
from clausal.cli.options import TrainingOptions
from clausal.cli.screen import Screen, counted, show_table
from clausal.scorecard.scoring import wrong_scoring
from clausal.tables.table_file import TableFile, check_outputs
from clausal.tables.training_table import TrainingTable, named, read_training_table
from clausal.wording import label_text

_MAX_SCORES = 25
_REFITTED = (
    "Not the one on this page. It was trained again, on all rows, so its rules and points can differ. "
    "This page shows the model that was trained without the test rows, because only it can be tested on them."
)

Fit = Callable[[Any, NDArray[Any], Any], Any]
"""Fits a classifier to a table and labels, of which one may be the positive class."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Training rows and held-out rows; None if no rows are held out."""

    X_train: Any
    y_train: NDArray[Any]
    X_test: Any = None
    y_test: NDArray[Any] | None = None


def check_training_options(options: TrainingOptions) -> None:
    """Raise an error if options contradict each other or a file cannot be written."""
    for name, wanted in (("--report", options.report is not None), ("--refit", options.refit)):
        if wanted and options.no_test:
            raise typer.BadParameter("it needs held-out rows; remove --no-test.", param_hint=name)
    check_outputs([options.model, options.report], [options.table])


def check_scoring(name: str) -> None:
    """Raise an error if `name` is not a scorer of classes, before any work is done."""
    wrong = wrong_scoring(name)
    if wrong is not None:
        raise typer.BadParameter(f"it {wrong}", param_hint="--scoring")


def train(options: TrainingOptions, file: TableFile, fit: Fit, screen: Screen) -> None:
    """Read the table, split it, train, save and show the model, and evaluate it."""
    table = read_training_table(file, options.reading)
    show_table(table, screen)
    parts = _split(table, None if options.no_test else options.test_size, options.seed)
    held_out = "" if parts.y_test is None else f", holding out {len(parts.y_test):,}"
    screen.note(f"Training on {counted(len(parts.y_train), 'row')}{held_out} ...")
    clf = fit(parts.X_train, parts.y_train, table.pos_label)
    # Files are written first, because the reader of standard output may close it at any time.
    if options.model is not None:
        _save(clf, fit, options, table, screen)
    if options.report is not None:
        y_test = named(np.asarray(parts.y_test), table.target)
        about = {"Saved model": _REFITTED} if options.refit and options.model is not None else None
        report(clf, parts.X_test, y_test, options.report, parts.X_train, parts.y_train, about=about)
        screen.note(f"Report: {options.report}")
    show_model(clf, screen)
    if parts.y_test is not None:
        show_metrics(clf, parts.X_test, parts.y_test, screen)


def _save(clf: Any, fit: Fit, options: TrainingOptions, table: TrainingTable, screen: Screen) -> None:
    trained_on = "trained on all rows"
    if options.refit:
        screen.note(f"Training again, on all {len(table.y):,} rows ...")
        clf = fit(table.X, table.y, table.pos_label)
        trained_on = "trained on all rows; the model evaluated below was trained without the held-out rows"
    elif not options.no_test:
        trained_on = "trained without the held-out rows (--refit uses all rows)"
    _reset_environment(clf)
    clf.save(options.model)
    screen.note(f"Model: {options.model}, {trained_on}.")
    if options.missing:
        given = " ".join(f"--missing {shlex.quote(text)}" for text in options.missing)
        screen.note(f"The model does not keep what means missing: use {given} with other commands, too.")


def _reset_environment(clf: Any) -> None:
    """Reset `n_jobs` and `verbose`: the model file must not depend on the computer and the terminal."""
    defaults = {"n_jobs": None, "verbose": 0}
    last_names = {name: name.rpartition("__")[2] for name in clf.get_params()}
    clf.set_params(**{name: defaults[last] for name, last in last_names.items() if last in defaults})


def _split(table: TrainingTable, test_size: float | None, seed: int) -> Parts:
    """Hold out a stratified share of the rows."""
    if test_size is None:
        return Parts(table.X, table.y)
    classes, counts = np.unique(table.y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            "Every class must have at least 2 rows, one for training and one to hold out. Got 1 row of "
            f"{classes[counts.argmin()]!s}; remove it from the table, or use --no-test."
        )
    n_test = max(round(test_size * len(table.y)), len(classes))
    X_train, X_test, y_train, y_test = train_test_split(
        table.X, table.y, test_size=n_test, stratify=table.y, random_state=seed
    )
    return Parts(X_train, y_train, X_test, y_test)


def show_model(clf: Any, screen: Screen) -> None:
    """Print the rules and, if there is one, the risk of each score."""
    rules = clf.rules_
    screen.result(f"{counted(rules.n_rules, 'rule')}, {counted(rules.n_literals, 'condition')}")
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
    from clausal.html_report.metrics import evaluate, measure

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
