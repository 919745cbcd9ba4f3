"""A feature that decides the class of every training row alone, which often follows from the class.

Encoded rows are compared as words: a literal decides a class if it holds on all rows of the class and on no
other row. Not here: other remarks about a table (encoding/remarks.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.engine.protocol import unpack_bits
from clausal.machine.inputs import Codes, Weights

_MIN_ROWS = 10  # of each class; fewer rows are often decided by chance
_BLOCK_ROWS = 4096


def leak_remarks(
    literals: NDArray[np.uint64], codes: Codes, weights: Weights | None, encoding: Encoding, n_classes: int
) -> tuple[str, ...]:
    """A sentence if a single feature decides the class of every row of weight above 0; else nothing.

    Parameters
    ----------
    literals : uint64 [n, words]
    codes : [n], the class of each row
    weights : [n], or None where every row weighs 1
    encoding : of the rows
    n_classes : int
    """
    # A merged row counts as often as it occurred.
    if np.bincount(codes, weights, minlength=n_classes).min() < _MIN_ROWS:
        return ()
    deciding = _deciding(literals, codes, weights, n_classes)
    if not deciding.any():
        return ()
    columns = encoding.columns
    decides = unpack_bits(deciding, 2 * len(columns))
    features = np.tile([column.feature_index for column in columns], 2)
    for feature in np.unique(features[decides.any(axis=0)]).tolist():
        own = decides & (features == feature)
        if own.any(axis=1).sum() >= n_classes - 1:  # the rest is the last class
            k = int(own[-1].argmax() if own[-1].any() else own.any(axis=0).argmax())
            condition = columns[k % len(columns)].text(negated=k >= len(columns))
            return (
                f"Column {encoding.feature_names[feature]!r} alone decides the class of every row, such as "
                f"by `{condition}`. If it is known only after the class is, leave it out.",
            )
    return ()


def _deciding(
    literals: NDArray[np.uint64], codes: Codes, weights: Weights | None, n_classes: int
) -> NDArray[np.uint64]:
    """The literals that hold on all rows of a class and on no other row, uint64 [classes, words]."""
    none, all_ = np.uint64(0), ~np.uint64(0)
    decides = np.full((n_classes, literals.shape[1]), all_)
    for start in range(0, len(codes), _BLOCK_ROWS):
        block, classes = literals[start : start + _BLOCK_ROWS], codes[start : start + _BLOCK_ROWS]
        if weights is not None:
            counted = weights[start : start + _BLOCK_ROWS] > 0
            block, classes = block[counted], classes[counted]
        for code in range(n_classes):
            wanted = np.where(classes == code, all_, none)
            decides[code] &= ~np.bitwise_or.reduce(block ^ wanted[:, None], axis=0)
        if not decides.any():
            break
    return decides
