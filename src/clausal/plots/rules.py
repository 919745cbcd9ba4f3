"""RuleDisplay: the points of the rules with the most points, as bars.

Not here: how rules are extracted or worded (rules).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from clausal.parameters import Whole, check_value
from clausal.plots.canvas import add_legend, color, make_axes, shortened
from clausal.rules.rule_set import RuleSet
from clausal.wording import signed_text

_WIDTH, _LINES = 56, 3  # of the text of a rule: characters per line, lines


class RuleDisplay:
    """Bars of the points of each rule, colored by the class they speak for.

    Parameters
    ----------
    texts : sequence of str
        The conditions of the rules, from top to bottom.
    points : sequence of int or float
        The points of each rule: of two classes for the positive class, of more for the class of the bank.
        Bars of points below 0 point left.
    speaks_for : sequence of str
        The class in favor of which the points are, or `not` a class if there are more than two.
    class_names : sequence of str
        All classes in order, of two the positive class last; they determine the colors.
    n_left_out : int, default=0
        The number of rules that are not drawn, shown below the bars.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure.
    bars_ : BarContainer
        One bar per rule.
    point_texts_ : list of Text
        The points at the ends of the bars.
    legend_ : Legend
        The class of each color.

    Examples
    --------
    >>> from clausal import RuleDisplay, TsetlinClassifier
    >>> from clausal.datasets import load_heart_disease
    >>> X, y = load_heart_disease(return_X_y=True)
    >>> clf = TsetlinClassifier(n_epochs=5, random_state=0).fit(X, y)
    >>> display = RuleDisplay.from_estimator(clf, n_rules=10)  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        texts: Sequence[str],
        points: Sequence[int | float],
        speaks_for: Sequence[str],
        class_names: Sequence[str],
        n_left_out: int = 0,
    ) -> None:
        self.texts = texts
        self.points = points
        self.speaks_for = speaks_for
        self.class_names = class_names
        self.n_left_out = n_left_out

    @classmethod
    def from_estimator(cls, estimator: Any, *, n_rules: int = 15, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the rules of a fitted estimator.

        Parameters
        ----------
        estimator : TsetlinClassifier or RuleClassifier
            The fitted estimator; any object with `rules_`.
        n_rules : int, default=15
            Maximum number of rules; those with the most points are drawn.
        ax : Axes or None
            The axes to draw on; None makes a new figure.
        **kwargs
            Passed to matplotlib's `barh`.

        Returns
        -------
        RuleDisplay
            The display, after drawing.
        """
        return cls.from_rules(estimator.rules_, n_rules=n_rules, ax=ax, **kwargs)

    @classmethod
    def from_rules(cls, rules: RuleSet, *, n_rules: int = 15, ax: Any = None, **kwargs: Any) -> Self:
        """Draw a RuleSet; parameters as in `from_estimator`."""
        check_value(cls.__name__, "n_rules", n_rules, (Whole(1),))
        shown = sorted(rules, key=lambda rule: -abs(rule.points))[:n_rules]
        display = cls(
            texts=[str(rule) for rule in shown],
            points=[rule.points for rule in shown],
            speaks_for=[rule.speaks_for for rule in shown],
            class_names=rules.class_names,
            n_left_out=len(rules) - len(shown),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or None
            The axes to draw on; None makes a new figure.
        **kwargs
            Passed to matplotlib's `barh`.

        Returns
        -------
        RuleDisplay
            The display, after drawing.
        """
        labels = [shortened(text, _WIDTH, _LINES) for text in self.texts]
        n_lines = sum(label.count("\n") + 1 for label in labels)
        self.ax_ = ax = make_axes(ax, 8.5, 1.2 + 0.17 * n_lines + 0.1 * len(labels))
        self.figure_ = ax.figure
        indices = [self._class_index(name) for name in self.speaks_for]
        style: dict[str, Any] = {
            "color": [color(index) for index in indices],
            "hatch": ["///" if point < 0 else "" for point in self.points],
            "edgecolor": "white",
            "height": 0.7,
        }
        self.bars_ = ax.barh(range(len(labels)), self.points, **{**style, **kwargs})
        ax.set_yticks(range(len(labels)), labels=labels, parse_math=False)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(len(labels) - 0.4, -0.6)  # the first rule on top
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x", linewidth=0.5, alpha=0.5)
        ax.set_axisbelow(True)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.margins(x=0.12)
        left_out = f"  ({self.n_left_out} rules with fewer points are not shown)" if self.n_left_out else ""
        whose = f" for {shortened(self.class_names[1], 24, 1)}" if len(self.class_names) == 2 else ""
        ax.set_xlabel(f"points{whose}{left_out}", parse_math=False)
        self.point_texts_ = ax.bar_label(
            self.bars_, labels=[signed_text(point) for point in self.points], padding=3, fontsize="small"
        )
        self._draw_legend()
        return self

    def _class_index(self, name: str) -> int:
        """The index of the class that a rule counts for or, with more than two classes, against."""
        names = list(self.class_names)
        return names.index(name if name in names else name.removeprefix("not "))

    def _draw_legend(self) -> None:
        first: dict[int, Any] = {}  # one bar for each class, if possible one that counts for it
        for bar, name in zip(self.bars_, self.speaks_for, strict=True):
            index = self._class_index(name)
            if index not in first or name in self.class_names:
                first[index] = bar
        indices = sorted(first)
        names = [f"speaks for {self.class_names[index]}" for index in indices]
        title = "hatched: against" if set(self.speaks_for) - set(self.class_names) else None
        layout = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": max(1, min(len(names), 3))}
        self.legend_ = add_legend(self.ax_, [first[index] for index in indices], names, title=title, **layout)
