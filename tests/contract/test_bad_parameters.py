"""Every parameter refuses what it cannot use, naming itself, rule and value; NumPy's values are fine."""

import inspect
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from clausal import Booleanizer, TsetlinClassifier
from clausal.machine.settings import PARAMETERS, check_machine_parameters
from tests.support.small_data import bits, quick, same_model, table

X, Y = table()
NAN, INF = math.nan, math.inf
NOT_BOOLEAN = [0, 1, None, "True", "yes", 1.0, NAN]
HUGE = 10**400  # more than float64 can hold

BAD = {
    "n_clauses": [
        0,
        1,
        3,
        -2,
        2**24 + 2,
        10.0,
        np.float64(10),
        True,
        "10",
        None,
        NAN,
        INF,
        [10],
        np.array([10]),
    ],
    "threshold": [0, -1, 2**30 + 1, 10.0, 0.5, True, "other", "10", None, NAN, INF],
    "specificity": [
        *(0.5, 0, -1, NAN, INF, -INF, HUGE, True, "3", "AUTO", None, 1e6 + 1),
        *((3.0, 1.5), (0.5, 2.0), (2.0, INF), (NAN, 2.0), (1.0, "2"), (True, 2.0)),
        *((2.0,), (1.0, 2.0, 3.0), [], np.array([1.5, 3.0])),
    ],
    "sharing": ["weights", "Clauses", "", True, 0, ("clauses",)],
    "weighting": ["int", "INTEGER", "", None, True, 1, ("integer",), b"integer"],
    "n_epochs": [0, -1, 2.0, True, "5", None, NAN, INF],
    "booleanizer": ["none", "AUTO", False, 0, Booleanizer, object, ["auto"]],
    "weight_floor": [-1, 0.5, 1.0, True, "0", None, NAN, INF, 2**31],
    "max_weight": [0, 0.5, -3, NAN, INF, True, "5", 2**31, HUGE, [5]],
    "weight_gain": [0, 0.0, -0.1, 1.5, 0.0009, NAN, INF, True, "0.1", None],
    "n_states": [0, -1, 129, 1.5, 128.0, True, "128", None, NAN, INF],
    "boost_true_positive": NOT_BOOLEAN,
    "max_clause_literals": [0, -1, 1.5, True, "3", NAN, INF, 2**31, HUGE],
    "drop_clause": [-0.1, 1, 1.0, 2, NAN, INF, True, "0.1", None],
    "negative_sampling": ["random", "Uniform", None, 0, True],
    "class_weight": ["other", "Balanced", True, 1, [1, 2], (1.0, 2.0), NAN],
    "pos_label": [[1], (0, 1), {0: 1}, b"1"],
    "categorical_features": ["x", "from_dtypes", 5, True, {"a"}, NAN],
    "monotonic_cst": ["age", 1, True, {"a"}, NAN],
    "forbidden_features": ["age", 0, True, {"a": 1}, NAN],
    "early_stopping": [*NOT_BOOLEAN, "auto"],
    "validation_fraction": [0, 0.0, 1, 1.0, -0.5, 2, NAN, INF, True, "0.1", None],
    "n_iter_no_change": [0, -1, 1.0, True, "5", None, NAN, INF],
    "tol": [-1, -1e-9, NAN, INF, -INF, HUGE, True, "0", None],
    "warm_start": NOT_BOOLEAN,
    "backend": ["gpu", "CPU", None, True, 0],
    "n_jobs": [0, 1.0, 1.5, True, "1", NAN, INF, 2**15 + 1, -(2**15) - 1, HUGE],
    "random_state": [-1, 2**32, 1.5, True, "seed", NAN, INF, np.random.default_rng(0), np.random, [1, 2]],
    "verbose": [-1, 0.5, 1.0, "1", None, NAN, INF],
}
GOOD = {
    "n_clauses": ["auto", 2, np.int64(2**24), np.uint16(4)],
    "threshold": ["auto", np.str_("auto"), 1, np.int32(2**30)],
    "specificity": ["auto", 1, 1.0, 1e6, np.float32(2.5), np.int64(3), (1, 2.0), [2.0, 2.0], Fraction(3, 2)],
    "sharing": [None, "clauses", np.str_("clauses")],
    "weighting": ["integer", "none", "real", np.str_("real")],
    "n_epochs": [np.str_("auto"), 1, np.int64(5), 10**30],
    "booleanizer": ["auto", "paper", None, Booleanizer("paper"), np.str_("paper")],
    "weight_floor": [0, np.int8(3), 2**31 - 1],
    "max_weight": [None, 1, np.float64(7), 2**31 - 1],
    "weight_gain": [0.001, 1, np.float32(0.25)],
    "n_states": [1, np.uint8(128)],
    "boost_true_positive": [True, False, np.True_],
    "max_clause_literals": [None, 1, np.int64(2**31 - 1)],
    "drop_clause": [0, 0.0, np.float64(0.99)],
    "negative_sampling": ["uniform", "focused"],
    "class_weight": [None, "balanced", {}, {0: 1.0}],
    "pos_label": [None, 0, 1, np.int64(0), 1.0],
    "categorical_features": ["from_dtype", None, [0], ("a",), np.array([True, False])],
    "monotonic_cst": [None, [1, 0, -1], (0, 0, 0), np.array([1.0, 0.0, 0.0]), {"a": -1}],
    "forbidden_features": [None, [0], ("a",), np.array([True, False])],
    "early_stopping": [True, np.False_],
    "validation_fraction": [1e-9, np.float32(0.5)],
    "n_iter_no_change": [1, np.int64(10)],
    "tol": [0, 0.0, 1e300, np.float32(0.5)],
    "warm_start": [False, np.True_],
    "backend": ["auto", "cpu", "reference", np.str_("cpu")],
    "n_jobs": [None, 1, -1, np.int64(2), -(2**15), 2**15],
    "random_state": [None, 0, np.int64(5), 2**32 - 1, np.random.RandomState(0)],
    "verbose": [0, 1, 3, True, False, np.int64(1)],
}
LEARNING = {
    "fit": lambda clf: clf.fit(X, Y),
    "partial_fit": lambda clf: clf.partial_fit(X, Y, classes=[0, 1]),
}


