"""Rows as dictionaries, and columns by name, are read as the same rows of a data frame."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer, TsetlinClassifier, UnseenValueWarning
from clausal.encoding.records import ColumnTable, RecordTable
from clausal.encoding.values import LENIENT

TRAINING = pd.DataFrame(
    {"n": [1.0, 2.0, 3.0, None], "t": ["a", "b", "a", "c"], "b": [True, False, True, True]}
)


def test_bits_are_those_of_a_data_frame() -> None:
    encoding = Booleanizer().fit(TRAINING).encoding_
    records = [
        {"n": 2, "t": "b", "b": True},
        {"n": None, "t": "unseen", "b": 0},
        {"t": None, "b": None, "n": 2.5},
    ]
    table = RecordTable(records, encoding.feature_names)
    expected = encoding.table_bits(
        encoding.read(pd.DataFrame(records, dtype=object)[["n", "t", "b"]]), encoding.policy
    )
    np.testing.assert_array_equal(encoding.bits_with_warning(table), expected)  # a warning would be an error


def test_a_changed_row_is_a_table_of_one_row() -> None:
    table = RecordTable([{"n": 1.0}, {"n": 2.0, "t": "a"}], ("n", "t"))
    changed = table.changed(1, {0: 7.0})
    assert changed.records == [{"n": 7.0, "t": "a"}]
    assert table.records[1]["n"] == 2.0
    assert changed.feature(0, "n").numbers().tolist() == [7.0]


def columns_of(frame: pd.DataFrame, orders: dict[str, list[str]] | None = None) -> ColumnTable:
    return ColumnTable(
        {
            name: column.to_numpy() if column.dtype.kind == "f" else [None if v != v else v for v in column]
            for name, column in frame.items()
        },
        orders,
    )


def test_columns_are_encoded_as_those_of_a_data_frame() -> None:
    table = columns_of(TRAINING)
    assert (len(table), table.shape, table.names) == (4, (4, 3), ("n", "t", "b"))
    encoding = Booleanizer().fit(table).encoding_
    assert encoding == Booleanizer().fit(TRAINING).encoding_
    np.testing.assert_array_equal(encoding.bits(table), encoding.bits(TRAINING))
    np.testing.assert_array_equal(encoding.bits(table.take([3, 1])), encoding.bits(TRAINING.iloc[[3, 1]]))
    assert table.take([1])["t"].tolist() == ["b"]
    with pytest.warns(UnseenValueWarning, match="'z'"):
        encoding.bits(columns_of(TRAINING.assign(t="z")))


@pytest.mark.parametrize("order", [[], ["c", "b", "a"]])
def test_categories_are_those_of_a_categorical_type(order: list[str]) -> None:
    kind = pd.CategoricalDtype(order or None, ordered=bool(order))
    table = columns_of(TRAINING[["t"]], {"t": order})
    assert Booleanizer().fit(table).encoding_ == Booleanizer().fit(TRAINING[["t"]].astype(kind)).encoding_
    assert table.feature(0, "t").categorical


def test_other_columns_are_refused() -> None:
    encoding = Booleanizer().fit(columns_of(TRAINING)).encoding_
    with pytest.raises(ValueError, match=r"X must have the columns \('n', 't', 'b'\). Got \('t', 'n', 'b'\)"):
        encoding.plain_bits(columns_of(TRAINING[["t", "n", "b"]]), LENIENT)


def test_a_changed_row_of_columns_is_a_table_of_one_row() -> None:
    changed = columns_of(TRAINING).changed(1, {1: "c"})
    assert [changed[name].tolist() for name in changed.names] == [[2.0], ["c"], [False]]


def test_a_model_explains_columns_as_it_explains_a_data_frame() -> None:
    clf = TsetlinClassifier(4, n_epochs=5, random_state=0).fit(columns_of(TRAINING), [0, 1, 0, 1])
    same = TsetlinClassifier(4, n_epochs=5, random_state=0).fit(TRAINING, [0, 1, 0, 1])
    assert clf.rules_ == same.rules_
    assert clf.explain(columns_of(TRAINING)) == same.explain(TRAINING)
