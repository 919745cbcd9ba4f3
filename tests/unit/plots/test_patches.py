"""PatchDisplay: the pattern, the places and the samples are those of the rule."""

from dataclasses import replace

import numpy as np
import pytest

from clausal import Booleanizer, PatchDisplay, PatchEncoder, RuleSet, parse_rule

IMAGES = np.random.default_rng(0).integers(0, 10, (40, 6, 7, 2))
ENCODING = PatchEncoder((3, 2), stride=(1, 2), thresholds=[3, 6]).encoding(IMAGES)
RULE = "pixel[0, 1, 0] > 3 and pixel[0, 1, 1] <= 6 and 3 < pixel[2, 0, 1] <= 6 and row > 0 and column <= 2"


def rules(text=RULE, encoding=ENCODING):
    return RuleSet([replace(parse_rule(text, encoding), points=4)], encoding, ["cat", "dog"])


def test_the_pattern_and_the_places_are_those_of_the_conditions():
    display = PatchDisplay.from_rules(rules())
    expected = np.zeros((3, 2, 2), int)
    expected[0, 1] = [2, 1]
    expected[2, 0, 1] = 3
    assert np.array_equal(display.pattern_, expected)
    assert display.places_.tolist() == [[False] * 3, *[[True, True, False]] * 3]
    assert display.figure_.get_suptitle() == "+4 for dog"
    assert len(display.axes_) == 3, "two channels and the places"
    begins = display.axes_[2].images[0].get_array()
    assert np.argwhere(begins).tolist() == [[row, column] for row in (1, 2, 3) for column in (0, 2)]


def test_samples_are_those_on_which_the_rule_holds_with_the_patch_marked():
    model = rules("pixel[0, 1, 0] > 6 and pixel[2, 0, 1] <= 3 and row > 0")
    display = PatchDisplay.from_rules(model, X=IMAGES, n_samples=3)
    holds = np.flatnonzero(model.fires(IMAGES)[:, 0])
    assert display.n_holds == len(holds)
    assert f"holds on {len(holds)} samples" in display.figure_.get_suptitle()
    assert np.array_equal(display.samples, IMAGES[holds[:3]])
    for image, (row, column), panel in zip(display.samples, display.corners, display.axes_[3:], strict=True):
        assert row > 0
        assert image[row, column + 1, 0] > 6
        assert image[row + 2, column, 1] <= 3
        assert panel.patches[0].get_xy() == (column - 0.5, row - 0.5)


def test_sequences_are_drawn_as_strips():
    X = np.eye(5, 12, dtype=bool)
    encoding = PatchEncoder(3).encoding(X)
    display = PatchDisplay.from_rules(rules("not value[0] and value[2] and start > 1", encoding), X=X)
    assert display.pattern_.ravel().tolist() == [1, 0, 2]
    assert display.places_.tolist() == [[False, False, *[True] * 8]]
    assert display.n_holds == 1
    assert display.corners == [(0, 2)]


def test_bad_arguments():
    table = Booleanizer().fit(IMAGES[:, :, 0, 0])
    with pytest.raises(ValueError, match="must be given a model of images or sequences. Got one of a table"):
        PatchDisplay.from_rules(RuleSet([], table, [0, 1]))
    with pytest.raises(ValueError, match="'rule' .* must be an int from 0 to 0. Got 1"):
        PatchDisplay.from_rules(rules(), 1)
