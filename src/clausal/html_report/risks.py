"""The risk table of a scorecard: in bands of adjacent totals, and for each total.

Test rows with a total that no training row has are counted like the others. Not here: the risks themselves
(scorecard/risk_table.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clausal.html_report.bands import bands
from clausal.html_report.metrics import Evaluation, wilson
from clausal.html_report.ranking import DECISION_CUT_OFF

_MAX_TOTALS = 200


@dataclass(frozen=True)
class Observed:
    """The rows of a set, or their weight, the positive ones, and their share with a 95 % Wilson interval.

    Without rows, the share and its interval are NaN.
    """

    rows: float
    positives: float
    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, rows: float, positives: float) -> Observed:
        """The share of these rows."""
        rate = positives / rows if rows else float("nan")
        return cls(rows, positives, rate, *wilson(positives, rows))


@dataclass(frozen=True)
class RiskBand:
    """Adjacent totals with the same decision.

    Attributes
    ----------
    low, high : the lowest and the highest total
    low_risk, high_risk : their risks
    decided : the index of the decided class
    train, test : what was observed in the training rows and in the test rows
    """

    low: int
    high: int
    low_risk: float
    high_risk: float
    decided: int
    train: Observed
    test: Observed


@dataclass(frozen=True)
class Risks:
    """The bands, the single totals as bands of one, and the number of totals that are not shown."""

    bands: tuple[RiskBand, ...]
    rows: tuple[RiskBand, ...]
    n_left_out: int


def make_risks(clf: Any, evaluation: Evaluation) -> Risks | None:
    """The risks with training and test counts; None if the model has no risk table."""
    table = getattr(clf, "risk_table_", None)
    if table is None or evaluation.n_classes != 2:
        return None
    counts = _Counts(table, evaluation)
    n_totals = len(counts.totals)
    shown = np.unique(np.linspace(0, n_totals - 1, min(n_totals, _MAX_TOTALS)).round().astype(int)).tolist()
    breaks = np.diff(counts.totals >= DECISION_CUT_OFF, prepend=False)
    breaks[0] = False
    # By training rows and test rows together, as without weights both are rows.
    made = tuple(counts.band(band) for band in bands(counts.train[0] + counts.test[0], breaks))
    return Risks(made, tuple(counts.band([index]) for index in shown), n_totals - len(shown))


class _Counts:
    """The risk, the training rows and the test rows at each total of any of them, ascending."""

    def __init__(self, table: Any, evaluation: Evaluation) -> None:
        votes, first = np.unique(evaluation.votes, return_index=True)
        self.totals = np.union1d(table.scores, votes)
        self.risks, self.train = np.zeros(len(self.totals)), np.zeros((2, len(self.totals)))
        self.risks[np.searchsorted(self.totals, votes)] = evaluation.probabilities[first, 1]
        own = np.searchsorted(self.totals, table.scores)
        self.risks[own] = table.risks
        self.train[:, own] = table.counts, table.positives
        place, n_totals = np.searchsorted(self.totals, evaluation.votes), len(self.totals)
        weights = (None, evaluation.codes == 1)
        self.test = np.array([np.bincount(place, weight, n_totals) for weight in weights])

    def band(self, indices: Sequence[int] | Any) -> RiskBand:
        """The totals with these indices together."""
        first, last = indices[0], indices[-1]
        train, test = (
            Observed.of(*part[:, indices].sum(axis=1).tolist()) for part in (self.train, self.test)
        )
        return RiskBand(
            low=int(self.totals[first]),
            high=int(self.totals[last]),
            low_risk=float(self.risks[first]),
            high_risk=float(self.risks[last]),
            decided=int(self.totals[first] >= DECISION_CUT_OFF),
            train=train,
            test=test,
        )
