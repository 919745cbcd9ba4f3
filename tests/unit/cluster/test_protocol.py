"""Lists as clusters, and trees of merges."""

import pytest

from clausal.cluster.protocol import InProcess, merge_pairs, open_partitions


def test_a_list_is_mapped_and_gathered_in_order():
    cluster = InProcess()
    parts = cluster.map(lambda part, own: part + own, cluster.scatter([1, 2]), [10, 20])
    assert list(cluster.gather(parts)) == [11, 22]
    assert cluster.reduce(int.__add__, parts) == 33


@pytest.mark.parametrize("n", range(1, 10))
def test_pairs_are_merged_in_order_and_as_a_tree(n):
    merged = merge_pairs(
        lambda one, other: (one[0] + other[0], 1 + max(one[1], other[1])), [([k], 0) for k in range(n)]
    )
    assert merged[0] == list(range(n))
    assert merged[1] == (n - 1).bit_length()


def test_a_table_of_one_partition_is_named():
    with pytest.raises(TypeError, match=r"a list of data frames. Got dict"):
        open_partitions({}, None)
