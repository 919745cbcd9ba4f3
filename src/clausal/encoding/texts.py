"""Columns of text and of categories in data frames: the distinct texts, and which of them each row has.

Not here: the values of other types (values.py), which columns are read so (table.py).
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


class CodedTexts(NamedTuple):
    """Texts as indices of distinct ones, which are read once instead of in every row.

    Attributes
    ----------
    distinct : object [k], the texts; one may occur more than once, or in no row
    codes : int [n], the index of each row's text; that of None, or of any text, where it is missing
    """

    distinct: NDArray[np.object_]
    codes: NDArray[np.integer]

    @classmethod
    def of(cls, values: NDArray[Any]) -> CodedTexts:
        """The texts of an object array [n]."""
        items = values.tolist()
        index = {text: code for code, text in enumerate(dict.fromkeys(items))}
        codes = np.fromiter((index[text] for text in items), np.intp, len(items))
        return cls(np.array([*index, None], object)[:-1], codes)

    def take(self, rows: Mask) -> CodedTexts:
        """The texts of some rows."""
        return CodedTexts(self.distinct, self.codes[rows])

    @property
    def values(self) -> NDArray[np.object_]:
        """The text of each row; equal texts share one object."""
        values: NDArray[np.object_] = self.distinct[self.codes]
        return values


def arrow_texts(column: Any) -> CodedTexts | None:
    """An Arrow column of texts or of categories that are texts; else None."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None
    texts: list[str | None] = [None]
    codes = [np.empty(0, np.intp)]
    for chunk in getattr(column, "chunks", [column]):
        encoded = chunk.dictionary_encode()
        own = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        codes.append(np.where(own < 0, 0, own + len(texts)))
        texts.extend(encoded.dictionary.to_pylist())
    return CodedTexts(np.array(texts, object), np.concatenate(codes))


def series_texts(series: nw.Series[Any]) -> CodedTexts | None:
    """A column of texts that is Arrow data, or can be at no cost; else None."""
    native = series.to_native()
    if series.implementation.is_pyarrow():
        return arrow_texts(native)
    if series.implementation.is_polars():
        return arrow_texts(series.to_arrow()) if find_spec("pyarrow") else None
    dtype = getattr(native, "dtype", None)
    if getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype"):
        return arrow_texts(series.to_arrow())
    return None


def with_text_intervals(series: nw.Series[Any]) -> nw.Series[Any]:
    """A categorical pandas column of intervals, as from `pandas.cut`, with texts as categories, or any other.

    The order of the categories stays.
    """
    native: Any = series.to_native()
    categories = getattr(getattr(native, "dtype", None), "categories", None)
    if not hasattr(categories, "closed"):  # as an IntervalIndex has it
        return series
    renamed: nw.Series[Any] = nw.from_native(native.cat.rename_categories(str), series_only=True)
    return renamed


def category_texts(series: nw.Series[Any], missing: Mask) -> CodedTexts | None:
    """Categories as text, if they are known to be text without checking every row; else None."""
    if missing.all():
        return None
    if series.implementation.is_polars():
        texts = series.cast(nw.String)
        coded = series_texts(texts)
        return CodedTexts.of(np.asarray(texts.to_numpy(), dtype=object)) if coded is None else coded
    native = series.to_native()
    if series.implementation.is_pyarrow():
        return arrow_texts(native)
    declared = getattr(native.dtype, "categories", None) if series.implementation.is_pandas() else None
    if declared is None or not all(type(category) is str for category in declared.tolist()):
        return None
    categories = declared.to_numpy(dtype=object)
    return CodedTexts(categories, native.cat.codes.to_numpy())  # any text for a missing value


def declared_categories(series: nw.Series[Any], kind: str) -> list[object]:
    """The categories of this kind that a pandas categorical declares.

    In other libraries, columns may share their categories, so that a column does not declare its own.
    """
    if kind == "bool" or not series.implementation.is_pandas():
        return []
    types = str if kind == "text" else (int, float)
    return [item for item in series.to_native().cat.categories.tolist() if isinstance(item, types)]


def arrow_order(name: str, series: nw.Series[Any]) -> list[object] | None:
    """The categories of an ordered Arrow dictionary, which narwhals treats as unordered; else None."""
    native = series.to_native()
    arrow_type = getattr(native, "type", None)
    if arrow_type is None:
        arrow_type = getattr(getattr(native, "dtype", None), "pyarrow_dtype", None)
    if not getattr(arrow_type, "ordered", False):
        return None
    arrow = native.array.__arrow_array__() if hasattr(native, "array") else native
    orders = [chunk.dictionary.to_pylist() for chunk in arrow.chunks if len(chunk)]
    if any(order != orders[0] for order in orders):
        raise ValueError(
            f"Feature {name!r} must have one order of categories. Got several, in its Arrow chunks."
        )
    return list(orders[0])
