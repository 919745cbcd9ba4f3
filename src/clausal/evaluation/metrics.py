"""The evaluation of a fitted classifier: measures with 95 % confidence intervals, and calibration.

Proportions have Wilson intervals, which are valid near 0 and 1. The other measures have intervals from the
2.5th to the 97.5th percentile of a seeded bootstrap over rows. Calibration compares predicted probabilities
with observed shares, in bands with about equal numbers of rows. Not here: the predictions (predictions.py),
charts (html_report/charts.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.evaluation.intervals import Interval, share
from clausal.evaluation.predictions import Evaluation
from clausal.outcome import Outcome

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_MAX_BANDS = 10


N_RESAMPLES = 1000
_SEED = 0
_BLOCK_CELLS = 2_000_000  # counts in memory at a time
_MAX_WORK = 60_000_000  # cells times classes times resamples; above it, there are fewer resamples

WILSON, BOOTSTRAP = "Wilson", "bootstrap"


@dataclass(frozen=True)
class Metric:
    """A measure with its interval; NaN if it is not defined.

    Attributes
    ----------
    name, meaning : its name, and its meaning in a few words
    value, low, high : its value and the ends of its interval
    method : of the interval, "Wilson" or "bootstrap"
    """

    name: str
    meaning: str
    value: float
    low: float
    high: float
    method: str

    @property
    def defined(self) -> bool:
        """Whether the measure is defined for the data."""
        return bool(np.isfinite(self.value))


@dataclass(frozen=True)
class Metrics:
    """All measures of an evaluation in display order, and the number of bootstrap samples."""

    items: tuple[Metric, ...]
    n_resamples: int

    def __getitem__(self, name: str) -> Metric:
        return next(item for item in self.items if item.name == name)


def wilson(count: float, total: float) -> tuple[float, float]:
    """The 95 % Wilson interval of `count` in `total` rows; NaN without rows."""
    _, low, high = share(count, total)
    return low, high


class Together(NamedTuple):
    """The measures of several evaluations of the same rows, and their differences to the first by name.

    Only differences that are defined are there; the first evaluation has none.
    """

    metrics: tuple[Metrics, ...]
    differences: tuple[dict[str, Interval], ...]


def measure(evaluation: Evaluation) -> Metrics:
    """All measures; with two classes, precision, recall and F1 are those of the positive class."""
    return measure_together([evaluation]).metrics[0]


def measure_together(evaluations: Sequence[Evaluation]) -> Together:
    """All measures of evaluations of the same rows; every bootstrap sample has the same rows of all."""
    cells = [_Cells.of(evaluation) for evaluation in evaluations]
    work = max(len(each.counts) for each in cells) * evaluations[0].n_classes * N_RESAMPLES
    n_resamples = N_RESAMPLES if work <= _MAX_WORK else N_RESAMPLES // 5
    samples = [_bootstrap(each, n_resamples) for each in cells]
    metrics = tuple(
        Metrics(tuple(_items(*parts)), n_resamples) for parts in zip(evaluations, cells, samples, strict=True)
    )
    gaps = [
        _differences(metrics[0], samples[0], own, drawn)
        for own, drawn in zip(metrics[1:], samples[1:], strict=True)
    ]
    return Together(metrics, ({}, *gaps))


def _items(evaluation: Evaluation, cells: _Cells, samples: dict[str, Floats]) -> Iterator[Metric]:
    values, shares = cells.values(cells.counts[None, :]), _shares(evaluation)
    for name, meaning in _meanings(evaluation.outcome).items():
        value = float(values[name][0])
        if name in shares:
            low, high = wilson(*shares[name])
        else:
            low, high = _middle(samples[name], value)
        yield Metric(name, meaning, value, low, high, WILSON if name in shares else BOOTSTRAP)


def _differences(
    first: Metrics, first_samples: dict[str, Floats], other: Metrics, samples: dict[str, Floats]
) -> dict[str, Interval]:
    """The defined measures of another model minus those of the first, with paired intervals."""
    gaps = {item.name: other[item.name].value - item.value for item in first.items}
    return {
        name: Interval(gap, *_middle(samples[name] - first_samples[name], gap))
        for name, gap in gaps.items()
        if np.isfinite(gap)
    }


def _middle(samples: Floats, value: float) -> tuple[float, float]:
    """The ends of the middle 95 % of the samples that are defined; the value itself if none is."""
    defined = samples[np.isfinite(samples)]
    low, high = np.percentile(defined, [2.5, 97.5]).tolist() if len(defined) else (value, value)
    return low, high


def _shares(evaluation: Evaluation) -> dict[str, tuple[float, float]]:
    """The measures that are proportions of rows, with their counts and totals."""
    confusion = evaluation.confusion.astype(float)
    shares = {"Accuracy": (float(np.trace(confusion)), float(confusion.sum()))}
    if evaluation.outcome.positive is not None:
        (tn, fp), (fn, tp) = confusion.tolist()
        shares |= {"Precision": (tp, tp + fp), "Recall": (tp, tp + fn), "Specificity": (tn, tn + fp)}
    return shares


@dataclass(frozen=True, eq=False)
class _Cells:
    """Rows with the same true class, decision and votes, counted together: all that measures depend on.

    Attributes
    ----------
    counts : float64 [cells], number of rows
    row_cell : the cell of each row [n]
    codes, decided : indices of the true and the predicted class [cells]
    scores : scores for the ROC curves: the vote [cells, 1] for two classes, probabilities [cells, K] for more
    squares, losses : the contribution of each row to the Brier score and the log loss [cells]
    two : whether there are two classes
    """

    counts: Floats
    row_cell: NDArray[np.intp]
    codes: NDArray[np.intp]
    decided: NDArray[np.intp]
    scores: Floats
    squares: Floats
    losses: Floats
    n_classes: int
    two: bool

    @classmethod
    def of(cls, evaluation: Evaluation) -> _Cells:
        columns = np.column_stack([evaluation.codes, evaluation.decided, evaluation.votes])
        _, first, row_cell, counts = np.unique(
            columns, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        codes, probabilities = evaluation.codes[first], evaluation.probabilities[first]
        truth = np.eye(evaluation.n_classes)[codes]
        squares = ((probabilities - truth) ** 2).sum(axis=1)
        of_truth = np.clip(probabilities[np.arange(len(codes)), codes], np.finfo(float).eps, None)
        two = evaluation.outcome.positive is not None
        return cls(
            counts=counts.astype(float),
            row_cell=row_cell.ravel(),
            codes=codes,
            decided=evaluation.decided[first],
            scores=evaluation.votes[first].astype(float)[:, None] if two else probabilities,
            squares=squares / 2 if two else squares,  # with two classes, only the positive one counts
            losses=-np.log(of_truth),
            n_classes=evaluation.n_classes,
            two=two,
        )

    def values(self, counts: Floats) -> dict[str, Floats]:
        """All measures for each row of counts [b, cells], as arrays [b]."""
        totals = counts.sum(axis=1)
        of_class = [counts @ (self.codes == k) for k in range(self.n_classes)]
        as_class = [counts @ (self.decided == k) for k in range(self.n_classes)]
        hits = [counts @ ((self.codes == k) & (self.decided == k)) for k in range(self.n_classes)]
        recalls = [_ratio(h, p) for h, p in zip(hits, of_class, strict=True)]
        areas = [self._area(counts, k) for k in range(self.n_classes)] if not self.two else []
        values = {
            "Accuracy": _ratio(np.sum(hits, axis=0), totals),
            "Balanced accuracy": _mean(recalls),
            "Brier score": _ratio(counts @ self.squares, totals),
            "Log loss": _ratio(counts @ self.losses, totals),
        }
        if self.two:
            values |= {
                "Precision": _ratio(hits[1], as_class[1]),
                "Recall": recalls[1],
                "Specificity": recalls[0],
                "F1": _ratio(2 * hits[1], as_class[1] + of_class[1]),
            }
            area = self._area(counts, 1)
            values |= {"ROC AUC": area, "Gini": 2 * area - 1, "KS": self._distance(counts)}
            return values
        sizes = list(zip(hits, as_class, of_class, strict=True))
        values |= {
            "Precision (mean)": _mean(
                [np.where(p > 0, _ratio(h, a, 0.0), _ratio(h, a)) for h, a, p in sizes]
            ),
            "Specificity (mean)": _mean([_ratio(totals - a - p + h, totals - p) for h, a, p in sizes]),
            "F1 (mean)": _mean([_ratio(2 * h, a + p) for h, a, p in sizes]),
            "ROC AUC (mean)": _mean(areas),
        }
        return values

    def _by_score(self, counts: Floats, k: int) -> tuple[Floats, Floats]:
        """The number of rows of class k and of the others [b, scores] at each score for k, ascending."""
        score = self.scores[:, min(k, self.scores.shape[1] - 1)]
        order = np.argsort(score, kind="stable")
        starts = np.flatnonzero(np.diff(score[order], prepend=-np.inf))
        positive = self.codes[order] == k
        positives: Floats = np.add.reduceat(counts[:, order] * positive, starts, axis=1)
        negatives: Floats = np.add.reduceat(counts[:, order] * ~positive, starts, axis=1)
        return positives, negatives

    def _distance(self, counts: Floats) -> Floats:
        """The Kolmogorov-Smirnov distance between the scores of the two classes.

        A sample is measured at the score where the distance of all rows is largest. The largest distance of
        each sample would be larger on average, and its interval too high.
        """
        gaps = self._gaps(self.counts[None, :])[0]
        at = int(np.abs(gaps).argmax())
        distance: Floats = np.maximum(np.sign(gaps[at]) * self._gaps(counts)[:, at], 0.0)
        return distance

    def _gaps(self, counts: Floats) -> Floats:
        """The share of negative rows minus the share of positive rows up to each score [b, scores]."""
        positives, negatives = (np.cumsum(part, axis=1) for part in self._by_score(counts, 1))
        return _ratio(negatives, negatives[:, -1:]) - _ratio(positives, positives[:, -1:])

    def _area(self, counts: Floats, k: int) -> Floats:
        """The area under the ROC curve of class k against the other classes; ties count one half."""
        positives, negatives = self._by_score(counts, k)
        below = np.cumsum(negatives, axis=1) - negatives / 2
        pairs = positives.sum(axis=1) * negatives.sum(axis=1)
        return _ratio((positives * below).sum(axis=1), pairs)


def _bootstrap(cells: _Cells, n_resamples: int) -> dict[str, Floats]:
    """All measures on rows sampled with replacement, as arrays [n_resamples]."""
    random = np.random.RandomState(_SEED)  # its stream is the same in all versions of NumPy
    n_rows, n_cells = len(cells.row_cell), len(cells.counts)
    block = max(1, _BLOCK_CELLS // n_cells)
    parts = []
    for start in range(0, n_resamples, block):
        counts = np.empty((min(block, n_resamples - start), n_cells))
        for row in counts:
            row[:] = np.bincount(cells.row_cell[random.randint(n_rows, size=n_rows)], minlength=n_cells)
        parts.append(cells.values(counts))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _ratio(numerator: Floats, denominator: Floats, otherwise: float = np.nan) -> Floats:
    filled = np.full(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)), otherwise)
    result: Floats = np.divide(numerator, denominator, out=filled, where=np.asarray(denominator) > 0)
    return result


def _mean(parts: list[Floats]) -> Floats:
    """The elementwise mean of the defined values; NaN if none is defined."""
    stacked = np.array(parts)
    defined = np.isfinite(stacked)
    return _ratio(np.where(defined, stacked, 0.0).sum(axis=0), defined.sum(axis=0).astype(float))


def _meanings(outcome: Outcome) -> dict[str, str]:
    """The meaning of each measure, in display order."""
    if outcome.positive is not None:
        return {
            "Accuracy": "share of rows with a correct decision",
            "F1": "precision and recall in one figure (their harmonic mean)",
            "Precision": "of the rows decided as positive, the share that are positive",
            "Recall": "of the positive rows, the share decided as positive (sensitivity)",
            "Specificity": "of the negative rows, the share decided as negative",
            "Balanced accuracy": "mean of recall and specificity",
            "ROC AUC": "how often a positive row has a higher total than a negative one; 0.5 is guessing",
            "Gini": "2 × ROC AUC − 1; 0 is guessing, 1 is best",
            "KS": "the most by which the shares of positive and negative rows above a cut-off differ",
            "Brier score": "mean squared difference between probability and truth (1 or 0); 0 is best",
            "Log loss": "mean penalty for a low probability of the true class (minus its log); 0 is best",
        }
    return {
        "Accuracy": "share of rows with a correct decision",
        "Balanced accuracy": "of the rows of a class, the share decided right (recall); mean over classes",
        "F1 (mean)": "precision and recall in one figure (their harmonic mean); mean over classes",
        "Precision (mean)": "of the rows decided as a class, the share that are of it; mean over classes",
        "Specificity (mean)": "of the rows not of a class, the share not decided as it; mean over classes",
        "ROC AUC (mean)": "how often a row of a class ranks above another row; mean over classes",
        "Brier score": "squared difference between probabilities and truth, summed over classes; 0 is best",
        "Log loss": "mean penalty for a low probability of the true class (minus its log); 0 is best",
    }


def bands(counts: NDArray[Any], breaks: NDArray[np.bool_] | None = None) -> Iterator[Indices]:
    """Groups of adjacent scores with about equal numbers of rows; rows of equal score are never split.

    The indices of the scores of each band, for the number of rows with each score, in order. A score belongs
    to the tenth of the rows that its middle row is in. Where `breaks` is true, a new band starts, so that
    there is one band more at most.
    """
    middles = np.cumsum(counts) - counts / 2
    tenths = np.minimum((middles / counts.sum() * _MAX_BANDS).astype(np.intp), _MAX_BANDS - 1)
    starts = np.diff(tenths, prepend=-1) > 0
    if breaks is not None:
        starts |= breaks
    yield from np.split(np.arange(len(counts)), np.flatnonzero(starts)[1:])


@dataclass(frozen=True)
class Bin:
    """Rows of similar probability.

    Attributes
    ----------
    low, high : the lowest and the highest probability
    predicted : the mean probability
    observed : the observed share
    observed_low, observed_high : its 95 % interval (Wilson)
    count : the number of rows
    """

    low: float
    high: float
    predicted: float
    observed: float
    observed_low: float
    observed_high: float
    count: int


def calibrate(evaluation: Evaluation) -> tuple[Bin, ...]:
    """At most ten bins in ascending order of probability; rows of equal probability are in the same bin.

    With two classes, the probability of the positive class; with more classes, that of the decided class.
    """
    if evaluation.outcome.positive is not None:
        predicted, true = evaluation.probabilities[:, 1], evaluation.codes == 1
    else:
        rows = np.arange(len(evaluation.codes))
        predicted, true = (
            evaluation.probabilities[rows, evaluation.decided],
            evaluation.decided == evaluation.codes,
        )
    values, index, counts = np.unique(predicted, return_inverse=True, return_counts=True)
    hits = np.bincount(index.ravel(), weights=true, minlength=len(values))
    result = []
    for in_bin in bands(counts):
        count, hit = int(counts[in_bin].sum()), float(hits[in_bin].sum())
        low, high = float(values[in_bin].min()), float(values[in_bin].max())
        mean = min(max(float((values[in_bin] * counts[in_bin]).sum() / count), low), high)  # despite rounding
        result.append(Bin(low, high, mean, hit / count, *wilson(hit, count), count))
    return tuple(result)
