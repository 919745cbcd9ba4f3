"""The fitted arrays: what is derived from them, that nothing changes them, that they survive a pickle."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from clausal.engine.protocol import unpack_bits
from clausal.machine.clause_model import ClauseModel

STATES = np.array([[[0, 2, 3, 1], [3, 3, 0, 0], [0, 1, 1, 0], [2, 0, 0, 2]]], np.uint8)  # N = 2
POINTS = np.array([[5, 0, 3, 1]], np.int32)


def model(**changes):
    values = {"states": STATES.copy(), "levels": POINTS.copy(), "points": POINTS.copy(), "n_states": 2}
    values |= {"threshold": 7, "scale": 1, "seed": 11, "step": 100, "epoch": 4, "row": 9}
    return ClauseModel(**{**values, **changes})


def test_shapes():
    assert (model().n_banks, model().n_clauses) == (1, 4)


def test_literals_are_included_from_the_upper_half_of_the_states_on():
    expected = [[[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1]]]
    assert model().include.astype(int).tolist() == expected
    assert model(n_states=1).include.tolist() == (STATES >= 1).tolist()


def test_polarity_alternates_beginning_with_for():
    assert model().polarity.tolist() == [1, -1, 1, -1]
    assert model().signed_points.tolist() == [[5, 0, 3, -1]]
    assert model().signed_points.dtype == np.int32


def test_literals_of_clauses_without_weight_do_not_count():
    assert model().n_literals == 2 + 0 + 2  # the second clause has weight 0, the third is empty
    assert type(model().n_literals) is int


def test_weights_are_points_in_units_of_the_scale():
    assert model().weights.dtype == np.int64
    assert model().weights.tolist() == POINTS.tolist()
    assert model(scale=4).weights.tolist() == [[1.25, 0.0, 0.75, 0.25]]


def test_packed_literals():
    packed = model().packed_include
    assert packed.dtype == np.uint64
    assert np.array_equal(unpack_bits(packed, 4), model().include)


@pytest.mark.parametrize("name", ["states", "levels", "points", "include", "polarity", "weights"])
def test_nothing_can_be_changed(name):
    frozen = model()
    with pytest.raises(ValueError, match="read-only"):
        getattr(frozen, name)[...] = 0
    with pytest.raises(FrozenInstanceError):
        setattr(frozen, name, None)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_equal_and_frozen(copied):
    first = model()
    assert first.n_literals == 4  # cached, and not part of what is copied
    twin = copied(first)
    for name in ClauseModel.__dataclass_fields__:
        assert np.array_equal(getattr(twin, name), getattr(first, name))
    assert "n_literals" not in vars(twin)
    assert not twin.states.flags.writeable
    assert not twin.points.flags.writeable
