"""Patches of a sample: which there are, and what is true in each. All that an engine knows of images.

A sample is a grid of pixels, each of some booleans (its depth), stored as bits row by row; a sequence is a
grid of one row. A patch is a window of the grid. Its columns are the booleans of its pixels, row by row, and
where it begins, as a thermometer: `row <= k` and `column <= k` for every place but the last. The C++ twin is
core/patch_view.hpp. Not here: how values become booleans, and what columns are called (patches.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class PatchView:
    """The windows of a grid of pixels.

    Attributes
    ----------
    height, width, depth : of a sample: rows and columns of pixels, booleans per pixel
    patch_height, patch_width : of a patch, in pixels
    row_stride, column_stride : pixels from one patch to the next
    """

    height: int
    width: int
    depth: int
    patch_height: int
    patch_width: int
    row_stride: int = 1
    column_stride: int = 1

    @property
    def patch_rows(self) -> int:
        """Patches below each other."""
        return (self.height - self.patch_height) // self.row_stride + 1

    @property
    def patch_columns(self) -> int:
        """Patches side by side."""
        return (self.width - self.patch_width) // self.column_stride + 1

    @property
    def n_patches(self) -> int:
        """Patches of a sample."""
        return self.patch_rows * self.patch_columns

    @property
    def corners(self) -> NDArray[np.intp]:
        """The row and the column of pixels where each patch begins, [patches, 2]; patches row by row."""
        down, across = np.divmod(np.arange(self.n_patches), self.patch_columns)
        return np.stack([down * self.row_stride, across * self.column_stride], axis=1)

    @property
    def n_pixel_columns(self) -> int:
        """Columns of the pixels of a patch."""
        return self.patch_height * self.patch_width * self.depth

    @property
    def n_columns(self) -> int:
        """Columns of a patch, those of its place included."""
        return self.n_pixel_columns + self.patch_rows - 1 + self.patch_columns - 1

    @property
    def n_bits(self) -> int:
        """Booleans of a sample."""
        return self.height * self.width * self.depth

    @property
    def n_words(self) -> int:
        """Words of a sample."""
        return -(-self.n_bits // 64)

    def pack(self, bits: Bools) -> NDArray[np.uint64]:
        """Samples [n, height, width, depth] as words [n, words]: bit k of word q is boolean 64 q + k."""
        as_bytes = np.packbits(bits.reshape(len(bits), self.n_bits), axis=1, bitorder="little")
        words = np.zeros((len(bits), self.n_words), "<u8")
        words.view(np.uint8)[:, : as_bytes.shape[1]] = as_bytes
        return words.astype(np.uint64)

    def unpack(self, words: NDArray[np.uint64]) -> Bools:
        """The inverse of `pack`."""
        as_bytes = np.ascontiguousarray(words, "<u8").view(np.uint8).reshape(len(words), 8 * self.n_words)
        bits = np.unpackbits(as_bytes, axis=1, count=self.n_bits, bitorder="little").astype(bool)
        return bits.reshape(-1, self.height, self.width, self.depth)

    def columns(self, words: NDArray[np.uint64]) -> Bools:
        """The columns of every patch of packed samples, bool [n, patches, columns]; patches row by row."""
        down, across = np.divmod(np.arange(self.n_patches), self.patch_columns)
        rows = self.corners[:, :1] + np.arange(self.patch_height)
        columns = self.corners[:, 1:] + np.arange(self.patch_width)
        pixels = self.unpack(words)[:, rows[:, :, None], columns[:, None, :]]
        places = np.concatenate(
            [
                down[:, None] <= np.arange(self.patch_rows - 1),
                across[:, None] <= np.arange(self.patch_columns - 1),
            ],
            axis=1,
        )
        shape = (len(words), self.n_patches)
        return np.concatenate(
            [
                pixels.reshape(*shape, self.n_pixel_columns),
                np.broadcast_to(places, (len(words), *places.shape)),
            ],
            axis=2,
        )
