"""CompactionDisplay: the validated score against the number of literals.

Not here: how the path is computed (scorecard/validation.py).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from clausal.plots.canvas import COLORS, GRAY, integer_ticks, make_axes


class CompactionDisplay:
    """Validated score against the number of literals, with a band of one standard error.

    Parameters
    ----------
    n_literals : array-like of int, shape (n_sizes,)
        The sizes of the models, ascending.
    scores : array-like of float, shape (n_sizes,)
        The mean validated score of each size.
    errors : array-like of float, shape (n_sizes,), or None
        The standard error of each score.
    chosen : int or None, default=None
        The chosen number of literals, which is marked.
    scoring : str, default="score"
        The name of the score, shown on the vertical axis.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure.
    line_ : Line2D
        The curve.
    band_ : FillBetweenPolyCollection or None
        The band of one standard error.
    chosen_line_, chosen_text_ : Line2D and Annotation, or None
        The mark of the chosen size.
    """

    def __init__(
        self,
        *,
        n_literals: Any,
        scores: Any,
        errors: Any = None,
        chosen: int | None = None,
        scoring: str = "score",
    ) -> None:
        self.n_literals = n_literals
        self.scores = scores
        self.errors = errors
        self.chosen = chosen
        self.scoring = scoring

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the path of a fitted RuleClassifier.

        Parameters
        ----------
        estimator : RuleClassifier
            The fitted estimator; any object with `path_`.
        ax : Axes or None
            The axes to draw on; None makes a new figure.
        **kwargs
            Passed to matplotlib's `plot`.

        Returns
        -------
        CompactionDisplay
            The display, after drawing.
        """
        return cls.from_path(estimator.path_, ax=ax, **kwargs)

    @classmethod
    def from_path(cls, path: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw a CompactionPath; parameters as in `from_estimator`."""
        display = cls(
            n_literals=path.n_literals,
            scores=path.scores,
            errors=path.errors,
            chosen=path.chosen,
            scoring=path.scoring,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or None
            The axes to draw on; None makes a new figure.
        **kwargs
            Passed to matplotlib's `plot`.

        Returns
        -------
        CompactionDisplay
            The display, after drawing.
        """
        self.ax_ = ax = make_axes(ax, 6.4, 4.0)
        self.figure_ = ax.figure
        sizes, scores = np.asarray(self.n_literals), np.asarray(self.scores, float)
        style = {"color": COLORS[1], "marker": "o", "markersize": 3.5, "linewidth": 1.5}
        (self.line_,) = ax.plot(sizes, scores, **{**style, **kwargs})
        self.band_ = None
        if self.errors is not None:
            errors = np.asarray(self.errors, float)
            self.band_ = ax.fill_between(
                sizes, scores - errors, scores + errors, color=self.line_.get_color(), alpha=0.18, linewidth=0
            )
        self._mark_chosen(sizes, scores)
        ax.set_xlabel("literals in the model")
        band = "" if self.errors is None else ", ± one standard error"
        ax.set_ylabel(f"validated {self.scoring}{band}", parse_math=False)
        integer_ticks(ax.xaxis)
        ax.grid(axis="y", linewidth=0.5, alpha=0.5)
        return self

    def _mark_chosen(self, sizes: Any, scores: Any) -> None:
        self.chosen_line_ = self.chosen_text_ = None
        if self.chosen is None:
            return
        ax = self.ax_
        self.chosen_line_ = ax.axvline(self.chosen, color=GRAY, linestyle="--", linewidth=1)
        index = np.flatnonzero(sizes == self.chosen)
        if len(index):
            ax.plot(self.chosen, scores[index[0]], "o", markersize=9, markerfacecolor="none", color="black")
        right = self.chosen > (sizes[0] + sizes[-1]) / 2  # the text is on the other side
        self.chosen_text_ = ax.annotate(
            f"chosen: {self.chosen}",
            (self.chosen, 0.04),
            xycoords=ax.get_xaxis_transform(),
            xytext=(-6 if right else 6, 0),
            textcoords="offset points",
            ha="right" if right else "left",
        )
