"""VoteDisplay: the distribution of the votes by class, and the decision boundary.

Not here: how votes are computed (rules, estimators).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clausal.outcome import make_outcome
from clausal.parameters import Whole, check_value
from clausal.plots.canvas import add_legend, color, hatch, integer_ticks, make_axes, shortened
from clausal.wording import Number, label_text


class VoteDisplay:
    """Histograms of votes by true class.

    With two classes, the vote; the positive class is predicted from the cut-off on. With more classes, the
    vote of the true class minus the highest other vote: the prediction is correct above 0 (at 0, the first of
    the tied classes is predicted).

    Parameters
    ----------
    votes : array-like of shape (n,) or (n, K)
        The votes.
    codes : array-like of int, shape (n,)
        The index of the true class of each row.
    class_names : sequence of str
        The classes in order, of two the positive class last.
    cut_off : int or float, default=0
        The vote from which on the positive one of two classes is predicted.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure.
    bars_ : list of BarContainer
        The histogram of each class.
    edges_ : ndarray
        The edges of the bins; the cut-off is one of them.
    decision_line_ : Line2D
        The line at the cut-off, for more classes at 0.
    legend_ : Legend
        The classes.
    """

    def __init__(self, *, votes: Any, codes: Any, class_names: Any, cut_off: Number = 0) -> None:
        self.votes = votes
        self.codes = codes
        self.class_names = class_names
        self.cut_off = cut_off

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, bins: int = 20, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the votes of a fitted estimator on labeled rows.

        Parameters
        ----------
        estimator : TsetlinClassifier or RuleClassifier
            The fitted estimator or a Scorecard; any object with `votes`, `classes_` and, if it is the first
            of two classes, `pos_label_`. The cut-off is that of its `rules_`, else 0.
        X : table of shape (n, n_features)
            The rows.
        y : array-like of shape (n,)
            Their classes.
        bins : int, default=20
            Approximate maximum number of bins.
        ax : Axes or None
            The axes to draw on; None makes a new figure.
        **kwargs
            Passed to matplotlib's `bar`.

        Returns
        -------
        VoteDisplay
            The display, after drawing.
        """
        votes, classes = estimator.votes(X), estimator.classes_
        if votes.ndim == 1 and getattr(estimator, "pos_label_", None) == classes[0]:
            classes = classes[::-1]
        rules = getattr(estimator, "rules_", None)
        cut_off = 0 if rules is None else rules.outcome.cut_off
        return cls.from_predictions(y, votes, classes=classes, cut_off=cut_off, bins=bins, ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        votes: Any,
        *,
        classes: Any = None,
        cut_off: Number = 0,
        bins: int = 20,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw given votes.

        `classes` are all labels in order, of two the positive class last; None uses those in `y_true`. From
        `cut_off` on, the positive class is predicted. The other parameters are as in `from_estimator`.
        """
        labels, votes = np.asarray(y_true), np.asarray(votes)
        known = np.unique(labels) if classes is None else np.asarray(classes)
        if len(labels) != len(votes):
            raise ValueError(f"y must have one label for each of the {len(votes)} rows. Got {len(labels)}.")
        if votes.ndim == 2 and votes.shape[1] != len(known):
            raise ValueError(
                f"votes must have one column for each of the {len(known)} classes. Got {votes.shape[1]}."
            )
        matches = labels[:, None] == known[None, :]
        if not matches.any(axis=1).all():
            unknown = labels[~matches.any(axis=1)][:1].tolist()[0]
            raise ValueError(f"y must contain only the classes {known.tolist()}. Got {unknown!r}.")
        names = list(map(label_text, known.tolist()))
        display = cls(votes=votes, codes=matches.argmax(axis=1), class_names=names, cut_off=cut_off)
        return display.plot(ax=ax, bins=bins, **kwargs)

    def plot(self, ax: Any = None, *, bins: int = 20, **kwargs: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or None
            The axes to draw on; None makes a new figure.
        bins : int, default=20
            Approximate maximum number of bins.
        **kwargs
            Passed to matplotlib's `bar`.

        Returns
        -------
        VoteDisplay
            The display, after drawing.
        """
        check_value(type(self).__name__, "bins", bins, (Whole(1),))
        self.ax_ = ax = make_axes(ax, 6.4, 4.0)
        self.figure_ = ax.figure
        codes, multiclass = np.asarray(self.codes), np.asarray(self.votes).ndim == 2
        values = self._margins() if multiclass else np.asarray(self.votes)
        self.edges_ = vote_edges(values, bins, 0 if multiclass else self.cut_off)
        self.bars_ = []
        bottom = np.zeros(len(self.edges_) - 1)
        for index in range(len(self.class_names)):
            counts = np.histogram(values[codes == index], self.edges_)[0]
            style = {
                "color": color(index),
                "hatch": hatch(index),
                "edgecolor": "white",
                "linewidth": 0.3,
                "align": "edge",
                "alpha": 1.0 if multiclass else 0.7,
                "bottom": bottom,
            }
            widths = np.diff(self.edges_)
            self.bars_.append(ax.bar(self.edges_[:-1], counts, widths, **{**style, **kwargs}))
            bottom = bottom + counts if multiclass else bottom
        self._label(multiclass)
        return self

    def _margins(self) -> NDArray[Any]:
        """The vote of the true class minus the highest other vote, shape (n,)."""
        votes, outcome = np.asarray(self.votes), make_outcome(range(len(self.class_names)))
        return outcome.margins(votes, np.asarray(self.codes)).astype(votes.dtype)

    def _label(self, multiclass: bool) -> None:
        ax = self.ax_
        middle = 0 if multiclass else self.cut_off
        self.decision_line_ = ax.axvline(middle, color="black", linewidth=1.2)
        sides = ("wrong", "correct") if multiclass else self.class_names
        for text, side in (
            (f"← {shortened(sides[0], 24, 1)} ", "right"),
            (f" {shortened(sides[1], 24, 1)} →", "left"),
        ):
            layout = {"transform": ax.get_xaxis_transform(), "ha": side, "va": "bottom"}
            ax.text(middle, 1.01, text, parse_math=False, fontsize="small", **layout)
        vote = f"vote for {shortened(self.class_names[1], 24, 1)}"
        name = "vote of the true class minus the highest other vote" if multiclass else vote
        ax.set_xlabel(name, parse_math=False)
        ax.set_ylabel("rows")
        integer_ticks(ax.yaxis)
        handles = [bars[0] for bars in self.bars_]
        options = {"title": "true class", "loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        self.legend_ = add_legend(ax, handles, list(self.class_names), **options)


def vote_edges(values: NDArray[Any], bins: int, cut_off: Number = 0) -> NDArray[Any]:
    """Edges at multiples of one width from the cut-off on, either way; integer votes get integer edges."""
    values = values - cut_off
    low, high = float(min(values.min(), 0)), float(max(values.max(), 0))
    width = (high - low) / bins or 1.0
    if values.dtype.kind in "iu":
        width = float(np.ceil(width))
    first, last = np.floor(low / width), np.floor(high / width) + 1
    edges = np.arange(first, last + 1) * width
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)  # a multiple may be rounded toward 0
    return edges + cut_off
