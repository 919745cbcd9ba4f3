"""Labels, weights, held-out sets and callbacks as arrays; contract tests hold the errors."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from clausal.machine.inputs import (
    check_callbacks,
    check_classes,
    check_classes_left,
    check_eval_set,
    check_numbers_vary,
    check_sample_weight,
    class_weights,
    combine_weights,
    encode_labels,
    positive_last,
    read_labels,
    read_numbers,
    row_count,
    weight_scale,
)

CODES = np.array([0, 1, 1, 2], np.int32)
CLASSES = np.array(["a", "b", "c"])


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (np.ones((3, 2)), 3),
        (pd.DataFrame({"a": [1, 2]}), 2),
        (sp.coo_matrix((10**12, 3)), 10**12),
        ([[1, 2]], 1),
        ((), 0),
        (np.array(5), None),
        (None, None),
        ("ab", None),
        (5, None),
    ],
)
def test_row_count(table, expected):
    assert row_count(table) == expected


@pytest.mark.parametrize(
    ("given", "kind", "values"),
    [
        ([1, 0, 1], "i", [1, 0, 1]),
        ([True, False], "b", [True, False]),
        ([True, 2], "i", [1, 2]),
        ([1, 2.0], "f", [1.0, 2.0]),
        (("b", "a"), "O", ["b", "a"]),
        (np.array([np.int8(1), 2], dtype=object), "i", [1, 2]),
        (pd.Series(["b", "a"], index=[5, 3]), "O", ["b", "a"]),
        ([], "O", []),
    ],
)
def test_labels_are_read_as_one_type(given, kind, values):
    labels = read_labels(given, None)
    assert labels.dtype.kind == kind
    assert labels.tolist() == values


@pytest.mark.parametrize("labels", [np.array(["2020-01-02"], "M8[D]"), pd.Series(pd.to_timedelta([1, 2]))])
def test_dates_are_no_labels(labels):
    """Models with such labels could not be saved, and named them by nanoseconds."""
    with pytest.raises(
        ValueError, match=r"y must hold numbers, strings or booleans. Got dates .*astype\(str\)"
    ):
        read_labels(labels, None)


def test_labels_are_not_made_equal_by_their_text():
    with pytest.raises(ValueError, match="not both. Got 1 and '1'"):
        read_labels([1, "1"], 2)
    with pytest.raises(ValueError, match=r"only the classes \[0, 1\]. Got \['0'\]"):
        encode_labels(np.array(["0"]), np.array([0, 1]))


def test_labels_become_places_among_the_classes():
    classes, codes = encode_labels(np.array(["b", "a", "b"]), None)
    assert (classes.tolist(), codes.tolist(), codes.dtype) == (["a", "b"], [1, 0, 1], np.int32)
    classes, codes = encode_labels(np.array(["c", "a"]), CLASSES)
    assert classes is CLASSES
    assert (codes.tolist(), codes.dtype) == ([2, 0], np.int32)
    assert encode_labels(np.array([1.0, 0.0]), np.array([0, 1]))[1].tolist() == [1, 0]
    assert encode_labels(np.array([True]), np.array([0, 1]))[1].tolist() == [1]


def test_classes_of_partial_fit():
    assert check_classes(["b", "a", "b"], None).tolist() == ["a", "b"]
    assert check_classes(None, CLASSES) is CLASSES
    assert check_classes(["c", "b", "a"], CLASSES) is CLASSES


def test_two_classes_must_be_left():
    check_classes_left(CLASSES, CODES, None)
    check_classes_left(CLASSES, CODES, np.array([0.0, 1e-300, 0.0, 5.0]))
    with pytest.raises(ValueError, match=r"above 0 in at least 2 classes. Got 1 class: \['b'\]"):
        check_classes_left(CLASSES, CODES, np.array([0.0, 1.0, 2.0, 0.0]))
    with pytest.raises(ValueError, match=r"y must hold at least 2 classes. Got 1 class: \['a'\]"):
        check_classes_left(CLASSES, CODES[:1], np.array([2.0]))


def test_sample_weights():
    assert check_sample_weight(None, 3) is None
    assert check_sample_weight([1, 1, 1], 3) is None
    assert check_sample_weight(2, 3).tolist() == [2.0, 2.0, 2.0]
    weights = check_sample_weight(np.array([0, 1, 3], np.uint8), 3)
    assert (weights.tolist(), weights.dtype) == ([0.0, 1.0, 3.0], np.float64)
    given = np.array([0.5, 2.0])
    assert check_sample_weight(given, 2) is not given


def test_balanced_weights_follow_scikit_learns_formula():
    assert class_weights(None, CLASSES, CODES, None) is None
    np.testing.assert_allclose(class_weights("balanced", CLASSES, CODES, None), [4 / 3, 4 / 6, 4 / 3])
    weights = np.array([2.0, 1.0, 0.5, 0.0])  # class c weighs nothing, and stays so
    np.testing.assert_allclose(class_weights("balanced", CLASSES, CODES, weights), [3.5 / 6, 3.5 / 4.5, 1])


def test_class_weights_of_a_dictionary():
    assert class_weights({"b": 3, np.str_("c"): 0}, CLASSES, CODES, None).tolist() == [1, 3, 0]
    assert class_weights({}, CLASSES, CODES, None).tolist() == [1, 1, 1]


def test_weights_are_multiplied():
    assert combine_weights(None, None, CODES) is None
    factors = np.array([1.0, 3.0, 0.5])
    assert combine_weights(None, factors, CODES).tolist() == [1, 3, 3, 0.5]
    assert combine_weights(np.array([2.0, 0, 1, 4]), factors, CODES).tolist() == [2, 0, 3, 2]
    with pytest.raises(ValueError, match="sample_weight times class_weight must be at most 1e"):
        combine_weights(np.full(4, 1e9), factors, CODES)


def test_weights_far_from_one_are_warned_of_and_large_ones_scaled_down(recwarn):
    uniform = (np.full(4, weight) for weight in (0.0, 0.5, 1.0, 10.0))
    for quiet in (None, np.array([0.0, 0.0, 1.0, 1.0]), *uniform):
        assert weight_scale(quiet) == 1.0
    assert not recwarn
    with pytest.warns(UserWarning, match=r"average 0\.25: most rows are left out"):
        assert weight_scale(np.array([0.0, 0.25, 0.25])) == 1.0
    with pytest.warns(UserWarning, match=r"average 1e\+03: they are scaled down to average 10"):
        assert weight_scale(np.array([0.0, 1000.0, 1000.0])) == 0.01


def test_held_out_sets_get_names():
    pair = (np.ones(1), [0])
    assert check_eval_set(None) == check_eval_set([]) == {}
    assert check_eval_set(pair) == {"eval": pair}
    assert list(check_eval_set([pair, pair])) == ["eval_0", "eval_1"]


def test_callbacks_are_listed():
    assert check_callbacks(None) == check_callbacks([]) == ()
    assert check_callbacks(print) == check_callbacks([print]) == check_callbacks(iter((print,))) == (print,)


@pytest.mark.parametrize("positive", ["a", np.str_("a"), "b", None])
def test_the_positive_class_comes_last(positive):
    classes, codes = positive_last(CLASSES[:2], np.array([0, 1, 1], np.int32), positive, "Clf")
    assert classes[-1] == (positive or "b")
    assert classes[codes].tolist() == ["a", "b", "b"]
    assert codes.dtype == np.int32


def test_a_positive_class_must_be_one_of_two():
    with pytest.raises(ValueError, match=r"'pos_label' parameter of Clf must be None or one of .*Got 'c'"):
        positive_last(CLASSES[:2], CODES[:2], "c", "Clf")
    with pytest.raises(ValueError, match="Got 'a'. Some tools of scikit-learn, .* encode labels as 0 and 1"):
        positive_last(np.array([0, 1]), CODES[:2], "a", "Clf")
    with pytest.raises(ValueError, match="must be None for more than two classes. Got 'c' for 3 classes"):
        positive_last(CLASSES, CODES, "c", "Clf")
    alone = positive_last(CLASSES[:1], CODES[:1], "c", "Clf")  # which a fit refuses for another reason
    assert alone[0].tolist() == ["a"]


def test_booleans_must_have_their_type():
    """scikit-learn's scores refuse objects, so that a fit would be of no use."""
    with pytest.raises(ValueError, match=r"y must hold booleans of type bool. Got objects; use y.astype"):
        read_labels(np.array([True, False], dtype=object), 2)
    for labels in ([True, False], np.array([True, False]), pd.Series([True, False], dtype="boolean")):
        assert read_labels(labels, 2).dtype == bool


