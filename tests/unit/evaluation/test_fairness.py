"""The figures of groups are those of their rows; a protected column that the model uses is refused."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from clausal import fairness
from tests.support.periods import groups, labels, period, scorecard

CARD = scorecard()
X = period(1000, seed=1)
Y = labels(CARD, X, 3)
SEX = groups(1000)


def figure(result, measure, group):
    return next(each for each in result.of(measure) if each.group == group)


def test_figures_are_those_of_the_rows():
    result = fairness(CARD, X, Y, pd.Series(SEX, name="sex"))
    assert (result.column, result.positive) == ("sex", "yes")
    rows = SEX == "f"
    decided, true = CARD.predict(X)[rows] == "yes", Y[rows] == "yes"
    expected = {
        "selection rate": decided.mean(),
        "true positive rate": decided[true].mean(),
        "false positive rate": decided[~true].mean(),
        "false negative rate": (~decided[true]).mean(),
        "observed / expected": true.sum() / CARD.predict_proba(X)[rows, 1].sum(),
        "ROC AUC": roc_auc_score(true, CARD.votes(X)[rows]),
    }
    for measure, value in expected.items():
        found = figure(result, measure, "f")
        assert found.value.value == pytest.approx(value), measure
        assert found.value.low < value < found.value.high


def test_groups_that_have_nothing_to_do_with_the_rows_do_not_differ():
    result = fairness(CARD, X, Y, SEX)
    assert not any(each.differs for each in result.figures)
    assert "too few" not in str(result)


def test_a_difference_is_found_with_its_ratio():
    ages = np.where(X["age"] <= 40, "young", "old")
    result = fairness(CARD, X, Y, ages, compare_with="young")
    old = figure(result, "selection rate", "old")
    assert old.differs
    assert old.difference.high < 0
    assert old.ratio.high < 1
    assert old.ratio.value == pytest.approx(
        old.value.value / figure(result, "selection rate", "young").value.value
    )
    assert math.isnan(figure(result, "selection rate", "young").p)
    assert str(result).startswith("By the protected column, decisions for yes, compared with young")


def test_small_groups_are_said_and_not_compared():
    few = np.where(np.arange(1000) < 12, "few", SEX)
    result = fairness(CARD, X, Y, few)
    small = figure(result, "selection rate", "few")
    assert small.too_few
    assert math.isnan(small.difference.value)
    assert "Groups of fewer than 30 rows are not compared: few." in str(result)
    assert not figure(fairness(CARD, X, Y, few, min_rows=12), "selection rate", "few").too_few


def test_without_classes_only_selection_rates_are_there():
    result = fairness(CARD, X, None, SEX)
    assert {each.measure for each in result.figures} == {"selection rate"}
    frame = result.to_frame("pandas")
    assert list(frame["group"]) == list(result.groups)
    assert {"value", "low", "high", "difference_low", "ratio_high", "p_adjusted"} <= set(frame.columns)


def test_a_column_of_the_table_may_be_protected():
    by_name = fairness(CARD, X.assign(sex=SEX), Y, "sex")
    assert str(by_name) == str(fairness(CARD, X, Y, pd.Series(SEX, name="sex")))
    assert fairness(CARD, X.assign(unused=X["unused"] > 0.5), Y, "unused").groups.keys() == {"true", "false"}


def test_missing_groups_are_a_group():
    result = fairness(CARD, X, Y, np.where(np.arange(1000) < 100, None, SEX))
    assert result.groups["(missing)"] == 100


def test_three_classes_need_the_class_that_is_meant():
    card = scorecard(("a", "b", "c"))
    y = labels(card, X, 3)
    with pytest.raises(ValueError, match="The 'pos_label' parameter of fairness must be a class"):
        fairness(card, X, y, SEX)
    result = fairness(card, X, y, SEX, pos_label="b")
    rows = SEX == "m"
    assert figure(result, "selection rate", "m").value.value == (card.predict(X)[rows] == "b").mean()
    with pytest.raises(ValueError, match="Got 'd'"):
        fairness(card, X, y, SEX, pos_label="d")


@pytest.mark.parametrize(
    ("protected", "message"),
    [
        ("age", "protected must be a column that no rule tests. Got 'age', which the model uses."),
        ("gender", "protected must be an array or the name of a column of the table. Got 'gender'."),
        (np.arange(1000), "protected must have at most 50 groups. Got 1000 different values"),
        (["f"] * 1000, "protected must have at least 2 groups. Got only f."),
    ],
)
def test_a_protected_column_must_be_one_of_groups(protected, message):
    with pytest.raises(ValueError, match=message):
        fairness(CARD, X, Y, protected)


def test_a_group_to_compare_with_must_exist():
    with pytest.raises(
        ValueError, match="The 'compare_with' parameter of fairness must be a group: .* Got 'x'."
    ):
        fairness(CARD, X, Y, SEX, compare_with="x")
