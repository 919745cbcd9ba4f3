"""What an edit does to the scores: log-loss, ROC AUC and a score, before and after, on the same rows.

Not here: the edit, and which rows it is judged on (edit.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from clausal.outcome import Outcome
from clausal.scorecard.calibration import Codes, Floats, Indices
from clausal.scorecard.refit import GivenRows
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.validation import mean_and_error

if TYPE_CHECKING:
    from clausal.scorecard.scorecard import Scorecard

GIVEN, HELD_OUT = "the given rows", "cross-validation"
"""On what an effect was measured."""
MEASURED_ON = "measured on"
_LOSS, _WORSE, _ERROR = "log-loss", "log-loss worse by", "standard error"
_BEFORE, _AFTER = " before", " after"
_AS_GIVEN = (
    "Both are measured on the {n:,} given rows. They are validated figures only if the scorecard was made "
    "without these rows."
)
_CROSS_VALIDATED = (
    "The edit was cross-validated on the {n:,} given rows: each was judged by points and probabilities that "
    "were fitted without it, in {folds} folds. The scorecard before is judged as it is; if it was made from "
    "these rows, its figures are too good."
)


class Made(NamedTuple):
    """What a scorecard makes of rows: probabilities [n, classes], decisions, log-losses; and the truth."""

    probabilities: Floats
    decided: Indices
    losses: Floats
    codes: Codes
    weights: Floats

    @classmethod
    def by(cls, card: Scorecard, rows: GivenRows, outcome: Outcome) -> Self:
        """What a scorecard makes of rows, with the classes in the order of an outcome."""
        rules, codes = card.rules_, rows.codes(outcome)
        votes = card.votes(rows.X)
        p = card._probability().probabilities(rules.outcome, rules.outcome.banked(votes))
        p = outcome.by_label(rules.outcome.by_label(p))
        decided = rules.decide(votes, rules.overridden(rows.X))
        classes = outcome.classes.tolist()
        order = np.array([classes.index(label) for label in rules.classes.tolist()])
        losses = -np.log(np.maximum(p[np.arange(len(codes)), codes], np.finfo(float).eps))
        return cls(p, order[decided], losses, codes, rows.weights)

    @classmethod
    def joined(cls, parts: Sequence[Made]) -> Self:
        """What was made of all rows of several parts."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


def measures_of(before: Made, after: Made, scoring: Any, outcome: Outcome) -> dict[str, str | float | None]:
    """Log-loss, ROC AUC and the score by name; and the difference in log-loss with its standard error."""
    sides = ((_BEFORE, before), (_AFTER, after))
    found: dict[str, str | float | None] = {
        f"{_LOSS}{when}": mean_and_error(made.losses, made.weights)[0] for when, made in sides
    }
    for name in dict.fromkeys(("roc_auc", scoring)):
        scorer = Scoring(name, outcome)
        found |= {f"{scorer.name}{when}": _score(scorer, made) for when, made in sides}
    worse, error = mean_and_error(after.losses - before.losses, after.weights)
    return {**found, _WORSE: worse, _ERROR: error}


def _score(scoring: Scoring, made: Made) -> float | None:
    """The score; None if it is not defined on these rows."""
    try:
        return scoring.score(made.probabilities, made.decided, made.codes, made.weights)
    except ValueError:
        return None


def effect_lines(effect: Mapping[str, str | float | None], n_folds: int) -> list[str]:
    """The effect as a small table, and sentences that say what the figures are."""
    names = [name.removesuffix(_BEFORE) for name in effect if name.endswith(_BEFORE)]
    width = max(map(len, names), default=0)
    lines = [f"{'':<{width}}{'before':>10}{'after':>10}"]
    for name in names:
        cells = (effect[name + when] for when in (_BEFORE, _AFTER))
        lines.append(f"{name:<{width}}" + "".join(f"{_number(value):>10}" for value in cells))
    lines.append(f"The log-loss changes by {effect[_WORSE]:+.4f} (standard error {effect[_ERROR]:.4f}).")
    text = _CROSS_VALIDATED if effect[MEASURED_ON] == HELD_OUT else _AS_GIVEN
    return [*lines, text.format(n=effect["rows"], folds=n_folds)]


def _number(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "-"