def pairs(table):
    return [pytest.param(name, value, id=f"{name}={shown(value)}") for name in table for value in table[name]]


def shown(value):
    """A value in few characters without its address, which differs between test processes."""
    return type(value).__name__ if re.search(" at 0x|<module", repr(value)) else f"{value!r:.40}"


def test_the_tables_name_every_parameter():
    constructor = set(inspect.signature(TsetlinClassifier).parameters)
    assert set(PARAMETERS) == set(BAD) == set(GOOD) == constructor
    assert all(len(values) >= 2 for values in BAD.values())


@pytest.mark.parametrize("learn", LEARNING.values(), ids=LEARNING)
@pytest.mark.parametrize(("name", "value"), pairs(BAD))
def test_a_bad_value_is_refused_by_name_rule_and_value(name, value, learn):
    clf = quick(**{name: value})  # the constructor checks nothing, as scikit-learn asks
    with pytest.raises(ValueError, match=f"^The '{name}' parameter of TsetlinClassifier must be ") as caught:
        learn(clf)
    said = str(caught.value)
    assert said.endswith(f" Got {value!r}.")
    assert " or ".join(map(str, PARAMETERS[name])) in said
    assert not hasattr(clf, "model_")


@pytest.mark.parametrize(("name", "value"), pairs(GOOD))
def test_a_good_value_is_accepted(name, value):
    check_machine_parameters(quick(**{name: value}))


NUMPY_TWINS = [
    *(("n_clauses", 6, np.int16(6)), ("threshold", 5, np.uint8(5)), ("n_states", 100, np.uint8(100))),
    *(("specificity", 2.5, np.float32(2.5)), ("specificity", (1.5, 4.0), [np.float64(1.5), np.int8(4)])),
    *(("n_epochs", 2, np.int8(2)), ("weighting", "none", np.str_("none")), ("max_weight", 2, np.float32(2))),
    *(("drop_clause", 0.25, np.float16(0.25)), ("boost_true_positive", True, np.True_)),
    *(("random_state", 3, np.uint32(3)), ("booleanizer", "paper", np.str_("paper"))),
    *(("class_weight", "balanced", np.str_("balanced")), ("weight_floor", 1, np.uint64(1))),
    *(("max_clause_literals", 2, np.int8(2)), ("early_stopping", True, np.True_)),
]


@pytest.mark.parametrize(("name", "plain", "numpy_twin"), NUMPY_TWINS)
def test_numpys_values_give_the_same_model(name, plain, numpy_twin):
    twins = [quick(**{name: value}).fit(X, Y) for value in (plain, numpy_twin)]
    assert same_model(*twins)


def test_parameters_are_checked_before_data():
    with pytest.raises(ValueError, match="'threshold' parameter"):
        quick(threshold=0).fit(None, None)


def test_a_bad_parameter_leaves_a_fitted_model_alone():
    clf = quick().fit(X, Y)
    model = clf.model_
    with pytest.raises(ValueError, match="'specificity' parameter"):
        clf.set_params(specificity=0.5).fit(X, Y)
    assert clf.model_ is model


