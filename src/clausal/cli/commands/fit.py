"""`clausal fit`: a scorecard, or a machine, from a table; `tune` and `demo` train and evaluate as it does."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from clausal import report
from clausal.cli.knowledge_options import KnowledgeOptions, read_knowledge
from clausal.cli.options import MODEL_PANEL, MaxFeatures, TrainingOptions, command
from clausal.cli.screen import Screen, counted, show_metrics, show_model, show_table
from clausal.encoding.stream import StreamedTable
from clausal.scorecard.scoring import wrong_scoring
from clausal.tables.large_table import MOST_HELD_OUT, hold_out, open_large, read_large_table
from clausal.tables.table_file import TableFile, check_outputs, read_table
from clausal.tables.training_table import NamedValues, Reading, TrainingTable, read_training_table

if TYPE_CHECKING:
    from clausal.scorecard.knowledge_file import Knowledge

CLASSES, NUMBERS = "classes", "numbers"
_MACHINE_PANEL = "A machine instead of a scorecard"
_REFITTED = (
    "Not the one on this page. It was trained again, on all rows, so its rules and points can differ. "
    "This page shows the model that was trained without the test rows, because only it can be tested on them."
)

Fit = Callable[[Any, NDArray[Any], Any], Any]
"""Fits a classifier to a table and labels, of which one may be the positive class."""


@dataclass(kw_only=True)
class FitOptions(KnowledgeOptions, TrainingOptions):
    """The options; see the help of each."""

    max_rules: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Maximum number of rules.", rich_help_panel=MODEL_PANEL),
    ] = None
    max_features: MaxFeatures = None
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The metric: f1 (default), accuracy, roc_auc or another scikit-learn scorer.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = None
    cv: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="N", help="Number of cross-validation folds.", rich_help_panel=MODEL_PANEL
        ),
    ] = None
    parsimony: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=10,
            metavar="X",
            help="Standard errors that a smaller scorecard may be worse (default 0.5; 0: the best size).",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = None
    alternatives: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=100,
            metavar="N",
            help="Also look for up to N other scorecards that are about as good.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = None
    task: Annotated[
        str,
        typer.Option(
            metavar="TASK",
            help="What the target holds: classes (default) or numbers.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = CLASSES
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of numbers: squared_error (default), absolute_error or quantile.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = None
    quantile: Annotated[
        float | None,
        typer.Option(
            metavar="Q",
            help="With --loss quantile: the quantile, between 0 and 1.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = None
    machine: Annotated[
        bool,
        typer.Option("--machine", help="Train a plain Tsetlin machine.", rich_help_panel=_MACHINE_PANEL),
    ] = False
    clauses: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="N", help="Number of clauses per bank, even.", rich_help_panel=_MACHINE_PANEL
        ),
    ] = None
    threshold: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="The target of the votes, T.", rich_help_panel=_MACHINE_PANEL),
    ] = None
    specificity: Annotated[
        float | None,
        typer.Option(
            min=1, metavar="S", help="A larger value gives longer rules.", rich_help_panel=_MACHINE_PANEL
        ),
    ] = None
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Number of passes over the rows.", rich_help_panel=_MACHINE_PANEL
        ),
    ] = None
    share_clauses: Annotated[
        bool | None,
        typer.Option(
            "--share-clauses",
            help="All classes have the same clauses, each class with its own weights.",
            rich_help_panel=_MACHINE_PANEL,
        ),
    ] = None
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Save the training every minute; if the file exists, go on from it.",
            rich_help_panel=_MACHINE_PANEL,
        ),
    ] = None

    @property
    def reading(self) -> Reading:
        """How to read the table."""
        return replace(super().reading, of_numbers=self.task == NUMBERS)


@command(
    FitOptions,
    """
