"""What an encoding is learned from: the distinct values of a feature, how often each occurs, and its weight.

A FeatureSummary is added to batch by batch, and two of them can be merged. The result depends on the rows
only, not on their order, the size of batches or the order of merging: counts and weights are whole numbers,
and a feature with too many different numbers keeps intervals, whose width follows from all its numbers
(docs/decisions/0022-tables-read-in-batches.md). Not here: reading batches (stream.py), learning (fitting.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.stream import StreamedTable
from clausal.encoding.table import FrameTable, read_frame
from clausal.encoding.texts import CodedTexts
from clausal.encoding.values import KIND_WORDS, NOT_READ, FeatureValues

MAX_DISTINCT = 65_536
"""Different numbers of a feature that are kept one by one."""

MAX_TEXTS = 262_144
"""Different texts of a feature that are kept."""

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

_SIGN = np.uint64(1 << 63)
_MOST_BITS = 1000  # 2**-1000 is far from the smallest float64


class FeatureSummary:
    """The values of one feature.

    Attributes
    ----------
    n_rows, n_missing : int, the rows of weight above 0, and those in which the value is missing
    numbers, special : NumberSummary, of numbers and booleans, and of special values, never in intervals
    texts : Counter or None, the weight of each text; None if there are too many
    """

    def __init__(self, values: FeatureValues, whole_weights: Whole, special: tuple[float, ...] = ()) -> None:
        """Summarize the values [n] of a batch, whose weights [n] are whole numbers above 0."""
        self._first = replace(values, values=values.values[:0], missing=values.missing[:0], coded=None)
        present = ~values.missing
        self.n_rows, self.n_missing = len(present), int((~present).sum())
        self.missing_weight = int(whole_weights[~present].sum())
        self.numbers = self.special = NumberSummary.empty()
        self.texts: Counter[str] | None = Counter()
        if values.kind == "text":
            self._count(values.take(present).texts(), whole_weights[present])
        elif values.kind not in NOT_READ:
            numbers, own = values.numbers()[present], whole_weights[present]
            if special:
                apart = np.isin(numbers, special)
                self.special = NumberSummary.of(numbers[apart], own[apart])
                numbers, own = numbers[~apart], own[~apart]
            self.numbers = NumberSummary.of(numbers, own)

    def _count(self, texts: CodedTexts, whole_weights: Whole) -> None:
        totals = np.zeros(len(texts.distinct), np.int64)
        np.add.at(totals, texts.codes, whole_weights)
        found: Counter[str] = Counter()
        for text, total in zip(texts.distinct.tolist(), totals.tolist(), strict=True):
            if total:
                found[text] += total
        self.texts = found
        self._forget_many_texts()

    def _forget_many_texts(self) -> None:
        if self.texts is not None and len(self.texts) > MAX_TEXTS:
            self.texts = None

    def merge(self, other: FeatureSummary) -> None:
        """Add the values of other rows."""
        if self._is_empty and self._first.kind != other._first.kind:
            self._first = other._first
        elif not other._is_empty or self._first.kind == other._first.kind:
            self._first = _same_type(self._first, other._first)
        self.n_rows += other.n_rows
        self.n_missing += other.n_missing
        self.missing_weight += other.missing_weight
        self.numbers = self.numbers.merged(other.numbers)
        self.special = self.special.merged(other.special)
        if self.texts is not None:
            if other.texts is not None:
                self.texts.update(other.texts)
            else:
                self.texts = None
            self._forget_many_texts()

    @property
    def _is_empty(self) -> bool:
        """Whether there is no value, so that the type says nothing."""
        return self.n_missing == self.n_rows

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self._first.name

    @property
    def has_categorical_type(self) -> bool:
        """Whether the data type of the feature is categorical."""
        return self._first.categorical

    def distinct(self, unit: float) -> tuple[FeatureValues, Floats, Floats | None]:
        """The distinct values and one missing value if there are any; their weights; upper ends.

        The values are sorted, but special ones come after the others. The upper ends are None if every value
        stands for itself only, and else those of intervals of numbers, of which the values are the lower
        ends. `unit` is the weight that whole weights count.
        """
        if self._first.kind == "text":
            assert self.texts is not None, "asked only if they are known"
            items = sorted(self.texts.items())
            found: NDArray[Any] = np.array([text for text, _ in items], object)
            weights = np.array([weight for _, weight in items], np.int64)
        else:
            found, weights = self.numbers.lows, self.numbers.weights
            found = found.astype(bool) if self._first.kind == "bool" else found
        highs = self.numbers.highs if self.numbers.shift else None
        if len(self.special.lows):
            found = np.concatenate([found, self.special.lows])
            weights = np.concatenate([weights, self.special.weights])
            highs = None if highs is None else np.concatenate([highs, self.special.highs])
        missing = np.zeros(len(found), bool)
        if self.n_missing:
            end = {"text": None, "bool": False}.get(self._first.kind, np.nan)
            found = np.append(found, np.array([end], found.dtype))
            missing, weights = np.append(missing, True), np.append(weights, self.missing_weight)
            highs = None if highs is None else np.append(highs, np.nan)
        values = replace(self._first, values=found, missing=missing)
        return values, weights.astype(np.float64) * unit, highs

    @property
    def all_differ(self) -> bool:
        """Whether no value occurs in two rows, and none is missing."""
        n_distinct = len(self.numbers.lows) + len(self.special.lows)
        return not self.n_missing and not self.numbers.shift and n_distinct == self.n_rows


def _same_type(one: FeatureValues, other: FeatureValues) -> FeatureValues:
    """The type of the values in all batches."""
    if one.kind != other.kind:
        raise ValueError(
            f"Feature {one.name!r} must have one type in all batches. Got {KIND_WORDS[one.kind]} and "
            f"{KIND_WORDS[other.kind]}."
        )
    one = replace(one, with_booleans=True) if other.with_booleans else one
    if (one.ordered, other.ordered) == (False, False):
        if one.declared == other.declared:
            return one
        return replace(one, declared=tuple(sorted({*one.declared, *other.declared}, key=repr)))
    if one.declared != other.declared:
        raise ValueError(
            f"Feature {one.name!r} must have one order of categories. Got several, in its Arrow chunks."
        )
    return one


class NumberSummary:
    """Distinct numbers or, if there are too many, intervals of them, ascending.

    An interval is what has the same leading bits in an integer that is ordered like the numbers; `shift` is
    the number of bits that do not count, the smallest with at most MAX_DISTINCT intervals. It can only grow
    as numbers are added, and intervals of a larger shift are unions of those of a smaller one. So the result
    does not depend on the order in which numbers were added.

    Attributes
    ----------
    lows, highs : float64 [k], the smallest and the largest number of each interval
    weights : int64 [k]
    shift : int
    """

    def __init__(self, lows: Floats, highs: Floats, weights: Whole, shift: int) -> None:
        self.lows, self.highs, self.weights, self.shift = lows, highs, weights, shift
        if len(lows) > MAX_DISTINCT:
            bits = ordered_bits(lows)
            # Two neighbors are in one interval if they differ in the lowest `shift` bits only.
            differ = np.sort(_bit_lengths(bits[1:] ^ bits[:-1]))
            self.shift = max(shift, int(differ[-MAX_DISTINCT]))
            self.lows, self.highs, self.weights = _grouped(lows, highs, weights, self.shift)

    @classmethod
    def empty(cls) -> NumberSummary:
        """Of no numbers."""
        return cls(np.empty(0), np.empty(0), np.empty(0, np.int64), 0)

    @classmethod
    def of(cls, numbers: Floats, whole_weights: Whole) -> NumberSummary:
        """Of numbers [n] with whole weights [n]."""
        if not len(numbers):
            return cls.empty()
        if (whole_weights == whole_weights[0]).all():  # as in most tables; sorting is faster than ordering
            distinct, counts = np.unique(numbers, return_counts=True)
            return cls(distinct, distinct, counts * whole_weights[0], 0)
        return cls(*_grouped(numbers, numbers, whole_weights, 0), 0)

    def merged(self, other: NumberSummary) -> NumberSummary:
        """Of the numbers of both."""
        if not len(other.lows):
            return self
        shift = max(self.shift, other.shift)
        lows, highs, weights = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("lows", "highs", "weights")
        )
        return NumberSummary(*_grouped(lows, highs, weights, shift), shift)


def _grouped(lows: Floats, highs: Floats, weights: Whole, shift: int) -> tuple[Floats, Floats, Whole]:
    """Intervals with the same leading bits as one."""
    keys = ordered_bits(lows) >> np.uint64(shift)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return (
        np.minimum.reduceat(lows[order], starts),
        np.maximum.reduceat(highs[order], starts),
        np.add.reduceat(weights[order], starts),
    )


def _bit_lengths(integers: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The number of bits without leading zeros, of integers above 0."""
    high, low = integers >> np.uint64(32), integers & np.uint64(0xFFFF_FFFF)  # exact as float64
    lengths = [np.frexp(half.astype(np.float64))[1] for half in (high, low)]
    return np.where(high > 0, 32 + lengths[0], lengths[1])


