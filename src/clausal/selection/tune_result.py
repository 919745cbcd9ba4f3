"""What a tuning found.

Not here: the search itself (halving.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from clausal.frames import make_frame
from clausal.selection.halving import Trial
from clausal.selection.tuning_space import Setting


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
