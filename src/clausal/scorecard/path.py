"""The validated score of a scorecard for each number of literals, and the chosen number.

Not here: how it is computed (validation.py), how it is drawn (plots).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clausal.frames import FrameBackend, make_frame
from clausal.plots.curves import CompactionDisplay

Floats = NDArray[np.float64]


class ValidatedSize(Protocol):
    """The validation of one search at one size."""

    @property
    def scores(self) -> Floats:
        """The score on each fold."""

    @property
    def loss(self) -> float:
        """The mean log-loss."""

    @property
    def n_rules(self) -> float:
        """The mean number of rules over the folds."""


def standard_error(scores: Floats) -> float:
    """Of the mean; 0 if there is one fold only."""
    return float(scores.std(ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0


@dataclass(frozen=True, eq=False)
class CompactionPath:
    """The cross-validated score of scorecards of each size.

    The arrays are those of the chosen search; `to_frame` has all searches. The size was chosen by its score,
    so the score at the chosen size is slightly optimistic: evaluate a scorecard on other data. The folds of
    repeated cross-validation overlap, so the standard errors are slightly too small.

    Attributes
    ----------
    n_literals : int array, ascending
        Maximum number of literals of the scorecard.
    scores : float array
        Mean validated score.
    errors : float array
        Standard error of that mean over the folds; 0 if there is one fold only.
    n_rules : float array
        Mean number of rules.
    losses : float array
        Mean validated log-loss, or loss of numbers; nan if the model file is of a version that did not
        store it.
    chosen : int
        The chosen number of literals: the smallest whose score and log-loss are within `parsimony` standard
        errors of the search's best.
    scoring : str
        The name of the score; with more than two classes such as "f1_macro".
    search : str
        The chosen search: the first whose log-loss and score, at its best size, are within one standard error
        of those of the search with the lowest log-loss; searches with larger penalties come first.
    loss_name : str
        "log_loss", or of numbers the name of their loss, such as "squared_error".
    searches : dict
        For every search, the arrays `scores`, `errors`, `n_rules` and `losses`, in this order.
    """

    n_literals: NDArray[np.intp]
    chosen: int
    scoring: str
    search: str
    searches: Mapping[str, tuple[Floats, Floats, Floats, Floats]]
    loss_name: str = "log_loss"

    @classmethod
    def of(
        cls,
        validated: Mapping[tuple[int, int], ValidatedSize],
        names: Sequence[str],
        sizes: Sequence[int],
        chosen: tuple[int, int],
        scoring: str,
        loss_name: str = "log_loss",
    ) -> CompactionPath:
        """The path of validated searches and sizes; keys are (index in `names`, index in `sizes`)."""
        searches = {}
        for index, name in enumerate(names):
            by_size = [validated[index, size] for size in range(len(sizes))]
            means = np.array([one.scores.mean() for one in by_size])
            errors = np.array([standard_error(one.scores) for one in by_size])
            n_rules = np.array([one.n_rules for one in by_size])
            searches[name] = (means, errors, n_rules, np.array([one.loss for one in by_size]))
        return cls(np.array(sizes, np.intp), sizes[chosen[1]], scoring, names[chosen[0]], searches, loss_name)

    @property
    def scores(self) -> Floats:
        """Mean validated score of the chosen search at each size."""
        return self.searches[self.search][0]

    @property
    def errors(self) -> Floats:
        """Standard error of `scores` over the folds."""
        return self.searches[self.search][1]

    @property
    def n_rules(self) -> Floats:
        """Mean number of rules of the chosen search at each size."""
        return self.searches[self.search][2]

    @property
    def losses(self) -> Floats:
        """Mean validated loss of the chosen search at each size."""
        return self.searches[self.search][3]

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per search and size.

        The columns are `search`, `n_literals`, `n_rules`, `score`, `error`, the loss by its name, and
        `chosen`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of data frame; None uses the first that is installed.
        """
        names = ("search", "n_literals", "n_rules", "score", "error", self.loss_name, "chosen")
        rows: dict[str, list[Any]] = {name: [] for name in names}
        for name, (scores, errors, n_rules, losses) in self.searches.items():
            rows["search"] += [name] * len(scores)
            rows["n_literals"] += self.n_literals.tolist()
            rows["n_rules"] += n_rules.tolist()
            rows["score"] += scores.tolist()
            rows["error"] += errors.tolist()
            rows[self.loss_name] += losses.tolist()
            rows["chosen"] += [
                name == self.search and size == self.chosen for size in self.n_literals.tolist()
            ]
        return make_frame(rows, backend)

    def plot(self, ax: Any = None, **style: Any) -> CompactionDisplay:
        """Plot the score against the number of literals (needs matplotlib)."""
        return CompactionDisplay.from_path(self, ax=ax, **style)

    def __repr__(self) -> str:
        index = int(np.flatnonzero(self.n_literals == self.chosen)[0])
        return (
            f"CompactionPath of 1 to {self.n_literals[-1]} literals: {self.chosen} chosen, {self.scoring} "
            f"{self.scores[index]:.3f} ± {self.errors[index]:.3f} ({self.search})"
        )
