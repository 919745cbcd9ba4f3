"""Tables of booleans for `booleanizer=None`: packed as they are or read by feature, to the same literals."""

import numpy as np
import pytest

from clausal.encoding.table import ArrayTable
from clausal.machine.read import read_training_rows
from tests.support.small_data import quick

BITS = np.random.default_rng(0).integers(0, 2, (50, 70), dtype=np.uint8)
FORMS = {
    "bytes": BITS,
    "booleans": BITS.astype(bool),
    "by column": np.asfortranarray(BITS),
    "integers": BITS.astype(np.int64),
    "numbers": BITS.astype(np.float32),
}


def literals(X):
    return read_training_rows(quick(booleanizer=None), X, BITS[:, 0], None, None).samples.literals


@pytest.mark.parametrize("form", FORMS)
def test_the_literals_do_not_depend_on_the_form(form):
    np.testing.assert_array_equal(literals(FORMS[form]), literals(FORMS["numbers"]))


@pytest.mark.parametrize("form", FORMS)
def test_only_rows_of_bytes_are_taken_as_they_are(form):
    taken = ArrayTable(FORMS[form]).bits()
    assert (taken is not None) == (form in ("bytes", "booleans"))
    assert taken is None or np.shares_memory(taken, FORMS[form])


def test_other_bytes_are_refused_with_their_feature():
    assert ArrayTable(2 * BITS).bits() is None
    with pytest.raises(ValueError, match="'x0' must hold booleans or 0 and 1, as it is boolean. Got 2."):
        literals(2 * BITS)
