"""Statistics of each rule on data: how often it holds, how often it is right, and which rules overlap.

Not here: metrics of the whole model (evaluation/metrics.py), feature importances (explain/reasons.py).
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
from clausal.rules.render import points_note, rule_lines

if TYPE_CHECKING:
    from clausal.rules.rule_set import RuleSet

Floats = NDArray[np.float64]

_BLOCK_ROWS = 4096  # rows counted at a time, to limit memory


class Estimate(NamedTuple):
    """One number per rule, shape (rules,), and the bounds of its interval; NaN if undefined."""

    value: Floats
    low: Floats
    high: Floats


class OverlappingPair(NamedTuple):
    """The indices of two rules, and the rows on which both hold as a share of those on which either holds."""

    first: int
    second: int
    overlap: float


@dataclass(frozen=True, eq=False)
class RuleMeasures:
    """Statistics of each rule on one set of rows.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    support : ndarray of int, shape (rules,)
        Number of rows on which the rule holds.
    share : Estimate
        Support as a share of all rows.
    precision : Estimate
        Share of those rows that belong to the class that the rule speaks for (or do not, for `not` a class).
    base_rate : ndarray of float, shape (rules,)
        The same share among all rows.
    lift : Estimate
        Precision divided by base rate. The interval treats the base rate as exact.
    """

    n_rows: int
    support: NDArray[np.int64]
    share: Estimate
    precision: Estimate
    base_rate: Floats
    lift: Estimate


class RuleStatistics:
    """Support, precision and lift of each rule, with intervals, and how much rules overlap.

    Returned by `RuleSet.statistics`. Shares have Wilson score intervals.

    Attributes
    ----------
    rules : RuleSet
        The rules, in the order of the statistics.
    train : RuleMeasures
        Statistics on the rows of `X`, which may be any if there is no `X_test`.
    test : RuleMeasures or None
        Statistics on the rows of `X_test`, if given.
    confidence : float
        Confidence level of the intervals.
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
        self._fires = np.packbits(fires, axis=0)  # eight rows per byte

    @cached_property
    def overlap(self) -> Floats:
        """Rows of `X` on which both rules hold as a share of those on which either holds, [rules, rules].

        NaN if neither rule ever holds.
        """
        n_rules = len(self.rules)
        both = np.zeros((n_rules, n_rules))
        for start in range(0, len(self._fires), _BLOCK_ROWS // 8):
            block = np.unpackbits(self._fires[start : start + _BLOCK_ROWS // 8], axis=0).astype(np.float32)
            both += block.T @ block
        support = self.train.support
        return _ratio(both, support[:, None] + support - both)

    def most_overlapping(self, n: int = 10) -> list[OverlappingPair]:
        """The pairs of rules with the largest overlap.

        Parameters
        ----------
        n : int, default=10
            Maximum number of pairs.

        Returns
        -------
        list of OverlappingPair
            By decreasing overlap, without pairs that never hold together.
        """
        first, second = np.triu_indices(len(self.rules), k=1)
        overlap = self.overlap[first, second]
        order = [k for k in np.argsort(-overlap, kind="stable")[:n].tolist() if overlap[k] > 0]
        return [OverlappingPair(int(first[k]), int(second[k]), float(overlap[k])) for k in order]

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """The statistics as a data frame.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow", default=None
            The library of the data frame; None selects the first one that is installed.

        Returns
        -------
        data frame
            One row per rule: `points`, `speaks_for` and `rule` as in `RuleSet.to_frame`; `support`; `share`,
            `precision` and `lift`, each with `_low` and `_high`. With two tables the names of those of `X`
            start with `train_`, and of those of `X_test` with `test_`.
        """
        columns: dict[str, Any] = {
            "points": [rule.points for rule in self.rules],
            "speaks_for": [rule.speaks_for for rule in self.rules],
            "rule": [str(rule) for rule in self.rules],
        }
        parts = [("" if self.test is None else f"{part}_", measures) for part, measures in self._parts()]
        columns |= {f"{prefix}support": measures.support for prefix, measures in parts}
        for name in ("share", "precision", "lift"):
            for prefix, measures in parts:
                estimate: Estimate = getattr(measures, name)
                columns[f"{prefix}{name}"] = estimate.value
                columns[f"{prefix}{name}_low"] = estimate.low
                columns[f"{prefix}{name}_high"] = estimate.high
        return make_frame(columns, backend)

    def __str__(self) -> str:
        title = f"On {self._rows_text()}, with {self.confidence * 100:g} % intervals:"
        lines = [" ".join([*points_note(self.rules.outcome), title])]
        for index, line in enumerate(rule_lines(self.rules, self.rules.outcome)):
            lines.append(line)
            lines += [
                f"    {label}{_measures_text(measures, index, self.rules[index].speaks_for)}"
                for label, measures in self._labelled()
                if index < len(self.rules)
            ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"RuleStatistics of {len(self.rules)} rules on {self._rows_text()}"

    def _rows_text(self) -> str:
        """How many rows; those of one table may be any."""
        if self.test is None:
            return f"{self.train.n_rows} rows"
        return f"{self.train.n_rows} training rows and {self.test.n_rows} test rows"

    def _labelled(self) -> list[tuple[str, RuleMeasures]]:
        """The statistics of each table after its label; one table has none."""
        parts = list(self._parts())
        return [(f"{part:<5}  " if len(parts) > 1 else "", measures) for part, measures in parts]

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
    """Support, precision and lift of each rule on one or two tables; see `RuleSet.statistics`."""
    if not 0 < confidence < 1:
        raise ValueError(
            f"The 'confidence' parameter of statistics must be above 0 and below 1. Got {confidence!r}."
        )
    if (X_test is None) != (y_test is None):
        given = "y_test" if X_test is None else "X_test"
        raise ValueError(f"X_test and y_test must be given together. Got {given} alone.")
    fires = rules.fires(X)
    train = _measure(rules, fires, _class_indices(rules, y, len(fires), "y"), confidence)
    test = None
    if X_test is not None:
        fires_test = rules.fires(X_test)
        codes = _class_indices(rules, y_test, len(fires_test), "y_test")
        test = _measure(rules, fires_test, codes, confidence)
    return RuleStatistics(rules, train, test, confidence, fires)


def wilson(counts: NDArray[np.int64], totals: NDArray[np.int64], confidence: float) -> Estimate:
    """Shares with their Wilson score intervals; NaN if the total is 0."""
    z = float(ndtri((1 + confidence) / 2))
    share = _ratio(counts, totals)
    middle = counts + z**2 / 2
    spread = z * np.sqrt(counts * (1 - np.nan_to_num(share)) + z**2 / 4)
    low, high = _ratio(middle - spread, totals + z**2), _ratio(middle + spread, totals + z**2)
    low[counts == 0], high[counts == totals] = 0.0, 1.0  # exact, without rounding
    unknown = totals == 0
    low[unknown] = high[unknown] = np.nan
    return Estimate(share, low, high)


def _measure(
    rules: RuleSet, fires: NDArray[np.bool_], codes: NDArray[np.intp], confidence: float
) -> RuleMeasures:
    """The statistics, given which rules hold, bool [n, rules], and the class index of each row, [n]."""
    support = fires.sum(axis=0, dtype=np.int64)
    n_right, n_in_class = np.zeros_like(support), np.zeros_like(support)
    for index, rule in enumerate(rules):
        in_class = rules.outcome.supports(rule.bank, rule.points, codes)
        n_right[index], n_in_class[index] = (fires[:, index] & in_class).sum(), in_class.sum()
    n_rows = np.full_like(support, len(fires))
    base_rate, precision = _ratio(n_in_class, n_rows), wilson(n_right, support, confidence)
    return RuleMeasures(
        n_rows=len(fires),
        support=support,
        share=wilson(support, n_rows, confidence),
        precision=precision,
        base_rate=base_rate,
        lift=Estimate(*(_ratio(share, base_rate) for share in precision)),
    )


def _ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> Floats:
    """The quotient, NaN if the denominator is 0."""
    result = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def _class_indices(rules: RuleSet, y: Any, n_rows: int, name: str) -> NDArray[np.intp]:
    """The index of the class of each row, [n]."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"{name} must have one label per row ({n_rows}). Got shape {labels.shape}.")
    index = {label: code for code, label in enumerate(rules.classes.tolist())}
    codes = np.array([index.get(label, -1) for label in labels.tolist()], dtype=np.intp)
    if (codes < 0).any():
        unknown = labels[codes < 0].tolist()[0]
        raise ValueError(
            f"{name} must hold classes of the model only: {', '.join(rules.class_names)}. Got {unknown!r}."
        )
    return codes


def _measures_text(measures: RuleMeasures, index: int, speaks_for: str) -> str:
    """The statistics of one rule as text."""
    fires = f"fires on {measures.support[index]} of {measures.n_rows} rows, {_percent(measures.share, index)}"
    if not measures.support[index]:
        return fires
    right = f"{_percent(measures.precision, index)} of these are {speaks_for}"
    if not measures.base_rate[index]:
        return f"{fires}; {right}"
    value, low, high = (part[index] for part in measures.lift)
    return f"{fires}; {right}; lift {value:.2f} [{low:.2f}, {high:.2f}]"


def _percent(share: Estimate, index: int) -> str:
    low, value, high = (100 * part[index] for part in (share.low, share.value, share.high))
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
