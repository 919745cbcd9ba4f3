"""How a table becomes boolean columns: the features, their names and the policy, in an immutable object.

An Encoding reads a table, describes its columns and converts itself to plain values. Models, rules and
explanations can share one, because it never changes. Not here: learning an encoding (fitting.py), the
scikit-learn transformer (booleanizer.py), how the values of a single feature become bits (features.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.batches import Batches, DenseRows, KnownNumbers, SparseRows, boolean_rows, table_batches
from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.column_choice import (
    AUTO,
    OWNER,
    PARAMETERS,
    ColumnChoice,
    plain_params,
    read_encoding_params,
    split_params,
)
from clausal.encoding.columns import Column, categorical_mask
from clausal.encoding.features import (
    NEITHER,
    BooleanFeature,
    EmptyFeature,
    Feature,
    NumericFeature,
    encode_feature,
)
from clausal.encoding.knowledge import knowledge_of_features
from clausal.encoding.records import RecordTable
from clausal.encoding.remarks import Unseen, unseen_in_parts, warn_of_unseen
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.stream import StreamedTable
from clausal.encoding.table import AnyTable, Header, Table, batch_tables, read_named, read_table
from clausal.encoding.values import LENIENT, NO_RULE, Policy
from clausal.parameters import check_value
from clausal.untrusted import read_list, read_record, read_texts

Features = Collection[int]
"""Indices of features."""

_MAX_LISTED_CATEGORIES = 10_000_000  # in all `upto` columns together
_PASSED_THROUGH = BooleanFeature(shown=True, nullable=False)


@dataclass(frozen=True)
class Encoding:
    """How a table becomes boolean columns.

    Attributes
    ----------
    features : tuple of Feature
        The features of the table, with the columns made from each.
    names : tuple of str or None
        The names of the features; None if the training table had none.
    policy : Policy
        How to treat values that were not seen in training.
    choice : ColumnChoice
        How the columns were chosen.
    """

    features: tuple[Feature, ...]
    names: tuple[str, ...] | None = None
    policy: Policy = NO_RULE
    choice: ColumnChoice = AUTO

    def __post_init__(self) -> None:
        ranked = [feature for feature in self.features if isinstance(feature, RankedFeature)]
        listed = sum(len(feature.cuts) * len(feature.categories) for feature in ranked)
        if listed > _MAX_LISTED_CATEGORIES:
            raise ValueError(
                "The columns of coded or ordered categories must together list at most "
                f"{_MAX_LISTED_CATEGORIES} categories. Got {listed}; use mode='auto' or fewer categories."
            )

    def __getstate__(self) -> dict[str, Any]:
        """Only the fields; cached properties are computed again when needed."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    # --- the meaning of the columns ---

    @property
    def n_features(self) -> int:
        """Number of features of the table."""
        return len(self.features)

    @cached_property
    def n_columns(self) -> int:
        """Number of boolean columns."""
        return sum(feature.n_columns for feature in self.features)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, or x0, x1, ... if the table had none."""
        return self.names or tuple(f"x{index}" for index in range(self.n_features))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The meaning of each boolean column."""
        features = enumerate(zip(self.features, self.feature_names, strict=True))
        return tuple(column for index, (feature, name) in features for column in feature.columns(name, index))

    @cached_property
    def is_boolean(self) -> bool:
        """Whether every feature is boolean and becomes exactly one column."""
        return all(feature == _PASSED_THROUGH for feature in self.features)

    def with_policy(self, **changes: str) -> Encoding:
        """The same columns with another policy; `changes` are fields of Policy."""
        for name, value in changes.items():
            if name not in asdict(self.policy):
                raise TypeError(f"A policy has handle_unknown and handle_missing. Got {name!r}.")
            check_value(OWNER, name, value, PARAMETERS[name])
        reduced = [f for f in self.features if isinstance(f, NominalFeature) and not f.complete]
        if reduced and changes.get("handle_unknown") == "missing":
            raise ValueError(
                "handle_unknown='missing' must be chosen before the fit: the model keeps only the categories "
                f"that its rules test. Got a model with {len(reduced)} such feature(s)."
            )
        return replace(self, policy=replace(self.policy, **changes))

    def with_cuts_of(self, other: Encoding) -> Encoding:
        """The same features, whose numbers also have the cut points of another encoding of the table."""
        features = [
            replace(own, cuts=tuple(sorted({*own.cuts, *more.cuts})))
            if isinstance(own, NumericFeature) and isinstance(more, NumericFeature)
            else own
            for own, more in zip(self.features, other.features, strict=True)
        ]
        return replace(self, features=tuple(features))

    def reduced(self, tested: Features, with_all_categories: Features) -> Encoding:
        """The same encoding without what rules do not need to read a row.

        Parameters
        ----------
        tested : indices of the features that rules test; the others are no longer read
        with_all_categories : indices of the features that keep all categories
        """
        if self.is_boolean:
            return self
        features: list[Feature] = []
        for index, feature in enumerate(self.features):
            if index not in tested:
                feature = EmptyFeature()
            elif isinstance(feature, NominalFeature) and index not in with_all_categories:
                feature = feature.reduced()
            features.append(feature)
        return replace(self, features=tuple(features))

    # --- reading a table ---

    @property
    def training_policy(self) -> Policy:
        """The policy for the training table itself.

        Its rows of weight 0, which were ignored in training, may contain values that the other rows do not.
        """
        return self.policy if self.choice.mode == "boolean" else LENIENT

    def read(self, X: Any, owner: str = OWNER) -> AnyTable:
        """Read a table with the shape and names of the training table; `owner` is for messages."""
        return read_table(X, self._header, owner)[0]

    def read_by_name(self, X: Any, used: Features) -> AnyTable:
        """Like `read`, but a data frame may have any columns, in any order, if it has the features `used`."""
        if isinstance(X, (RecordTable, SparseTable)):
            return X
        named = None if self.names is None else read_named(X, self.names, used)
        return self.read(X) if named is None else named

    def bits(self, X: Any, owner: str = OWNER, used: Features | None = None) -> Any:
        """The boolean columns of a table, with one warning about values that were not seen in training.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The same features as in training, in the same order.
        owner : str
            Name of the calling estimator, for messages.
        used : collection of int, default=None
            Indices of the features to read; the columns of others are 0. None for all features.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_columns), uint8
            One column per entry of `columns`; sparse if `X` is. 1 if the column holds, 0 if its negation
            does, and 2 (NEITHER) if neither does, since the value was not seen in training.
        """
        return self.bits_with_warning(self.read(X, owner), used)

    def bits_with_warning(self, table: AnyTable, used: Features | None = None) -> Any:
        """Like `bits`, for a table that has been read."""
        bits = self.table_bits(table, self.policy, used)
        if not isinstance(table, (SparseTable, RecordTable)) and (bits == NEITHER).any():
            warn_of_unseen(self.unseen(table, used))
        return bits

    def plain_bits(self, X: Any, policy: Policy) -> NDArray[np.uint8]:
        """Like `bits`, with any policy, without a warning and always dense."""
        bits = self.table_bits(self.read(X), policy)
        result: NDArray[np.uint8] = bits.toarray() if hasattr(bits, "toarray") else bits
        return result

    def table_bits(self, table: AnyTable, policy: Policy, used: Features | None = None) -> Any:
        """Like `bits`, for a table that has been read, with any policy and without a warning."""
        if isinstance(table, SparseTable):
            return self._sparse_bits(table)
        if isinstance(table, StreamedTable):
            none = np.empty((0, self.n_columns), np.uint8)
            parts = (self.table_bits(batch, policy, used) for batch in batch_tables(table, "encoding"))
            return np.concatenate([none, *parts])
        bits = np.zeros((table.n_rows, self.n_columns), dtype=np.uint8)
        for index, first in self._read_features(used):
            feature = self.features[index]
            own = bits[:, first : first + feature.n_columns]
            encode_feature(feature, table.feature(index, self.feature_names[index]), own, policy)
        return bits

    def unseen(self, table: Table | StreamedTable, used: Features | None = None) -> tuple[Unseen, ...]:
        """The values that satisfy no condition; raises ValueError for those that the policy refuses."""
        if isinstance(table, StreamedTable):
            batches = batch_tables(table, "encoding")
            return unseen_in_parts((batch.n_rows, self.unseen(batch, used)) for batch in batches)
        found = []
        for index, _ in self._read_features(used):
            values = table.feature(index, self.feature_names[index])
            unseen = np.isinf(self.features[index].numbers(values, self.policy))
            if unseen.any():
                found.append(Unseen.of(index, values, unseen))
        return tuple(found)

    def batches(
        self,
        table: Table,
        policy: Policy,
        numbers: KnownNumbers = (),
        used: Features | None = None,
    ) -> Batches:
        """A dense table in the form that the compiled encoder reads; known `numbers` are not read again."""
        read = {index for index, _ in self._read_features(used)}
        return table_batches(table, self.features, self.feature_names, policy, read, numbers)

    def column_slice(self, feature: int) -> slice:
        """The columns of a feature."""
        first = self._first_columns[feature]
        return slice(first, first + self.features[feature].n_columns)

    def features_of(self, columns: NDArray[np.bool_]) -> frozenset[int]:
        """The indices of the features that these columns belong to; `columns` is bool [columns]."""
        return frozenset(self._feature_indices[columns].tolist())

    @cached_property
    def _feature_indices(self) -> NDArray[np.intp]:
        """The index of the feature of each column."""
        return np.array([column.feature_index for column in self.columns], np.intp)

    def _read_features(self, used: Features | None) -> Iterator[tuple[int, int]]:
        """The features to read, and the first column of each; those without columns are not read."""
        for index, (feature, first) in enumerate(zip(self.features, self._first_columns, strict=True)):
            if feature.n_columns and (used is None or index in used):
                yield index, first

    @cached_property
    def _first_columns(self) -> tuple[int, ...]:
        return tuple(accumulate((feature.n_columns for feature in self.features[:-1]), initial=0))

    def boolean_rows(self, X: Any, owner: str = OWNER) -> DenseRows | SparseRows | None:
        """The rows of a table that already consists of the boolean columns; None if it must be encoded."""
        return boolean_rows(X, self._header, owner) if self.is_boolean else None

    @property
    def _header(self) -> Header:
        return Header(self.n_features, self.names)

    def _sparse_bits(self, table: SparseTable) -> Any:
        for feature, name in zip(self.features, self.feature_names, strict=True):
            if feature.n_columns and not isinstance(feature, BooleanFeature):
                raise ValueError(
                    "Sparse input must have boolean features only, as in training. "
                    f"Got {name!r}, which was {feature.kind} in training."
                )
        true = [(i, column.feature_index) for i, column in enumerate(self.columns) if column.kind == "true"]
        columns, features = np.array(true, dtype=np.intp).reshape(-1, 2).T
        return table.select(features, columns, self.n_columns)

    # --- model files ---

    def to_dict(self) -> dict[str, Any]:
        """The encoding as JSON-compatible values."""
        return {
            "params": plain_params(asdict(self.choice) | asdict(self.policy)),
            "feature_names": None if self.names is None else list(self.names),
            "features": [feature.to_dict() for feature in self.features],
        }

    @classmethod
    def from_dict(cls, data: object) -> Encoding:
        """The inverse of `to_dict`; raises ValueError for anything else."""
        record = read_record(data, "booleanizer", ("params", "feature_names", "features"))
        params = read_encoding_params(record["params"])
        items = read_list(record["features"], "booleanizer.features")
        features = tuple(
            _read_feature(item, f"booleanizer.features[{index}]") for index, item in enumerate(items)
        )
        if not features:
            raise ValueError("booleanizer.features must list at least one feature. Got 0.")
        names = None
        if record["feature_names"] is not None:
            names = read_texts(record["feature_names"], "booleanizer.feature_names")
            if len(names) != len(features):
                raise ValueError(
                    f"booleanizer.feature_names must have one name per feature ({len(features)}). "
                    f"Got {len(names)}."
                )
        categorical_mask(params["categorical_features"], names, len(features))
        policy, choice = split_params(params)
        knowledge_of_features(choice.knowledge, names, len(features))
        return cls(features, names, policy, choice)


FEATURE_KINDS: dict[str, type[Feature]] = {
    "numeric": NumericFeature,
    "nominal": NominalFeature,
    "ranked": RankedFeature,
    "boolean": BooleanFeature,
    "empty": EmptyFeature,
}


def _read_feature(data: object, where: str) -> Feature:
    """Read the dictionary of any kind of feature; raises ValueError, naming `where`, for anything else."""
    kind = data.get("kind") if isinstance(data, dict) else None
    kind = kind if isinstance(kind, str) else type(kind).__name__
    if kind not in FEATURE_KINDS:
        raise ValueError(
            f"{where} must be a dictionary whose 'kind' is one of {sorted(FEATURE_KINDS)}. Got {kind[:60]!r}."
        )
    return FEATURE_KINDS[kind].from_dict(data, where)
