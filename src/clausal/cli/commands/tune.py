"""`clausal tune`: search for the settings, then train with the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import narwhals as nw
import typer
from numpy.typing import NDArray

from clausal import tune as search
from clausal.cli.options import MODEL_PANEL, TrainingOptions, command
from clausal.cli.screen import Screen
from clausal.cli.training import check_scoring, check_training_options, train
from clausal.tables.table_file import read_table

_MOST_LITERALS = 40  # as RuleClassifier looks at where there is no limit
_SHOWN_TRIALS = 10


@dataclass(kw_only=True)
class TuneOptions(TrainingOptions):
    """See the help of each."""

    time_budget: Annotated[
        float,
        typer.Option(min=1, metavar="SECONDS", help="How long to take.", rich_help_panel=MODEL_PANEL),
    ] = 60.0
    scoring: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="What to choose by: a scorer of scikit-learn.", rich_help_panel=MODEL_PANEL
        ),
    ] = "f1"
    machine: Annotated[
        bool,
        typer.Option(
            "--machine",
            help="Tune a plain Tsetlin machine in place of a scorecard.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = False


@command(
    TuneOptions,
    """
clausal tune patients.csv --target class --time-budget 120 --model model.json
clausal tune patients.csv --target class --max-literals 15 --report report.html
clausal tune patients.csv --target class --machine --scoring accuracy
""",
)
def tune(options: TuneOptions) -> None:
    """Search for good settings within a time budget, inside the rows that are not held out."""
    check_training_options(options)
    check_scoring(options.scoring)
    if options.machine and options.max_literals is not None:
        raise typer.BadParameter("it can be used only without --machine.", param_hint="--max-literals")
    screen = Screen(options.quiet)
    train(options, read_table(options.table), lambda X, y: _tuned(options, X, y, screen), screen)


def _tuned(options: TuneOptions, X: Any, y: NDArray[Any], screen: Screen) -> Any:
    """The best estimator found, fitted on the rows given."""
    found = search(
        X,
        y,
        scoring=options.scoring,
        max_literals=None if options.machine else options.max_literals or _MOST_LITERALS,
        time_budget=options.time_budget,
        n_jobs=options.jobs or -1,
        random_state=options.seed,
        verbose=int(screen.shows_progress),
    )
    _show_trials(found, screen)
    screen.result(repr(found))
    screen.result("")
    # As with `fit`: files have categories and missing values that training did not have.
    found.best_estimator_.set_policy(handle_unknown="no_match", handle_missing="as_false")
    return found.best_estimator_


def _show_trials(found: Any, screen: Screen) -> None:
    """The best settings that got farthest."""
    frame = nw.from_native(found.results_, eager_only=True)
    best = frame.sort("n_rows", "score", descending=True).head(_SHOWN_TRIALS)
    rows = [[_cell(value) for value in row] for row in best.iter_rows()]
    screen.note_table([f">{name}" for name in best.columns], rows, "The best settings")


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
