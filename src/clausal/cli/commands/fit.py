"""`clausal fit`: a scorecard, or a machine, from a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from numpy.typing import NDArray

from clausal.cli.options import MODEL_PANEL, TrainingOptions, command
from clausal.cli.screen import Screen
from clausal.cli.training import check_scoring, check_training_options, train
from clausal.encoding.booleanizer import Booleanizer
from clausal.tables.table_file import read_table

_MACHINE_PANEL = "A machine in place of a scorecard"


@dataclass(kw_only=True)
class FitOptions(TrainingOptions):
    """See the help of each."""

    max_rules: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Most rules.", rich_help_panel=MODEL_PANEL)
    ] = None
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What to choose by: f1 (default), accuracy, roc_auc or another scorer of scikit-learn.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = None
    cv: Annotated[
        int | None,
        typer.Option(min=2, metavar="N", help="Folds of the cross-validation.", rich_help_panel=MODEL_PANEL),
    ] = None
    machine: Annotated[
        bool,
        typer.Option("--machine", help="Train a plain Tsetlin machine.", rich_help_panel=_MACHINE_PANEL),
    ] = False
    clauses: Annotated[
        int | None,
        typer.Option(min=2, metavar="N", help="Clauses per bank, even.", rich_help_panel=_MACHINE_PANEL),
    ] = None
    threshold: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="The vote to aim at.", rich_help_panel=_MACHINE_PANEL),
    ] = None
    specificity: Annotated[
        float | None,
        typer.Option(min=1, metavar="S", help="Larger: longer rules.", rich_help_panel=_MACHINE_PANEL),
    ] = None
    epochs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Passes over the rows.", rich_help_panel=_MACHINE_PANEL),
    ] = None


@command(
    FitOptions,
    """
clausal fit patients.csv --target class --max-literals 15
clausal fit patients.csv --target class --report report.html --model model.json
clausal fit patients.parquet --target class --drop id --scoring accuracy --refit --model model.json
clausal fit patients.csv --target class --machine --clauses 200 --epochs 50 --model machine.json
""",
)
def fit(options: FitOptions) -> None:
    """Train a scorecard of a few rules and judge it by rows held out."""
    check_training_options(options)
    _check_fit_options(options)
    screen = Screen(options.quiet)
    make = fit_machine if options.machine else fit_scorecard
    train(options, read_table(options.table), lambda X, y: make(options, X, y, screen), screen)


def fit_scorecard(options: FitOptions, X: Any, y: NDArray[Any], screen: Screen) -> Any:
    """A fitted RuleClassifier."""
    from clausal.scorecard.candidates import MAX_COLUMNS
    from clausal.scorecard.rule_classifier import RuleClassifier

    return RuleClassifier(
        max_literals=options.max_literals,
        max_rules=options.max_rules,
        scoring=options.scoring or "f1",
        cv=options.cv,
        booleanizer=lenient_booleanizer(MAX_COLUMNS),
        n_jobs=options.jobs or -1,
        random_state=options.seed,
        verbose=int(screen.shows_progress),
    ).fit(X, y)


def fit_machine(options: FitOptions, X: Any, y: NDArray[Any], screen: Screen) -> Any:
    """A fitted TsetlinClassifier."""
    from clausal.machine.classifier import TsetlinClassifier

    asked: dict[str, Any] = {
        "n_clauses": options.clauses,
        "threshold": options.threshold,
        "specificity": options.specificity,
        "n_epochs": options.epochs,
    }
    return TsetlinClassifier(
        **{name: value for name, value in asked.items() if value is not None},
        booleanizer=lenient_booleanizer(),
        n_jobs=options.jobs or -1,
        random_state=options.seed,
        verbose=int(screen.shows_progress),
    ).fit(X, y)


def lenient_booleanizer(max_columns: int = 16) -> Booleanizer:
    """One whose models take categories and missing values that training did not have, as files do."""
    return Booleanizer(max_columns=max_columns, handle_unknown="no_match", handle_missing="as_false")


def _check_fit_options(options: FitOptions) -> None:
    if options.scoring is not None:
        check_scoring(options.scoring)
    of_machines = ("clauses", "threshold", "specificity", "epochs")
    of_scorecards = ("max_literals", "max_rules", "scoring", "cv")
    for name in of_scorecards if options.machine else of_machines:
        if getattr(options, name) is not None:
            rule = "only without --machine" if options.machine else "only with --machine"
            raise typer.BadParameter(f"it can be used {rule}.", param_hint=f"--{name.replace('_', '-')}")
