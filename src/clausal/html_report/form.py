"""The format of numbers, names and values on the page, and the what-if form: a field for every feature.

page.js uses the same format. Here too: which fields there are, what may be picked in them, and rows of the
user's table as such picks. Not here: how a row is scored (export/score.js).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.columns import category_text, name_text, number_text
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import BooleanFeature, NumericFeature
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.table import in_memory
from clausal.encoding.values import FeatureValues, find_codes, values_from_array
from clausal.explain.counterfactual import value_text
from clausal.export.document import category_index
from clausal.rules.rule_set import RuleSet
from clausal.wording import label_text, points_text

NOT_DEFINED = "–"
_MAX_DIGITS = 12  # of a number that is not written as a power of ten


def measure_text(value: float) -> str:
    """Three decimals; a dash if not defined."""
    return f"{value:.3f}" if np.isfinite(value) else NOT_DEFINED


def percent_text(share: float) -> str:
    """A share in percent with one decimal; a dash if not defined."""
    return f"{100 * share:.1f} %" if np.isfinite(share) else NOT_DEFINED


def figure_text(value: float) -> str:
    """Four significant digits of a number of any size; a dash if not defined."""
    if not np.isfinite(value):
        return NOT_DEFINED
    text = number_text(float(f"{value:.4g}"))
    return (text if len(text) <= _MAX_DIGITS else f"{value:.4g}").replace("-", "−")


def interval_text(low: float, high: float) -> str:
    """The ends of an interval with three decimals; a dash if not defined."""
    return f"{low:.3f} – {high:.3f}" if np.isfinite(low) and np.isfinite(high) else NOT_DEFINED


def p_text(p: float) -> str:
    """A p-value with three decimals; a dash if there is none."""
    return NOT_DEFINED if np.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


def signed_text(points: float) -> str:
    """Points with a sign; 0 has none."""
    size = number_text(float(f"{abs(points):.6g}")) if isinstance(points, float) else str(abs(points))
    return f"{'' if points == 0 else '−' if points < 0 else '+'}{size}"


def size_text(points: float) -> str:
    """The absolute value of points, without a sign."""
    return signed_text(abs(points)).removeprefix("+")


def effect_text(effect: float) -> str:
    """A mean of points with a sign and at most two decimals."""
    return signed_text(round(effect, 2))


def lift_text(lift: float) -> str:
    """Two decimals; a dash if not defined."""
    return f"{lift:.2f}" if np.isfinite(lift) else NOT_DEFINED


def sortable_text(value: float) -> str:
    """The sort key of a table cell; empty if not defined."""
    return repr(float(value)) if np.isfinite(value) else ""


def count_text(count: float) -> str:
    """A count, or a weight with two decimals, with thousands separators."""
    return f"{round(count):,}" if count == round(count) else f"{count:,.2f}"


FILTERS: dict[str, Callable[[Any], str]] = {
    "measure": measure_text,
    "figure": figure_text,
    "percent": percent_text,
    "signed": signed_text,
    "size": size_text,
    "points": points_text,
    "signed_effect": effect_text,
    "count": count_text,
    "lift": lift_text,
    "p": p_text,
    "sortable": sortable_text,
    "name": name_text,
    "value": value_text,
    "label": label_text,
}


MOST_CATEGORIES = 200
"""A feature of more categories offers only those that the rules tell apart."""

Value = float | int | None
"""What a field holds: a number, the code of a category, 1 or 0 for true or false; None where missing."""


@dataclass(frozen=True)
class Field:
    """One feature in the form.

    Attributes
    ----------
    index : the feature's position in the user's table
    feature, name : its name, and the name as printed
    kind : "numeric", "nominal", "ranked" or "boolean"
    nullable : it was missing in some training rows, so a missing value has a meaning
    codes, texts : the categories offered, by their indices among all, and as printed
    n_categories : how many categories there are
    cuts : the numbers that the rules compare with, ascending
    special : the special values of a number
    complete : whether the model knows all categories of the training data
    """

    index: int
    feature: str
    name: str
    kind: str
    nullable: bool
    codes: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    n_categories: int = 0
    cuts: tuple[float, ...] = ()
    complete: bool = True
    special: tuple[float, ...] = ()

    @property
    def cut_texts(self) -> tuple[str, ...]:
        """The numbers that the rules compare with, as printed."""
        return tuple(map(number_text, self.cuts))

    @property
    def special_texts(self) -> tuple[str, ...]:
        """The special values as printed."""
        return tuple(map(number_text, self.special))

    @property
    def n_left_out(self) -> int:
        """Categories that are not offered."""
        return self.n_categories - len(self.codes)

    def stand_in(self, code: int) -> int:
        """The category offered that no rule tells from this one; -1 is an unknown one."""
        if code < 0 or code in self.codes:
            return code
        return (
            next(offered for offered in self.codes if offered > code)
            if self.kind == "ranked"
            else self.codes[-1]
        )


def make_fields(rules: RuleSet) -> tuple[Field, ...]:
    """A field for each feature that some rule or override tests, in the table's order."""
    tested: dict[int, list[Any]] = {}
    for each in (*rules, *rules.overrides):
        for literal in each.literals:
            tested.setdefault(literal.column.feature_index, []).append(literal.column)
    return tuple(_make_field(rules.encoding, index, tested[index]) for index in sorted(tested))