@pytest.mark.parametrize(("name", "value"), [("backend", "gpu"), ("n_jobs", 0), ("n_jobs", "all")])
def test_parameters_that_prediction_uses_are_checked_there(name, value):
    clf = quick().fit(X, Y).set_params(**{name: value})
    for method in (clf.predict, clf.votes, clf.predict_proba, clf.transform):
        with pytest.raises(ValueError, match=rf"^The '{name}' parameter of .* Got {value!r}\.$"):
            method(X)


# --- parameters that contradict each other ---


@pytest.mark.parametrize(("floor", "greatest"), [(3, 2), (2, 1), (100, np.int64(99))])
def test_max_weight_below_weight_floor(floor, greatest):
    rule = f"must not be below weight_floor={floor}. Got {greatest!r}."
    with pytest.raises(
        ValueError, match=re.escape(f"The 'max_weight' parameter of TsetlinClassifier {rule}")
    ):
        quick(weight_floor=floor, max_weight=greatest).fit(X, Y)


def test_a_fractional_max_weight_needs_real_weights():
    rule = "must be a whole number when weighting='integer'. Got 2.5."
    with pytest.raises(
        ValueError, match=re.escape(f"The 'max_weight' parameter of TsetlinClassifier {rule}")
    ):
        quick(max_weight=2.5).fit(X, Y)
    fitted = quick(max_weight=2.5, weighting="real").fit(X, Y)
    assert fitted.model_.weights.max() <= 2.5


# --- class weights ---


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ({0: 1, 5: 2}, "must name only classes in y, [0, 1]. Got 5."),
        ({"0": 1}, "must name only classes in y, [0, 1]. Got '0'."),
        ({0: -1}, "Got -1 for 0."),
        ({0: NAN}, "Got nan for 0."),
        ({1: INF}, "Got inf for 1."),
        ({1: HUGE}, f"Got {HUGE} for 1."),
        ({0: "2"}, "Got '2' for 0."),
        ({0: "two"}, "Got 'two' for 0."),
        ({0: None}, "Got None for 0."),
        ({0: True}, "Got True for 0."),
        ({0: 1j}, "Got 1j for 0."),
        ({0: [1]}, "Got [1] for 0."),
    ],
)
@pytest.mark.parametrize("learn", LEARNING.values(), ids=LEARNING)
def test_class_weights_are_checked(class_weight, words, learn):
    with pytest.raises(ValueError, match="The 'class_weight' parameter of TsetlinClassifier must") as caught:
        learn(quick(class_weight=class_weight))
    assert str(caught.value).endswith(words)


def test_class_weights_that_leave_one_class():
    with pytest.raises(
        ValueError, match=r"class_weight must be above 0 in at least 2 classes. Got 1 class: \[1\]"
    ):
        quick(class_weight={0: 0}).fit(X, Y)


def test_class_weights_too_large_with_the_sample_weights():
    for learn in (lambda clf, w: clf.fit(X, Y, w), lambda clf, w: clf.partial_fit(X, Y, [0, 1], w)):
        with pytest.raises(ValueError, match=r"times class_weight must be at most 1e\+09. Got 1e\+16"):
            learn(quick(class_weight={0: 1e8}), np.full(len(Y), 1e8))


@pytest.mark.parametrize("label", [0, 0.0, np.int64(0), np.float32(0), False])
def test_class_weights_know_a_label_by_its_value(label):
    expected = quick(class_weight={0: 2}).fit(X, Y)
    assert same_model(expected, quick(class_weight={label: np.float32(2)}).fit(X, Y))


def test_balanced_weights_with_a_class_of_weight_zero():
    X3, y3 = table(n_classes=3)
    weights = (y3 != 0).astype(float)
    balanced = quick(class_weight="balanced").fit(X3, y3, sample_weight=weights)
    share = weights.sum() / (3 * np.bincount(y3))
    expected = quick(class_weight={1: share[1], 2: share[2]}).fit(X3, y3, sample_weight=weights)
    assert same_model(balanced, expected)


def test_a_booleanizer_of_another_kind_is_named():
    for value in (Booleanizer, "one-hot"):
        with pytest.raises(ValueError, match="'auto' or 'paper' or None or a Booleanizer"):
            quick(booleanizer=value).fit(bits(), Y)
    with pytest.raises(ValueError, match="The 'max_columns' parameter of Booleanizer must be .* Got 0"):
        quick(booleanizer=Booleanizer(max_columns=0)).fit(X, Y)
