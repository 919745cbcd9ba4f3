"""Two samples of rows counted in the same bins: features, missing and new values, rules, scores, decisions.

Not here: how counts are compared (intervals.py) and judged (verdicts.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import category_text, name_text, number_text
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.table import in_memory
from clausal.encoding.values import FeatureValues, plain_category, values_from_array
from clausal.evaluation.metrics import bands
from clausal.evaluation.predictions import Predictions
from clausal.evaluation.verdicts import Counted, Share
from clausal.explain.reasons import effect_curves
from clausal.rules.rule_set import RuleSet
from clausal.wording import label_text, signed_text

MAX_CATEGORIES = 20
"""Categories of a feature with a bin of their own: the most frequent ones."""

MISSING, OTHERS, NEW = "(missing)", "(other)", "(new)"
_N_QUANTILES = 10


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of one period: the table, its predictions, and the values of features that rules test."""

    rules: RuleSet
    X: Any
    predictions: Predictions

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.predictions.decided)

    @cached_property
    def values(self) -> dict[int, FeatureValues]:
        """The values of each feature that some rule tests, by its index."""
        encoding, used = self.rules.encoding, sorted(self.rules.used_features)
        table = in_memory(encoding.read_by_name(self.X, used))
        if isinstance(table, SparseTable):
            columns = (table.matrix[:, [index]].toarray()[:, 0] for index in used)
            return {
                i: values_from_array(encoding.feature_names[i], c) for i, c in zip(used, columns, strict=True)
            }
        return {index: table.feature(index, encoding.feature_names[index]) for index in used}

    @cached_property
    def override_counts(self) -> NDArray[np.int64]:
        """The number of rows that each override decides [overrides]."""
        decided, n_overrides = self.rules.overridden(self.X), len(self.rules.overrides)
        return np.bincount((np.array([-1]) if decided is None else decided) + 1, minlength=n_overrides + 1)[
            1:
        ]

    @cached_property
    def fire_counts(self) -> NDArray[np.int64]:
        """The number of rows on which each rule holds [rules]."""
        return np.asarray(self.rules.fires(self.X).sum(axis=0, dtype=np.int64))


def count_features(reference: Sample, current: Sample, bins: str) -> Iterator[Counted]:
    """Each feature that rules test: in the parts that they tell apart, or by tenths and categories."""
    if bins == "rules":
        yield from _count_parts(reference, current)
        return
    names = reference.rules.encoding.feature_names
    for index, values in reference.values.items():
        name, other = name_text(names[index]), current.values[index]
        if "text" in (values.kind, other.kind) or values.categorical:
            yield Counted(name, _by_category(values, other))
        else:
            yield Counted(name, _by_quantile(values, other))


def _count_parts(reference: Sample, current: Sample) -> Iterator[Counted]:
    curves = [
        {
            curve.feature: dict(zip(curve.texts, curve.counts.tolist(), strict=True))
            for curve in effect_curves(s.rules, s.X)
        }
        for s in (reference, current)
    ]
    for feature, parts in curves[0].items():
        yield Counted(name_text(feature), _shares(parts, curves[1][feature]))


def _shares(reference: dict[str, int], current: dict[str, int]) -> tuple[Share, ...]:
    """Bins that either sample has, without those that are empty in both."""
    names = dict.fromkeys((*reference, *current))
    shares = (Share(name, reference.get(name, 0), current.get(name, 0)) for name in names)
    return tuple(share for share in shares if share.reference or share.current)


def _by_category(reference: FeatureValues, current: FeatureValues) -> tuple[Share, ...]:
    """The most frequent categories of the reference; others together; those that it does not have."""
    known = Counter(_categories(reference))
    listed = [category for category, _ in known.most_common(MAX_CATEGORIES)]
    names = {category: category_text(category) for category in listed}
    others = {category: OTHERS for category in known if category not in names}
    named = {**names, **others}
    counts = [Counter(named.get(category, NEW) for category in _categories(v)) for v in (reference, current)]
    ordered = dict.fromkeys((*names.values(), OTHERS, NEW), 0)
    sides = [
        {**ordered, **count, MISSING: int(v.missing.sum())}
        for count, v in zip(counts, (reference, current), strict=True)
    ]
    return _shares(sides[0], sides[1])


