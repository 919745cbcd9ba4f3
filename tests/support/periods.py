"""Tables of two periods and scorecards of known probabilities, for monitoring, fairness and comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from clausal import RuleSet, Scorecard
from clausal.encoding.category_features import NominalFeature
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import BooleanFeature, EmptyFeature, NumericFeature
from clausal.rules.rule import Literal, Rule
from tests.support.report_models import HOSTILE_CATEGORY, HOSTILE_NAME

STATES = np.array([HOSTILE_CATEGORY, "north", "south"])
ENCODING = Encoding(
    (
        NumericFeature((30.0, 40.0, 50.0), nullable=False),
        NominalFeature(tuple(STATES.tolist()), (0, 1, 2), nullable=False),
        BooleanFeature(shown=True, nullable=False),
        NumericFeature((40.0,), nullable=False),
        EmptyFeature(),
    ),
    ("age", "state", "own", HOSTILE_NAME, "unused"),
)
"""Its columns: age at 30, 40 and 50, three states, own, the hostile name at 40."""


def period(n_rows: int, seed: int = 0, older: float = 0.0) -> pd.DataFrame:
    """Rows of one period; `older` shifts the ages."""
    random = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "age": (random.normal(45 + older, 12, n_rows)).round(),
            "state": STATES[random.randint(3, size=n_rows)],
            "own": random.rand(n_rows) < 0.4,
            HOSTILE_NAME: random.normal(40, 10, n_rows).round(1),
            "unused": random.rand(n_rows).round(3),
        }
    )


def groups(n_rows: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """A protected column that has nothing to do with the rows."""
    return np.array(["f", "m"])[np.random.RandomState(seed + 100).randint(2, size=n_rows)]


def scorecard(classes: tuple[Any, ...] = ("no", "yes"), points: int = 1) -> Scorecard:
    """A calibrated scorecard of four rules; with three classes, each has four."""
    columns = ENCODING.columns
    banks = range(1 if len(classes) == 2 else len(classes))
    rules = [
        Rule((Literal(columns[place], place, negated=bank == 2),), size * points, bank=bank)
        for bank in banks
        for size, place in zip((3, 2, -2, 1), ((1 + bank) % 3, 3 + bank, 6, 7), strict=True)
    ]
    constants = [-2 * points] if len(banks) == 1 else None
    return Scorecard(RuleSet(rules, ENCODING, np.array(classes), constants), slope=0.5 / points)


def labels(card: Scorecard, X: pd.DataFrame, seed: int = 0, shift: float = 0.0) -> np.ndarray[Any, Any]:
    """Classes drawn with the probabilities of a scorecard; `shift` changes log-odds of two classes."""
    draws = np.random.RandomState(seed).rand(len(X))
    if card.rules_.outcome.positive is not None:
        risk = expit(card.slope_ * card.votes(X) + card.offset_ + shift)
        return card.rules_.classes[(draws < risk).astype(int)]
    sums = np.cumsum(card.rules_.outcome.by_label(card.predict_proba(X)), axis=1)
    return card.rules_.classes[(draws[:, None] > sums[:, :-1]).sum(axis=1)]
