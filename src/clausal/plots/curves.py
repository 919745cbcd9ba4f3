"""HistoryDisplay: scores in each epoch of a fit. CompactionDisplay: scores of scorecards by size.

Not here: scores and early stopping (machine), validation of sizes (scorecard).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from clausal.plots.canvas import COLORS, GRAY, add_legend, integer_ticks, make_axes

_NOT_SCORES = ("epoch", "n_live_clauses")
_STYLES = ("-", "--", "-.", ":")
_SCORE_COLORS = (COLORS[1], COLORS[5], COLORS[2], COLORS[3], COLORS[0])


class HistoryDisplay:
    """Scores on held-out sets and the number of live clauses, by epoch.

    Parameters
    ----------
    history : mapping of str to sequence of float
        `history_` of a TsetlinClassifier: `epoch`, `n_live_clauses` and a score per held-out set, each
        with one value per epoch.
    kept_epoch : int or None, default=None
        The epoch whose model was kept, if it is not the last one. It is marked.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure.
    lines_ : dict of Line2D
        The curve of each score, by name.
    clauses_ax_, clauses_line_
        The curve of the live clauses, and its axes: on the right if there are scores, else `ax_`.
    kept_line_ : Line2D or None
        The mark of the kept epoch.
    """

    def __init__(self, *, history: Mapping[str, Sequence[float]], kept_epoch: int | None = None) -> None:
        self.history = history
        self.kept_epoch = kept_epoch

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the history of a fitted TsetlinClassifier.

        Parameters
        ----------
        estimator : TsetlinClassifier
            Fitted with `fit`; anything with `history_`.
        ax : Axes or None
            The axes to draw on; None makes a new figure.
        **kwargs
            Passed to matplotlib's `plot`, for the scores.

        Returns
        -------
        HistoryDisplay
            The display, after drawing.
        """
        history, kept = estimator.history_, None
        names = _score_names(history)
        if names and getattr(estimator, "early_stopping", False):
            kept = int(history["epoch"][int(np.argmax(history[names[0]]))])
        return cls(history=history, kept_epoch=kept).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or None
            The axes to draw on; None makes a new figure.
        **kwargs
            Passed to matplotlib's `plot`, for the scores.

        Returns
        -------
        HistoryDisplay
            The display, after drawing.
        """
        if not self.history.get("epoch"):
            raise ValueError(
                "history must have at least one epoch. Got none; use fit instead of partial_fit."
            )
        self.ax_ = ax = make_axes(ax, 6.4, 4.0)
        self.figure_ = ax.figure
        epochs = self.history["epoch"]
        self.lines_ = {}
        for index, name in enumerate(_score_names(self.history)):
            style = {"linestyle": _STYLES[index % 4], "color": _SCORE_COLORS[index % 5], "linewidth": 1.8}
            (self.lines_[name],) = ax.plot(epochs, self.history[name], **{**style, **kwargs})
        self.clauses_ax_ = ax.twinx() if self.lines_ else ax
        (self.clauses_line_,) = self.clauses_ax_.plot(
            epochs, self.history["n_live_clauses"], color=GRAY, linewidth=1, linestyle=(0, (1, 2))
        )
        self.clauses_ax_.set_ylabel("live clauses")
        self.clauses_ax_.set_ylim(bottom=0)
        ax.set_xlabel("epoch")
        integer_ticks(ax.xaxis)
        if self.lines_:
            ax.set_ylabel("accuracy")
            self.clauses_ax_.spines["top"].set_visible(False)
        self._mark_kept()
        self._draw_legend()
        return self

    def _mark_kept(self) -> None:
        self.kept_line_ = None
        if self.kept_epoch is not None:
            self.kept_line_ = self.ax_.axvline(self.kept_epoch, color="black", linestyle="--", linewidth=0.8)

    def _draw_legend(self) -> None:
        entries = {**self.lines_, "live clauses": self.clauses_line_}
        if self.kept_line_ is not None:
            entries[f"kept: epoch {self.kept_epoch}"] = self.kept_line_
        layout = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": min(len(entries), 4)}
        self.legend_ = add_legend(self.ax_, list(entries.values()), list(entries), **layout)


def _score_names(history: Mapping[str, Sequence[float]]) -> list[str]:
    return [name for name in history if name not in _NOT_SCORES]


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
