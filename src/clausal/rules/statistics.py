"""How each rule does on data: how often it fires, how often it is right, and which rules fire together.

Not here: metrics of the whole model; which features matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from clausal.frames import FrameBackend, make_frame
from clausal.rules.render import rule_lines

if TYPE_CHECKING:
    from clausal.rules.rule_set import RuleSet

Floats = NDArray[np.float64]

_BLOCK_ROWS = 4096  # rows counted at a time, so that memory stays small


class Estimate(NamedTuple):
    """One number per rule, shape (rules,), and the ends of its interval; NaN where nothing is known."""

    value: Floats
    low: Floats
    high: Floats


class OverlappingPair(NamedTuple):
    """Two rules by their places, and the share of the rows of either on which both fire."""

    first: int
    second: int
    overlap: float


@dataclass(frozen=True, eq=False)
class RuleMeasures:
    """What one set of rows says of each rule.

    Attributes
    ----------
    n_rows : int
        How many rows there were.
    support : ndarray of int, shape (rules,)
        Rows on which the rule fires.
    share : Estimate
        Support as a share of all rows.
    precision : Estimate
        Share of those rows that belong to the class the rule speaks for (or do not, for `not` a class).
    base_rate : ndarray of float, shape (rules,)
        The same share among all rows.
    lift : Estimate
        Precision over base rate. Its interval is that of the precision over the base rate as it is, which
        is taken as known.
    """

    n_rows: int
    support: NDArray[np.int64]
    share: Estimate
    precision: Estimate
    base_rate: Floats
    lift: Estimate


class RuleStatistics:
    """Support, precision and lift of each rule, with intervals, and how much rules overlap.

    Made by `RuleSet.statistics`. Shares have Wilson score intervals.

    Attributes
    ----------
    rules : RuleSet
        The rules, in the order of all that is said of them.
    train : RuleMeasures
        On the training data.
    test : RuleMeasures or None
        On the held-out data, if any was given.
    confidence : float
        Of the intervals.
    """

    def __init__(
        self,
        rules: RuleSet,
        train: RuleMeasures,
        test: RuleMeasures | None,
        confidence: float,
        fires: NDArray[np.bool_],
    ) -> None:
        self.rules = rules
        self.train = train
        self.test = test
        self.confidence = confidence
        self._fires = np.packbits(fires, axis=0)  # eight training rows in a byte

    @cached_property
    def overlap(self) -> Floats:
        """Rows on which both rules fire as a share of those on which either does, [rules, rules].

        On training data; NaN where neither ever fires.
        """
        n_rules = len(self.rules)
        both = np.zeros((n_rules, n_rules))
        for start in range(0, len(self._fires), _BLOCK_ROWS // 8):
            block = np.unpackbits(self._fires[start : start + _BLOCK_ROWS // 8], axis=0).astype(np.float32)
            both += block.T @ block
        support = self.train.support
        return _ratio(both, support[:, None] + support - both)

    def most_overlapping(self, n: int = 10) -> list[OverlappingPair]:
        """The pairs of rules that share most of their training rows.

        Parameters
        ----------
        n : int, default=10
            How many pairs at most.

        Returns
        -------
        list of OverlappingPair
            By falling overlap; pairs that share no row are left out.
        """
        first, second = np.triu_indices(len(self.rules), k=1)
        overlap = self.overlap[first, second]
        order = [place for place in np.argsort(-overlap, kind="stable")[:n].tolist() if overlap[place] > 0]
        return [OverlappingPair(int(first[k]), int(second[k]), float(overlap[k])) for k in order]

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per rule; training and held-out numbers stand side by side.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow", default=None
            The library of the frame; None takes the first that is installed.

        Returns
        -------
        data frame
            `points`, `speaks_for` and `rule` as in `RuleSet.to_frame`; then `train_support`, `train_share`
            (with `_low` and `_high`), `train_precision`, `train_lift`, and the same for `test` where there
            is held-out data.
        """
        columns: dict[str, Any] = {
            "points": [abs(rule.points) for rule in self.rules],
            "speaks_for": [rule.speaks_for for rule in self.rules],
            "rule": [str(rule) for rule in self.rules],
        }
        columns |= {f"{part}_support": measures.support for part, measures in self._parts()}
        for name in ("share", "precision", "lift"):
            for part, measures in self._parts():
                estimate: Estimate = getattr(measures, name)
                columns[f"{part}_{name}"] = estimate.value
                columns[f"{part}_{name}_low"] = estimate.low
                columns[f"{part}_{name}_high"] = estimate.high
        return make_frame(columns, backend)

    def __str__(self) -> str:
        rows = " and ".join(
            f"{measures.n_rows} {'training' if part == 'train' else 'held-out'} rows"
            for part, measures in self._parts()
        )
        lines = [f"On {rows}, with {self.confidence * 100:g} % intervals:"]
        for place, line in enumerate(rule_lines(self.rules)):
            lines.append(line)
            lines += [
                f"    {part:<5}  {_measures_text(measures, place)}"
                for part, measures in self._parts()
                if place < len(self.rules)
            ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        held_out = f" and {self.test.n_rows} held-out" if self.test else ""
        return f"RuleStatistics of {len(self.rules)} rules on {self.train.n_rows} training{held_out} rows"

    def _parts(self) -> Iterator[tuple[str, RuleMeasures]]:
        yield "train", self.train
        if self.test is not None:
            yield "test", self.test


def rule_statistics(
    rules: RuleSet,
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    confidence: float = 0.95,
) -> RuleStatistics:
    """Support, precision and lift of each rule on training and held-out data; see `RuleSet.statistics`."""
    if not 0 < confidence < 1:
        raise ValueError(
            f"The 'confidence' parameter of statistics must be above 0 and below 1. Got {confidence!r}."
        )
    if (X_test is None) != (y_test is None):
        given = "y_test" if X_test is None else "X_test"
        raise ValueError(f"X_test and y_test must be given together. Got {given} alone.")
    fires = rules.fires(X)
    train = _measure(rules, fires, _class_places(rules, y, len(fires), "y"), confidence)
    test = None
    if X_test is not None:
        fires_test = rules.fires(X_test)
        places = _class_places(rules, y_test, len(fires_test), "y_test")
        test = _measure(rules, fires_test, places, confidence)
    return RuleStatistics(rules, train, test, confidence, fires)


def wilson(counts: NDArray[np.int64], totals: NDArray[np.int64], confidence: float) -> Estimate:
    """Shares with their Wilson score intervals; NaN where the total is 0."""
    z = float(ndtri((1 + confidence) / 2))
    share = _ratio(counts, totals)
    middle = counts + z**2 / 2
    spread = z * np.sqrt(counts * (1 - np.nan_to_num(share)) + z**2 / 4)
    low, high = _ratio(middle - spread, totals + z**2), _ratio(middle + spread, totals + z**2)
    low[counts == 0], high[counts == totals] = 0.0, 1.0  # exactly, whatever rounding says
    unknown = totals == 0
    low[unknown] = high[unknown] = np.nan
    return Estimate(share, low, high)


def _measure(
    rules: RuleSet, fires: NDArray[np.bool_], places: NDArray[np.intp], confidence: float
) -> RuleMeasures:
    """Count: which rules fire, bool [n, rules], on rows of which class, [n]."""
    support = fires.sum(axis=0, dtype=np.int64)
    right, rows_meant = np.zeros_like(support), np.zeros_like(support)
    for place, rule in enumerate(rules):
        meant = rules.outcome.supports(rule.bank, rule.points, places)
        right[place], rows_meant[place] = (fires[:, place] & meant).sum(), meant.sum()
    n_rows = np.full_like(support, len(fires))
    base_rate, precision = _ratio(rows_meant, n_rows), wilson(right, support, confidence)
    return RuleMeasures(
        n_rows=len(fires),
        support=support,
        share=wilson(support, n_rows, confidence),
        precision=precision,
        base_rate=base_rate,
        lift=Estimate(*(_ratio(share, base_rate) for share in precision)),
    )


def _ratio(above: NDArray[Any], below: NDArray[Any]) -> Floats:
    """The quotient, NaN where the divisor is 0."""
    result = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=result, where=below != 0)
    return result


def _class_places(rules: RuleSet, y: Any, n_rows: int, name: str) -> NDArray[np.intp]:
    """Each label's place among the classes, [n]."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"{name} must have one label per row ({n_rows}). Got shape {labels.shape}.")
    place = {label: place for place, label in enumerate(rules.classes.tolist())}
    places = np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.intp)
    if (places < 0).any():
        strange = labels[places < 0].tolist()[0]
        raise ValueError(
            f"{name} must hold classes of the model only: {', '.join(rules.class_names)}. Got {strange!r}."
        )
    return places


def _measures_text(measures: RuleMeasures, place: int) -> str:
    """One rule's numbers in words."""
    fires = f"fires on {measures.support[place]} of {measures.n_rows} rows, {_shown(measures.share, place)}"
    if not measures.support[place]:
        return fires
    right = f"right on {_shown(measures.precision, place)}"
    if not measures.base_rate[place]:
        return f"{fires}; {right}"
    value, low, high = (part[place] for part in measures.lift)
    return f"{fires}; {right}; lift {value:.2f} [{low:.2f}, {high:.2f}]"


def _shown(share: Estimate, place: int) -> str:
    low, value, high = (100 * part[place] for part in (share.low, share.value, share.high))
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
