"""RuleDisplay: the points of the weightiest rules as bars.

Not here: how rules are found or worded (rules).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from clausal.parameters import Whole, check_value
from clausal.plots.canvas import add_legend, color, make_axes, shortened
from clausal.rules.rule_set import RuleSet

_WIDTH, _LINES = 56, 3  # of a rule's text: characters in a line, lines


class RuleDisplay:
    """Bars of the points of each rule, coloured by the class that they speak for.

    Parameters
    ----------
    texts : sequence of str
        The rules' conditions, in the order to draw, the first on top.
    points : sequence of int or float
        The points of each rule; negative ones speak against the rule's bank and point to the left.
    speaks_for : sequence of str
        Whom the points speak for: a class, or `not` a class where there are more than two.
    class_names : sequence of str
        All classes in order; they decide the colours.
    n_left_out : int, default=0
        How many lighter rules are not drawn; said below the bars.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure drawn on.
    bars_ : BarContainer
        One bar per rule.
    point_texts_ : list of Text
        The points written at the bars' ends.
    legend_ : Legend
        Whom each colour speaks for.

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
            Fitted; anything with `rules_`.
        n_rules : int, default=15
            At most so many rules, the weightiest.
        ax : Axes or None
            Where to draw; None makes a new figure.
        **kwargs
            Passed to matplotlib's `barh`.

        Returns
        -------
        RuleDisplay
            The display, drawn.
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
        """Draw.

        Parameters
        ----------
        ax : Axes or None
            Where to draw; None makes a new figure.
        **kwargs
            Passed to matplotlib's `barh`.

        Returns
        -------
        RuleDisplay
            The display, drawn.
        """
        labels = [shortened(text, _WIDTH, _LINES) for text in self.texts]
        n_lines = sum(label.count("\n") + 1 for label in labels)
        self.ax_ = ax = make_axes(ax, 8.5, 1.2 + 0.17 * n_lines + 0.1 * len(labels))
        self.figure_ = ax.figure
        places = [self._place(name) for name in self.speaks_for]
        style: dict[str, Any] = {
            "color": [color(place) for place in places],
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
        left_out = f"  ({self.n_left_out} lighter rules are not drawn)" if self.n_left_out else ""
        ax.set_xlabel(f"points{left_out}")
        self.point_texts_ = ax.bar_label(
            self.bars_, labels=[_signed(point) for point in self.points], padding=3, fontsize="small"
        )
        self._draw_legend()
        return self

    def _place(self, name: str) -> int:
        """The place of the class that a rule speaks for or, with more than two, against."""
        names = list(self.class_names)
        return names.index(name if name in names else name.removeprefix("not "))

    def _draw_legend(self) -> None:
        first: dict[int, Any] = {}  # one bar for each class, rather one that speaks for it
        for bar, name in zip(self.bars_, self.speaks_for, strict=True):
            place = self._place(name)
            if place not in first or name in self.class_names:
                first[place] = bar
        places = sorted(first)
        names = [f"for {self.class_names[place]}" for place in places]
        title = "hatched: against" if set(self.speaks_for) - set(self.class_names) else None
        where = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": max(1, min(len(names), 3))}
        self.legend_ = add_legend(self.ax_, [first[place] for place in places], names, title=title, **where)


def _signed(points: int | float) -> str:
    return f"{points:+d}" if isinstance(points, int) else f"{points:+.4g}"
