"""The transformer from a user's table to boolean columns of known meaning.

Here: parameters, the order of work in `fit` and `transform`, names, and the fitted state as a dictionary.
Not here: reading tables (table.py), choosing columns (fitting.py), computing them (features.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.batches import Batches, table_batches
from clausal.encoding.columns import Column, unique_names
from clausal.encoding.feature_selection import categorical_mask, plain_selection
from clausal.encoding.features import (
    BooleanFeature,
    Feature,
    RankedFeature,
    encode_feature,
    feature_from_dict,
)
from clausal.encoding.fitting import FitRules, finish_features, fit_feature
from clausal.encoding.stored_features import read_params
from clausal.encoding.table import SparseTable, Table, read_table, read_weights
from clausal.encoding.values import TransformRules
from clausal.parameters import Instance, OneOf, Rule, Whole, check_parameters
from clausal.untrusted import read_list, read_record, read_texts

_PARAMETERS: dict[str, tuple[Rule, ...]] = {
    "mode": (OneOf("auto", "paper", "boolean"),),
    "max_columns": (Whole(1, 65_535),),
    "categorical_features": (
        OneOf("from_dtype", None),
        Instance((list, tuple, np.ndarray), "a list of names, of positions or of booleans"),
    ),
    "handle_unknown": (OneOf("error", "no_match", "missing"),),
    "handle_missing": (OneOf("error", "as_false"),),
}
_MOST_LISTED_CATEGORIES = 10_000_000  # in the meanings of all `upto` columns together
_SHOWN_NAMES = 10


class Booleanizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Turn numbers, categories, ordered categories and booleans into boolean columns with a meaning.

    Parameters
    ----------
    mode : {"auto", "paper", "boolean"}, default="auto"
        `auto`: a number gets at most `max_columns` cut points `x <= t` (all gaps between training values,
        or those at weighted quantiles), t being a short number within the gap; a category one column per
        value; an ordered category at most `max_columns` columns `x <= c`; a boolean one column. A feature
        with a single value gets no column.
        `paper`: every training value t becomes a column `x <= t`, the last of which is constant;
        categories are coded in sorted order first, ordered ones in their own; booleans are numbers 0 and 1.
        `boolean`: every feature holds booleans or 0 and 1 already and becomes one column, constant or not.
    max_columns : int, default=16
        Most columns of one feature in mode `auto`, the one for missing values not counted. Categories
        beyond the most frequent `max_columns` get no column of their own: they match none.
    categorical_features : "from_dtype", None or array-like of str, int or bool, default="from_dtype"
        Which features are categories. "from_dtype": text and categorical types. None: no feature is. A
        list of names, of positions, or a boolean mask: those features, whatever their type (booleans stay
        booleans, ordered categories stay ordered); text in any other feature is then an error.
    handle_unknown : {"error", "no_match", "missing"}, default="error"
        What `transform` does with a category not seen in training. `no_match`: the feature's columns are
        all 0. `missing`: it counts as missing. A category that the table's own type declared at fit is never
        unknown: it matches no column or, in an ordered type, is compared by its place.
    handle_missing : {"error", "as_false"}, default="error"
        What `transform` does with a missing value in a feature that had none in training. `as_false`: the
        feature's columns are all 0, so that a negated one, printed `x > 5`, holds.

    Attributes
    ----------
    columns_ : tuple of Column
        The meaning of each boolean column.
    features_ : tuple of Feature
        The fitted state of each input feature.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the features; only when all names in `fit` were strings.

    Notes
    -----
    Missing are NaN, None, NA and null. A missing value sets all columns of its feature to 0 and, when
    training data had missing values there, an extra column `x is missing` to 1. A feature without any value
    in training makes no column. Numbers are compared as float64; integers of 2**53 and more in size are
    refused.

    Two categories need one column, `x is <second>`, when nothing is lost by it: no missing values in
    training and `handle_unknown="error"`.

    Sparse input must hold 0 and 1 only and passes through in either mode, constant columns included.

    An integer `sample_weight` gives exactly what repeating rows would, weight 0 what leaving them out
    would: a category seen only at weight 0 is unknown to `transform`.

    Examples
    --------
    >>> import numpy as np
    >>> from clausal.encoding.booleanizer import Booleanizer
    >>> booleanizer = Booleanizer().fit(np.array([[54, 0.5], [55, 0.25], [61, 0.5]]))
    >>> [str(column) for column in booleanizer.columns_]
    ['x0 <= 54', 'x0 <= 55', 'x1 <= 0.4']
    """

    def __init__(
        self,
        mode: str = "auto",
        *,
        max_columns: int = 16,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "error",
        handle_missing: str = "error",
    ) -> None:
        self.mode = mode
        self.max_columns = max_columns
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.handle_missing = handle_missing

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the boolean columns.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            A pandas, polars or pyarrow table, a NumPy array, a list of rows, or a sparse matrix of 0 and 1.
        y : ignored
            Present for scikit-learn's conventions.
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weights of the rows, at least one above zero.

        Returns
        -------
        Booleanizer
            The fitted transformer.
        """
        check_parameters(self, _PARAMETERS)
        table = read_table(self, X, reset=True)
        weights = read_weights(sample_weight, table.n_rows)
        names = self._names_in()
        mask = categorical_mask(self.categorical_features, names, table.n_features)
        if isinstance(table, SparseTable) or self.mode == "boolean":
            features: list[Feature] = [BooleanFeature(shown=True, nullable=False)] * table.n_features
        else:
            features = self._fit_features(table, weights, mask)
        self._set_features(features)
        return self

    def transform(self, X: Any) -> Any:
        """Compute the boolean columns.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The same features as in `fit`, in the same order.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_columns), uint8
            One column per entry of `columns_`; sparse when `X` is.
        """
        return self._bits(X, self._rules())

    def batches(self, X: Any, training: bool = False) -> Batches:
        """A dense table as a compiled encoder takes it, in place of `transform` (`transform_training`)."""
        rules = self._training_rules() if training else self._rules()
        table = read_table(self, X, reset=False)
        assert not isinstance(table, SparseTable)
        return table_batches(table, self.features_, self._feature_names(), rules)

    def transform_training(self, X: Any) -> Any:
        """The boolean columns of the very table that `fit` saw.

        Like `transform`, but rows of weight 0, which `fit` left out, may hold categories or missing values
        that it did not see: their columns are 0.
        """
        return self._bits(X, self._training_rules())

    def _rules(self) -> TransformRules:
        check_is_fitted(self, "columns_")
        check_parameters(self, _PARAMETERS)
        return TransformRules(self.handle_unknown, self.handle_missing)

    def _training_rules(self) -> TransformRules:
        return self._rules() if self.mode == "boolean" else TransformRules("no_match", "as_false")

    def _bits(self, X: Any, rules: TransformRules) -> Any:
        table = read_table(self, X, reset=False)
        if isinstance(table, SparseTable):
            return self._transform_sparse(table)
        bits = np.zeros((table.n_rows, len(self.columns_)), dtype=np.uint8)
        start = 0
        for index, (feature, name) in enumerate(zip(self.features_, self._feature_names(), strict=True)):
            stop = start + feature.n_columns
            encode_feature(feature, table.feature(index, name), bits[:, start:stop], rules)
            start = stop
        return bits

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the boolean columns: their text, such as `age <= 54`, made unique.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names to use for the features; must equal those seen in `fit`, if it saw any.

        Returns
        -------
        ndarray of str objects, shape (n_columns,)
            One name per entry of `columns_`.
        """
        check_is_fitted(self, "columns_")
        columns: Sequence[Column] = self.columns_
        if input_features is not None:
            names = self._checked_input_features(input_features)
            columns = [replace(column, feature=names[column.feature_index]) for column in columns]
        return np.array(unique_names(columns), dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """The parameters and fitted state in plain values that JSON can hold."""
        check_is_fitted(self, "columns_")
        return {
            "params": self.params_to_dict(),
            "feature_names": self._names_in(),
            "features": [feature.to_dict() for feature in self.features_],
        }

    def params_to_dict(self) -> dict[str, Any]:
        """The parameters alone, in plain values that JSON can hold."""
        params: dict[str, Any] = self.get_params(deep=False)
        params["max_columns"] = int(params["max_columns"])
        params["categorical_features"] = plain_selection(params["categorical_features"])
        return params

    @classmethod
    def from_params_dict(cls, data: object) -> Self:
        """The unfitted transformer that `params_to_dict` described; raises ValueError for anything else."""
        booleanizer = cls(**read_params(data, "booleanizer.params", _PARAMETERS))
        check_parameters(booleanizer, _PARAMETERS)
        return booleanizer

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The fitted transformer that `to_dict` described; raises ValueError for anything else."""
        record = read_record(data, "booleanizer", ("params", "feature_names", "features"))
        booleanizer = cls.from_params_dict(record["params"])
        described = read_list(record["features"], "booleanizer.features")
        features = [
            feature_from_dict(item, f"booleanizer.features[{index}]") for index, item in enumerate(described)
        ]
        if not features:
            raise ValueError("booleanizer.features must list at least one feature. Got 0.")
        booleanizer.n_features_in_ = len(features)
        if record["feature_names"] is not None:
            names = read_texts(record["feature_names"], "booleanizer.feature_names")
            if len(names) != len(features):
                raise ValueError(
                    f"booleanizer.feature_names must have one name per feature ({len(features)}). "
                    f"Got {len(names)}."
                )
            booleanizer.feature_names_in_ = np.array(names, dtype=object)
        categorical_mask(booleanizer.categorical_features, booleanizer._names_in(), len(features))
        booleanizer._set_features(features)
        return booleanizer

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.mode != "boolean"
        tags.input_tags.string = self.mode != "boolean"
        # scikit-learn takes `sparse` to mean any sparse numbers; ours must be 0 and 1, so it stays False.
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _fit_features(
        self, table: Table, weights: NDArray[np.float64] | None, mask: NDArray[np.bool_] | None
    ) -> list[Feature]:
        """Learn one feature at a time; `mask` says which are categorical, None leaves it to their types."""
        rules = FitRules(self.mode == "paper", int(self.max_columns), self.handle_unknown == "error")
        rows = None if weights is None else weights > 0
        positive = None if weights is None else weights[rows]
        features, stray = [], []
        for index, name in enumerate(self._feature_names()):
            values = table.feature(index, name)
            if rows is not None:
                values = values.take(rows)
            by_type = values.categorical or values.kind == "text"
            categorical = by_type if mask is None else bool(mask[index])
            if values.kind == "text" and not categorical and not values.missing.all():
                stray.append(name)
            else:
                features.append(fit_feature(values, positive, categorical, rules))
        if stray:
            more = f" and {len(stray) - _SHOWN_NAMES} more" if len(stray) > _SHOWN_NAMES else ""
            raise ValueError(
                "The 'categorical_features' parameter of Booleanizer must include every feature that holds "
                f"text. Got text also in {', '.join(map(repr, stray[:_SHOWN_NAMES]))}{more}."
            )
        return finish_features(features)

    def _set_features(self, features: Sequence[Feature]) -> None:
        """Store the fitted features and the meaning of their columns."""
        listed = sum(
            len(feature.cuts) * len(feature.categories)
            for feature in features
            if isinstance(feature, RankedFeature)
        )
        if listed > _MOST_LISTED_CATEGORIES:
            raise ValueError(
                "The columns of coded or ordered categories must together list at most "
                f"{_MOST_LISTED_CATEGORIES} categories. Got {listed}; use mode='auto' or fewer categories."
            )
        self.features_ = tuple(features)
        described = zip(features, self._feature_names(), strict=True)
        self.columns_ = tuple(
            column
            for index, (feature, name) in enumerate(described)
            for column in feature.columns(name, index)
        )

    def _transform_sparse(self, table: SparseTable) -> Any:
        for feature, name in zip(self.features_, self._feature_names(), strict=True):
            if not isinstance(feature, BooleanFeature):
                raise ValueError(
                    "Sparse input must have boolean features only, as in training. "
                    f"Got {name!r}, which was {feature.kind} in training."
                )
        true = [(i, column.feature_index) for i, column in enumerate(self.columns_) if column.kind == "true"]
        columns, features = np.array(true, dtype=np.intp).reshape(-1, 2).T
        return table.select(features, columns, len(self.columns_))

    def _names_in(self) -> list[str] | None:
        """The feature names seen in `fit`, or None."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _feature_names(self) -> list[str]:
        """The feature names seen in `fit`, or x0, x1, ..."""
        return self._names_in() or [f"x{index}" for index in range(self.n_features_in_)]

    def _checked_input_features(self, input_features: Any) -> list[str]:
        names = [str(name) for name in input_features]
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to the number of features ({self.n_features_in_}). "
                f"Got {len(names)}."
            )
        if self._names_in() not in (None, names):
            raise ValueError(
                "input_features is not equal to feature_names_in_, which it must be when fit saw names. "
                f"Got {names[:_SHOWN_NAMES]}."
            )
        return names
