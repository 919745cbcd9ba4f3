"""PatchDisplay: a rule about patches as a picture, where it may hold, and samples on which it does.

Not here: what rules about patches mean (encoding/patches.py).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import number_text
from clausal.encoding.patches import PatchEncoding
from clausal.parameters import Whole, check_value
from clausal.plots.canvas import COLORS, GRAY, make_panels, shortened
from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet
from clausal.wording import signed_text

_KINDS = ("no condition", "low", "high", "between")
_FILLS = ("#ececec", COLORS[1], COLORS[0], COLORS[2])
_MOST_TEXTS = 100  # pixels in which bounds are written


class PatchDisplay:
    """A rule of a model of images or sequences, drawn.

    The first panels show the pattern, one for each channel: which pixels of the patch must be low (at most a
    grey level, or false), which high. The next shows where the patch may begin. The others show samples on
    which the rule holds, with the first patch that satisfies it.

    Parameters
    ----------
    rule : Rule
        The rule.
    encoding : PatchEncoding
        The encoding of its model.
    samples : ndarray of shape (n, ...), default=()
        Samples on which the rule holds, as in `X`.
    corners : sequence of (row, column), default=()
        Where the first patch that satisfies the rule begins in each sample; (0, start) in a sequence.
    n_holds : int or None, default=None
        On how many samples the rule holds; None if that is unknown.

    Attributes
    ----------
    pattern_ : int ndarray of shape (patch height, patch width, channels)
        0: no condition on the pixel, 1: low, 2: high, 3: between two grey levels.
    places_ : bool ndarray of shape (rows, columns)
        Where a patch may begin.
    axes_, figure_
        The panels and the figure.

    Examples
    --------
    >>> from clausal import PatchDisplay
    >>> PatchDisplay.from_estimator(clf, 0, X=X_train)  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        rule: Rule,
        encoding: PatchEncoding,
        samples: Any = (),
        corners: Any = (),
        n_holds: int | None = None,
    ) -> None:
        self.rule = rule
        self.encoding = encoding
        self.samples = samples
        self.corners = corners
        self.n_holds = n_holds

    @classmethod
    def from_estimator(cls, estimator: Any, rule: int = 0, *, X: Any = None, n_samples: int = 5) -> Self:
        """Draw a rule of a fitted estimator.

        Parameters
        ----------
        estimator : TsetlinClassifier
            An estimator that was fitted with a PatchEncoder.
        rule : int, default=0
            The position of the rule in `rules_`.
        X : array-like, default=None
            Images or sequences, such as those of training, to show some on which the rule holds.
        n_samples : int, default=5
            Maximum number of samples to show.

        Returns
        -------
        PatchDisplay
            The display, after drawing.
        """
        return cls.from_rules(estimator.rules_, rule, X=X, n_samples=n_samples)

    @classmethod
    def from_rules(cls, rules: RuleSet, rule: int = 0, *, X: Any = None, n_samples: int = 5) -> Self:
        """Draw a rule of a RuleSet; parameters as in `from_estimator`."""
        encoding = rules.encoding
        if not isinstance(encoding, PatchEncoding):
            raise ValueError(
                f"{cls.__name__} must be given a model of images or sequences. Got one of a table with "
                f"{encoding.n_features} features."
            )
        check_value(cls.__name__, "rule", rule, (Whole(0, len(rules) - 1),))
        check_value(cls.__name__, "n_samples", n_samples, (Whole(0),))
        chosen = rules[rule]
        if X is None:
            return cls(rule=chosen, encoding=encoding).plot()
        test = [(literal.position, literal.negated) for literal in chosen.literals]
        matches = encoding.read(X, cls.__name__).matches(test)
        holds = np.flatnonzero(matches.any(axis=1))
        shown = holds[:n_samples]
        corners = [*map(tuple, encoding.view.corners[matches[shown].argmax(axis=1)].tolist())]
        samples = np.asarray(X)[shown]
        display = cls(rule=chosen, encoding=encoding, samples=samples, corners=corners, n_holds=len(holds))
        return display.plot()

    def plot(self) -> Self:
        """Draw the display.

        Returns
        -------
        PatchDisplay
            The display, after drawing.
        """
        self._measure()
        channels = self.pattern_.shape[2]
        n_panels = channels + 1 + len(self.samples)
        self.figure_, self.axes_ = make_panels(n_panels, 2.1, 2.6)
        for channel in range(channels):
            self._draw_pattern(self.axes_[channel], channel)
        self._draw_places(self.axes_[channels])
        for panel, sample, corner in zip(self.axes_[channels + 1 :], self.samples, self.corners, strict=True):
            self._draw_sample(panel, np.asarray(sample), corner)
        holds = "" if self.n_holds is None else f"; holds on {self.n_holds} samples"
        title = f"{signed_text(self.rule.points)} for {shortened(self.rule.speaks_for, 40, 1)}{holds}"
        self.figure_.suptitle(title, fontsize="medium", parse_math=False)
        return self

    def _measure(self) -> None:
        """The bounds of each pixel, and the places where all conditions on them hold."""
        view = self.encoding.view
        channels = self.encoding.shape[-1] if len(self.encoding.shape) > len(self.encoding.patch_shape) else 1
        shape = (view.patch_height, view.patch_width, channels)
        pattern, self._texts = np.zeros(shape, int), np.full(shape, "", object)
        self.places_ = np.ones((view.patch_rows, view.patch_columns), bool)
        starts = {
            "row": np.arange(view.patch_rows)[:, None] * view.row_stride,
            "column": np.arange(view.patch_columns) * view.column_stride,
            "start": np.arange(view.patch_columns) * view.column_stride,
        }
        for literal in self.rule.literals:
            column = literal.column
            cut = float(column.value) if isinstance(column.value, (int, float)) else 0.5  # of a boolean
            if column.feature_index in self.encoding.places:
                self.places_ &= (starts[column.feature] <= cut) != literal.negated
                continue
            high = literal.negated == (column.kind == "le")
            pattern.flat[column.feature_index] |= 2 if high else 1
            if column.kind == "le":
                sign = ">" if high else "\N{LESS-THAN OR EQUAL TO}"
                self._texts.flat[column.feature_index] += f"{sign}{number_text(cut)}\n"
        self.pattern_: NDArray[np.int_] = pattern

    def _draw_pattern(self, panel: Any, channel: int) -> None:
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        kinds = self.pattern_[:, :, channel]
        panel.imshow(kinds, cmap=ListedColormap(_FILLS), vmin=-0.5, vmax=3.5, aspect=self._aspect)
        thresholds = self.encoding.thresholds
        if thresholds is not None and len(thresholds) > 1 and kinds.size <= _MOST_TEXTS:
            for (i, j), text in np.ndenumerate(self._texts[:, :, channel]):
                panel.text(j, i, text.strip(), ha="center", va="center", fontsize=5, parse_math=False)
        of = f", channel {channel}" if self.pattern_.shape[2] > 1 else ""
        panel.set_title(f"pattern{of}", fontsize="small")
        names = [(kind, _KINDS[kind]) for kind in np.unique(kinds).tolist()]
        handles = [Patch(color=_FILLS[kind], label=name) for kind, name in names]
        panel.legend(handles=handles, fontsize=6, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0))

    def _draw_places(self, panel: Any) -> None:
        view = self.encoding.view
        begins = np.zeros((view.height, view.width), bool)
        begins[np.ix_(*(np.arange(n) * s for n, s in self._steps))] = self.places_
        panel.imshow(begins, cmap="Greys", vmin=0, vmax=1.5, aspect=self._aspect)
        panel.set_title("begins at", fontsize="small")

    def _draw_sample(self, panel: Any, sample: NDArray[Any], corner: tuple[int, int]) -> None:
        from matplotlib.patches import Rectangle

        view = self.encoding.view
        pixels = sample.reshape(view.height, view.width, -1).astype(float).mean(axis=2)
        panel.imshow(pixels, cmap="gray", aspect=self._aspect)
        place, size = (corner[1] - 0.5, corner[0] - 0.5), (view.patch_width, view.patch_height)
        panel.add_patch(Rectangle(place, *size, fill=False, color=COLORS[0], lw=2))
        panel.set_title("holds here", fontsize="small", color=GRAY)

    @property
    def _steps(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The number of patches, and their stride, along each axis."""
        view = self.encoding.view
        return (view.patch_rows, view.row_stride), (view.patch_columns, view.column_stride)

    @property
    def _aspect(self) -> str:
        return "auto" if self.encoding.is_sequence else "equal"
