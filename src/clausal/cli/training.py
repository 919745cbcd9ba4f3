"""From a table to a model and a judgement of it: what `fit`, `tune` and `demo` have in common.

Not here: which model is made (the commands), reading files (tables/table_file.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import train_test_split

from clausal import report
from clausal.cli.options import TrainingOptions
from clausal.cli.screen import Screen, counted
from clausal.cli.table_notes import show_table
from clausal.tables.table_file import TableFile, check_outputs
from clausal.tables.training_table import TrainingTable, named, read_training_table

_SHOWN_SCORES = 25

Fit = Callable[[Any, NDArray[Any]], Any]
"""Makes a fitted classifier of a table and labels."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows to train on and rows held out, None where there are none."""

    X_train: Any
    y_train: NDArray[Any]
    X_test: Any = None
    y_test: NDArray[Any] | None = None


def check_training_options(options: TrainingOptions) -> None:
    """Refuse options that contradict each other, and files that cannot be written."""
    for name, wanted in (("--report", options.report is not None), ("--refit", options.refit)):
        if wanted and options.no_test:
            raise typer.BadParameter("it needs held-out rows; leave --no-test out.", param_hint=name)
    check_outputs([options.model, options.report], [options.table])


def check_scoring(name: str) -> None:
    """Refuse what is no scorer, before any work is done."""
    names = get_scorer_names()
    if name not in names:
        near = get_close_matches(name, names, 3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise typer.BadParameter(
            f"it must be the name of a scikit-learn scorer. Got {name!r}.{hint}", param_hint="--scoring"
        )


def train(options: TrainingOptions, file: TableFile, fit: Fit, screen: Screen) -> None:
    """Read, split, train, save, show, judge."""
    table = read_training_table(file, options.reading)
    show_table(table, screen)
    parts = _split(table, None if options.no_test else options.test_size, options.seed)
    held = "" if parts.y_test is None else f", holding out {len(parts.y_test):,}"
    screen.note(f"Training on {counted(len(parts.y_train), 'row')}{held} ...")
    clf = fit(parts.X_train, parts.y_train)
    # Files come before what is printed, whose reader may go away at any time.
    if options.model is not None:
        _save(clf, fit, options, table, screen)
    if options.report is not None:
        y_test = named(np.asarray(parts.y_test), table.target)
        report(clf, parts.X_test, y_test, options.report, parts.X_train, parts.y_train)
        screen.note(f"Report: {options.report}")
    show_model(clf, screen)
    if parts.y_test is not None:
        show_metrics(clf, parts.X_test, parts.y_test, screen)


def _save(clf: Any, fit: Fit, options: TrainingOptions, table: TrainingTable, screen: Screen) -> None:
    what = "of all rows"
    if options.refit:
        screen.note(f"Training again, on all {len(table.y):,} rows ...")
        clf = fit(table.X, table.y)
        what = "of all rows; the figures below are those of the model without the held-out rows"
    elif not options.no_test:
        what = "the figures below are about, without the held-out rows (--refit uses all)"
    _forget_surroundings(clf)
    clf.save(options.model)
    screen.note(f"Model: {options.model}, the one {what}.")


def _forget_surroundings(clf: Any) -> None:
    """Leave no trace in the model of how many cores trained it, nor of who looked on."""
    usual = {"n_jobs": None, "verbose": 0}
    places = {name: name.rpartition("__")[2] for name in clf.get_params()}
    clf.set_params(**{name: usual[last] for name, last in places.items() if last in usual})


def _split(table: TrainingTable, test_size: float | None, seed: int) -> Parts:
    """Hold out a share of each class."""
    if test_size is None:
        return Parts(table.X, table.y)
    classes, counts = np.unique(table.y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            "Every class must have at least 2 rows, one to train on and one to hold out. Got 1 of "
            f"{classes[counts.argmin()]!s}; take it out of the table, or use --no-test."
        )
    n_test = max(round(test_size * len(table.y)), len(classes))
    X_train, X_test, y_train, y_test = train_test_split(
        table.X, table.y, test_size=n_test, stratify=table.y, random_state=seed
    )
    return Parts(X_train, y_train, X_test, y_test)


def show_model(clf: Any, screen: Screen) -> None:
    """Print the rules and, where there is one, the table from scores to risks."""
    rules = clf.rules_
    screen.result(f"{counted(rules.n_rules, 'rule')}, {counted(rules.n_literals, 'condition')}")
    path = getattr(clf, "path_", None)
    if path is not None:
        place = int(np.flatnonzero(np.asarray(path.n_literals) == path.chosen)[0])
        score = f"{path.scores[place]:.3f} ± {path.errors[place]:.3f} (standard error)"
        screen.result(f"Cross-validated {path.scoring}: {score}")
        screen.result("It also chose the size, so it is a little optimistic: quote figures of held-out rows.")
    screen.result("")
    screen.result(rules.to_text())
    if hasattr(clf, "risk_table_"):
        _show_risks(clf.risk_table_, rules.class_names[1], screen)


def _show_risks(risks: Any, positive: str, screen: Screen) -> None:
    """Print what scores mean; some of them, evenly spread, where there are very many."""
    n_scores = len(risks.scores)
    places = np.unique(np.linspace(0, n_scores - 1, min(n_scores, _SHOWN_SCORES)).round().astype(int))
    columns = (risks.scores, risks.risks, risks.counts, risks.positives)
    rows = [
        (f"{score}", f"{risk:.1%}", f"{count:,g}", f"{positives / count:.1%}")
        for score, risk, count, positives in zip(*(column[places] for column in columns), strict=True)
    ]
    some = "" if len(places) == n_scores else f" ({len(places)} of {n_scores} scores)"
    title = f"Score and risk of {positive}, with what was seen in training{some}"
    screen.result_table((">score", ">risk", ">rows", ">seen"), rows, title)


def show_metrics(clf: Any, X: Any, y: NDArray[Any], screen: Screen) -> None:
    """Print measures on held-out rows, with intervals."""
    from clausal.html_report.metrics import evaluate, measure

    rules = clf.rules_
    metrics = measure(evaluate(clf, rules, X, y, "y"))
    rows = [
        (metric.name, f"{metric.value:.3f}", f"{metric.low:.3f} to {metric.high:.3f}")
        for metric in metrics.items
        if metric.defined
    ]
    place = rules.outcome.positive
    positive = "" if place is None else f"; the positive class is {rules.class_names[place]}"
    title = f"On {counted(len(y), 'held-out row')}{positive}"
    screen.result_table(("measure", ">value", ">95 % interval"), rows, title)
