"""Reading the user's table one feature at a time: pandas, polars, pyarrow, NumPy, lists, SciPy sparse.

Here: checks of shape and names (by scikit-learn's public functions) and the choice of a reader. Not here: the
types within a column (values.py), sparse matrices (sparse_table.py), what is read in batches (stream.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, Protocol, cast

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from clausal.encoding.records import ColumnTable
from clausal.encoding.sparse_table import (
    SparseTable,
    check_sparse,
    is_sparse_frame,
    matrix_of_frame,
    sparse_by_name,
    summable,
)
from clausal.encoding.stream import StreamedTable, is_stream, open_stream, refuse_stream
from clausal.encoding.texts import (
    arrow_order,
    category_texts,
    declared_categories,
    series_texts,
    with_text_intervals,
)
from clausal.encoding.values import (
    EXACT_INTEGERS,
    FeatureValues,
    categories_from_objects,
    check_integer_range,
    not_read,
    values_from_array,
    values_from_texts,
)

_SMALL_ROWS = 256
_SMALL_TABLE = 2**20  # values that may be copied to be read at once
_SIGNED = (nw.Int8, nw.Int16, nw.Int32, nw.Int64)
_UNSIGNED = (nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64)
_PLAIN_TYPES = {nw.Boolean, nw.Float32, nw.Float64, *_SIGNED, *_UNSIGNED}


class Header(NamedTuple):
    """The number of features of a table, and their names if it has any."""

    n_features: int
    names: tuple[str, ...] | None


class Table(Protocol):
    """A table of features."""

    n_rows: int
    n_features: int

    def feature(self, index: int, name: str) -> FeatureValues:
        """Read one feature; `name` is for messages."""

    def plain(self, index: int) -> NDArray[Any] | None:
        """The feature as an array of numbers or booleans, without a copy, shape (n,); None if impossible."""

    def numbers(self) -> NDArray[np.float64] | None:
        """All features in one array [features, n], if the table is small and each is plainly of numbers.

        That is: none missing, not infinite, not so large that integers might be rounded. None otherwise.
        """


AnyTable = Table | SparseTable | StreamedTable


def read_table(X: Any, header: Header | None, owner: str) -> tuple[AnyTable, Header]:
    """Check the shape and names of a table and wrap it for reading.

    Parameters
    ----------
    X : the user's table
    header : the required shape and names; None for any
    owner : name of the calling estimator, for messages

    Returns
    -------
    tuple of the table and its header
    """
    if _is_plain_array(X) and (header is None or header == Header(X.shape[1], None)):
        return ArrayTable(X), header or Header(X.shape[1], None)
    if isinstance(X, ColumnTable):
        X.check_names(None if header is None else header.names)
        return X, Header(X.n_features, X.names)
    shell = _shell(header, owner)
    if is_stream(X):
        return _read_stream(shell, open_stream(X), header)
    checked = _wrapped(shell, X, header is None)
    if header is not None:
        return checked, header
    names = getattr(shell, "feature_names_in_", None)
    return checked, Header(shell.n_features_in_, None if names is None else tuple(map(str, names)))


def _read_stream(shell: Any, table: StreamedTable, header: Header | None) -> tuple[StreamedTable, Header]:
    """The features of a table that is read in batches, by name; other columns are not read."""
    if header is None:
        _check_not_empty(shell, table.shape)
        return table, Header(table.n_features, table.names)
    if header.names is None:
        raise ValueError(
            f"X must be a table in memory, as {type(shell).__name__} was trained on features without names. "
            "Got a table that is read in batches."
        )
    return table.select(header.names), header


def in_memory(table: AnyTable) -> Table | SparseTable:
    """The table; TypeError if it is read in batches."""
    refuse_stream(table)
    return cast(Table | SparseTable, table)


def batch_tables(table: StreamedTable, what: str) -> Iterator[FrameTable]:
    """The batches of a table that is read in batches; `what` is said beside the progress bar."""
    for frame in table.frames(what):
        yield FrameTable(read_frame(frame))


def read_named(X: Any, names: Sequence[str], used: Collection[int]) -> FrameTable | SparseTable | None:
    """A data frame with columns of these names, of which only those `used` must be there; else None."""
    if is_sparse_frame(X):
        return sparse_by_name(X, names, used)
    if not nw.dependencies.is_into_dataframe(X):
        return None
    frame = read_frame(X)
    absent = [names[index] for index in sorted(used) if names[index] not in frame.columns]
    if absent:
        raise ValueError(f"X must have the columns that the rules test. Got no column {absent[0]!r:.60}.")
    return FrameTable(frame, names)


def _is_plain_array(X: Any) -> bool:
    """Whether scikit-learn's checks have nothing to say of an array: a matrix of numbers, not empty."""
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "biuf"


