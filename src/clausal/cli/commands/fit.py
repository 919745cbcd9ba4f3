"""`clausal fit`: a scorecard, or a machine, from a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import typer
from numpy.typing import NDArray

from clausal.cli.options import MODEL_PANEL, TrainingOptions, command
from clausal.cli.screen import Screen
from clausal.cli.training import check_scoring, check_training_options, train
from clausal.tables.table_file import check_outputs, read_table

_MACHINE_PANEL = "A machine instead of a scorecard"


@dataclass(kw_only=True)
class FitOptions(TrainingOptions):
    """The options; see the help of each."""

    max_rules: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Maximum number of rules.", rich_help_panel=MODEL_PANEL),
    ] = None
    max_features: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Maximum number of columns in the rules.", rich_help_panel=MODEL_PANEL
        ),
    ] = None
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
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Save the training every minute; if the file exists, go on from it.",
            rich_help_panel=_MACHINE_PANEL,
        ),
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
    """Train a scorecard of a few rules and evaluate it on held-out rows."""
    check_training_options(options)
    _check_fit_options(options)
    screen = Screen(options.quiet)
    fit_model = fit_machine if options.machine else fit_scorecard
    train(options, read_table(options.table), partial(fit_model, options, screen), screen)


def fit_scorecard(options: FitOptions, screen: Screen, X: Any, y: NDArray[Any], pos_label: Any) -> Any:
    """A fitted RuleClassifier."""
    from clausal.scorecard.rule_classifier import RuleClassifier

    return RuleClassifier(
        max_literals=options.max_literals,
        max_rules=options.max_rules,
        max_features=options.max_features,
        scoring=options.scoring or "f1",
        cv=options.cv,
        parsimony=0.5 if options.parsimony is None else options.parsimony,
        n_alternatives=options.alternatives or 0,
        pos_label=pos_label,
        n_jobs=options.jobs or -1,
        random_state=options.seed,
        verbose=int(screen.shows_progress),
    ).fit(X, y)


def fit_machine(options: FitOptions, screen: Screen, X: Any, y: NDArray[Any], pos_label: Any) -> Any:
    """A fitted TsetlinClassifier."""
    from clausal.machine.classifier import TsetlinClassifier

    given: dict[str, Any] = {
        "n_clauses": options.clauses,
        "threshold": options.threshold,
        "specificity": options.specificity,
        "n_epochs": options.epochs,
    }
    return TsetlinClassifier(
        **{name: value for name, value in given.items() if value is not None},
        pos_label=pos_label,
        n_jobs=options.jobs or -1,
        random_state=options.seed,
        verbose=int(screen.shows_progress),
    ).fit(X, y, checkpoint=options.checkpoint)


def _check_fit_options(options: FitOptions) -> None:
    if options.scoring is not None:
        check_scoring(options.scoring)
    of_machines = ("clauses", "threshold", "specificity", "epochs", "checkpoint")
    of_scorecards = (
        "max_literals",
        "max_rules",
        "max_features",
        "scoring",
        "cv",
        "parsimony",
        "alternatives",
    )
    for name in of_scorecards if options.machine else of_machines:
        if getattr(options, name) is not None:
            condition = "only without --machine" if options.machine else "only with --machine"
            raise typer.BadParameter(f"it can be used {condition}.", param_hint=f"--{name.replace('_', '-')}")
    if options.checkpoint is not None and options.refit:
        raise typer.BadParameter("it saves one fit, and --refit makes two.", param_hint="--checkpoint")
    check_outputs([options.checkpoint, options.model, options.report], [options.table])
