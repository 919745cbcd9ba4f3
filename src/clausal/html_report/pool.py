"""For the page: how stable a scorecard is, its alternatives, and the errors of its risks for the form.

Not here: how they are found (scorecard/stability.py, scorecard/alternatives.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy.special import ndtri

from clausal.scorecard.risk_table import CONFIDENCE, RiskTable


@dataclass(frozen=True)
class AlternativeCard:
    """An alternative as the page shows it.

    Attributes
    ----------
    title : how it was found
    score, error, loss, worse_by, worse_by_error : as in an Alternative
    n_literals : the number of conditions
    added, removed : features that only this scorecard tests, and that only the model tests
    text : the scorecard
    """

    title: str
    score: float
    error: float
    loss: float
    worse_by: float
    worse_by_error: float
    n_literals: int
    added: tuple[str, ...]
    removed: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Pool:
    """What the folds' scorecards and other searches tell about a scorecard.

    Attributes
    ----------
    n_cards : the number of the folds' scorecards
    rules : the text of each rule, and its exact and its similar share
    features : the name of each feature, and its share
    alternatives : other scorecards that are about as good
    """

    n_cards: int
    rules: tuple[tuple[str, float, float], ...]
    features: tuple[tuple[str, float], ...]
    alternatives: tuple[AlternativeCard, ...]


def make_pool(clf: Any) -> Pool | None:
    """The stability and the alternatives of a scorecard; None if the model has no stability."""
    found = getattr(clf, "stability_", None)
    if found is None:
        return None
    return Pool(
        found.n_cards,
        tuple(zip(found.rules, found.exact, found.similar, strict=True)),
        tuple(zip(found.features, found.feature_shares, strict=True)),
        tuple(_card(each, found.features) for each in clf.alternatives_),
    )


def _card(alternative: Any, features: tuple[str, ...]) -> AlternativeCard:
    without = alternative.without
    return AlternativeCard(
        "fewer conditions" if without is None else f"without {without}",
        alternative.score,
        alternative.error,
        alternative.loss,
        alternative.worse_by,
        alternative.worse_by_error,
        alternative.n_literals,
        tuple(name for name in alternative.features if name not in features),
        tuple(name for name in features if name not in alternative.features),
        alternative.rules.to_text(),
    )


def plain_errors(table: RiskTable | None) -> dict[str, Any] | None:
    """What score.js needs to compute the 95 % interval of a risk; None if it is not known."""
    if table is None or table.errors is None:
        return None
    errors = table.errors
    below, above = errors.limits(CONFIDENCE)
    return {
        "slope_variance": float(errors.slope_variance),
        "covariance": float(errors.covariance),
        "offset_variance": float(errors.offset_variance),
        "scores": table.scores.tolist(),
        "spread": errors.spread.tolist(),
        "quantile": float(ndtri(0.5 + 0.5 * CONFIDENCE)),
        "least_high": float(below),
        "most_low": float(1.0 - above),
    }
