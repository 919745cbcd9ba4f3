"""Patches of a sample, against loops over pixels."""

import numpy as np
import pytest

from clausal.encoding.patch_view import PatchView

VIEWS = [
    PatchView(4, 5, 1, 2, 3),
    PatchView(5, 7, 3, 2, 4, 2, 3),
    PatchView(1, 9, 2, 1, 4),
    PatchView(3, 3, 1, 3, 3),
]


def samples(view: PatchView, n: int = 3) -> np.ndarray:
    return np.random.default_rng(0).random((n, view.height, view.width, view.depth)) < 0.5


@pytest.mark.parametrize("view", VIEWS)
def test_columns_are_pixels_row_by_row_then_thermometers_of_the_place(view):
    bits = samples(view)
    found = view.columns(view.pack(bits))
    assert found.shape == (3, view.n_patches, view.n_columns)
    n_across = view.patch_columns
    for sample in range(3):
        for patch in range(view.n_patches):
            down, across = divmod(patch, n_across)
            top, left = down * view.row_stride, across * view.column_stride
            pixels = [
                bits[sample, top + y, left + x, d]
                for y in range(view.patch_height)
                for x in range(view.patch_width)
                for d in range(view.depth)
            ]
            rows = [down <= k for k in range(view.patch_rows - 1)]
            columns = [across <= k for k in range(n_across - 1)]
            assert found[sample, patch].tolist() == pixels + rows + columns


@pytest.mark.parametrize("view", VIEWS)
def test_corners_are_where_patches_begin_row_by_row(view):
    places = [
        [down * view.row_stride, across * view.column_stride]
        for down in range(view.patch_rows)
        for across in range(view.patch_columns)
    ]
    assert view.corners.tolist() == places


@pytest.mark.parametrize("view", VIEWS)
def test_no_samples_have_no_columns(view):
    assert view.columns(view.pack(samples(view, 0))).shape == (0, view.n_patches, view.n_columns)


@pytest.mark.parametrize("view", VIEWS)
def test_samples_are_packed_without_loss(view):
    bits = samples(view)
    words = view.pack(bits)
    assert words.dtype == np.uint64
    assert words.shape == (3, view.n_words)
    assert np.array_equal(view.unpack(words), bits)


def test_strides_leave_out_what_does_not_fit():
    view = PatchView(
        height=10, width=11, depth=1, patch_height=4, patch_width=4, row_stride=3, column_stride=5
    )
    assert (view.patch_rows, view.patch_columns) == (3, 2)
