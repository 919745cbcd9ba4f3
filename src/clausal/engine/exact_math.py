"""exp and log of arrays from additions, multiplications and divisions only, which IEEE 754 rounds exactly.

NumPy's own functions may differ in the last bit between computers. These are those of
core/scorecard/exact_math.hpp, bit for bit; the relative error is below 1e-14.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def exact_exp(x: Any) -> Floats:
    """E to the power of x, for |x| <= 700: 2^k times a polynomial of the rest, |rest| <= log(2) / 2."""
    values = np.asarray(x, np.float64)
    k = np.rint(values * 1.4426950408889634)
    rest = (values - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10
    total = np.ones_like(values)
    for n in range(14, 0, -1):
        total = 1.0 + total * rest / n
    return np.asarray(np.ldexp(total, k.astype(np.int32)), np.float64)


def exact_log(x: Any) -> Floats:
    """The natural logarithm of x > 0: that of 2^k, and 2 artanh((m - 1) / (m + 1)) for m from 0.7 to 1.4."""
    m, k = np.frexp(np.asarray(x, np.float64))
    small = m < 0.70710678118654752
    m, k = np.where(small, 2.0 * m, m), np.where(small, k - 1, k)
    ratio = (m - 1.0) / (m + 1.0)
    square = ratio * ratio
    total = np.zeros_like(ratio)
    for n in range(23, 0, -2):
        total = total * square + 1.0 / n
    return np.asarray(2.0 * ratio * total + k * 0.6931471805599453, np.float64)
