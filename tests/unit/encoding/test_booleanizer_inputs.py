"""The same table as pandas, polars, pyarrow, NumPy or a list gives the same bits; others are refused."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from clausal.encoding import Booleanizer
from clausal.encoding.remarks import TableWarning

ROWS: list[list[Any]] = [
    [1, 0.5, "a", True, 3],
    [2, None, "b", False, None],
    [3, -2.25, None, None, 1],
    [4, 1e-3, "ä", True, 2],
    [5, 7.0, "b", False, 3],
]
NAMES = ["int", "float", "text", "flag", "code"]


def pandas_frames() -> dict[str, pd.DataFrame]:
    plain = pd.DataFrame(ROWS, columns=NAMES)
    nullable = plain.astype(
        {"int": "Int64", "float": "Float64", "text": "string", "flag": "boolean", "code": "Int8"}
    )
    arrow = nullable.convert_dtypes(dtype_backend="pyarrow")
    return {
        "plain": plain,
        "object": plain.astype(object),
        "nullable": nullable,
        "arrow": arrow,
        "category": plain.astype({"text": "category"}),
        "float32": plain.astype({"int": "uint8", "code": "float32"}),
    }


def other_tables() -> dict[str, Any]:
    frame = pl.DataFrame(ROWS, schema=NAMES, orient="row", strict=False)
    arrow = frame.to_arrow()
    dictionary = arrow.set_column(2, "text", arrow["text"].dictionary_encode())
    objects = np.array(ROWS, dtype=object)
    return {
        "polars": frame,
        "polars categorical": frame.with_columns(pl.col("text").cast(pl.Categorical)),
        "polars decimal": frame.with_columns(pl.col("float").cast(pl.Decimal(12, 3))),
        "polars wide": frame.with_columns(pl.col("code").cast(pl.Int128)),
        "polars nan": frame.with_columns(pl.col("float").fill_null(float("nan"))),
        "arrow": arrow,
        "arrow dictionary": dictionary,
        "arrow chunks": pa.concat_tables([dictionary[:2], dictionary[2:]]),
        "numpy": objects,
        "numpy nan": np.where(objects == None, np.nan, objects),  # noqa: E711  # elementwise
        "list": ROWS,
        "tuples": [tuple(row) for row in ROWS],
    }


TABLES = {**pandas_frames(), **other_tables()}


@pytest.mark.parametrize("mode", ["auto", "paper"])
@pytest.mark.parametrize("kind", TABLES)
def test_the_same_table_gives_the_same_bits(kind: str, mode: str) -> None:
    reference = Booleanizer(mode).fit(TABLES["plain"])
    other = Booleanizer(mode).fit(TABLES[kind])
    assert [c.value for c in other.columns_] == [c.value for c in reference.columns_]
    assert other.features_ == reference.features_
    np.testing.assert_array_equal(other.transform(TABLES[kind]), reference.transform(TABLES["plain"]))


@pytest.mark.parametrize("kind", [kind for kind, table in TABLES.items() if hasattr(table, "columns")])
def test_fit_on_one_library_and_transform_another(kind: str) -> None:
    reference = Booleanizer().fit(TABLES["polars"])
    np.testing.assert_array_equal(reference.transform(TABLES[kind]), reference.transform(TABLES["polars"]))
    assert reference.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint64, np.longdouble, bool])
def test_number_types_agree(dtype: type) -> None:
    array = np.array([[0, 1], [1, 0], [1, 1]])
    bits = Booleanizer("paper").fit_transform(array.astype(dtype))
    np.testing.assert_array_equal(bits, Booleanizer("paper").fit_transform(array.astype(float)))


def test_nulls_of_arrow_dictionaries_are_missing() -> None:
    for items in ([5, 3, None], ["b", "a", None]):
        table = pa.table({"f": pa.array(items).dictionary_encode()})
        assert Booleanizer().fit_transform(table).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_arrow_dictionaries_may_have_no_value() -> None:
    empty = pa.array([None, None], pa.dictionary(pa.int32(), pa.string()))
    bits = Booleanizer("paper").fit_transform(pa.table({"f": empty, "g": [1, 2]}))
    assert bits.tolist() == Booleanizer("paper").fit_transform([[None, 1], [None, 2]]).tolist()


def test_sparse_columns_of_pandas_beside_others_are_read_as_numbers() -> None:
    frame = pd.DataFrame({"f": pd.arrays.SparseArray([0, 3, 0]), "g": [1, 1, 2]})
    assert Booleanizer().fit_transform(frame).tolist() == [[1, 1], [0, 1], [1, 0]]


DAY, TIME, SPAN = datetime.date(2020, 1, 1), datetime.time(1), datetime.timedelta(1)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(["2020-01-01", None])),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("Europe/Oslo")),
        pd.Series(pd.to_timedelta([1, 2], "s")),
        pd.Series(pd.period_range("2020", periods=2)),
        pd.Series(pd.Categorical(pd.to_datetime(["2020-01-01", "2020-01-02"]))),
        pd.Series([DAY, None], dtype=object),
        pd.Series([TIME, TIME], dtype=object),
        pd.Series([SPAN, pd.Timedelta(SPAN)], dtype=object),
        pd.Series([pd.Timestamp(DAY), np.datetime64(DAY)], dtype=object),
        pd.Series(["2020-01-01", "2020-01-02 10:30"]),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])).astype("timestamp[us][pyarrow]"),
        pl.Series([DAY, None]),
        pl.Series([datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)] * 2),
        pl.Series([TIME, TIME]),
        pl.Series([SPAN, None]),
        pl.Series([DAY, TIME], dtype=pl.Object),
        pl.Series(["1.2.2020", None]),
        pa.chunked_array([[DAY, None]]),
        pa.chunked_array([[TIME, None]]),
        pa.chunked_array([[SPAN, SPAN]]),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', getattr(column, 'type', ''))}",
)
def test_dates_durations_and_times_are_left_out_with_a_warning(column: Any) -> None:
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = make[type(column).__module__.split(".")[0]]({"when": column, "x": [1, 2]})
    with pytest.warns(
        TableWarning, match="^Column 'when' is ignored: dates or times; .* the days since a date"
    ):
        booleanizer = Booleanizer().fit(frame)
    assert [str(column) for column in booleanizer.columns_] == ["x <= 1"]
    assert booleanizer.transform(frame).tolist() == [[1], [0]]
    for other in (["a", "b"], [1.5, None]):  # the column is not read
        assert booleanizer.transform(pd.DataFrame({"when": other, "x": [1, 2]})).tolist() == [[1], [0]]


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([[1], None]),
        pl.Series([{"a": 1}, {"a": 2}]),
        pl.Series([b"a", b"b"]),
        pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
        pd.Series([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
        pa.chunked_array([[b"a", None]]),
        pa.chunked_array([[{"a": 1}, None]]),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', getattr(column, 'type', ''))}",
)
def test_lists_structures_and_bytes_are_left_out_with_a_warning(column: Any) -> None:
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = make[type(column).__module__.split(".")[0]]({"parts": column, "x": [1, 2]})
    with pytest.warns(TableWarning, match="^Column 'parts' is ignored: values that are neither numbers nor"):
        booleanizer = Booleanizer().fit(frame)
    assert [str(column) for column in booleanizer.columns_] == ["x <= 1"]
    assert booleanizer.transform(frame).tolist() == [[1], [0]]
    if isinstance(frame, pl.DataFrame):
        with pytest.warns(TableWarning, match="'parts' is ignored: values that are"):
            assert Booleanizer().fit(frame.lazy()).columns_ == booleanizer.columns_
    trained = Booleanizer().fit(pd.DataFrame({"parts": [1, 2], "x": [1, 2]}))
    with pytest.raises(ValueError, match="'parts' was numeric in training .* Got values that are neither"):
        trained.transform(frame)


def test_intervals_of_pandas_are_ordered_categories() -> None:
    numbers = np.array([1.0, 4.0, 6.0, 9.0, np.nan])
    frame = pd.DataFrame({"age": pd.cut(numbers, [0, 5, 8, 10]), "x": range(5)})
    booleanizer = Booleanizer().fit(frame)
    names = [str(column) for column in booleanizer.columns_[:2]]
    assert names == ["age <= '(0, 5]'", "age <= '(5, 8]'"]
    assert booleanizer.transform(frame)[:, :2].tolist() == [[1, 1], [1, 1], [0, 1], [0, 0], [0, 0]]
    texts = frame.assign(age=["(0, 5]", "(0, 5]", "(5, 8]", "(8, 10]", None])
    assert (booleanizer.transform(texts) == booleanizer.transform(frame)).all()
    unordered = frame.assign(age=frame["age"].cat.as_unordered())
    assert "age is '(0, 5]'" in map(str, Booleanizer().fit(unordered).columns_)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (np.array([1j, 2]), "Complex data not supported"),
        ([[1], [2]], "list"),
        (pd.Series(pd.interval_range(0, 2)).to_numpy(), "Interval"),
        ([b"a", b"b"], "bytes"),
        ([1, np.inf], "infinity"),
        ([1, 2**60], "2\\*\\*53"),
        (pd.array([None, -(2**60)], dtype="Int64"), "2\\*\\*53"),
    ],
)
def test_refused_pandas_columns_are_named(column: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        Booleanizer().fit(pd.DataFrame({"when": column}))
    assert "'when'" in str(caught.value)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pl.Series([2**70], dtype=pl.Int128), "2\\*\\*53"),
        (pl.Series([Decimal("1e5"), Decimal(2)], dtype=pl.Object), None),
    ],
)
def test_refused_polars_columns_are_named(column: pl.Series, words: str | None) -> None:
    frame = pl.DataFrame({"when": column})
    if words is None:
        Booleanizer().fit(frame)
        return
    with pytest.raises(ValueError, match=words) as caught:
        Booleanizer().fit(frame)
    assert "'when'" in str(caught.value)


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        (np.empty((0, 2)), ValueError, "0 sample"),
        (np.empty((2, 0)), ValueError, "0 feature"),
        (pd.DataFrame({"a": []}), ValueError, "0 sample"),
        (pl.DataFrame({"a": []}), ValueError, "0 sample"),
        (pd.DataFrame(index=[0, 1]), ValueError, "0 feature"),
        ([1, 2, 3], ValueError, "Expected 2D array"),
        (pd.Series([1, 2]), ValueError, "2-dimensional|2D"),
        ([[1, 2], [3]], ValueError, "Expected 2D|inhomogeneous"),
        (np.zeros((2, 2, 2)), ValueError, "dim 3"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "different names.*'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), ValueError, "different names"),
        (np.ma.array([[1.0]], mask=[[True]]), TypeError, "masked"),
        (pd.DataFrame([[1, 2]], columns=["a", 0]), TypeError, "string"),
    ],
)
def test_wrong_tables(table: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=r"(?s)" + words):
        Booleanizer().fit(table)


@pytest.mark.parametrize("names", [[0, 1], [7, 3], [2024, 1.5]])
def test_columns_whose_names_are_numbers_are_named_by_position(names: list[Any]) -> None:
    booleanizer = Booleanizer().fit(pd.DataFrame([[1, 5], [2, 6]], columns=names))
    assert [str(column) for column in booleanizer.columns_] == ["x0 <= 1", "x1 <= 5"]
    assert not hasattr(booleanizer, "feature_names_in_")


@pytest.mark.parametrize("name", ["", "\n", "a\u0000b", "体重 (kg)", "🙂", "x" * 1000, "a <= 1"])
def test_any_name_is_accepted(name: str) -> None:
    frame = pd.DataFrame(
        {name: [1, 2], "a": [1, 2]} if name != "a <= 1" else {"a": [1, 2], name: [True, False]}
    )
    booleanizer = Booleanizer().fit(frame)
    assert name in {column.feature for column in booleanizer.columns_}
    names = booleanizer.get_feature_names_out()
    assert len(set(names)) == len(names) == 2
    assert booleanizer.set_output(transform="polars").transform(frame).columns == names.tolist()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_transform_wants_the_same_columns_in_the_same_order(library: Any) -> None:
    booleanizer = Booleanizer().fit(library({"a": [1, 2], "b": [3, 4]}))
    with pytest.raises(ValueError, match=r"(?s)same order"):
        booleanizer.transform(library({"b": [3, 4], "a": [1, 2]}))
    with pytest.raises(ValueError, match=r"(?s)now missing.*- b"):
        booleanizer.transform(library({"a": [1, 2]}))
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time.*- c"):
        booleanizer.transform(library({"a": [1, 2], "b": [1, 2], "c": [1, 2]}))


def test_transform_wants_the_same_number_of_features() -> None:
    with pytest.raises(ValueError, match="X has 3 features, but Booleanizer is expecting 2"):
        Booleanizer().fit(np.eye(2)).transform(np.eye(3))