@pytest.mark.parametrize(
    "given",
    [[1, 2.5, True], np.array([1, 2, 3], np.int8), np.array([[1.0], [2.0]]), pd.Series([0.5, -1e100])],
)
def test_numbers_are_read_as_float64(given):
    wanted = np.asarray(given, np.float64).ravel()
    if np.ndim(given) == 2:
        with pytest.warns(UserWarning, match="column-vector"):
            numbers = read_numbers(given, 2)
    else:
        numbers = read_numbers(given, None)
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers, wanted)


@pytest.mark.parametrize("kind", [list, pd.Series, pl.Series, lambda given: np.array(given)[:, None]])
def test_decimals_are_numbers(kind):
    given = kind([Decimal("0.5"), Decimal("-2"), Decimal("1e3")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)
        assert read_numbers(given, 3).tolist() == [0.5, -2.0, 1000.0]
    with pytest.raises(ValueError, match="none missing. Got nan at row 1"):
        read_numbers([Decimal("0.5"), Decimal("nan")], 2)


def test_fractions_as_classes_name_the_regressors():
    said = "Unknown label type: continuous.* RuleRegressor and TsetlinRegressor predict numbers"
    with pytest.raises(ValueError, match=said):
        read_labels([0.5, 1.25, 3.0], 3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "y is None"),
        ("price", "Got the string 'price'"),
        (["a", "b"], "y must hold numbers. Got 'a' at row 0"),
        (np.array(["1", "2"]), "y must hold numbers"),
        ([1.0, np.nan], "finite numbers .* Got nan at row 1"),
        ([1.0, -np.inf], "Got -inf at row 1"),
        ([1.0, 2e100], "at most 1e\\+100 in size.* Got 2e\\+100 at row 1"),
        ([1.0, None], "none missing. Got None at row 1"),
        (np.ones((2, 2)), "one-dimensional.* Got shape \\(2, 2\\)"),
        ([1.0, 2.0, 3.0], "one number for each of the 2 rows of X. Got 3"),
        (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), "y must hold numbers. Got dtype datetime64"),
        (np.array([1j, 2j]), "Complex data not supported.* Got 1j at row 0"),
    ],
)
def test_what_are_no_numbers(given, words):
    with pytest.raises(ValueError, match=words):
        read_numbers(given, 2)


def test_two_different_numbers_must_be_left():
    numbers = np.array([1.5, 1.5, 2.0])
    check_numbers_vary(numbers, None)
    with pytest.raises(ValueError, match="at least 2 different numbers.* Got only 1.5 in 3 rows"):
        check_numbers_vary(numbers, np.array([1.0, 1.0, 0.0]))
    with pytest.raises(ValueError, match="sample_weight must be above 0 .* Got zero weight"):
        check_numbers_vary(numbers, np.zeros(3))
