"""exp and log from exactly rounded operations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.engine.exact_math import exact_exp, exact_log


@given(st.floats(-700, 700))
def test_exp(x):
    assert float(exact_exp(x)) == pytest.approx(math.exp(x), rel=1e-13)


@given(st.floats(1e-300, 1e300))
def test_log(x):
    assert float(exact_log(x)) == pytest.approx(math.log(x), rel=1e-13, abs=1e-15)


def test_arrays_keep_their_shape():
    values = np.array([[0.5, 1.0], [2.0, 3.0]])
    np.testing.assert_allclose(exact_log(exact_exp(values)), values, rtol=1e-13)
