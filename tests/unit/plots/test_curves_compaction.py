"""CompactionDisplay: the curve is the path."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot as plt

from clausal import CompactionDisplay

PATH = SimpleNamespace(
    n_literals=np.array([1, 2, 3, 5]),
    scores=np.array([0.5, 0.7, 0.8, 0.75]),
    errors=np.array([0.1, 0.05, 0.02, 0.03]),
    chosen=3,
    scoring="f1",
)


def test_the_curve_the_band_and_the_mark_are_the_path():
    display = CompactionDisplay.from_path(PATH)
    assert display.line_.get_xdata().tolist() == [1, 2, 3, 5]
    assert display.line_.get_ydata().tolist() == [0.5, 0.7, 0.8, 0.75]
    corners = display.band_.get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(0.4)
    assert corners[:, 1].max() == pytest.approx(0.82)
    assert display.chosen_line_.get_xdata()[0] == 3
    assert display.chosen_text_.get_text() == "chosen: 3"
    assert "validated f1" in display.ax_.get_ylabel()
    display.figure_.canvas.draw()


def test_from_estimator_draws_its_path_on_given_axes():
    _, ax = plt.subplots()
    display = CompactionDisplay.from_estimator(SimpleNamespace(path_=PATH), ax=ax, color="red")
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.line_.get_color() == "red"


def test_without_errors_or_a_choice_there_is_only_the_curve():
    display = CompactionDisplay(n_literals=[1], scores=[0.5]).plot()
    assert display.band_ is None
    assert display.chosen_line_ is None
    assert "standard error" not in display.ax_.get_ylabel()
    display.figure_.canvas.draw()


def test_a_chosen_size_between_those_of_the_path_is_still_marked():
    display = CompactionDisplay(n_literals=[1, 2, 9], scores=[0.5, 0.6, 0.7], chosen=8).plot()
    assert display.chosen_line_.get_xdata()[0] == 8
