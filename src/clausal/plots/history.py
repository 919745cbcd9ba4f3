"""HistoryDisplay: what happened in each epoch of a fit.

Not here: what a score is, when a fit stops (machine).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from clausal.plots.canvas import COLORS, QUIET, add_legend, make_axes, whole_ticks

_NOT_SCORES = ("epoch", "n_live_clauses")
_STYLES = ("-", "--", "-.", ":")
_SCORE_COLORS = (COLORS[1], COLORS[5], COLORS[2], COLORS[3], COLORS[0])


class HistoryDisplay:
    """Scores on held-out sets and the number of live clauses, by epoch.

    Parameters
    ----------
    history : mapping of str to sequence of float
        `history_` of a TsetlinClassifier: `epoch`, `n_live_clauses` and a score per held-out set, one value
        per epoch each.
    kept_epoch : int or None, default=None
        The epoch whose model was kept, where that is not the last; marked.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure drawn on.
    lines_ : dict of Line2D
        The curve of each score by its name.
    clauses_ax_, clauses_line_
        The axes (on the right where there are scores, else `ax_`) and the curve of the live clauses.
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
            Where to draw; None makes a new figure.
        **kwargs
            Passed to matplotlib's `plot`, for the scores.

        Returns
        -------
        HistoryDisplay
            The display, drawn.
        """
        history, kept = estimator.history_, None
        names = _score_names(history)
        if names and getattr(estimator, "early_stopping", False):
            kept = int(history["epoch"][int(np.argmax(history[names[0]]))])
        return cls(history=history, kept_epoch=kept).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or None
            Where to draw; None makes a new figure.
        **kwargs
            Passed to matplotlib's `plot`, for the scores.

        Returns
        -------
        HistoryDisplay
            The display, drawn.
        """
        if not self.history.get("epoch"):
            raise ValueError(
                "The history to draw must have at least one epoch. Got none; use fit, not partial_fit."
            )
        self.ax_ = ax = make_axes(ax, 6.4, 4.0)
        self.figure_ = ax.figure
        epochs = self.history["epoch"]
        self.lines_ = {}
        for place, name in enumerate(_score_names(self.history)):
            style = {"linestyle": _STYLES[place % 4], "color": _SCORE_COLORS[place % 5], "linewidth": 1.8}
            (self.lines_[name],) = ax.plot(epochs, self.history[name], **{**style, **kwargs})
        self.clauses_ax_ = ax.twinx() if self.lines_ else ax
        (self.clauses_line_,) = self.clauses_ax_.plot(
            epochs, self.history["n_live_clauses"], color=QUIET, linewidth=1, linestyle=(0, (1, 2))
        )
        self.clauses_ax_.set_ylabel("live clauses")
        self.clauses_ax_.set_ylim(bottom=0)
        ax.set_xlabel("epoch")
        whole_ticks(ax.xaxis)
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
        place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": min(len(entries), 4)}
        self.legend_ = add_legend(self.ax_, list(entries.values()), list(entries), **place)


def _score_names(history: Mapping[str, Sequence[float]]) -> list[str]:
    return [name for name in history if name not in _NOT_SCORES]