def check_header(X: Any, header: Header, owner: str, **options: Any) -> Any:
    """Check an array or sparse matrix against the header; `options` are those of `check_array`."""
    if _is_plain_array(X) and header == Header(X.shape[1], None):
        return X
    return validate_data(
        _shell(header, owner), X, reset=False, dtype=None, ensure_all_finite=False, **options
    )


def _wrapped(shell: Any, X: Any, reset: bool) -> Table | SparseTable:
    matrix = None if reset else _small_matrix(X)
    if matrix is not None:
        validate_data(shell, X, reset=False, skip_check_array=True)
        return ArrayTable(matrix)
    if is_sparse_frame(X):
        validate_data(shell, X, reset=reset, skip_check_array=True)
        _check_not_empty(shell, X.shape)
        return SparseTable(matrix_of_frame(X))
    if sparse.issparse(X):
        check_sparse(X)
        checked = validate_data(
            shell, summable(X), reset=reset, accept_sparse="csr", dtype=None, ensure_all_finite=False
        )
        if not isinstance(
            X, (sparse.csr_matrix, sparse.csr_array)
        ):  # the rows of a LIL matrix are lists, which SciPy does not check either
            check_sparse(checked)
        return SparseTable(checked)
    in_memory_frame = nw.dependencies.is_into_dataframe(X)
    if not in_memory_frame and isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        library = type(X).__module__.partition(".")[0]
        raise TypeError(
            "X must be a table in memory or one that is read in batches. Got a "
            f"{type(X).__name__} of {library}, for which there are cluster.fit and, of a fitted estimator, "
            "with_predictions."
        )
    if np.ma.isMaskedArray(X):
        raise TypeError("X must not be a masked array. Fill the masked entries with NaN first.")
    if in_memory_frame:
        frame = read_frame(X)
        validate_data(shell, X, reset=reset, skip_check_array=True)
        _check_not_empty(shell, frame.shape)
        return FrameTable(frame)
    # Lists become object arrays: otherwise NumPy would convert rows of text and numbers to text.
    dtype = None if hasattr(X, "dtype") or hasattr(X, "__array__") else object
    array = validate_data(shell, X, reset=reset, dtype=dtype, ensure_all_finite=False)
    return ArrayTable(array)


def _small_matrix(X: Any) -> NDArray[Any] | None:
    """A small pandas or polars frame of numbers as an array, None if it is no such frame.

    For a few rows, reading all columns at once takes a fraction of the time. Large frames are not copied.
    """
    is_polars = nw.dependencies.is_polars_dataframe(X)
    if not (is_polars or nw.dependencies.is_pandas_dataframe(X)) or not 0 < len(X) <= _SMALL_ROWS:
        return None
    types = set(X.dtypes)
    if is_polars:
        plain = all(str(dtype).startswith(("Float", "Int", "UInt")) for dtype in types)
    else:
        plain = all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in types)
    if not plain or not types:
        return None
    matrix: NDArray[Any] = X.to_numpy()  # floats if there are any, or nulls
    rounded = matrix.dtype.kind == "f" and bool((np.abs(matrix) >= EXACT_INTEGERS).any())
    return None if rounded else matrix


def _shell(header: Header | None, owner: str) -> Any:
    """An otherwise empty estimator with this name, for scikit-learn's checks of shape and names."""
    shell = _shell_class(owner)()
    if header is not None:
        shell.n_features_in_ = header.n_features
        if header.names is not None:
            shell.feature_names_in_ = np.array(header.names, dtype=object)
    return shell


@cache
def _shell_class(owner: str) -> type:
    return type(owner, (BaseEstimator,), {})


