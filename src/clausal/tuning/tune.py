"""Finding settings: `tune`, its arguments, the order of its work and what it returns.

Not here: what is tried and how it is judged (trials.py), which settings go on (halving.py).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Integral
from typing import Any, TypedDict, Unpack

import numpy as np
from sklearn.utils import check_random_state

from clausal.frames import make_frame
from clausal.machine.inputs import check_classes_left, encode_labels, read_labels, row_count
from clausal.machine.settings import PARAMETERS as MACHINE_PARAMETERS
from clausal.outcome import make_outcome
from clausal.parameters import Constraint, Number, OneOf, Whole, check_value
from clausal.progress import progress
from clausal.scorecard.compaction import Table
from clausal.scorecard.folds import DistinctRows
from clausal.scorecard.rule_classifier import PARAMETERS as SCORECARD_PARAMETERS
from clausal.scorecard.scoring import Scoring, check_scoring_name
from clausal.tuning.halving import Halving, Trial
from clausal.tuning.trials import Setting, Task, machine_settings, scorecard_settings


@dataclass(frozen=True, eq=False)
class TuneResult:
    """The outcome of `clausal.tune`.

    Attributes
    ----------
    best_estimator_ : TsetlinClassifier or RuleClassifier
        The best model, fitted on all rows.
    best_params_ : dict
        Parameters that make it, for the constructor of its class.
    best_score_ : float
        The score by which it was chosen: a mean over cross-validation folds. As the best of many it is a
        little optimistic; rows that took no part in the tuning tell what to expect.
    best_error_ : float
        Standard error of `best_score_`.
    scoring : str
        What the score is.
    complete : bool
        Whether the search was done before the time was over.
    trials, settings : tuple
        What was judged, in order, and what was to be judged.
    """

    best_estimator_: Any
    best_params_: dict[str, Any]
    best_score_: float
    best_error_: float
    scoring: str
    complete: bool
    trials: tuple[Trial, ...]
    settings: tuple[Setting, ...]

    @property
    def results_(self) -> Any:
        """Everything tried, as a data frame, in order.

        One row per setting and round: `setting` (its number; 0 is the default), `round`, `n_rows`, what is
        set (nothing where a scorecard takes its default machines), `score`, `error`, `seconds`.
        """
        return make_frame(results_columns(self.trials, self.settings))

    def __repr__(self) -> str:
        tried = len({trial.setting for trial in self.trials})
        seconds = sum(trial.judgement.seconds for trial in self.trials)
        stopped = "" if self.complete else ", stopped for time"
        return (
            f"TuneResult: {self.scoring} {self.best_score_:.3f} ± {self.best_error_:.3f} in cross-validation "
            f"(a little optimistic), best of {tried} settings in {seconds:.1f} s{stopped}\n"
            f"{self.best_estimator_!r}"
        )


def results_columns(trials: Sequence[Trial], settings: Sequence[Setting]) -> dict[str, list[Any]]:
    """The columns of a frame of trials."""
    rows = [
        {
            "setting": trial.setting,
            "round": trial.round.number,
            "n_rows": trial.round.n_rows,
            **asdict(settings[trial.setting]),
            "score": trial.score,
            "error": trial.error,
            "seconds": trial.judgement.seconds,
        }
        for trial in trials
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


class TuneOptions(TypedDict, total=False):
    """What else `tune` takes."""

    n_candidates: int | None
    cv: int | None
    verbose: int


_DEFAULTS: TuneOptions = {"n_candidates": None, "cv": None, "verbose": 1}
_ARGUMENTS: dict[str, tuple[Constraint, ...]] = {
    "max_literals": SCORECARD_PARAMETERS["max_literals"],
    "time_budget": (OneOf(None), Number(0.0, open_low=True)),
    "n_candidates": (OneOf(None), Whole(1, 1_000)),
    "cv": (OneOf(None), Whole(2, 1_000)),
    **{name: MACHINE_PARAMETERS[name] for name in ("n_jobs", "random_state", "verbose")},
}
_N_MACHINES, _N_SCORECARDS = 27, 9  # candidates where the user asks for no number


def tune(
    X: Any,
    y: Any,
    *,
    scoring: Any = "f1",
    max_literals: int | None = None,
    time_budget: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    **options: Unpack[TuneOptions],
) -> TuneResult:
    """Find good settings for a table, inside the table, and fit the best model on all of it.

    Successive halving: many settings are judged by cross-validation on few rows, the best third of them on
    three times as many, and so on until a few are judged on all rows. The highest mean score there wins. The
    default settings take part in every round: by that score the winner is never worse than they are.

    Parameters
    ----------
    X, y : table and class labels
        As in `TsetlinClassifier.fit`.
    scoring : str or callable, default="f1"
        What to choose by, as in RuleClassifier.
    max_literals : int or None, default=None
        None tunes a TsetlinClassifier: clauses, threshold, specificity, epochs and columns per feature. A
        number tunes a RuleClassifier of at most so many literals, made of one such machine or of its default
        ones.
    time_budget : float or None, default=None
        Seconds for everything, the last fit included: no fit is begun that would not end in time, going by
        those before it. One that runs is not cut short, and the default settings are always judged.
    n_jobs : int or None, default=None
        Settings judged at a time; None means 1.
    random_state : int, RandomState or None, default=None
        Seed of everything. The same seed gives the same result unless time runs out.
    **options
        `n_candidates`: settings to try; None stands for 27, and with `max_literals` for 9, as each takes
        longer. `cv`: number of folds; None stands for 5 (3 from 20,000 rows on), with `max_literals` for
        RuleClassifier's own. `verbose`: 0 shows no progress.

    Returns
    -------
    TuneResult
        With `best_estimator_`, `best_params_`, `best_score_` and `results_`.

    Examples
    --------
    >>> from clausal import tune
    >>> from clausal.datasets import load_heart_disease
    >>> X, y = load_heart_disease(return_X_y=True)
    >>> tune(X, y, n_candidates=2, cv=2, random_state=0, verbose=0).best_score_ > 0.7
    True
    """
    given = _checked(
        options,
        scoring=scoring,
        max_literals=max_literals,
        time_budget=time_budget,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    begun, table = time.time(), _read(X, y)
    task = Task(scoring, max_literals, given["cv"], _seed(random_state))
    settings = _settings(task, given["n_candidates"])
    search = Halving(task, settings, table, n_jobs, None if time_budget is None else begun + time_budget)
    with progress(search.n_trials, bool(given["verbose"]), "tuning", "settings") as advance:
        search.run(advance)
    best = search.best()
    return TuneResult(
        best_estimator_=task.estimator(settings[best.setting]).fit(X, y),
        best_params_=task.params(settings[best.setting]),
        best_score_=best.score,
        best_error_=best.error,
        scoring=Scoring(scoring, table.outcome).name,
        complete=len(search.trials) == search.n_trials,
        trials=tuple(search.trials),
        settings=tuple(settings),
    )


def _checked(options: TuneOptions, **arguments: Any) -> dict[str, Any]:
    """All arguments, those left out at their defaults, each valid."""
    unknown = [name for name in options if name not in _DEFAULTS]
    if unknown:
        raise TypeError(f"tune has no argument {unknown[0]!r}.")
    given = {**_DEFAULTS, **options, **arguments}
    for name, constraints in _ARGUMENTS.items():
        check_value("tune", name, given[name], constraints)
    check_scoring_name(given["scoring"], "tune")
    return given


def _settings(task: Task, n_candidates: int | None) -> list[Setting]:
    """What to try, the default setting first."""
    if task.max_literals is None:
        return machine_settings(n_candidates or _N_MACHINES, task.seed)
    return scorecard_settings(n_candidates or _N_SCORECARDS, task.seed)


def _seed(random_state: Any) -> int:
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _read(X: Any, y: Any) -> Table:
    """The different rows, with class codes."""
    labels = read_labels(y, row_count(X))
    classes, codes = encode_labels(labels, None)
    check_classes_left(classes, codes, None)
    rows = DistinctRows.of(X, codes, np.ones(len(codes)))
    return Table(rows.X, rows.codes, rows.weights, make_outcome(classes))
