"""Pictures are drawn where the numbers are, and text in them is text."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from clausal.evaluation.metrics import calibrate
from clausal.html_report.charts import (
    Frame,
    bar,
    calibration_chart,
    histogram,
    path_chart,
    precision_recall_chart,
    roc_chart,
    scatter_chart,
    ticks,
    vote_chart,
    whisker,
)
from clausal.html_report.ranking import Curve
from tests.support.evaluations import evaluation, random_evaluation

PATH = SimpleNamespace(
    n_literals=np.array([1, 2, 4]),
    scores=np.array([0.5, 0.75, 0.7]),
    errors=np.array([0.1, 0.05, 0.05]),
    chosen=2,
    scoring="f1",
)


def shapes(svg, name):
    """The elements with this class."""
    return [e for e in ElementTree.fromstring(str(svg)).iter() if name in e.get("class", "").split()]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (-25, 40, [-20, 0, 20, 40]), (0.61, 0.83, [0.65, 0.7, 0.75, 0.8])],
)
def test_ticks_are_round_numbers_within_the_range(low, high, expected):
    assert ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize("size", [1e-9, 0.37, 1.0, 5.0, 123456.0])
def test_there_are_always_some_ticks_and_never_many(size):
    assert 2 <= len(ticks(3.3, 3.3 + size)) <= 7


def test_a_frame_puts_larger_numbers_right_and_up():
    frame = Frame(200, 100, (0, 10), (0, 1))
    assert float(frame.x(0)) < float(frame.x(5)) < float(frame.x(10)) <= 200
    assert float(frame.y(0)) > float(frame.y(0.5)) > float(frame.y(1)) >= 0


def test_the_path_is_a_curve_in_a_band_with_the_choice_marked():
    svg = path_chart(PATH)
    (curve,), (band,), (dot,) = shapes(svg, "curve"), shapes(svg, "band"), shapes(svg, "dot")
    points = re.findall(r"[-\d.]+ [-\d.]+", curve.get("d"))
    assert len(points) == 3
    assert len(re.findall(r"[-\d.]+ [-\d.]+", band.get("d"))) == 6
    assert points[1] == f"{dot.get('cx')} {dot.get('cy')}"
    assert "chosen: 2" in svg
    assert "validated f1" in svg


def test_a_path_of_one_size_is_drawn():
    one = SimpleNamespace(
        n_literals=np.array([1]), scores=np.array([0.5]), errors=np.array([0.0]), chosen=1, scoring="f1"
    )
    assert len(shapes(path_chart(one), "dot")) == 1


def test_every_bin_is_a_dot_with_its_interval():
    bins = calibrate(random_evaluation(300))
    svg = calibration_chart(bins, "<b>")
    assert len(shapes(svg, "dot")) == len(shapes(svg, "whisker")) == len(bins)
    assert "<b>" not in svg
    assert "&lt;b&gt;" in svg


UP = Curve(((0.0, 0.0), (0.0, 0.5), (1.0, 1.0)), ((0.0, 0.0), (1.0, 1.0)), (0.0, 0.5))


def test_a_roc_curve_goes_through_its_points_with_chance_and_the_decision_marked():
    svg, frame = roc_chart(UP, "<b>", "no"), Frame(460, 400, (0, 1), (0, 1))
    (curve,), (chance,), (dot,) = shapes(svg, "curve"), shapes(svg, "mark"), shapes(svg, "dot")
    assert curve.get("d") == "M" + "L".join(f"{frame.x(x)} {frame.y(y)}" for x, y in UP.points)
    assert chance.get("d") == f"M{frame.x(0)} {frame.y(0)}L{frame.x(1)} {frame.y(1)}"
    assert (dot.get("cx"), dot.get("cy")) == (frame.x(0), frame.y(0.5))
    assert "<title>ROC curve: the share of &lt;b&gt;" in svg
    assert "The decision of the model is at 0, 0.5." in svg
    assert "<b>" not in svg


def test_a_precision_recall_curve_has_steps_before_its_points():
    curve = Curve(((0.5, 1.0), (1.0, 0.25)), ((0.0, 0.25), (1.0, 0.25)), None)
    svg, frame = precision_recall_chart(curve, "yes"), Frame(460, 400, (0, 1), (0, 1))
    (line,) = shapes(svg, "curve")
    high, low = frame.y(1), frame.y(0.25)
    assert line.get("d") == f"M{frame.x(0)} {high}V{high}H{frame.x(0.5)}V{low}H{frame.x(1)}"
    assert shapes(svg, "mark")[0].get("d") == f"M{frame.x(0)} {low}L{frame.x(1)} {low}"
    assert shapes(svg, "dot") == []
    assert "The decision of the model" not in svg


def test_votes_are_stacked_by_class_and_none_is_lost():
    svg = vote_chart(evaluation([0, 0, 1, 1, 1], [-3, 2, 2, 2, 5], ("<i>", "yes")))
    heights = {}
    for name in ("c0", "c1"):
        for shape in shapes(svg, name):
            start, end = re.search(r"M[-\d.]+ ([-\d.]+)V([-\d.]+)", shape.get("d")).groups()
            heights[name] = heights.get(name, 0) + float(start) - float(end)
    assert heights["c1"] / heights["c0"] == pytest.approx(3 / 2, rel=0.01)
    assert "&lt;i&gt;" in svg


def test_several_classes_are_drawn_by_lead_right_or_wrong():
    svg = vote_chart(random_evaluation(200, 3))
    assert shapes(svg, "c0")
    assert shapes(svg, "c1")
    assert "wrong" in svg


@pytest.mark.parametrize("votes", [[0, 0], [7, 7], [-7, -7], [0.5, -0.25]])
def test_votes_that_are_all_alike_are_drawn(votes):
    assert "<svg" in vote_chart(evaluation([0, 1], np.array(votes)))


def test_bars_of_cells_start_in_the_middle_where_signed():
    (right,) = shapes(bar(5, 10, signed=True), "c1")
    (left,) = shapes(bar(-10, 10, signed=True), "c0")
    (plain,) = shapes(bar(0.25, 0.5, signed=False), "c1")
    assert (right.get("x"), right.get("width")) == ("50", "25")
    assert (left.get("x"), left.get("width")) == ("0", "50")
    assert (plain.get("x"), plain.get("width")) == ("0", "50")
    assert "width" in bar(0, 0, signed=True)


def test_an_interval_of_a_cell_is_a_line_with_a_dot():
    svg = whisker(0.5, 0.25, 0.75, 1.0)
    assert shapes(svg, "dot")[0].get("cx") == "50"
    assert shapes(svg, "whisker")[0].get("d") == "M25 7H75"


def test_points_of_equal_numbers_are_on_the_line():
    x = np.array([1.0, 2.0, 4.0])
    svg = scatter_chart(x, x, ("a", "b"), "t<", line=True)
    (line,) = shapes(svg, "mark")
    (x0, y0), (x1, y1) = (map(float, point.split()) for point in line.get("d")[1:].split("L"))
    slope = (y1 - y0) / (x1 - x0)
    assert len(shapes(svg, "dot")) == 3
    for dot in shapes(svg, "dot"):
        assert float(dot.get("cy")) == pytest.approx(y0 + slope * (float(dot.get("cx")) - x0), abs=0.02)


def test_residuals_of_zero_are_on_the_line():
    svg = scatter_chart(np.array([5.0, 9.0]), np.array([0.0, 3.0]), ("a", "b"), "t", line=False)
    height = shapes(svg, "mark")[0].get("d").split("L")[0].split()[1]
    low, high = shapes(svg, "dot")
    assert low.get("cy") == height
    assert float(high.get("cy")) < float(height)


def test_a_histogram_has_a_bar_for_each_part_with_numbers_and_names_its_unit():
    svg = histogram(np.array([-2e6, -2e6, 1e6]), ("residual", "rows"), "t")
    heights = []
    for bar_ in shapes(svg, "c1"):
        bottom, top = re.match(r"M\S+ (\S+)V([^H]+)H", bar_.get("d")).groups()
        heights.append(float(bottom) - float(top))
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.05)
    assert len(heights) == 2
    assert "residual, × 10^6" in str(svg)
