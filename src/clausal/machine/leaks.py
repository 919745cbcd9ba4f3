"""A remark on a feature that decides the class of every row alone: it may be known only after the class is.

Not here: reading the rows (read.py), other remarks on a table (encoding/remarks.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.encoding import Encoding
from clausal.engine.protocol import unpack_bits
from clausal.machine.inputs import Codes, Weights

_MIN_CLASS_ROWS = 10  # a feature that decides fewer rows of a class may do so by chance
_MOST_LEAKS = 10  # columns that are named
_BLOCK_ROWS = 4096

Literals = NDArray[np.uint64]


class Leaks:
    """Looks for such a feature in rows that are read in parts.

    Parameters
    ----------
    codes : [n], the class of each row
    weights : [n], or None where every row weighs 1
    encoding, n_classes : of the rows
    """

    def __init__(self, codes: Codes, weights: Weights | None, encoding: Encoding, n_classes: int) -> None:
        self._codes, self._weights, self._encoding, self._n_classes = codes, weights, encoding, n_classes
        self._start = 0
        self._deciding: Literals | None = None  # of the rows seen; None where there need be no look
        if are_enough(codes, weights, n_classes):
            self._deciding = np.full((n_classes, -(-2 * encoding.n_columns // 64)), ~np.uint64(0))

    def add(self, literals: Literals) -> None:
        """Look at the literals [m, words] of the next rows."""
        start, self._start = self._start, self._start + len(literals)
        if self._deciding is None or not self._deciding.any():
            return
        part = slice(start, self._start)
        weights = None if self._weights is None else self._weights[part]
        self._deciding &= deciding(literals, self._codes[part], weights, self._n_classes)

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence if a single feature decides the class of every row of weight above 0; else nothing."""
        if self._deciding is None or not self._deciding.any():
            return ()
        return leak_remarks(unpack_bits(self._deciding, 2 * self._encoding.n_columns), self._encoding)


def are_enough(codes: NDArray[np.integer], weights: Weights | None, n_classes: int) -> bool:
    """Whether every class has so many rows that none is decided by chance.

    A merged row counts as often as it occurred.
    """
    return bool(np.bincount(codes, weights, minlength=n_classes).min() >= _MIN_CLASS_ROWS)


def leak_remarks(decides: NDArray[np.bool_], encoding: Encoding) -> tuple[str, ...]:
    """What `Leaks` says, where it is known which literals decide a class, [classes, 2 * columns]."""
    columns = encoding.columns
    features = np.tile([column.feature_index for column in columns], 2)
    found = []
    for feature in np.unique(features[decides.any(axis=0)]).tolist():
        own = decides & (features == feature)
        if own.any(axis=1).sum() >= len(decides) - 1:  # the rest is the last class
            k = int(own[-1].argmax() if own[-1].any() else own.any(axis=0).argmax())
            condition = columns[k % len(columns)].text(negated=k >= len(columns))
            found.append((repr(encoding.feature_names[feature]), condition))
    if not found:
        return ()
    (name, condition), others = found[0], ", ".join(other for other, _ in found[1:_MOST_LEAKS])
    return (
        f"Column {name} alone decides the class of every row, such as by `{condition}`"
        f"{f', and so does each of {others}' if others else ''}. If it is known only after the class is, "
        "leave it out.",
    )


def deciding(literals: Literals, codes: Codes, weights: Weights | None, n_classes: int) -> Literals:
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