def _make_field(encoding: Encoding, index: int, columns: list[Any]) -> Field:
    feature = encoding.features[index]
    names = (columns[0].feature, name_text(columns[0].feature))
    if isinstance(feature, NumericFeature):
        cuts = tuple(sorted({column.value for column in columns if column.kind == "le"}))
        return Field(index, *names, feature.kind, feature.nullable, cuts=cuts, special=feature.special)
    if isinstance(feature, BooleanFeature):
        return Field(index, *names, feature.kind, feature.nullable, (0, 1), ("False", "True"), 2)
    assert isinstance(feature, (NominalFeature, RankedFeature))
    tested = {category_index(feature, column) for column in columns}
    codes = _offered(feature, {code for code in tested if code is not None})
    texts = [_category_text(feature, code) for code in codes]
    if (
        len(codes) < len(feature.categories)
        and isinstance(feature, NominalFeature)
        and codes[-1] not in tested
    ):
        texts[-1] = "another category seen in training"
    complete = isinstance(feature, RankedFeature) or feature.complete
    n_categories = len(feature.categories)
    return Field(
        index,
        *names,
        feature.kind,
        feature.nullable,
        codes,
        tuple(texts),
        n_categories,
        complete=complete,
    )


def _category_text(feature: NominalFeature | RankedFeature, code: int) -> str:
    """A category, with its group if it is in one."""
    text = category_text(feature.categories[code])
    if not isinstance(feature, NominalFeature) or code >= feature.n_grouped:
        return text
    return f"{text} ({category_text(feature.label_of(code))})"


def _offered(feature: NominalFeature | RankedFeature, tested: set[int]) -> tuple[int, ...]:
    """All categories or, of very many, those tested and, last, one that stands for all the others."""
    n_categories = len(feature.categories)
    if n_categories <= MOST_CATEGORIES:
        return tuple(range(n_categories))
    if isinstance(feature, RankedFeature):
        return tuple(sorted(tested | {n_categories - 1}))
    other = [code for code in range(n_categories) if _last_alike(feature, code) not in tested]
    return (*sorted(tested), *other[:1])


def _last_alike(feature: NominalFeature, code: int) -> int:
    """The last category of the same group, or the category itself."""
    return feature.members(feature.label_of(code))[-1] if feature.groups and code >= 0 else code


class FormRows:
    """A user's table as values of the form's fields.

    Parameters
    ----------
    encoding : how the model reads a table
    fields : the form's fields
    X : the table
    """

    def __init__(self, encoding: Encoding, fields: Sequence[Field], X: Any) -> None:
        self._features = encoding.features
        self._fields = fields
        table = in_memory(encoding.read(X))
        if isinstance(table, SparseTable):
            columns = sparse.csc_array(table.matrix)
            arrays = {field.index: columns[:, [field.index]].toarray().ravel() for field in fields}
            self._read = [values_from_array(field.name, arrays[field.index]) for field in fields]
        else:
            self._read = [table.feature(field.index, field.name) for field in fields]

    def row(self, place: int) -> list[Value]:
        """One row as it is."""
        row: list[Value] = []
        for field, values in zip(self._fields, self._read, strict=True):
            own = values.take(np.arange(len(values.missing)) == place)
            row.append(None if own.missing[0] else self._held(field, own)[0].item())
        return row

    def typical(self) -> list[Value]:
        """The middle number or the most frequent category of each feature, missing values left aside."""
        typical: list[Value] = []
        for field, values in zip(self._fields, self._read, strict=True):
            held = self._held(field, values.take(~values.missing))
            if field.kind != "numeric":
                kinds, counts = np.unique(held[held >= 0], return_counts=True)
                held = kinds[counts.argmax() :][:1] if len(kinds) else kinds
            typical.append(np.sort(held)[(len(held) - 1) // 2].item() if len(held) else None)
        return typical

    def _held(self, field: Field, values: FeatureValues) -> NDArray[Any]:
        """Values without missing ones as the field holds them."""
        feature = self._features[field.index]
        if not len(values.values):
            return np.empty(0)
        if not isinstance(feature, (NominalFeature, RankedFeature)):
            return values.numbers()
        codes, place = np.unique(find_codes(values, feature.categories), return_inverse=True)
        known = set(field.codes)
        if isinstance(feature, NominalFeature):
            codes = np.array([c if c in known else _last_alike(feature, c) for c in codes.tolist()])
        return np.array([field.stand_in(code) for code in codes.tolist()])[place]
