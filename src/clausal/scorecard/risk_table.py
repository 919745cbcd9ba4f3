"""The calibrated probability for every score of a scorecard.

Not here: the points (core/scorecard), the calibration (validation.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from clausal.frames import FrameBackend, make_frame
from clausal.wording import label_text


@dataclass(frozen=True, eq=False)
class RiskTable:
    """The risk for each score of a two-class scorecard.

    Attributes
    ----------
    slope, offset : float
        The log-odds of the positive class are slope * score + offset.
    scores : int array, ascending
        Every score of a training row: the constant plus its points.
    counts, positives : float array
        Total weight of the training rows with each score (their number, without sample weights), and of
        those of the positive class.
    pos_label : class label
        The positive class, whose probability is the risk.
    """

    slope: float
    offset: float
    scores: NDArray[np.int64]
    counts: NDArray[np.float64]
    positives: NDArray[np.float64]
    pos_label: Any

    @classmethod
    def of(
        cls,
        votes: NDArray[np.int64],
        codes: NDArray[np.intp],
        weights: NDArray[np.float64],
        slope: float,
        offset: float,
        pos_label: Any,
    ) -> RiskTable:
        """Count the training rows by their votes [n] and their codes [n], 1 for the positive class."""
        scores, index = np.unique(votes, return_inverse=True)
        counts = np.zeros(len(scores))
        np.add.at(counts, index, weights)
        positives = np.zeros(len(scores))
        np.add.at(positives, index, weights * (codes == 1))
        return cls(slope, offset, scores, counts, positives, pos_label)

    @property
    def risks(self) -> NDArray[np.float64]:
        """The calibrated probability of the positive class at each score."""
        return self.probability(self.scores)

    def probability(self, votes: NDArray[Any]) -> NDArray[np.float64]:
        """The calibrated probability of the positive class at these scores."""
        result: NDArray[np.float64] = expit(self.slope * votes + self.offset)
        return result

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per score: `score`, `risk`, `rows` and `observed`, the share of the positive class.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of data frame; None uses the first that is installed.
        """
        return make_frame(
            {
                "score": self.scores.tolist(),
                "risk": self.risks.tolist(),
                "rows": self.counts.tolist(),
                "observed": (self.positives / self.counts).tolist(),
            },
            backend,
        )

    def __str__(self) -> str:
        risk_of = f"risk of {label_text(self.pos_label)}"
        width = len(risk_of)
        lines = [f"{'score':>7}  {risk_of:>{width}}  {'rows':>7}  {'observed':>8}"]
        for score, risk, rows, positives in zip(
            self.scores, self.risks, self.counts, self.positives, strict=True
        ):
            lines.append(f"{score:>7}  {risk:>{width}.1%}  {rows:>7g}  {positives / rows:>8.1%}")
        return "\n".join(lines)
