"""`tune`: its arguments, its steps and its result.

Not here: the settings (settings.py), their validation and successive halving (trials.py).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Integral
from typing import Any, TypedDict, Unpack

import numpy as np
from sklearn.utils import check_random_state

from clausal.encoding.stream import refuse_stream
from clausal.frames import make_frame
from clausal.machine.inputs import (
    check_classes_left,
    encode_labels,
    positive_last,
    read_labels,
    row_count,
)
from clausal.machine.settings import PARAMETERS as MACHINE_PARAMETERS
from clausal.outcome import Outcome, make_outcome
from clausal.parameters import Constraint, Instance, Number, OneOf, Whole, check_value
from clausal.progress import progress
from clausal.rules.parse import bank_of
from clausal.scorecard.knowledge_file import Knowledge
from clausal.scorecard.parameters import PARAMETERS as SCORECARD_PARAMETERS
from clausal.scorecard.rows import DistinctRows, LabeledRows
from clausal.scorecard.rule_constraints import read_fixed_rules
from clausal.scorecard.scoring import Scoring, check_scoring_name
from clausal.tuning.settings import Setting, machine_settings, scorecard_settings
from clausal.tuning.trials import Halving, Task, Trial


@dataclass(frozen=True, eq=False)
class TuneResult:
    """The result of `clausal.tune`.

    Attributes
    ----------
    best_estimator_ : TsetlinClassifier or RuleClassifier
        The best model, fitted on all rows.
    best_params_ : dict
        Its constructor parameters.
    best_score_ : float
        The score by which it was chosen: the mean over cross-validation folds. As the best of many scores, it
        is slightly optimistic; evaluate the model on other data.
    best_error_ : float
        Standard error of `best_score_`.
    default_score_ : float
        The score of the default setting on the same folds; what tuning gained is the difference to it.
    scoring : str
        The name of the score.
    complete : bool
        Whether all trials were done before the time was over.
    trials, settings : tuple
        The trials in order, and all settings.
    """

    best_estimator_: Any
    best_params_: dict[str, Any]
    best_score_: float
    best_error_: float
    default_score_: float
    scoring: str
    complete: bool
    trials: tuple[Trial, ...]
    settings: tuple[Setting, ...]

    @property
    def results_(self) -> Any:
        """All trials in order, as a data frame.

        One row per setting and round: `setting` (its index; 0 is the default), `round`, `n_rows`, the
        hyperparameters (None for the default machines of a scorecard), `score`, `error`, `seconds`.
        """
        return make_frame(results_columns(self.trials, self.settings))

    def __repr__(self) -> str:
        tried = len({trial.setting for trial in self.trials})
        seconds = sum(trial.validation.seconds for trial in self.trials)
        stopped = "" if self.complete else ", stopped because the time was over"
        return (
            f"TuneResult: {self.scoring} {self.best_score_:.3f} ± {self.best_error_:.3f} in cross-validation "
            f"(slightly optimistic), best of {tried} settings in {seconds:.1f} s{stopped}; "
            f"{self.best_score_ - self.default_score_:.3f} above the default setting\n"
            f"{self.best_estimator_!r}"
        )


def results_columns(trials: Sequence[Trial], settings: Sequence[Setting]) -> dict[str, list[Any]]:
    """The trials as columns of a data frame."""
    rows = [
        {
            "setting": trial.setting,
            "round": trial.round.number,
            "n_rows": trial.round.n_rows,
            **asdict(settings[trial.setting]),
            "score": trial.score,
            "error": trial.error,
            "seconds": trial.validation.seconds,
        }
        for trial in trials
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


class TuneOptions(TypedDict, total=False):
    """Further arguments of `tune`."""

    pos_label: Any
    knowledge: Knowledge | None
    n_candidates: int | None
    cv: int | None
    verbose: int


_DEFAULTS: TuneOptions = {
    "pos_label": None,
    "knowledge": None,
    "n_candidates": None,
    "cv": None,
    "verbose": 1,
}
_ARGUMENTS: dict[str, tuple[Constraint, ...]] = {
    "max_literals": SCORECARD_PARAMETERS["max_literals"],
    "knowledge": (OneOf(None), Instance(Knowledge, "a Knowledge, as load_knowledge gives it")),
    "time_budget": (OneOf(None), Number(0.0, open_low=True)),
    "n_candidates": (OneOf(None), Whole(1, 1_000)),
    "cv": (OneOf(None), Whole(2, 1_000)),
    **{name: MACHINE_PARAMETERS[name] for name in ("pos_label", "n_jobs", "random_state", "verbose")},
}
_N_MACHINES, _N_SCORECARDS = 27, 9  # default numbers of candidates


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
    """Find good hyperparameters by cross-validation, and fit the best model on all rows.

    Successive halving: many settings are cross-validated on few rows, the best third of them on three times
    as many rows, and so on until a few are cross-validated on all rows. The highest mean score in the last
    round wins. The default setting takes part in every round, so the winner's score is never below its score.

    Parameters
    ----------
    X, y : table and class labels
        As in `TsetlinClassifier.fit`.
    scoring : str or callable, default="f1"
        The metric, as in RuleClassifier.
    max_literals : int or None, default=None
        None tunes a TsetlinClassifier: clauses, threshold, specificity, epochs and columns per feature. A
        number tunes a RuleClassifier with at most this many literals, based on one such machine or on its
        default machines.
    time_budget : float or None, default=None
        Seconds for everything, including the final fit. No fit is started that is not expected to end in
        time, judging by earlier fits. A running fit is not interrupted, and the default setting is always
        validated.
    n_jobs : int or None, default=None
        Number of settings in parallel; None means 1.
    random_state : int, RandomState or None, default=None
        The random seed. The same seed gives the same result unless the time runs out.
    **options
        `pos_label`: the positive one of two classes, which the metric and the model are about; None means the
        last in sorted order. `knowledge`: what an expert knows, as `load_knowledge` gives it, which holds in
        every model that is tried; `knowledge.finished(result.best_estimator_)` applies its scale and cut-off.
        `n_candidates`: number of settings to try; None means 27, or 9 with `max_literals`, because each takes
        longer. `cv`: number of folds; None means 5 (3 from 20,000 rows on), or the default of RuleClassifier
        with `max_literals`. `verbose`: 0 shows no progress.

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
    search = {"scoring": scoring, "max_literals": max_literals, "time_budget": time_budget}
    return _tuned(X, y, _checked(options, **search, n_jobs=n_jobs, random_state=random_state))


