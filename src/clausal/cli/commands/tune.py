"""`clausal tune`: find good hyperparameters, then train with the best ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from numpy.typing import NDArray

from clausal import tune as tune_settings
from clausal.cli.commands.fit import check_scoring, check_training_options, take_positive, train
from clausal.cli.knowledge_options import KnowledgeOptions, read_knowledge
from clausal.cli.options import MODEL_PANEL, MaxFeatures, TrainingOptions, command
from clausal.cli.screen import Screen
from clausal.tables.table_file import read_table
from clausal.tuning.tune import results_columns

if TYPE_CHECKING:
    from clausal.scorecard.knowledge_file import Knowledge

_DEFAULT_MAX_LITERALS = 40  # as in RuleClassifier
_MAX_TRIALS = 10
_OF_SCORECARDS = ("max_literals", "max_features", "fixed_rule", "scale", "cut_off")


@dataclass(kw_only=True)
class TuneOptions(KnowledgeOptions, TrainingOptions):
    """The options; see the help of each."""

    max_features: MaxFeatures = None
    time_budget: Annotated[
        float,
        typer.Option(min=1, metavar="SECONDS", help="Maximum time for tuning.", rich_help_panel=MODEL_PANEL),
    ] = 60.0
    scoring: Annotated[
        str,
        typer.Option(metavar="NAME", help="The metric: a scikit-learn scorer.", rich_help_panel=MODEL_PANEL),
    ] = "f1"
    machine: Annotated[
        bool,
        typer.Option(
            "--machine",
            help="Tune a plain Tsetlin machine instead of a scorecard.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = False


@command(
    TuneOptions,
    """
clausal tune patients.csv --target class --time-budget 120 --model model.json
clausal tune patients.csv --target class --max-literals 15 --report report.html
clausal tune patients.csv --target class --machine --scoring accuracy
clausal tune patients.csv --target class --max-literals 15 --knowledge card.toml --model card.json
""",
)
def tune(options: TuneOptions) -> None:
    """Find good hyperparameters within a time budget, on the rows that are not held out."""
    check_training_options(options)
    check_scoring(options.scoring)
    for name in _OF_SCORECARDS if options.machine else ():
        if getattr(options, name) not in (None, []):
            hint = f"--{name.replace('_', '-')}"
            raise typer.BadParameter("it can be used only without --machine.", param_hint=hint)
    if len(options.table) > 1:
        raise typer.BadParameter("it must be one file.", param_hint="TABLE")
    known = read_knowledge(options)
    take_positive(options, known)
    screen = Screen(options.quiet)
    train(options, read_table(options.table[0]), partial(_tune, options, screen, known=known), screen)


def _tune(
    options: TuneOptions,
    screen: Screen,
    X: Any,
    y: NDArray[Any],
    pos_label: Any,
    known: Knowledge | None = None,
) -> Any:
    """The best estimator, fitted on the given rows; a Scorecard if a scale or a cut-off is asked for."""
    result = tune_settings(
        X,
        y,
        scoring=options.scoring,
        pos_label=pos_label,
        knowledge=known,
        max_literals=None if options.machine else options.max_literals or _DEFAULT_MAX_LITERALS,
        time_budget=options.time_budget,
        n_jobs=options.jobs or -1,
        random_state=options.seed,
        verbose=int(screen.shows_progress),
    )
    _show_trials(result, screen)
    screen.result(repr(result))
    screen.result("")
    return result.best_estimator_ if known is None else known.finished(result.best_estimator_)


def _show_trials(result: Any, screen: Screen) -> None:
    """Print the settings with the best scores in the last rounds."""
    columns = results_columns(result.trials, result.settings)
    keys = list(zip(columns["n_rows"], columns["score"], strict=True))
    best = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)[:_MAX_TRIALS]
    rows = [[_cell(values[trial]) for values in columns.values()] for trial in best]
    screen.note_table([f">{name}" for name in columns], rows, "The best settings")


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, float):  # also whole numbers, in a column where some are missing
        return f"{value:.0f}" if value.is_integer() else f"{value:.4g}"
    return str(value)
