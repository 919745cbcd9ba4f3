"""Parameters as the engines' integers."""

import numpy as np

from clausal.engine.protocol import down_chances, drop_chance
from tests.support.toy_machines import make_config


def test_one_over_s_in_24_bits():
    assert down_chances(1.0, 2).tolist() == [2**24, 2**24]
    assert down_chances(3.0, 1).tolist() == [round(2**24 / 3)]
    assert down_chances(1e6, 1).tolist() == [17]


def test_a_pair_is_spread_linearly():
    s = 2.0**24 / down_chances((2.0, 6.0), 5)
    assert np.allclose(s, [2, 3, 4, 5, 6], rtol=1e-6)


def test_drop_chance_in_32_bits():
    assert drop_chance(0.0) == 0
    assert drop_chance(0.25) == 2**30


def test_no_mask_allows_every_literal():
    config = make_config(n_columns=3)
    assert config.literal_mask.shape == (2, 6)
    assert config.literal_mask.all()
