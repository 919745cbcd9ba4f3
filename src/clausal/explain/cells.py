"""The rows to explain, and domains of features.

The rows are plain Python values, from any table that the encoding reads; a row can be copied with changes.
A domain is a list of values that a feature can be changed to: for a number its cut points and a short number
just above each of them, otherwise the known categories, or true and false. Of categories that were left out
of a model, one made-up value stands for all. Not here: cells (rules/cells.py), how domains are used
(counterfactual.py, fewest_changes.py).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.columns import Category, number_text
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import BooleanFeature, Feature, NumericFeature, encode_feature
from clausal.encoding.patches import require_table
from clausal.encoding.records import ColumnTable, RecordTable
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.table import in_memory
from clausal.encoding.values import STRICT, FeatureValues, plain_category, values_from_array
from clausal.rules.cells import Cells
from clausal.rules.rule_set import RuleSet

Value = str | int | float | bool | None  # None means missing


class GivenRows:
    """The user's table, read once.

    Parameters
    ----------
    X : any table that the encoding reads
    encoding : the encoding
    used : indices of the features that rules use; others are not read
    """

    def __init__(self, X: Any, encoding: Encoding, used: Iterable[int]) -> None:
        used = frozenset(used)
        self._table = in_memory(encoding.read_by_name(X, used))
        self._X = X
        self.n_rows = self._table.n_rows
        self.names = list(encoding.feature_names)
        self._by_name = encoding.names is not None
        self.kinds: dict[int, str] = {}
        self._values: dict[int, list[Value]] = {}
        for index in sorted(used):
            self._read(index)

    def _read(self, index: int) -> None:
        if isinstance(self._table, SparseTable):
            self.kinds[index] = "number"
            self._values[index] = self._table.matrix[:, [index]].toarray()[:, 0].tolist()
            return
        values = self._table.feature(index, self.names[index])
        self.kinds[index] = "unknown" if values.missing.all() else values.kind
        self._values[index] = _plain_values(values)

    def value(self, row: int, feature: int) -> Value:
        """One value, None if it is missing."""
        return self._values[feature][row]

    def values(self, row: int) -> dict[str, Value]:
        """The values of a row by name of the features that rules use."""
        return {self.names[index]: column[row] for index, column in self._values.items()}

    def changed(self, row: int, changes: Mapping[int, Value]) -> Any:
        """A table of the same kind with only this row, after changes, by index of the feature."""
        if isinstance(self._table, SparseTable):
            matrix = self._table.matrix[[row]].tolil()
            for index, value in changes.items():
                matrix[0, index] = value
            return SparseTable(matrix.tocsr())
        if isinstance(self._X, (ColumnTable, RecordTable)):
            return self._X.changed(row, changes)
        if nw.dependencies.is_into_dataframe(self._X):
            frame = nw.from_native(self._X, eager_only=True)
            names = self.names if self._by_name else frame.columns
            new = [
                nw.new_series(names[index], [value], backend=frame.implementation)
                for index, value in changes.items()
            ]
            return frame[row : row + 1].with_columns(*new).to_native()
        given = self._X if isinstance(self._X, list) else np.asarray(self._X)
        array = np.array(given[row : row + 1], dtype=object)
        for index, value in changes.items():
            array[0, index] = value
        return array


def dense_bits(rules: RuleSet, X: Any, asked: str) -> NDArray[np.uint8]:
    """What `rules.bits(X)` gives, always dense; `asked` is what for, such as "reasons"."""
    require_table(rules.encoding, asked)
    bits = rules.bits(X)
    result: NDArray[np.uint8] = bits.toarray() if hasattr(bits, "toarray") else bits
    return result


def _plain_values(values: FeatureValues) -> list[Value]:
    """The values as Python objects: whole numbers as int, None if missing."""
    items, missing = values.values.tolist(), values.missing.tolist()
    if values.single:
        items = [float(str(item)) for item in values.values.astype(np.float32)]  # the shortest such number
    if values.kind == "number":
        return [None if hide else plain_category(item) for item, hide in zip(items, missing, strict=True)]
    return [None if hide else item for item, hide in zip(items, missing, strict=True)]


NEVER = 2**50  # the cost of an impossible change; sums of other costs are smaller
_CHANGED = 2**34  # per changed feature: fewer changes are preferred to smaller ones
_TO_MISSING = 2**20  # for a change to a special value or to missing: other values are preferred
_MAX_EXTRA_DIGITS = 25


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that one feature can be changed to.

    Attributes
    ----------
    feature : the fitted feature
    cells : the cells of the feature
    values : the values in plain Python; None means missing
    patterns : int [values], the pattern of each value
    """

    feature: Feature
    cells: Cells
    values: tuple[Value, ...]
    patterns: NDArray[np.intp]

    def steps(self, present: int) -> NDArray[np.int64]:
        """The size of the change from a pattern to each value: cut points crossed, or 1 if unordered."""
        steps = np.abs(self.patterns - present).astype(np.int64)
        n_ordinary = self.cells.patterns.n_ordinary
        if not (self.feature.ordered and self.cells.patterns.ranked) or present >= n_ordinary:
            steps = np.minimum(steps, 1)
        apart = self.patterns >= n_ordinary  # special and missing values
        steps[apart] = np.minimum(steps[apart], 1) + _TO_MISSING
        return steps

    def costs(self, present: int) -> NDArray[np.int64]:
        """The minimum cost of a change from a pattern to each cell, [cells]; NEVER if it has no value."""
        costs = np.full(len(self.cells.allows), NEVER, np.int64)
        np.minimum.at(costs, self.cells.of_pattern[self.patterns], _CHANGED + self.steps(present))
        costs[self.cells.of_pattern[present]] = 0
        return costs

    def nearest(self, present: int, value: Value, cell: int) -> Value:
        """The value in a cell with the smallest change from `value`, and the nearest one among those."""
        inside = np.flatnonzero(self.cells.of_pattern[self.patterns] == cell)
        number = _as_number(self.feature, value)
        distances = [abs(_as_number(self.feature, self.values[i]) - number) for i in inside]
        order = np.lexsort((np.nan_to_num(distances), self.steps(present)[inside]))
        return self.values[int(inside[order[0]])]


