"""The scikit-learn transformer from the user's table to boolean columns; it learns an Encoding.

Not here: what an encoding does (encoding.py) and how it is learned (fitting.py).
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

from clausal.encoding.column_choice import PARAMETERS, split_params
from clausal.encoding.columns import Column, unique_names
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import NEITHER, Feature
from clausal.encoding.fitting import learn_encoding
from clausal.encoding.remarks import warn_of_table, warn_of_unseen
from clausal.encoding.sparse_table import SparseTable
from clausal.encoding.stream import open_training_table
from clausal.parameters import check_parameters

_MAX_SHOWN_NAMES = 10


class Booleanizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Turn numbers, categories, ordered categories and booleans into boolean columns with a known meaning.

    Parameters
    ----------
    mode : {"auto", "paper", "boolean"}, default="auto"
        `auto`: a number gets at most `max_columns` columns `x <= t`. The cut points t are short numbers in
        the gaps between training values: in all gaps, or in those at weighted quantiles. A category gets
        one column per value, an ordered category at most `max_columns` columns `x <= c`, a boolean one
        column. A feature with a single value gets no column.
        `paper`: every training value t becomes a column `x <= t`; the last one is constant. Categories are
        coded first, in sorted order or in their own order if they have one. Booleans are the numbers 0 and 1.
        `boolean`: every feature already consists of booleans or 0 and 1 and becomes one column, even if it
        is constant.
    max_columns : int or "auto", default=16
        Maximum number of columns of a feature in mode `auto`, not counting the column for missing values.
        Only the `max_columns` most frequent categories get a column; the others match no column. "auto" is
        what a classifier takes without a Booleanizer, and 16 in `fit`.
    categorical_features : "from_dtype", None or array-like of str, int or bool, default="from_dtype"
        Which features are categorical. "from_dtype": those with a text or categorical type; in mode `auto`,
        text that differs from row to row, like an ID or free text, is left out with a warning. None: no
        feature. A list of names, of positions, or a boolean mask: these features, whatever their type
        (booleans stay booleans, ordered categories stay ordered). Text in any other feature is an error.
    handle_unknown : {"no_rule", "error", "no_match", "missing"}, default="no_rule"
        What to do with a category that was not seen in training. `no_rule`: it satisfies no condition on the
        feature, not even a negated one such as `x is not a`, so that no rule that tests the feature holds;
        there is one warning per call. `no_match`: all columns of the feature are 0, so that negated
        conditions hold. `missing`: it is treated as missing. `error`: it is refused. A category that was
        declared by the data type in `fit` is never unknown: it matches no column or, if ordered, is compared
        by its position.
    handle_missing : {"no_rule", "error", "as_false"}, default="no_rule"
        What to do with a missing value in a feature that had none in training. `no_rule` and `error`: as
        above. `as_false`: all columns of the feature are 0, so that negated conditions, such as `x > 5`,
        hold. In mode `boolean`, `no_rule` acts as `error`.
    cut_points : dict or None, default=None
        Cut points of numbers, sorted, by name or position of the feature, such as `{"age": [25, 40, 60]}`.
        They replace the learned ones: the feature has exactly these columns `x <= t`, whether or not a cut
        point divides the training rows. Only in mode `auto`, as the next two.
    special_values : dict or None, default=None
        Numbers that are categories of their own, such as `{"income": [-1, 999999]}`, each with a column
        `income is -1`. Like a missing value, a special value is on no side of a cut point: `income <= 50`
        does not hold for it; the negation does, and says so: `income > 50 or in {-1, 999999}`. It is known,
        even if it does not occur in training.
    groups : dict or None, default=None
        Named groups of categories, such as `{"state": {"north": ["NY", "MA"], "south": ["TX"]}}`. The feature
        becomes categorical, without an order; a group has a column `state is north`, and its members have
        none. All members are known. A category in no group stays a category of its own if it occurs in
        training, and else is unknown; of numbers, this is warned of, unless `categorical_features` or the
        type says that they are categories. Groups count towards `max_columns`, but always have a column.

    Attributes
    ----------
    encoding_ : Encoding
        How a table becomes boolean columns; immutable.
    columns_ : tuple of Column
        The meaning of each boolean column.
    features_ : tuple of Feature
        The fitted state of each input feature.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the features; only when all names in `fit` were strings, as in scikit-learn. Without names,
        also if they were numbers, the features are x0, x1, ... by position.

    Notes
    -----
    Dates, durations and times are left out with a TableWarning, as are features without any value and, in
    mode `auto`, features with a single value; docs/decisions/0015 says why.

    NaN, None, NA and null are missing values. A missing value sets all columns of its feature to 0. If the
    feature had missing values in training, it also sets an extra column `x is missing` to 1. A feature
    without any value in training gets no column. Numbers are compared as float64; integers with an absolute
    value of 2**53 or more are refused. Python booleans among numbers count as 1 and 0, with a TableWarning.

    A feature with two categories gets only the column `x is <second>` if it has no missing values in
    training and `handle_unknown` is "no_rule" or "error".

    `transform` has 0 and 1 only: with `no_rule`, all columns of the feature are 0 for a value that was not
    seen in training. The classifiers of this package know such values; another model after `transform` may
    take the 0 for the negation.

    A sparse matrix, or a pandas frame of sparse whole numbers, holds 0 and 1 or counts, such as those of the
    words of a text. Every feature becomes one column in every mode, true where the count is above 0.

    An integer `sample_weight` has the same effect as repeating rows, and weight 0 the same effect as
    leaving them out: a category that occurs only with weight 0 is unknown to `transform`.

    Examples
    --------
    >>> import numpy as np
    >>> from clausal import Booleanizer
    >>> booleanizer = Booleanizer().fit(np.array([[54, 0.5], [55, 0.25], [61, 0.5]]))
    >>> [str(column) for column in booleanizer.columns_]
    ['x0 <= 54', 'x0 <= 55', 'x1 <= 0.4']
    """

    def __init__(
        self,
        mode: str = "auto",
        *,
        max_columns: int | str = 16,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "no_rule",
        handle_missing: str = "no_rule",
        cut_points: Any = None,
        special_values: Any = None,
        groups: Any = None,
    ) -> None:
        self.mode = mode
        self.max_columns = max_columns
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.handle_missing = handle_missing
        self.cut_points = cut_points
        self.special_values = special_values
        self.groups = groups

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the boolean columns.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            A pandas, polars or pyarrow table, a NumPy array, a list of rows, or a sparse matrix of counts.
        y : ignored
            Present by scikit-learn convention.
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weights of the rows; at least one must be above zero.

        Returns
        -------
        Booleanizer
            The fitted transformer.
        """
        check_parameters(self, PARAMETERS)
        policy, choice = split_params(vars(self))
        X, _, sample_weight = open_training_table(X, y, sample_weight, needs_labels=False)
        learned = learn_encoding(X, choice, policy, sample_weight, type(self).__name__)
        self._set_encoding(learned.encoding)
        warn_of_table(learned.remarks)
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
            One column per entry of `columns_`; sparse if `X` is.
        """
        check_is_fitted(self, "encoding_")
        check_parameters(self, PARAMETERS)
        policy, _ = split_params(vars(self))
        encoding = self.encoding_
        table = encoding.read(X, type(self).__name__)
        if encoding.choice.mode == "boolean" or isinstance(table, SparseTable):
            return encoding.table_bits(table, policy.strict)
        bits = encoding.table_bits(table, policy)
        neither = bits == NEITHER
        if neither.any():
            warn_of_unseen(replace(encoding, policy=policy).unseen(table))
            bits[neither] = 0
        return bits

    @property
    def columns_(self) -> tuple[Column, ...]:
        """The meaning of each boolean column."""
        check_is_fitted(self, "encoding_")
        return self.encoding_.columns

    @property
    def features_(self) -> tuple[Feature, ...]:
        """The fitted state of each input feature."""
        check_is_fitted(self, "encoding_")
        return self.encoding_.features

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the boolean columns: their text, such as `age <= 54`, made unique.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the features. They must equal `feature_names_in_`, if that exists.

        Returns
        -------
        ndarray of str objects, shape (n_columns,)
            One name per entry of `columns_`.
        """
        columns: Sequence[Column] = self.columns_
        if input_features is not None:
            names = check_input_features(self.encoding_, input_features)
            columns = [replace(column, feature=names[column.feature_index]) for column in columns]
        return np.array(unique_names(columns), dtype=object)

    def _set_encoding(self, encoding: Encoding) -> None:
        self.encoding_ = encoding
        self.n_features_in_ = encoding.n_features
        self.__dict__.pop("feature_names_in_", None)  # of a previous fit
        if encoding.names is not None:
            self.feature_names_in_ = np.array(encoding.names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "encoding_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.mode != "boolean"
        tags.input_tags.string = self.mode != "boolean"
        # `sparse` stays False: for scikit-learn it means any sparse numbers, but ours must be counts.
        tags.transformer_tags.preserves_dtype = []
        return tags


def check_input_features(encoding: Encoding, input_features: Any) -> list[str]:
    """The names passed to `get_feature_names_out`, which must equal those seen in `fit`, if any."""
    names = [str(name) for name in input_features]
    if len(names) != encoding.n_features:
        raise ValueError(
            f"input_features should have length equal to the number of features ({encoding.n_features}). "
            f"Got {len(names)}."
        )
    if encoding.names not in (None, tuple(names)):
        raise ValueError(
            "input_features is not equal to feature_names_in_, which it must be if fit saw names. "
            f"Got {names[:_MAX_SHOWN_NAMES]}."
        )
    return names
