"""A fitted classifier on rows of known class, and measures of how good it is, each with a 95 % interval.

Shares of rows have Wilson's interval, which is sensible near 0 and 1; all else has the 2.5 and 97.5
percentiles of a seeded bootstrap over rows. Calibration compares predicted probabilities with what came true,
in bins of about equal numbers of rows. Not here: the pictures (charts.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.machine.inputs import encode_labels, read_labels, row_count
from clausal.outcome import Outcome
from clausal.rules import statistics
from clausal.rules.rule_set import RuleSet

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a classifier said of n rows, and what was true.

    Attributes
    ----------
    votes : [n] for two classes, [n, K] for more
    probabilities : float64 [n, K]
    decided : indices of the predicted classes [n]
    codes : indices of the true classes [n]
    outcome : what votes mean
    """

    votes: NDArray[Any]
    probabilities: Floats
    decided: Places
    codes: Places
    outcome: Outcome

    @property
    def class_names(self) -> tuple[str, ...]:
        """The K classes as printed."""
        return self.outcome.class_names

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.outcome.classes)

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Rows by true class and predicted class [K, K]."""
        pairs = self.codes * self.n_classes + self.decided
        return np.bincount(pairs, minlength=self.n_classes**2).reshape(self.n_classes, self.n_classes)

    @property
    def margins(self) -> Floats:
        """How far the vote is from deciding otherwise [n]: towards the true class above 0."""
        return self.outcome.margins(self.outcome.banked(self.votes), self.codes)


def evaluate(clf: Any, rules: RuleSet, X: Any, y: Any, name: str) -> Evaluation:
    """Ask a fitted classifier, whose rules these are, about a table; `name` is what errors call `y`."""
    labels = read_labels(y, row_count(X), name)
    if not len(labels):
        raise ValueError(f"{name} must have at least one label. Got 0.")
    codes = encode_labels(labels, clf.classes_)[1].astype(np.intp)
    votes = np.asarray(clf.votes(X))
    probabilities = np.asarray(clf.predict_proba(X), np.float64)
    return Evaluation(votes, probabilities, rules.decide(votes), codes, rules.outcome)


N_RESAMPLES = 1000
_SEED = 0
_BLOCK_CELLS = 2_000_000  # counts held at a time
_MOST_WORK = 60_000_000  # cells times classes times resamples; beyond it there are fewer resamples

WILSON, BOOTSTRAP = "Wilson", "bootstrap"


@dataclass(frozen=True)
class Metric:
    """A measure with its interval; NaN where it is not defined.

    Attributes
    ----------
    name, meaning : what it is called and, in a short sentence, what it says
    value, low, high : the measure and the ends of its interval
    method : how the interval was found, "Wilson" or "bootstrap"
    """

    name: str
    meaning: str
    value: float
    low: float
    high: float
    method: str

    @property
    def defined(self) -> bool:
        """Whether the data allow the measure."""
        return bool(np.isfinite(self.value))


@dataclass(frozen=True)
class Metrics:
    """All measures of one evaluation, in the order to print, and how often rows were drawn anew."""

    items: tuple[Metric, ...]
    n_resamples: int

    def __getitem__(self, name: str) -> Metric:
        return next(item for item in self.items if item.name == name)


def wilson(count: float, total: float) -> tuple[float, float]:
    """Wilson's 95 % interval for a share of `count` in `total` rows; NaN without rows."""
    share = statistics.wilson(np.array([round(count)]), np.array([round(total)]), 0.95)
    return float(share.low[0]), float(share.high[0])


def measure(evaluation: Evaluation) -> Metrics:
    """All measures; those of two classes are about the second, the positive one."""
    cells = _Cells.of(evaluation)
    once = cells.values(cells.counts[None, :])
    work = len(cells.counts) * evaluation.n_classes * N_RESAMPLES
    n_resamples = N_RESAMPLES if work <= _MOST_WORK else N_RESAMPLES // 5
    drawn = _resampled(cells, n_resamples)
    shares = _shares(evaluation)
    items = []
    for name, meaning in _meanings(evaluation.outcome).items():
        value = float(once[name][0])
        if name in shares:
            low, high = wilson(*shares[name])
        else:
            defined = drawn[name][np.isfinite(drawn[name])]
            low, high = np.percentile(defined, [2.5, 97.5]).tolist() if len(defined) else (value, value)
        items.append(Metric(name, meaning, value, low, high, WILSON if name in shares else BOOTSTRAP))
    return Metrics(tuple(items), n_resamples)


def _shares(evaluation: Evaluation) -> dict[str, tuple[float, float]]:
    """The measures that are shares of rows: their counts and totals."""
    confusion = evaluation.confusion.astype(float)
    shares = {"Accuracy": (float(np.trace(confusion)), float(confusion.sum()))}
    if evaluation.outcome.positive is not None:
        (tn, fp), (fn, tp) = confusion.tolist()
        shares |= {"Precision": (tp, tp + fp), "Recall": (tp, tp + fn), "Specificity": (tn, tn + fp)}
    return shares