clausal fit patients.csv --target class --max-literals 15
clausal fit patients.csv --target class --report report.html --model model.json
clausal fit patients.parquet --target class --drop id --scoring accuracy --refit --model model.json
clausal fit data/*.parquet --target class --max-literals 15 --model model.json
clausal fit patients.csv --target class --monotonic age=+ --forbid sex --cut-points age=25,40,60
clausal fit patients.csv --target class --knowledge card.toml --scale 600,50,20 --model card.json
clausal fit houses.csv --target price --task numbers --report prices.html --model prices.json
clausal fit patients.csv --target class --machine --clauses 200 --epochs 50 --model machine.json
""",
)
def fit(options: FitOptions) -> None:
    """Train a scorecard of a few rules and evaluate it on held-out rows."""
    check_training_options(options)
    _check_fit_options(options)
    known = read_knowledge(options)
    screen = Screen(options.quiet)
    numeric = options.task == NUMBERS
    fit_model: Any = fit_machine if options.machine else fit_scorecard
    if known is not None and numeric:
        _check_of_numbers(known)
    take_positive(options, known)
    file = open_large(options.table, screen.shows_progress) or read_table(options.table[0])
    train(options, file, partial(fit_model, options, screen, known=known), screen)


def _check_of_numbers(known: Knowledge) -> None:
    """Refuse knowledge that is about classes."""
    values = {**known.parameters, "scale": known.scale, "cut_off": known.cut_off}
    given = [name for name in ("pos_label", "scale", "cut_off") if values.get(name) is not None]
    if given:
        raise ValueError(f"Knowledge of numbers must not have {given[0]!r}. Got {values[given[0]]!r}.")


def fit_scorecard(
    options: FitOptions,
    screen: Screen,
    X: Any,
    y: NDArray[Any],
    pos_label: Any,
    known: Knowledge | None = None,
) -> Any:
    """A fitted RuleRegressor, or RuleClassifier or, if a scale or a cut-off is asked for, Scorecard."""
    from clausal import RuleClassifier, RuleRegressor

    own: dict[str, Any] = {
        "scoring": options.scoring or "f1",
        "n_alternatives": options.alternatives or 0,
        "pos_label": pos_label,
    }
    card: Any = RuleClassifier
    if options.task == NUMBERS:
        card, own = RuleRegressor, _loss(options)
    given = {"max_features": options.max_features, **({} if known is None else known.parameters)}
    model = card(
        max_literals=options.max_literals,
        max_rules=options.max_rules,
        cv=options.cv,
        parsimony=0.5 if options.parsimony is None else options.parsimony,
        n_jobs=options.jobs or -1,
        random_state=options.seed,
        verbose=int(screen.shows_progress),
        **{**given, **own},
    ).fit(X, y)
    return model if known is None else known.finished(model)


def _loss(options: FitOptions) -> dict[str, Any]:
    """The loss of numbers, if one was asked for; the quantile is the median where none is given."""
    if options.loss != "quantile":
        return {} if options.loss is None else {"loss": options.loss}
    return {"loss": options.loss, "quantile": 0.5 if options.quantile is None else options.quantile}


def fit_machine(
    options: FitOptions,
    screen: Screen,
    X: Any,
    y: NDArray[Any],
    pos_label: Any,
    known: Knowledge | None = None,
) -> Any:
    """A fitted TsetlinClassifier or TsetlinRegressor."""
    from clausal import TsetlinClassifier, TsetlinRegressor

    given: dict[str, Any] = {
        **({} if known is None else known.machine_parameters),
        "n_clauses": options.clauses,
        "threshold": options.threshold,
        "specificity": options.specificity,
        "n_epochs": options.epochs,
        "sharing": "clauses" if options.share_clauses else None,
        "pos_label": pos_label,
        **_loss(options),
    }
    machine: Any = TsetlinRegressor if options.task == NUMBERS else TsetlinClassifier
    return machine(
        **{name: value for name, value in given.items() if value is not None},
        n_jobs=options.jobs or -1,
        random_state=options.seed,
        verbose=int(screen.shows_progress),
    ).fit(X, y, checkpoint=options.checkpoint)


def _check_fit_options(options: FitOptions) -> None:
    if options.scoring is not None:
        check_scoring(options.scoring)
    of_machines = ("clauses", "threshold", "specificity", "epochs", "share_clauses", "checkpoint")
    of_scorecards = [
        *("max_literals", "max_rules", "max_features", "scoring", "cv", "parsimony", "alternatives"),
        *("fixed_rule", "scale", "turn", "cut_off"),
    ]
    for name in of_scorecards if options.machine else of_machines:
        if getattr(options, name) not in (None, [], False):
            condition = "only without --machine" if options.machine else "only with --machine"
            raise typer.BadParameter(f"it can be used {condition}.", param_hint=f"--{name.replace('_', '-')}")
    if options.task not in (CLASSES, NUMBERS):
        raise typer.BadParameter(f"it must be classes or numbers. Got {options.task!r}.", param_hint="--task")
    of_classes = ("scoring", "alternatives", "positive", "scale", "turn", "cut_off", "share_clauses")
    numeric = options.task == NUMBERS
    for name in of_classes if numeric else ("loss", "quantile"):
        if getattr(options, name) not in (None, False):
            condition = "only without --task numbers" if numeric else "only with --task numbers"
            raise typer.BadParameter(f"it can be used {condition}.", param_hint=f"--{name.replace('_', '-')}")
    if options.quantile is not None and options.loss != "quantile":
        raise typer.BadParameter("it can be used only with --loss quantile.", param_hint="--quantile")
    if options.checkpoint is not None and options.refit:
        raise typer.BadParameter("it saves one fit, and --refit makes two.", param_hint="--checkpoint")
    check_outputs([options.checkpoint, options.model, options.report], options.table)


# --- shared with `clausal tune` and `clausal demo` ---


def take_positive(options: Any, known: Knowledge | None) -> None:
    """The positive class of the knowledge, which its signs and points are for, unless it names none."""
    label = None if known is None else known.parameters.get("pos_label")
    if label is None:
        return
    text = str(label).lower() if isinstance(label, bool) else str(label)  # as the table has it
    if options.positive is not None and options.positive.casefold() != text.casefold():
        said = f"it must be {text!r}, the 'pos_label' of the knowledge, which its signs and points are for."
        raise typer.BadParameter(f"{said} Got {options.positive!r}.", param_hint="--positive")
    options.positive = options.positive or text


def check_training_options(options: TrainingOptions) -> None:
    """Raise an error if options contradict each other or a file cannot be written."""
    for name, wanted in (("--report", options.report is not None), ("--refit", options.refit)):
        if wanted and options.no_test:
            raise typer.BadParameter("it needs held-out rows; remove --no-test.", param_hint=name)
    check_outputs([options.model, options.report], options.table)


def check_scoring(name: str) -> None:
    """Raise an error if `name` is not a scorer of classes, before any work is done."""
    wrong = wrong_scoring(name)
    if wrong is not None:
        raise typer.BadParameter(f"it {wrong}", param_hint="--scoring")


@dataclass(frozen=True, eq=False)
class Parts:
    """Training rows and held-out rows; None if no rows are held out."""

    X_train: Any
    y_train: NDArray[Any]
    X_test: Any = None
    y_test: NDArray[Any] | None = None


def train(options: TrainingOptions, file: TableFile | StreamedTable, fit_model: Fit, screen: Screen) -> None:
    """Read the table, split it, train, save and show the model, and evaluate it."""
    read: Any = read_large_table if isinstance(file, StreamedTable) else read_training_table
    table: TrainingTable = read(file, options.reading)
    show_table(table, screen)
    parts = _split(table, None if options.no_test else options.test_size, options.seed)
    held_out = "" if parts.y_test is None else f", holding out {len(parts.y_test):,}"
    screen.note(f"Training on {counted(len(parts.y_train), 'row')}{held_out} ...")
    clf = fit_model(parts.X_train, parts.y_train, table.pos_label)
    # Files are written first, because the reader of standard output may close it at any time.
    if options.model is not None:
        _save(clf, fit_model, options, table, screen)
    if options.report is not None:
        y_test = NamedValues(table.target, np.asarray(parts.y_test).tolist())
        about = {"Saved model": _REFITTED} if options.refit and options.model is not None else None
        of_training = (None, None) if isinstance(file, StreamedTable) else (parts.X_train, parts.y_train)
        report(clf, parts.X_test, y_test, options.report, *of_training, about=about)
        screen.note(f"Report: {options.report}")
    show_model(clf, screen)
    if parts.y_test is not None:
        show_metrics(clf, parts.X_test, parts.y_test, screen)


def _save(clf: Any, fit_model: Fit, options: TrainingOptions, table: TrainingTable, screen: Screen) -> None:
    trained_on = "trained on all rows"
    if options.refit:
        screen.note(f"Training again, on all {len(table.y):,} rows ...")
        clf = fit_model(table.X, table.y, table.pos_label)
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
    if not hasattr(clf, "set_params"):  # a Scorecard, which keeps none of them
        return
    defaults = {"n_jobs": None, "verbose": 0}
    last_names = {name: name.rpartition("__")[2] for name in clf.get_params()}
    clf.set_params(**{name: defaults[last] for name, last in last_names.items() if last in defaults})


def _split(table: TrainingTable, test_size: float | None, seed: int) -> Parts:
    """Hold out a stratified share of the rows."""
    if test_size is None:
        return Parts(table.X, table.y)
    of_numbers = table.y.dtype.kind == "f"
    classes, counts = np.unique(table.y[:2] if of_numbers else table.y, return_counts=True)
    if counts.min() < 2 and not of_numbers:
        raise ValueError(
            "Every class must have at least 2 rows, one for training and one to hold out. Got 1 row of "
            f"{classes[counts.argmin()]!s}; remove it, use --no-test, or --task numbers for a quantity."
        )
    n_test = max(round(test_size * len(table.y)), len(classes))
    streamed = isinstance(table.X, StreamedTable)
    train, test = train_test_split(
        np.arange(len(table.y)),
        test_size=min(n_test, MOST_HELD_OUT) if streamed else n_test,
        stratify=None if of_numbers else table.y,
        random_state=seed,
    )
    if streamed:
        return Parts(*hold_out(table, test))
    return Parts(table.X.take(train), table.y[train], table.X.take(test), table.y[test])
