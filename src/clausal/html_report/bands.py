"""Bands: groups of adjacent scores with about equal numbers of rows. Rows of equal score are never split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_BANDS = 10

Indices = NDArray[np.intp]


def bands(counts: NDArray[Any], breaks: NDArray[np.bool_] | None = None) -> Iterator[Indices]:
    """The indices of the scores of each band, for the number of rows with each score, in order.

    A score belongs to the tenth of the rows that its middle row is in. Where `breaks` is true, a new band
    starts, so that there is one band more at most.
    """
    middles = np.cumsum(counts) - counts / 2
    tenths = np.minimum((middles / counts.sum() * MAX_BANDS).astype(np.intp), MAX_BANDS - 1)
    starts = np.diff(tenths, prepend=-1) > 0
    if breaks is not None:
        starts |= breaks
    yield from np.split(np.arange(len(counts)), np.flatnonzero(starts)[1:])