def make_domain(feature: Feature, cells: Cells, kind: str) -> Domain:
    """The domain of a feature; `kind` is the kind of its values in the user's table."""
    values = _representative_values(feature, kind)
    column = np.empty(len(values), object)
    column[:] = values
    first = cells.patterns.first
    bits = np.zeros((len(values), first + feature.n_columns), np.uint8)
    encode_feature(feature, values_from_array("", column), bits[:, first:], STRICT)
    patterns = cells.patterns.of_bits(bits)
    if feature.nullable:
        values, patterns = [*values, None], np.append(patterns, cells.patterns.n_known - 1)
    return Domain(feature, cells, tuple(values), patterns)


def _representative_values(feature: Feature, kind: str) -> list[Value]:
    """Values that together produce every possible pattern, except missing."""
    values: list[Any]
    if isinstance(feature, BooleanFeature):
        values = [1, 0] if kind == "number" else [True, False]
    elif isinstance(feature, (NominalFeature, RankedFeature)):
        values = [*feature.categories, *_another_value(feature, kind)]
    elif kind == "bool":
        values = [False, True]
    else:
        assert isinstance(feature, NumericFeature)
        values = [*_numbers_around(feature.cuts, feature.special), *map(plain_category, feature.special)]
    return [bool(value) for value in values if value in (0, 1)] if kind == "bool" else values


_ANOTHER = "another value"


def _another_value(feature: NominalFeature | RankedFeature, kind: str) -> list[Value]:
    """A made-up value that stands for the categories which a feature no longer knows, if there are any."""
    if not isinstance(feature, NominalFeature) or feature.complete:
        return []
    if isinstance(feature.categories[0], str):
        texts = (_ANOTHER + "'" * n for n in range(len(feature.categories) + 1))
        return [next(text for text in texts if text not in feature.categories)]
    numbers = (number for number in range(len(feature.categories) + 1) if number not in feature.categories)
    return [number for number in (next(numbers),) if kind != "bool" or number in (0, 1)]


def exceptions(feature: Feature, value: Value) -> tuple[Category, ...]:
    """The only categories that a value of a domain does not stand for; empty if it stands for itself."""
    if not isinstance(feature, NominalFeature) or feature.complete or value is None:
        return ()
    return () if value in feature.categories else feature.categories


def _numbers_around(cuts: tuple[float, ...], special: tuple[float, ...] = ()) -> list[Value]:
    """Each cut point and a short number just above it, or 0 (the next whole one) if there is no cut point."""
    if not cuts:
        return [next(number for number in range(len(special) + 1) if number not in special)]
    numbers: list[Value] = []
    for cut, limit in zip(cuts, (*cuts[1:], math.inf), strict=True):
        above = just_above(cut, limit, special)
        numbers += [plain_category(number) for number in (cut, above) if number is not None]
    return list(dict.fromkeys(numbers))


def just_above(cut: float, limit: float, special: Collection[float] = ()) -> float | None:
    """A short number above `cut`: its last digit plus one or, if that exceeds `limit`, a later digit.

    It is none of the special numbers.
    """
    decimal = Decimal(number_text(cut))
    exponent = int(decimal.as_tuple().exponent)
    for n_digits in range(_MAX_EXTRA_DIGITS):
        number = float(decimal + Decimal(1).scaleb(exponent - n_digits))
        if cut < number <= limit and math.isfinite(number) and number not in special:
            return number
    number = math.nextafter(cut, math.inf)
    return number if number <= limit and math.isfinite(number) and number not in special else None


def _as_number(feature: Feature, value: Value) -> float:
    """A number, or the index of an ordered category; NaN for other values."""
    if isinstance(feature, NumericFeature) and isinstance(value, (int, float)):
        return float(value)
    if isinstance(feature, RankedFeature) and feature.ordered and value in feature.categories:
        return float(feature.categories.index(value))
    return math.nan
