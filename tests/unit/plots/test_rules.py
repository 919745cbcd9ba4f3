"""RuleDisplay: the bars are the rules' points."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from clausal import Booleanizer, RuleDisplay
from clausal.plots.canvas import COLORS
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.small_data import quick, table

TABLE = pd.DataFrame({"age": [54.0, 55.0, 56.0], "$dose_": [0.25, 0.5, 0.75]})
BOOLEANIZER = Booleanizer().fit(TABLE)


def rules(points, classes=("well", "sick"), banks=None):
    """One rule per number, of one literal each in turn."""
    columns = BOOLEANIZER.columns_
    made = []
    for place, value in enumerate(points):
        bank = 0 if banks is None else banks[place]
        literal = Literal(columns[place % len(columns)], place % len(columns), place >= len(columns))
        made.append(Rule((literal,), value, bank=bank))
    return RuleSet(made, BOOLEANIZER, classes)


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_bars_are_the_points_of_the_weightiest_rules():
    display = RuleDisplay.from_rules(rules([2, -7, 5, -1]), n_rules=3)
    assert [bar.get_width() for bar in display.bars_] == [-7, 5, 2]
    assert [text.get_text() for text in display.point_texts_] == ["-7", "+5", "+2"]
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["age <= 55", "$dose_ <= 0.4", "age <= 54"]
    assert "1 rules with fewer points are not shown" in display.ax_.get_xlabel()
    assert display.figure_ is display.ax_.figure
    display.figure_.canvas.draw()


def test_the_colour_is_the_class_spoken_for():
    display = RuleDisplay.from_rules(rules([3, -2]))
    assert [to_hex(bar.get_facecolor()).upper() for bar in display.bars_] == [COLORS[1], COLORS[0]]
    assert legend_texts(display) == ["speaks for well", "speaks for sick"]
    assert display.ax_.get_xlabel() == "points for sick"


def test_against_one_of_several_classes_is_hatched():
    display = RuleDisplay.from_rules(rules([4, -3, 2], ("a", "b", "c"), banks=[2, 0, 0]))
    assert [to_hex(bar.get_facecolor()).upper() for bar in display.bars_] == [COLORS[2], COLORS[0], COLORS[0]]
    assert [bool(bar.get_hatch()) for bar in display.bars_] == [False, True, False]
    assert legend_texts(display) == ["speaks for a", "speaks for c"]
    assert display.ax_.get_xlabel() == "points"
    assert display.legend_.get_title().get_text() == "hatched: against"


def test_from_estimator_draws_its_rules():
    clf = quick().fit(*table())
    _, ax = plt.subplots()
    display = RuleDisplay.from_estimator(clf, n_rules=4, ax=ax, height=0.5)
    assert display.ax_ is ax
    assert [bar.get_width() for bar in display.bars_] == [rule.points for rule in clf.rules_[:4]]
    np.testing.assert_allclose([bar.get_height() for bar in display.bars_], 0.5)


def test_real_points_are_written_shortly():
    assert [text.get_text() for text in RuleDisplay.from_rules(rules([1.23456])).point_texts_] == ["+1.235"]


def test_a_model_without_rules_is_an_empty_picture():
    display = RuleDisplay.from_rules(rules([]))
    assert len(display.bars_) == 0
    display.figure_.canvas.draw()


def test_a_number_of_rules_below_one_is_refused():
    with pytest.raises(ValueError, match="'n_rules' parameter of RuleDisplay must be an int >= 1. Got 0"):
        RuleDisplay.from_rules(rules([1]), n_rules=0)
