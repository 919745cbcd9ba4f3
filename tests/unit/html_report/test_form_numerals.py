"""Numbers as the report prints them."""

import numpy as np
import pytest

from clausal.html_report.form import (
    count_text,
    effect_text,
    figure_text,
    measure_text,
    percent_text,
    signed_text,
)


def test_measures_have_three_digits_or_a_dash():
    assert measure_text(0.8034) == "0.803"
    assert measure_text(float("nan")) == "–"


@pytest.mark.parametrize(
    ("figure", "text"),
    [(-62.983, "−62.98"), (254321.0, "254300"), (0.00012345, "0.0001234"), (3e20, "3e+20"), (np.nan, "–")],
)
def test_figures_of_any_size_have_four_digits(figure, text):
    assert figure_text(figure) == text


def test_shares_are_printed_in_per_cent():
    assert percent_text(0.4567) == "45.7 %"
    assert percent_text(float("nan")) == "–"


@pytest.mark.parametrize(
    ("points", "text"),
    [(3, "+3"), (-12, "−12"), (0, "0"), (0.0, "0"), (1.25, "+1.25"), (-2.0, "−2"), (10**9, "+1000000000")],
)
def test_points_have_a_sign(points, text):
    assert signed_text(points) == text


def test_effects_are_rounded():
    assert effect_text(-1.23456) == "−1.23"
    assert effect_text(0.001) == "0"


def test_counts_have_their_thousands_apart_and_weights_two_digits():
    assert count_text(48842) == "48,842"
    assert count_text(1200.0) == "1,200"
    assert count_text(1.256) == "1.26"