def _tuned(X: Any, y: Any, given: dict[str, Any]) -> TuneResult:
    """Run the search with checked arguments, and fit the best model on all rows."""
    begin, known = time.time(), _known(given)
    rows = _read(X, y, known.get("pos_label"))
    search = (given["scoring"], given["max_literals"], given["cv"], _seed(given["random_state"]))
    task = Task(*search, known, _known_of_codes(known, rows.outcome))
    settings = _settings(task, given["n_candidates"])
    end = None if given["time_budget"] is None else begin + given["time_budget"]
    halving = Halving(task, settings, rows, given["n_jobs"], end)
    with progress(halving.n_trials, bool(given["verbose"]), "tuning", "settings") as advance:
        halving.run(advance)
    best = halving.best()
    params = task.params(settings[best.setting])
    return TuneResult(
        best_estimator_=task.kind(**params).fit(X, y),
        best_params_=task.params(settings[best.setting]),
        best_score_=best.score,
        best_error_=best.error,
        default_score_=halving.of_round(best.round.number)[0].score,
        scoring=Scoring(given["scoring"], rows.outcome).name,
        complete=len(halving.trials) == halving.n_trials,
        trials=tuple(halving.trials),
        settings=tuple(settings),
    )


def _checked(options: TuneOptions, **arguments: Any) -> dict[str, Any]:
    """All arguments, with defaults for those not given, after a check of each."""
    unknown = [name for name in options if name not in _DEFAULTS]
    if unknown:
        raise TypeError(f"tune has no argument {unknown[0]!r}.")
    given = {**_DEFAULTS, **options, **arguments}
    for name, constraints in _ARGUMENTS.items():
        check_value("tune", name, given[name], constraints)
    check_scoring_name(given["scoring"], "tune")
    return given


def _known(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the expert knows, as parameters, with the `pos_label` of `tune` where the knowledge has none."""
    knowledge, known, pos_label = given["knowledge"], {}, given["pos_label"]
    if knowledge is not None:
        is_machine = given["max_literals"] is None
        known = dict(knowledge.machine_parameters if is_machine else knowledge.parameters)
    own = known.get("pos_label")
    if own is not None and pos_label is not None and own != pos_label:
        raise ValueError(
            f"The 'pos_label' parameter of tune must be that of the knowledge, {own!r}, which its signs and "
            f"points are for. Got {pos_label!r}."
        )
    return known if pos_label is None else {**known, "pos_label": pos_label}


def _known_of_codes(known: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    """The same for models of class codes, of which the last of two is the positive one."""
    of_codes = {name: value for name, value in known.items() if name != "pos_label"}
    if known.get("fixed_rules"):
        first = len(outcome.classes) - outcome.n_banks
        of_codes["fixed_rules"] = [
            (
                rule.text,
                rule.points,
                None if rule.for_class is None else first + bank_of(rule.for_class, outcome),
            )
            for rule in read_fixed_rules(known["fixed_rules"], "tune")
        ]
    return of_codes


def _settings(task: Task, n_candidates: int | None) -> list[Setting]:
    """The settings to try, the default setting first."""
    if task.max_literals is None:
        return machine_settings(n_candidates or _N_MACHINES, task.seed)
    return scorecard_settings(n_candidates or _N_SCORECARDS, task.seed)


def _seed(random_state: Any) -> int:
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _read(X: Any, y: Any, pos_label: Any) -> LabeledRows:
    """The distinct rows with class codes."""
    if hasattr(X, "fit"):
        raise TypeError(
            f"X must be a table; tune makes models, which are classifiers, itself. Got {type(X).__name__}."
        )
    refuse_stream(X)
    if getattr(X, "ndim", 2) > 2:
        raise ValueError(
            "X must be a table, as tune finds settings of models of tables. Got an array of shape "
            f"{np.shape(X)}, such as images have."
        )
    numbers = np.asarray(y)
    if numbers.dtype.kind == "f" and (np.isfinite(numbers) & (numbers != np.rint(numbers))).any():
        raise ValueError("y must hold classes, as tune finds settings of classifiers. Got fractions.")
    labels = read_labels(y, row_count(X))
    classes, codes = positive_last(*encode_labels(labels, None), pos_label, "tune")
    check_classes_left(classes, codes, None)
    distinct = DistinctRows.of(X, codes, np.ones(len(codes)))
    return LabeledRows(distinct.X, distinct.codes, distinct.weights, make_outcome(classes))
