"""Statistics per rule: against hand counts, and intervals against SciPy's."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from clausal import Booleanizer
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.statistics import Estimate, rule_statistics, wilson

TABLE = pd.DataFrame({"age": [54, 54, 55, 55, 61, 61, 61, 61], "ok": [True, False] * 4})
Y = ["no", "no", "no", "yes", "yes", "yes", "yes", "no"]
TEST = pd.DataFrame({"age": [54, 61, 61], "ok": [True, False, False]})
Y_TEST = ["no", "yes", "no"]

BOOLEANIZER = Booleanizer().fit(TABLE)  # age <= 54, age <= 55, ok
OVER_54, OVER_55, OK = (
    Literal(column, place, negated)
    for place, (column, negated) in enumerate(zip(BOOLEANIZER.columns_, (True, True, False), strict=True))
)
UPTO_54 = Literal(OVER_54.column, 0, False)
RULES = RuleSet(
    [
        Rule((OVER_54,), 3, "yes"),
        Rule((OK,), -2, "no"),
        Rule((OVER_55, OK), 1, "yes"),
        Rule((OVER_55, UPTO_54), 1, "yes"),  # never fires
    ],
    BOOLEANIZER,
    ["no", "yes"],
)


def assert_numbers(found: Any, expected: list[float]) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_counts_are_those_made_by_hand() -> None:
    train = RULES.statistics(TABLE, Y).train
    assert train.n_rows == 8
    assert train.support.tolist() == [6, 4, 2, 0]
    assert_numbers(train.share.value, [6 / 8, 4 / 8, 2 / 8, 0])
    assert_numbers(train.precision.value, [4 / 6, 2 / 4, 1, math.nan])
    assert_numbers(train.base_rate, [4 / 8] * 4)
    assert_numbers(train.lift.value, [(4 / 6) / 0.5, 1, 2, math.nan])


def test_held_out_data_is_counted_apart() -> None:
    statistics = RULES.statistics(TABLE, Y, TEST, Y_TEST)
    test = statistics.test
    assert test is not None
    assert test.n_rows == 3
    assert test.support.tolist() == [2, 1, 0, 0]
    assert_numbers(test.precision.value, [1 / 2, 1, math.nan, math.nan])
    assert_numbers(test.base_rate, [1 / 3, 2 / 3, 1 / 3, 1 / 3])
    assert_numbers(test.lift.value, [1.5, 1.5, math.nan, math.nan])
    assert statistics.train.support.tolist() == [6, 4, 2, 0]


def test_rules_of_many_classes_speak_for_a_class_or_against_it() -> None:
    rules = RuleSet(
        [Rule((OVER_54,), 2, "b", 1), Rule((OVER_54,), -2, "not b", 1), Rule((OK,), -1, "not a", 0)],
        BOOLEANIZER,
        ["a", "b", "c"],
    )
    train = rules.statistics(TABLE, ["a", "a", "b", "c", "b", "b", "c", "a"]).train
    assert_numbers(train.precision.value, [3 / 6, 3 / 6, 3 / 4])
    assert_numbers(train.base_rate, [3 / 8, 5 / 8, 5 / 8])
    assert_numbers(train.lift.value, [4 / 3, 4 / 5, 6 / 5])


@given(
    st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.999)
)
def test_intervals_are_wilsons(counts: tuple[int, int], confidence: float) -> None:
    successes, total = counts
    expected = binomtest(successes, total).proportion_ci(confidence, method="wilson")
    share, low, high = wilson(np.array([successes]), np.array([total]), confidence)
    assert share[0] == successes / total
    np.testing.assert_allclose([low[0], high[0]], [expected.low, expected.high], rtol=1e-9, atol=1e-12)
    assert 0 <= low[0] <= share[0] <= high[0] <= 1


def test_each_measure_has_its_interval() -> None:
    train = RULES.statistics(TABLE, Y, confidence=0.8).train
    for estimate, counts, totals in (
        (train.share, [6, 4, 2, 0], [8] * 4),
        (train.precision, [4, 2, 2], [6, 4, 2]),
    ):
        expected = [
            binomtest(k, n).proportion_ci(0.8, method="wilson") for k, n in zip(counts, totals, strict=True)
        ]
        assert_numbers(estimate.low[: len(counts)], [interval.low for interval in expected])
        assert_numbers(estimate.high[: len(counts)], [interval.high for interval in expected])
    assert_numbers(train.lift.low, (train.precision.low / 0.5).tolist())
    assert_numbers(train.lift.high, (train.precision.high / 0.5).tolist())


def test_a_rule_that_never_fires_is_unknown_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        statistics = RULES[3:].statistics(TABLE, Y, TEST, Y_TEST)
        for measures in (statistics.train, statistics.test):
            assert measures is not None
            assert measures.share.value.tolist() == [0]
            assert measures.share.low.tolist() == [0]
            for estimate in (measures.precision, measures.lift):
                assert all(math.isnan(part[0]) for part in estimate)
        assert math.isnan(statistics.overlap[0, 0])
        assert statistics.most_overlapping() == []
        assert "nan" not in str(statistics)


def test_a_class_that_is_absent_has_no_lift() -> None:
    statistics = RULES.statistics(TABLE, ["no"] * 8)
    assert statistics.train.precision.value[0] == 0
    assert math.isnan(statistics.train.lift.value[0])
    assert statistics.train.lift.value[1] == 1
    assert "nan" not in str(statistics)


def test_overlap_is_shared_rows_over_rows_of_either() -> None:
    statistics = RULES.statistics(TABLE, Y)
    expected = [
        [1, 3 / 7, 2 / 6, 0],
        [3 / 7, 1, 2 / 4, 0],
        [2 / 6, 2 / 4, 1, 0],
        [0, 0, 0, math.nan],
    ]
    np.testing.assert_allclose(statistics.overlap, expected, rtol=1e-12)
    assert statistics.most_overlapping() == [(1, 2, 2 / 4), (0, 1, 3 / 7), (0, 2, 2 / 6)]
    assert statistics.most_overlapping(1)[0].second == 2


def test_overlap_counts_many_rows() -> None:
    rng = np.random.default_rng(0)
    bits = rng.random((9001, 3)) < [0.5, 0.3, 0.01]
    booleanizer = Booleanizer(mode="boolean").fit(bits)
    rules = RuleSet(
        [Rule((Literal(column, place, False),), 1, "1") for place, column in enumerate(booleanizer.columns_)],
        booleanizer,
        [0, 1],
    )
    overlap = rules.statistics(bits, bits[:, 0].astype(int)).overlap
    either, both = bits[:, :, None] | bits[:, None], bits[:, :, None] & bits[:, None]
    np.testing.assert_allclose(overlap, both.sum(axis=0) / either.sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_one_row_per_rule(backend: Any) -> None:
    frame = RULES.statistics(TABLE, Y, TEST, Y_TEST).to_frame(backend)
    columns = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert len(frame) == 4
    assert columns[:7] == [
        "points", "speaks_for", "rule", "train_support", "test_support", "train_share", "train_share_low"
    ]  # fmt: skip
    assert columns[-3:] == ["test_lift", "test_lift_low", "test_lift_high"]


def test_the_frame_holds_what_the_measures_do() -> None:
    frame = RULES.statistics(TABLE, Y).to_frame("pandas")
    assert frame["points"].tolist() == [3, -2, 1, 1]
    assert frame["speaks_for"].tolist() == ["yes", "no", "yes", "yes"]
    assert frame["rule"].tolist()[:2] == ["age > 54", "ok"]
    assert frame["support"].tolist() == [6, 4, 2, 0]
    assert_numbers(frame["precision"], [4 / 6, 2 / 4, 1, math.nan])
    assert not any(name.startswith(("train", "test")) for name in frame.columns)


def test_the_text_says_it_all() -> None:
    assert str(RULES[:1].statistics(TABLE, Y, TEST, Y_TEST)) == (
        "Points are for yes. On 8 training rows and 3 test rows, with 95 % intervals:\n"
        "+3  if age > 54\n"
        "    train  fires on 6 of 8 rows, 75 % [41, 93]; 67 % [30, 90] of these are yes; "
        "lift 1.33 [0.60, 1.81]\n"
        "    test   fires on 2 of 3 rows, 67 % [21, 94]; 50 % [9, 91] of these are yes; "
        "lift 1.50 [0.28, 2.72]"
    )
    assert str(RULES[1:2].statistics(TABLE, Y)).splitlines()[1].startswith("-2  if ok")
    assert "of these are no;" in str(RULES[1:2].statistics(TABLE, Y))
    assert str(RULES[:0].statistics(TABLE, Y)).endswith("On 8 rows, with 95 % intervals:\n(no rules)")
    both = RULES.statistics(TABLE, Y, TEST, Y_TEST)
    assert repr(both) == "RuleStatistics of 4 rules on 8 training rows and 3 test rows"


def test_rows_of_one_table_are_not_called_training_rows() -> None:
    statistics = RULES[:1].statistics(TEST, Y_TEST)
    assert str(statistics) == (
        "Points are for yes. On 3 rows, with 95 % intervals:\n"
        "+3  if age > 54\n"
        "    fires on 2 of 3 rows, 67 % [21, 94]; 50 % [9, 91] of these are yes; lift 1.50 [0.28, 2.72]"
    )
    assert repr(statistics) == "RuleStatistics of 1 rules on 3 rows"


def test_a_set_without_rules_has_empty_statistics() -> None:
    statistics = rule_statistics(RULES[:0], TABLE, Y, TEST, Y_TEST)
    assert statistics.overlap.shape == (0, 0)
    assert statistics.most_overlapping() == []
    assert len(statistics.to_frame("pandas")) == 0
    assert isinstance(statistics.train.share, Estimate)


@pytest.mark.parametrize("labels", [[0, 1, 0, 1, 1, 1, 1, 0], [False, True] * 4])
def test_labels_may_be_numbers_or_booleans(labels: list[Any]) -> None:
    rules = RuleSet(RULES, BOOLEANIZER, [labels[0], labels[1]])
    by_array = rules.statistics(TABLE, np.array(labels)).train.precision.value
    by_series = rules.statistics(TABLE, pd.Series(labels)).train.precision.value
    np.testing.assert_array_equal(by_array, by_series)
    assert by_array[0] == np.mean(np.array(labels)[2:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": ["no"] * 7 + ["maybe"]}, "y must hold classes of the model only: no, yes. Got 'maybe'"),
        ({"y": [*Y[:-1], None]}, "Got None"),
        ({"y": Y[:-1]}, r"y must have one label per row \(8\). Got shape \(7,\)"),
        ({"y": [[label] for label in Y]}, r"Got shape \(8, 1\)"),
        ({"y": Y, "X_test": TEST}, "X_test and y_test must be given together. Got X_test alone"),
        ({"y": Y, "y_test": Y_TEST}, "Got y_test alone"),
        ({"y": Y, "X_test": TEST, "y_test": ["new"] * 3}, "y_test must hold classes.*Got 'new'"),
        ({"y": Y, "confidence": 1.0}, "The 'confidence' parameter of statistics must be above 0 and below 1"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RULES.statistics(TABLE, **arguments)
