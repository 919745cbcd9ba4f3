"""Rows as dictionaries are read as the same rows of a data frame, without a warning."""

from __future__ import annotations

import numpy as np
import pandas as pd

from clausal import Booleanizer
from clausal.encoding.records import RecordTable

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