def ordered_bits(numbers: Floats) -> NDArray[np.uint64]:
    """Integers in the same order as the numbers, none of which is NaN or -0.0."""
    bits = np.ascontiguousarray(numbers).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def whole_weights(weights: Floats) -> tuple[Whole, float]:
    """Weights [n] as whole numbers, and the weight that 1 of them counts.

    Whole weights stay as they are; others are rounded to a fraction of their sum that is below 2**-60.
    """
    if (weights == np.rint(weights)).all() and weights.sum() < 2.0**53:
        return weights.astype(np.int64), 1.0
    bits = min(61 - int(np.frexp(weights.sum())[1]), _MOST_BITS)
    rounded = np.rint(np.ldexp(weights, bits)).astype(np.int64)
    return np.maximum(rounded, weights > 0), float(np.ldexp(1.0, -bits))


def summarize(
    table: StreamedTable, weights: NDArray[np.int64] | None, special: Sequence[tuple[float, ...]]
) -> list[FeatureSummary]:
    """The distinct values of each feature in the rows of weight above 0.

    `weights` are whole numbers [n], or None where every row weighs 1; `special` are the special values of
    each feature.
    """
    return table.reduce(partial(_summaries, table.names, special), _merged, "learning", weights)


def _merged(one: list[FeatureSummary], other: list[FeatureSummary]) -> list[FeatureSummary]:
    """The summaries of the rows of both, which stay as they are: a lost result may be computed again."""
    merged = deepcopy(one)
    for summary, same in zip(merged, other, strict=True):
        summary.merge(same)
    return merged


def _summaries(
    names: Sequence[str],
    special: Sequence[tuple[float, ...]],
    frame: Any,
    weights: NDArray[np.int64] | None,
) -> list[FeatureSummary]:
    """The summaries of a batch."""
    batch = FrameTable(read_frame(frame))
    own = np.ones(batch.n_rows, np.int64) if weights is None else weights
    rows = own > 0
    return [
        FeatureSummary(batch.feature(index, name).take(rows), own[rows], special[index])
        for index, name in enumerate(names)
    ]