def _by_quantile(reference: FeatureValues, current: FeatureValues) -> tuple[Share, ...]:
    """Between the tenths of the reference."""
    samples = [each.numbers()[~each.missing] for each in (reference, current)]
    edges: NDArray[np.float64] = np.empty(0)
    if len(samples[0]):
        inner = np.linspace(0, 1, _N_QUANTILES + 1)[1:-1]
        edges = np.unique(np.quantile(samples[0], inner, method="inverted_cdf"))
        edges = edges[edges < samples[0].max()]
    texts = [number_text(edge) for edge in edges.tolist()]
    inside = [f"{low} to {high}" for low, high in pairwise(texts)]
    names = [f"<= {texts[0]}", *inside, f"> {texts[-1]}"] if texts else ["any number"]
    sides = []
    for values, sample in zip((reference, current), samples, strict=True):
        counts = np.bincount(np.searchsorted(edges, sample, side="left"), minlength=len(names))
        sides.append({**dict(zip(names, counts.tolist(), strict=True)), MISSING: int(values.missing.sum())})
    return _shares(sides[0], sides[1])


def count_missing(reference: Sample, current: Sample) -> Iterator[Counted]:
    """Each feature that some rule tests and that is missing in some row."""
    names = reference.rules.encoding.feature_names
    for index, values in reference.values.items():
        counts = [int(each.missing.sum()) for each in (values, current.values[index])]
        if any(counts):
            yield Counted(name_text(names[index]), _two(MISSING, "present", counts, reference, current))


@dataclass(frozen=True)
class NewValues:
    """The categories of a feature that the reference does not have, with their rows, most frequent first."""

    values: tuple[tuple[str, int], ...]
    counted: Counted


def count_new_values(reference: Sample, current: Sample) -> Iterator[NewValues]:
    """The categories of current rows that neither the reference nor the training had, for each feature."""
    encoding = reference.rules.encoding
    for index, values in reference.values.items():
        feature = encoding.features[index]
        if not hasattr(feature, "categories"):
            continue
        known = {*_categories(values), *feature.categories}
        found = Counter(item for item in _categories(current.values[index]) if item not in known)
        if found:
            listed = tuple((category_text(item), count) for item, count in found.most_common())
            bins = _two(NEW, "known", [0, found.total()], reference, current)
            yield NewValues(listed, Counted(name_text(encoding.feature_names[index]), bins))


def _categories(values: FeatureValues) -> list[Any]:
    """The values that are not missing, as plain categories."""
    return [plain_category(item) for item in values.values[~values.missing].tolist()]


def count_rules(reference: Sample, current: Sample) -> Iterator[Counted]:
    """On how many rows each rule holds, and how many each override decides."""
    counts = zip(reference.fire_counts.tolist(), current.fire_counts.tolist(), strict=True)
    for rule, pair in zip(reference.rules, counts, strict=True):
        yield Counted(str(rule), _two("holds", "does not hold", pair, reference, current))
    sides = [sample.override_counts.tolist() for sample in (reference, current)]
    for override, one, two in zip(reference.rules.overrides, *sides, strict=True):
        name = f"{override}, override for {label_text(override.label)}"
        yield Counted(name, _two("decides", "does not decide", (one, two), reference, current))


def _two(yes: str, no: str, counts: Sequence[int], reference: Sample, current: Sample) -> tuple[Share, ...]:
    rest = (reference.n_rows - counts[0], current.n_rows - counts[1])
    return Share(yes, counts[0], counts[1]), Share(no, *rest)


@dataclass(frozen=True, eq=False)
class Bands:
    """The bands of scores, about a tenth of the reference each, lowest first.

    Attributes
    ----------
    names : of the bands
    reference, current : the band of each row
    """

    names: tuple[str, ...]
    reference: NDArray[np.intp]
    current: NDArray[np.intp]

    @property
    def counted(self) -> Counted:
        """The rows in each band."""
        counts = [
            np.bincount(each, minlength=len(self.names)).tolist() for each in (self.reference, self.current)
        ]
        return Counted("score", tuple(map(Share, self.names, *counts)))


def score_bands(reference: Predictions, current: Predictions) -> Bands:
    """The bands of the reference's scores, of which the lowest and the highest have no end."""
    own = reference.scores()
    values, counts = np.unique(own, return_counts=True)
    ends = [(values[band[0]].item(), values[band[-1]].item()) for band in bands(counts)]
    text = signed_text if reference.outcome.positive is not None else _percent
    names = [text(low) if low == high else f"{text(low)} to {text(high)}" for low, high in ends]
    if len(names) > 1:
        names = [f"{text(ends[0][1])} or less", *names[1:-1], f"{text(ends[-1][0])} or more"]
    lows = np.array([low for low, _ in ends[1:]])
    sides = (np.searchsorted(lows, scores, side="right") for scores in (own, current.scores()))
    return Bands(tuple(names), *(np.asarray(side, np.intp) for side in sides))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def count_codes(
    name: str, names: Sequence[str], reference: NDArray[np.intp], current: NDArray[np.intp]
) -> Counted:
    """The rows with each index of these names."""
    counts = [np.bincount(each, minlength=len(names)).tolist() for each in (reference, current)]
    return Counted(name, tuple(map(Share, names, *counts)))
