"""A data set, and its conversion to a Bunch or a pair (X, y) as in the loaders of scikit-learn.

A feature is a number, a boolean or a category. pandas is imported only for data frames. Not here: the data
sets (embedded.py, bankruptcy.py).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from clausal.frames import not_installed
from clausal.parameters import Constraint, OneOf, check_value

MISSING = "?"


@dataclass(frozen=True)
class Feature:
    """One feature of a data set; `categories` maps cells of the file to category names, in order."""

    name: str
    kind: Literal["number", "integer", "boolean", "category"]
    categories: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = False

    @property
    def has_text_cells(self) -> bool:
        """Whether the file has category names instead of numeric codes."""
        return any(cell == name for cell, name in self.categories.items())


def number(name: str) -> Feature:
    """A feature with real values."""
    return Feature(name, "number")


def integer(name: str) -> Feature:
    """A feature with integer values, which the file may write as 1.0."""
    return Feature(name, "integer")


def boolean(name: str) -> Feature:
    """A feature with the codes 0 (no) and 1 (yes)."""
    return Feature(name, "boolean")


def coded(name: str, categories: Mapping[str, str]) -> Feature:
    """A nominal feature with codes; the mapping has the name of each code."""
    return Feature(name, "category", dict(categories))


def named(name: str, categories: Iterable[str], *, ordered: bool = False) -> Feature:
    """A categorical feature with names as cells."""
    return Feature(name, "category", {category: category for category in categories}, ordered)


def make_frame(features: Sequence[Feature], rows: Sequence[Sequence[str]], target: NDArray[np.int64]) -> Any:
    """A DataFrame with a column per feature and a last column 'target'; missing cells are missing values."""
    pandas = _import_pandas()
    columns = {
        feature.name: _column(pandas, feature, [row[index] for row in rows])
        for index, feature in enumerate(features)
    }
    return pandas.DataFrame({**columns, "target": target})


def _import_pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise not_installed("as_frame=True", "pandas", "pandas") from error
    return pandas


def _column(pandas: Any, feature: Feature, cells: list[str]) -> Any:
    """The cells of one feature, shape (n_samples,)."""
    if feature.kind == "category":
        code_of = {cell: code for code, cell in enumerate(feature.categories)}
        codes = [-1 if cell == MISSING else code_of[cell] for cell in cells]
        names = list(feature.categories.values())
        return pandas.Categorical.from_codes(codes, categories=names, ordered=feature.ordered)
    numbers = np.array([float(cell) for cell in cells])
    if feature.kind == "number":
        return numbers
    return numbers.astype(np.bool_ if feature.kind == "boolean" else np.int64)


FLAG: tuple[Constraint, ...] = (OneOf(True, False),)


def check_arguments(function: str, **arguments: tuple[object, tuple[Constraint, ...]]) -> None:
    """Check each `name=(value, constraints)`; see `clausal.parameters.check_value`."""
    for name, (value, constraints) in arguments.items():
        check_value(function, name, value, constraints)


def read_embedded(file_name: str) -> list[dict[str, str]]:
    """The rows of `data/<file_name>`, each a dict from column name to cell."""
    text = (files("clausal.datasets") / "data" / file_name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@dataclass(frozen=True)
class DataSet:
    """The cells as text, the features, the two classes and a description."""

    features: tuple[Feature, ...]
    rows: Sequence[Sequence[str]]  # (n_samples, n_features)
    target: Sequence[bool]  # (n_samples,)
    target_names: tuple[str, str]
    description: str

    def array(self) -> NDArray[Any]:
        """The rows as float64, or as an object array of str and None if a feature has text cells."""
        if any(feature.has_text_cells for feature in self.features):
            cells = [[None if cell == MISSING else cell for cell in row] for row in self.rows]
            return np.array(cells, dtype=object)
        return np.array([[float(cell) for cell in row] for row in self.rows], dtype=np.float64)


def make_result(data_set: DataSet, *, return_X_y: bool, as_frame: bool) -> Any:
    """A Bunch, or (X, y) if `return_X_y`; with pandas objects if `as_frame`."""
    data: Any = None
    frame: Any = None
    target: Any = np.array(data_set.target, dtype=np.int64)  # (n_samples,)
    names = [feature.name for feature in data_set.features]
    if as_frame:
        frame = make_frame(data_set.features, data_set.rows, target)
        data, target = frame[names], frame["target"]
    else:
        data = data_set.array()
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=names,
        target_names=np.array(data_set.target_names),
        category_names={f.name: tuple(f.categories.values()) for f in data_set.features if f.categories},
        DESCR=data_set.description,
    )
