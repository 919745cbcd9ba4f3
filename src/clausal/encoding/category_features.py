"""Categories as features: without order, some of them perhaps in named groups, and in an order.

Not here: the other kinds of features, and what all kinds have in common (features.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category, Column
from clausal.encoding.features import Comparison, Numbers, missing_column, read_nullable
from clausal.encoding.values import USUAL_MISSING, FeatureValues, Policy, category_codes, read_categories
from clausal.untrusted import (
    check_ascending,
    read_bool,
    read_indices,
    read_integer,
    read_list,
    read_record,
    read_text,
    wrong,
)

_MISSING = frozenset(text.casefold() for text in USUAL_MISSING)


@dataclass(frozen=True)
class NominalFeature:
    """Categories without order: one column `value is c` for each label whose index is in `own`.

    A label is a category or, as the user may say, the name of a group of them: `groups` has the name and the
    number of members of each group, whose members come first in `categories`, group by group.

    If not `complete`, only categories with a column are kept, and any other value matches no column. Of the
    others, `not_missing` keeps those whose text would mean a missing value in a file without types.
    """

    categories: tuple[Category, ...]
    own: tuple[int, ...]
    nullable: bool
    complete: bool = True
    not_missing: tuple[str, ...] = ()
    groups: tuple[tuple[str, int], ...] = ()
    kind: ClassVar[str] = "nominal"
    ordered: ClassVar[bool] = False
    comparison: ClassVar[Comparison] = Comparison.EQUAL

    @property
    def n_columns(self) -> int:
        """Number of columns of the feature, including the one for missing values."""
        return len(self.own) + self.nullable

    @property
    def labels(self) -> tuple[Category, ...]:
        """The names of the groups, then the categories in no group."""
        return (*(name for name, _ in self.groups), *self.categories[self.n_grouped :])

    @property
    def n_grouped(self) -> int:
        """The number of categories that are in a group."""
        return sum(size for _, size in self.groups)

    def members(self, label: Category) -> range:
        """The indices of the categories that have a label."""
        index, n_groups = self.labels.index(label), len(self.groups)
        if index >= n_groups:
            first = self.n_grouped + index - n_groups
            return range(first, first + 1)
        starts = [*accumulate((size for _, size in self.groups), initial=0)]
        return range(starts[index], starts[index + 1])

    def label_of(self, category: int) -> Category:
        """The label of the category with this index."""
        return self.labels[int(self._label_of_category[category])]

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        labels = self.labels
        columns = (Column(name, index, "is", labels[code], self.nullable) for code in self.own)
        return (*columns, *missing_column(name, index, self.nullable))

    @property
    def marks(self) -> tuple[float, ...]:
        """The indices of the labels that have a column."""
        return self.own

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """The index of the label of each category, -1 if it is unknown."""
        if not self.complete:
            policy = replace(policy, handle_unknown="no_match")
        codes = category_codes(values, self.categories, self.nullable, policy)
        if not self.groups:
            return codes
        known = np.isfinite(codes) & (codes >= 0)
        codes[known] = self._label_of_category[codes[known].astype(np.intp)]
        return codes

    @property
    def _label_of_category(self) -> NDArray[np.intp]:
        """The index of the label of each category."""
        sizes = [*(size for _, size in self.groups), *[1] * (len(self.categories) - self.n_grouped)]
        return np.repeat(np.arange(len(sizes)), sizes)

    def reduced(self) -> NominalFeature:
        """Without the categories that have no column."""
        labels = self.labels
        if not self.own or len(self.own) == len(labels):
            return self
        kept = tuple(self.categories[k] for code in self.own for k in self.members(labels[code]))
        others = (item for item in self.categories if isinstance(item, str) and item not in kept)
        not_missing = tuple(sorted(text for text in others if text.strip().casefold() in _MISSING))
        groups = tuple(self.groups[code] for code in self.own if code < len(self.groups))
        return NominalFeature(kept, tuple(range(len(self.own))), self.nullable, False, not_missing, groups)

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""
        lists = {"categories": list(self.categories), "own": list(self.own)}
        added: dict[str, Any] = {} if self.complete else {"complete": False}
        if self.not_missing:
            added["not_missing"] = list(self.not_missing)
        if self.groups:
            added["groups"] = [list(group) for group in self.groups]
        return {"kind": self.kind, **lists, "nullable": self.nullable, **added}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        absent: dict[str, Any] = {"complete": True, "not_missing": None, "groups": []}
        added = {**absent, **data} if isinstance(data, dict) else data
        names = ("kind", "categories", "own", "nullable", *absent)
        record = read_record(added, where, names)
        grouped = bool(record["groups"])
        categories = read_categories(record["categories"], f"{where}.categories", ascending=not grouped)
        groups = _read_groups(record["groups"], f"{where}.groups", categories) if grouped else ()
        n_labels = len(cls(categories, (), False, groups=groups).labels)
        own = read_indices(record["own"], f"{where}.own", n_labels)
        complete = read_bool(record["complete"], f"{where}.complete")
        if not complete and len(own) < n_labels:
            raise wrong(f"{where}.own", "all categories, as 'complete' is false", f"{len(own)} of them")
        not_missing = _read_not_missing(record["not_missing"], f"{where}.not_missing", categories, complete)
        return cls(categories, own, read_nullable(record, where), complete, not_missing, groups)


@dataclass(frozen=True)
class RankedFeature:
    """Categories in an order: one column "at most this category" for each index in `cuts`.

    If `ordered`, the order is the user's, and `categories` contains all declared categories, including those
    not seen in training. Otherwise the categories are in sorted order, as in mode "paper".
    """

    categories: tuple[Category, ...]
    cuts: tuple[int, ...]
    ordered: bool
    nullable: bool
    kind: ClassVar[str] = "ranked"
    comparison: ClassVar[Comparison] = Comparison.AT_MOST

    @property
    def n_columns(self) -> int:
        """Number of columns of the feature, including the one for missing values."""
        return len(self.cuts) + self.nullable

    def columns(self, name: str, index: int) -> tuple[Column, ...]:
        """The meaning of each column."""
        columns = (
            Column(name, index, "upto", self.categories[: cut + 1], self.nullable, self.ordered)
            for cut in self.cuts
        )
        return (*columns, *missing_column(name, index, self.nullable))

    @property
    def marks(self) -> tuple[float, ...]:
        """For each column, the code of the last category that matches."""
        return self.cuts

    def numbers(self, values: FeatureValues, policy: Policy) -> Numbers:
        """The position of each category in the order; unknown ones come last, so that no column matches."""
        codes = category_codes(values, self.categories, self.nullable, policy)
        codes[codes < 0] = len(self.categories)
        return codes

    def to_dict(self) -> dict[str, Any]:
        """The fitted state as JSON-compatible values."""
        lists = {"categories": list(self.categories), "cuts": list(self.cuts)}
        return {"kind": self.kind, **lists, "ordered": self.ordered, "nullable": self.nullable}

    @classmethod
    def from_dict(cls, data: object, where: str) -> Self:
        """The inverse of `to_dict`; raises ValueError, naming `where`, for anything else."""
        record = read_record(data, where, ("kind", "categories", "cuts", "ordered", "nullable"))
        ordered = read_bool(record["ordered"], f"{where}.ordered")
        categories = read_categories(record["categories"], f"{where}.categories", ascending=not ordered)
        cuts = read_indices(record["cuts"], f"{where}.cuts", len(categories))
        return cls(categories, cuts, ordered, read_nullable(record, where))


def _read_not_missing(
    data: object, where: str, categories: tuple[Category, ...], complete: bool
) -> tuple[str, ...]:
    """Texts in ascending order that are not among these categories, of which some were left out; or None."""
    if data is None:
        return ()
    texts = tuple(read_text(item, where) for item in read_list(data, where))
    check_ascending(texts, where)
    if not texts or complete or set(texts) & set(categories):
        raise wrong(where, "one or more categories that were left out", data)
    return texts


def _read_groups(data: object, where: str, categories: tuple[Category, ...]) -> tuple[tuple[str, int], ...]:
    """Names of groups and their sizes; the members of each, and the other categories, are sorted."""
    groups, first = [], 0
    for index, item in enumerate(read_list(data, where)):
        pair = read_list(item, f"{where}[{index}]")
        if len(pair) != 2:
            raise wrong(f"{where}[{index}]", "a name and a number of categories", item)
        size = read_integer(pair[1], f"{where}[{index}]", 1, len(categories) - first)
        groups.append((read_text(pair[0], f"{where}[{index}]"), size))
        check_ascending(categories[first : first + size], f"{where}[{index}]")
        first += size
    check_ascending(categories[first:], where)
    names = {name for name, _ in groups}
    if len(names) < len(groups) or names & set(categories[first:]):
        raise wrong(where, "names that differ from each other and from categories in no group", data)
    return tuple(groups)
