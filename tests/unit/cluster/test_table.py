"""Tables whose partitions are in a list: what functions get, and what comes back."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone

from clausal.cluster.protocol import InProcess
from clausal.cluster.table import ClusterTable
from clausal.encoding.stream import StreamedTable

PARTS = [
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
    pd.DataFrame({"b": [], "a": []}),
    pd.DataFrame({"b": ["z"], "a": [3]}, index=[9]),
]


def table(parts=PARTS):
    return ClusterTable(InProcess(), parts)


def test_shape_and_names_are_those_of_the_first_partition_with_rows():
    assert (table().shape, table().names) == ((3, 2), ("a", "b"))
    assert table(PARTS[1:]).names == ("b", "a")
    assert table([PARTS[1]]).shape == (0, 2)


def test_functions_get_columns_in_order_and_their_rows():
    weights = np.array([5, 6, 7])
    found = list(table().map(lambda frame, own: (frame.columns.tolist(), own.tolist()), "x", weights))
    assert found == [(["a", "b"], [5, 6]), (["a", "b"], [7])]
    assert list(table().map(lambda frame, own: own, "x")) == [None, None]


def test_columns_come_to_this_process():
    assert table().column("a", "y").tolist() == [1, 2, 3]
    assert table().column("b", "y").tolist() == ["x", "y", "z"]
    assert [frame.shape for frame in table().without(["a"]).frames("x")] == [(2, 1), (1, 1)]


def test_results_are_merged_without_those_of_empty_partitions():
    count = table([PARTS[1], *PARTS, PARTS[1]]).reduce(lambda frame, own: len(frame), int.__add__, "x")
    assert count == 3
    with pytest.raises(ZeroDivisionError):
        table().reduce(lambda frame, own: 1 // (len(frame) - 1), int.__add__, "x")


def test_partitions_of_several_libraries():
    mixed = table([PARTS[0], pa.table({"a": [3], "b": ["z"]})])
    assert mixed.column("a", "y").tolist() == [1, 2, 3]


def test_errors_of_functions_are_raised_as_they_are():
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        list(table().map(lambda frame, own: 1 / 0, "x"))


def test_errors_of_the_cluster_are_named():
    class Lost(InProcess):
        def gather(self, parts):
            yield from parts[:1]
            raise OSError("connection lost")

    with pytest.raises(RuntimeError, match=r"estimator is as it was before. OSError: connection lost"):
        ClusterTable(Lost(), PARTS)


def test_names_that_cannot_be():
    with pytest.raises(TypeError, match=r"names of the columns must be text. Got 0"):
        table([pd.DataFrame([[1, 2]])])
    with pytest.raises(ValueError, match=r"different names"):
        table([pd.DataFrame([[1, 2]], columns=["a", "a"])])
    with pytest.raises(TypeError, match="str"):
        table(["a.parquet"])


def test_rounds_of_a_fit():
    """Facts, labels, weights, what the encoding is learned from, and the packed rows."""
    from clausal import TsetlinClassifier, cluster
    from clausal.cluster import protocol

    rounds = []

    class Counting(InProcess):
        def map(self, function, parts, *values):
            rounds.append(len(parts))
            return super().map(function, parts, *values)

    frame = pd.DataFrame({"a": range(40), "w": [1, 2] * 20, "y": [0, 0, 1, 1] * 10})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "InProcess", Counting)
        cluster.fit(TsetlinClassifier(4, n_epochs=1), [frame[:20], frame[20:]], "y", sample_weight="w")
    assert rounds == [2] * 5


@pytest.mark.parametrize("options", [{}, {"fixed_rules": ["a > 700"]}])
def test_only_bins_of_rows_come_to_this_process(options):
    """With more cut points than machines have, and with a cut point of a fixed rule."""
    from clausal import RuleClassifier, cluster

    frame = pd.DataFrame({"a": np.arange(1200.0), "y": np.arange(1200) // 300 % 2})
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(ClusterTable, "frames")
        patch.delattr(StreamedTable, "frames")
        clf = RuleClassifier(max_literals=4, cv=2, random_state=0, **options)
        found = cluster.fit(clf, [frame[:500], frame[500:]], "y").rules_
    assert found == clone(clf).fit(frame[["a"]], frame.y).rules_
