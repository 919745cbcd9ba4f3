"""What an edit does to the scores, before and after, on the same rows.

Of classes: log-loss, ROC AUC and a score. Of numbers: the loss that they minimize, and its share explained.

Not here: the edit, and which rows it is judged on (edit.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from clausal.outcome import Outcome
from clausal.scorecard.calibration import Floats
from clausal.scorecard.edit_log import AFTER, BEFORE, LARGE
from clausal.scorecard.numbers import ABSOLUTE, QUANTILE, SQUARED, NumberLoss
from clausal.scorecard.refit import GivenRows, loss_of
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.validation import mean_and_error

if TYPE_CHECKING:
    from clausal.scorecard.scorecard import Scorecard

GIVEN, HELD_OUT = "the given rows", "cross-validation"
"""On what an effect was measured."""
MEASURED_ON = "measured on"
_LOSS, _WORSE, _ERROR = "log-loss", " worse by", "standard error"
_NUMBER_LOSSES = {SQUARED: "mean squared error", ABSOLUTE: "mean absolute error", QUANTILE: "quantile loss"}
_AS_GIVEN = (
    "Both are measured on the {n:,} given rows. They are validated figures only if the scorecard was made "
    "without these rows."
)
_CROSS_VALIDATED = (
    "The edit was cross-validated on the {n:,} given rows: each was judged by points{totals} that "
    "were fitted without it, in {folds} folds. The scorecard before is judged as it is; if it was made from "
    "these rows, its figures are too good."
)


class Made(NamedTuple):
    """What a scorecard makes of rows: probabilities [n, classes], decisions, log-losses; and the truth.

    Of numbers: the predictions instead of probabilities, and the numbers instead of decisions and codes.
    """

    made: Floats
    decided: NDArray[Any]
    losses: Floats
    codes: NDArray[Any]
    weights: Floats

    @classmethod
    def by(cls, card: Scorecard, rows: GivenRows, outcome: Outcome) -> Self:
        """What a scorecard makes of rows, with the classes in the order of an outcome."""
        rules, probability = card.rules_, card._probability()
        if probability is None:
            predicted = card.predict(rows.X)
            losses = loss_of(card).of_rows(rows.labels, predicted)
            return cls(predicted, rows.labels, losses, rows.labels, rows.weights)
        codes, votes = rows.codes(outcome), card.votes(rows.X)
        p = probability.probabilities(rules.outcome, rules.outcome.banked(votes))
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


def measures_of(before: Made, after: Made, scoring: Any, card: Scorecard) -> dict[str, str | float | None]:
    """The loss and the scores by name; and the difference in the loss with its standard error."""
    name = _NUMBER_LOSSES[card.loss] if card.rules_.outcome.is_numeric else _LOSS
    sides = ((BEFORE, before), (AFTER, after))
    found: dict[str, str | float | None] = {
        f"{name}{when}": mean_and_error(made.losses, made.weights)[0] for when, made in sides
    }
    for own, scorer in _scorers(scoring, card).items():
        found |= {f"{own}{when}": _score(scorer, made) for when, made in sides}
    worse, error = mean_and_error(after.losses - before.losses, after.weights)
    return {**found, f"{name}{_WORSE}": worse, _ERROR: error}


def _scorers(scoring: Any, card: Scorecard) -> dict[str, Scoring | NumberLoss]:
    """What gives the scores, by their names."""
    outcome = card.rules_.outcome
    if outcome.is_numeric:
        loss = loss_of(card)
        return {loss.score_name: loss}
    names = ("roc_auc", "f1" if scoring is None else scoring)
    return {scorer.name: scorer for scorer in (Scoring(name, outcome) for name in names)}


def _score(scorer: Scoring | NumberLoss, made: Made) -> float | None:
    """The score; None if it is not defined on these rows."""
    if isinstance(scorer, NumberLoss):
        return scorer.share_explained(made.codes, made.made, made.weights)
    try:
        return scorer.score(made.made, made.decided, made.codes, made.weights)
    except ValueError:
        return None


def effect_lines(effect: Mapping[str, str | float | None], n_folds: int) -> list[str]:
    """The effect as a small table, and sentences that say what the figures are."""
    names = [name.removesuffix(BEFORE) for name in effect if name.endswith(BEFORE)]
    width = max(map(len, names), default=0)
    lines = [f"{'':<{width}}{'before':>10}{'after':>10}"]
    for name in names:
        cells = (effect[name + when] for when in (BEFORE, AFTER))
        lines.append(f"{name:<{width}}" + "".join(f"{_number(value):>10}" for value in cells))
    loss = names[0]
    worse, error = (_number(effect[each]) for each in (f"{loss}{_WORSE}", _ERROR))
    sign = "" if worse.startswith("-") else "+"
    lines.append(f"The {loss} changes by {sign}{worse} (standard error {error}).")
    text = _CROSS_VALIDATED if effect[MEASURED_ON] == HELD_OUT else _AS_GIVEN
    totals = " and probabilities" if loss == _LOSS else ", a unit and a constant"
    return [*lines, text.format(n=effect["rows"], folds=n_folds, totals=totals)]


def _number(value: object) -> str:
    if not isinstance(value, float):
        return "-"
    return f"{value:.4f}" if abs(value) < LARGE else f"{value:.0f}"