@dataclass(frozen=True, eq=False)
class _Cells:
    """Rows that are alike in truth and vote, counted together: measures are functions of the counts.

    Attributes
    ----------
    counts : float64 [cells], rows in each
    row_cell : the cell of each row [n]
    codes, decided : places of classes [cells]
    scores : what ranks the cells for each class, [cells, 1] for two classes (the vote), [cells, K] for more
    squares, losses : each row's part in the Brier score and the log loss [cells]
    two : whether one of two classes is the positive one
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
        columns = np.column_stack([evaluation.codes, evaluation.votes])
        _, first, row_cell, counts = np.unique(
            columns, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        codes, shares = evaluation.codes[first], evaluation.probabilities[first]
        truth = np.eye(evaluation.n_classes)[codes]
        squares = ((shares - truth) ** 2).sum(axis=1)
        own = np.clip(shares[np.arange(len(codes)), codes], np.finfo(float).eps, None)
        two = evaluation.outcome.positive is not None
        return cls(
            counts=counts.astype(float),
            row_cell=row_cell.ravel(),
            codes=codes,
            decided=evaluation.decided[first],
            scores=evaluation.votes[first].astype(float)[:, None] if two else shares,
            squares=squares / 2 if two else squares,  # with two classes only the positive one is counted
            losses=-np.log(own),
            n_classes=evaluation.n_classes,
            two=two,
        )

    def values(self, counts: Floats) -> dict[str, Floats]:
        """Every measure for each row of counts [b, cells]: arrays [b]."""
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
                "ROC AUC": self._area(counts, 1),
            }
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

    def _area(self, counts: Floats, k: int) -> Floats:
        """The area under the ROC curve of class k against the rest; ties count one half."""
        score = self.scores[:, min(k, self.scores.shape[1] - 1)]
        order = np.argsort(score, kind="stable")
        starts = np.flatnonzero(np.diff(score[order], prepend=-np.inf))
        own = self.codes[order] == k
        positives = np.add.reduceat(counts[:, order] * own, starts, axis=1)
        negatives = np.add.reduceat(counts[:, order] * ~own, starts, axis=1)
        below = np.cumsum(negatives, axis=1) - negatives / 2
        pairs = positives.sum(axis=1) * negatives.sum(axis=1)
        return _ratio((positives * below).sum(axis=1), pairs)


def _resampled(cells: _Cells, n_resamples: int) -> dict[str, Floats]:
    """Every measure on rows drawn with replacement: arrays [n_resamples]."""
    random = np.random.RandomState(_SEED)  # whose stream is the same in every version of NumPy
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
    filled = np.full(np.shape(denominator), otherwise)
    result: Floats = np.divide(numerator, denominator, out=filled, where=np.asarray(denominator) > 0)
    return result


def _mean(parts: list[Floats]) -> Floats:
    """The mean of what is defined in each place, NaN where nothing is."""
    stacked = np.array(parts)
    defined = np.isfinite(stacked)
    return _ratio(np.where(defined, stacked, 0.0).sum(axis=0), defined.sum(axis=0).astype(float))


def _meanings(outcome: Outcome) -> dict[str, str]:
    """What each measure says, in the order to print."""
    if outcome.positive is not None:
        return {
            "Accuracy": "share of rows decided rightly",
            "F1": "harmonic mean of precision and recall",
            "Precision": "share of rows called positive that are",
            "Recall": "share of positive rows that are found (sensitivity)",
            "Specificity": "share of negative rows that are left alone",
            "Balanced accuracy": "mean of recall and specificity",
            "ROC AUC": "chance that a positive row gets a higher vote than a negative one",
            "Brier score": "mean squared error of the probability; 0 is best",
            "Log loss": "mean surprise at the truth, in nats; 0 is best",
        }
    return {
        "Accuracy": "share of rows decided rightly",
        "Balanced accuracy": "share of each class that is found (recall), mean over classes",
        "F1 (mean)": "harmonic mean of precision and recall, mean over classes",
        "Precision (mean)": "share of rows called a class that are of it, mean over classes",
        "Specificity (mean)": "share of rows of other classes not called it, mean over classes",
        "ROC AUC (mean)": "chance that a row of a class gets a higher probability for it than another row",
        "Brier score": "squared error of the probabilities, summed over classes; 0 is best",
        "Log loss": "mean surprise at the truth, in nats; 0 is best",
    }


_MOST_BINS = 10


@dataclass(frozen=True)
class Bin:
    """Rows of similar probability.

    Attributes
    ----------
    low, high : the least and the greatest probability among them
    predicted : their mean probability
    observed : the share that came true
    observed_low, observed_high : its 95 % interval (Wilson)
    count : how many rows
    """

    low: float
    high: float
    predicted: float
    observed: float
    observed_low: float
    observed_high: float
    count: int


def calibrate(evaluation: Evaluation) -> tuple[Bin, ...]:
    """At most ten bins, by rising probability; rows of one probability are never parted.

    Two classes: the probability of the positive class. More: that of the class decided for.
    """
    if evaluation.outcome.positive is not None:
        said, true = evaluation.probabilities[:, 1], evaluation.codes == 1
    else:
        rows = np.arange(len(evaluation.codes))
        said, true = (
            evaluation.probabilities[rows, evaluation.decided],
            evaluation.decided == evaluation.codes,
        )
    values, place, counts = np.unique(said, return_inverse=True, return_counts=True)
    hits = np.bincount(place.ravel(), weights=true, minlength=len(values))
    middles = np.cumsum(counts) - counts / 2  # ranks of the values' middle rows
    bins = np.minimum((middles / len(said) * _MOST_BINS).astype(int), _MOST_BINS - 1)
    result = []
    for k in np.unique(bins):
        own = bins == k
        count, hit = int(counts[own].sum()), float(hits[own].sum())
        low, high = float(values[own].min()), float(values[own].max())
        predicted = min(max(float((values[own] * counts[own]).sum() / count), low), high)  # but for rounding
        result.append(Bin(low, high, predicted, hit / count, *wilson(hit, count), count))
    return tuple(result)
