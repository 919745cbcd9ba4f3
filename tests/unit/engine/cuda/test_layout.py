"""Every layout fits on the GPU that it is for, and every word of a clause has a lane."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.engine.cuda.layout import WARP, layout_of, shape_of
from tests.support.toy_machines import make_config

GPUS = {"H200": (132, 227 << 10, True), "A100": (108, 163 << 10, False), "small": (2, 48 << 10, False)}


@pytest.mark.parametrize("gpu", GPUS.values(), ids=GPUS)
@given(
    st.integers(1, 9000),
    st.sampled_from([1, 9, 33, 100, 784, 2000]),
    st.sampled_from([1, 2, 10, 1000]),
    st.booleans(),
)
def test_layouts(gpu, n_clauses, n_columns, n_teams, focused):
    n_processors, shared_bytes, has_clusters = gpu
    config = make_config(
        n_clauses=n_clauses, n_columns=n_columns, n_banks=3 if focused else 1, focused_negatives=focused
    )
    try:
        found = layout_of(shape_of(config), n_teams, n_processors, shared_bytes, has_clusters=has_clusters)
    except MemoryError as error:
        assert "bytes of shared memory" in str(error)  # noqa: PT017 (it need not be raised)
        return
    assert found.shared_bytes <= shared_bytes
    assert 0 <= found.shared_planes <= 9
    assert WARP % found.lanes == 0
    assert found.lanes <= found.threads <= 1024
    assert found.threads % WARP == 0
    assert found.blocks == 1 or (has_clusters and found.blocks * n_teams <= n_processors)
    assert n_clauses <= found.blocks * found.clauses_per_block  # the last blocks may have none


def test_large_sets_have_several_blocks_and_many_teams_one_each():
    shape = shape_of(make_config(n_clauses=2000, n_columns=784))
    one, many = (layout_of(shape, n, 132, 227 << 10, has_clusters=True) for n in (10, 200))
    assert one.blocks == 8
    assert many.blocks == 1


def test_rows_that_do_not_fit_are_named():
    shape = shape_of(make_config(n_clauses=2, n_columns=10**6))
    with pytest.raises(MemoryError, match=r"for clauses of 2,000,000 literals. The GPU has 232,448"):
        layout_of(shape, 1, 132, 227 << 10, has_clusters=True)
