"""Float32 columns, and numbers that users give, such as cut points, which float32 may not be able to equal.

4.4 as float32 is more than 4.4, so that `x > 4.4` holds for it. Not here: cut points that are learned, which
lie between the numbers of a column (cut_points.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping

import numpy as np

from clausal.encoding.encoding import Encoding, Features
from clausal.encoding.features import Feature, NumericFeature
from clausal.encoding.remarks import level_of_user, near_remark
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.stream import StreamedTable
from clausal.encoding.table import AnyTable
from clausal.encoding.values import FeatureValues, UnseenValueWarning


def nearly_in(values: FeatureValues, given: Iterable[float]) -> tuple[float, ...]:
    """Given numbers that float32 values cannot equal, though the float32 nearest to them occurs."""
    if not values.single:
        return ()
    rounded = ((number, [float(np.float32(number)), float(np.float16(number))]) for number in given)
    with np.errstate(over="ignore"):
        found = [
            number for number, near in rounded if number not in near and np.isin(near, values.values).any()
        ]
    return tuple(found)


def near_remarks(before: Encoding, after: Encoding, table: AnyTable) -> list[str]:
    """A sentence for each feature of a table in memory that nearly has a cut point only `after` has."""
    if isinstance(table, (SparseTable, StreamedTable)):
        return []
    said = []
    for index, (old, new) in enumerate(zip(before.features, after.features, strict=True)):
        added = sorted(_given(new) - _given(old))
        if added and (near := nearly_in(table.feature(index, after.feature_names[index]), added)):
            said.append(near_remark(after.feature_names[index], near))
    return said


def nearly_special(encoding: Encoding, used: Features, table: AnyTable) -> dict[str, tuple[float, ...]]:
    """Special values that float32 numbers of rows are nearly, by the name of the feature.

    Such numbers count as ordinary ones, though the user may think of them as the special value.
    """
    if isinstance(table, (SparseTable, StreamedTable)):
        return {}
    found = {}
    for index in sorted(used):
        feature, name = encoding.features[index], encoding.feature_names[index]
        special = feature.special if isinstance(feature, NumericFeature) else ()
        if special and (near := nearly_in(table.feature(index, name), special)):
            found[name] = near
    return found


def warn_of_nearly_special(found: Iterable[Mapping[str, tuple[float, ...]]]) -> None:
    """One warning per feature, of all that was found in the batches of a table."""
    whole: dict[str, set[float]] = {}
    for each in found:
        for name, near in each.items():
            whole.setdefault(name, set()).update(near)
    for name, numbers in whole.items():
        warnings.warn(near_remark(name, sorted(numbers)), UnseenValueWarning, stacklevel=level_of_user())


def _given(feature: Feature) -> set[float]:
    return {*feature.marks} if isinstance(feature, NumericFeature) else set()
