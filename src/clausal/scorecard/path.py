"""The curve of literals against validated score, and what was chosen on it.

Not here: how it is computed (compaction.py), how it is drawn (plots).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clausal.frames import FrameBackend, make_frame
from clausal.plots.compaction import CompactionDisplay

Floats = NDArray[np.float64]


class Judged(Protocol):
    """What a search did at one size: its score on each fold and its mean number of rules."""

    @property
    def scores(self) -> Floats:
        """One per fold."""

    @property
    def n_rules(self) -> float:
        """Mean over folds."""


@dataclass(frozen=True, eq=False)
class CompactionPath:
    """How good a scorecard of each size is, by cross-validation.

    The arrays hold the chosen search; `to_frame` has all of them. The score at the chosen size also chose it,
    so it is a little optimistic: judge a scorecard on rows that took no part. The folds of repeated
    cross-validation overlap, so the errors are somewhat small.

    Attributes
    ----------
    n_literals : int array, ascending
        Most literals of the whole model.
    scores : float array
        Mean validated score.
    errors : float array
        Standard error of that mean over the folds.
    n_rules : float array
        Mean number of rules.
    chosen : int
        The number of literals chosen: the smallest within half a standard error of the search's best, by
        score and by log-loss.
    scoring : str
        What the score is.
    search : str
        The search chosen: that of the lowest log-loss at its best size.
    searches : dict
        For every search tried the arrays `scores`, `errors` and `n_rules`, in that order.
    """

    n_literals: NDArray[np.intp]
    chosen: int
    scoring: str
    search: str
    searches: Mapping[str, tuple[Floats, Floats, Floats]]

    @classmethod
    def of(
        cls,
        judged: Mapping[tuple[int, int], Judged],
        names: Sequence[str],
        sizes: Sequence[int],
        chosen: tuple[int, int],
        scoring: str,
    ) -> CompactionPath:
        """From what each search (by its place in `names`) did at each size (by its place in `sizes`)."""
        searches = {}
        for place, name in enumerate(names):
            own = [judged[place, size] for size in range(len(sizes))]
            means = np.array([one.scores.mean() for one in own])
            errors = np.array([one.scores.std(ddof=1) / np.sqrt(len(one.scores)) for one in own])
            searches[name] = (means, errors, np.array([one.n_rules for one in own]))
        return cls(np.array(sizes, np.intp), sizes[chosen[1]], scoring, names[chosen[0]], searches)

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

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per search and size: `search`, `n_literals`, `n_rules`, `score`, `error`, `chosen`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of frame; None takes the first that is installed.
        """
        rows: dict[str, list[Any]] = {
            name: [] for name in ("search", "n_literals", "n_rules", "score", "error", "chosen")
        }
        for name, (scores, errors, n_rules) in self.searches.items():
            rows["search"] += [name] * len(scores)
            rows["n_literals"] += self.n_literals.tolist()
            rows["n_rules"] += n_rules.tolist()
            rows["score"] += scores.tolist()
            rows["error"] += errors.tolist()
            rows["chosen"] += [
                name == self.search and size == self.chosen for size in self.n_literals.tolist()
            ]
        return make_frame(rows, backend)

    def plot(self, ax: Any = None, **style: Any) -> CompactionDisplay:
        """Draw the curve (needs matplotlib)."""
        return CompactionDisplay.from_path(self, ax=ax, **style)

    def __repr__(self) -> str:
        place = int(np.flatnonzero(self.n_literals == self.chosen)[0])
        return (
            f"CompactionPath of 1 to {self.n_literals[-1]} literals: {self.chosen} chosen, {self.scoring} "
            f"{self.scores[place]:.3f} ± {self.errors[place]:.3f} ({self.search})"
        )