class ArrayTable:
    """A NumPy array of shape (n, d), possibly of objects."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.n_rows, self.n_features = array.shape
        self._array = array
        self._is_plain = _is_plain(array[:, 0])  # as are the others

    def feature(self, index: int, name: str) -> FeatureValues:
        """Read one feature; `name` is for messages."""
        return values_from_array(name, self._array[:, index])

    def plain(self, index: int) -> NDArray[Any] | None:
        """The feature as an array of numbers or booleans, without a copy, shape (n,); None if impossible."""
        return self._array[:, index] if self._is_plain else None

    def bits(self) -> NDArray[np.uint8] | None:
        """All features as bytes [n, features], without a copy; None if they are not all bytes of 0 or 1."""
        array = self._array
        if array.dtype not in (np.uint8, np.bool_) or not array.flags.c_contiguous:
            return None
        bits: NDArray[np.uint8] = array.view(np.uint8)
        return bits if bits.max() <= 1 else None

    def numbers(self) -> NDArray[np.float64] | None:
        """All features in one array [features, n], if each is plainly of numbers; see `Table`."""
        small = self._array.size <= _SMALL_TABLE
        return _exact_numbers(self._array.T) if small and _is_of_numbers(self.plain(0)) else None


class FrameTable:
    """A data frame, through narwhals."""

    def __init__(self, frame: nw.DataFrame[Any], names: Sequence[str] | None = None) -> None:
        self.n_rows, self.n_features = frame.shape
        columns = list(frame.iter_columns())  # once: each access by position reads all names
        self._series = dict(enumerate(columns))
        if names is not None:
            by_name = {series.name: series for series in columns}
            self.n_features = len(names)
            self._series = {i: by_name[name] for i, name in enumerate(names) if name in by_name}

    def feature(self, index: int, name: str) -> FeatureValues:
        """Read one feature; `name` is for messages."""
        plain = self.plain(index)
        if plain is not None:
            return values_from_array(name, plain)
        series = self._series[index]
        dtype = series.dtype
        if dtype.is_temporal():
            return not_read(name, "date", self.n_rows)
        if dtype.is_nested() or dtype == nw.Binary:
            return not_read(name, "other", self.n_rows)
        # Always masked: pyarrow dictionaries return an arbitrary category instead of a null.
        missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
        if dtype.is_integer():
            return values_from_array(name, _integers(name, series, missing), missing)
        if dtype == nw.String:
            coded = series_texts(series)
            texts = series.to_numpy() if coded is None else coded.values
            return values_from_texts(name, texts, missing, coded)
        if not isinstance(dtype, (nw.Enum, nw.Categorical)):
            return values_from_array(name, series.to_numpy(), missing)
        series = with_text_intervals(series)
        dtype, coded = series.dtype, category_texts(series, missing)
        if coded is None:  # pyarrow cannot read a dictionary without categories
            values = np.full(self.n_rows, None) if missing.all() else series.to_numpy()
            read = values_from_array(name, values, missing)
        else:
            read = values_from_texts(name, coded.values, missing, coded)
        if read.kind == "date":
            return read
        order = dtype.categories if isinstance(dtype, nw.Enum) else arrow_order(name, series)
        declared = declared_categories(series, read.kind) if order is None else order
        categories = categories_from_objects(name, declared)
        return replace(read, categorical=True, declared=categories, ordered=order is not None)

    def plain(self, index: int) -> NDArray[Any] | None:
        """The feature as an array of numbers or booleans, without a copy, shape (n,); None if impossible."""
        series = self._series[index]
        if series.dtype not in _PLAIN_TYPES:
            return None
        # In a pandas column backed by NumPy, the only null is NaN, which needs no mask.
        of_numpy = isinstance(getattr(series.to_native(), "dtype", None), np.dtype)
        column = series.to_numpy() if of_numpy or not series.null_count() else None
        return column if column is not None and _is_plain(column) else None

    def numbers(self) -> NDArray[np.float64] | None:
        """All features in one array [features, n], if each is plainly of numbers; see `Table`."""
        small = self.n_rows * self.n_features <= _SMALL_TABLE
        columns = [self.plain(index) for index in range(self.n_features)] if small else [None]
        return _exact_numbers(columns) if all(map(_is_of_numbers, columns)) else None


def pandas_names(X: Any) -> list[Any] | None:
    """The names of the columns of a pandas frame, which may be anything; None for any other table."""
    return X.columns.tolist() if nw.dependencies.is_pandas_dataframe(X) else None


def read_frame(X: Any) -> nw.DataFrame[Any]:
    """A data frame of any library."""
    try:
        return nw.from_native(X, eager_only=True)
    except DuplicateError as error:
        raise ValueError(f"The columns of X must have different names. {error}") from None


def _is_plain(column: NDArray[Any]) -> bool:
    """Whether compiled code can read the column: native byte order and a common number type."""
    dtype = column.dtype
    plain = dtype.kind == "b" or (dtype.kind in "iu" and dtype.itemsize <= 8) or dtype.char in "fd"
    whole = column.flags.aligned and column.strides[0] % dtype.itemsize == 0
    return plain and dtype.isnative and whole


def _is_of_numbers(column: NDArray[Any] | None) -> bool:
    return column is not None and column.dtype.kind != "b"


def _exact_numbers(columns: Any) -> NDArray[np.float64] | None:
    """Columns of numbers in one array, if float64 has each of them exactly and none is missing; else None."""
    numbers = np.array(columns, np.float64, order="C")
    numbers += 0.0  # no -0.0
    return numbers if (np.abs(numbers) < EXACT_INTEGERS).all() else None


def _check_not_empty(estimator: Any, shape: tuple[int, int]) -> None:
    for count, word in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(
                f"Found table with 0 {word}(s) (shape={shape}) while a minimum of 1 is required by "
                f"{type(estimator).__name__}."
            )


def _integers(name: str, series: nw.Series[Any], missing: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Integers, possibly with nulls, as float64; refused if that would round them."""
    if missing.all():
        return np.full(len(missing), np.nan)
    check_integer_range(name, int(series.min()), int(series.max()))
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
