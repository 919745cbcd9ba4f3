"""Sample weights, held-out sets, callbacks, classes and going on: what cannot be used is refused by name."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.support.small_data import quick, same_model, table

X, Y = table()
N = len(Y)
NAN, INF = np.nan, np.inf
LEARNING = {
    "fit": lambda clf, **given: clf.fit(X, Y, **given),
    "partial_fit": lambda clf, **given: clf.partial_fit(X, Y, classes=[0, 1], **given),
    "partial_fit on": lambda clf, **given: clf.fit(X, Y).partial_fit(X, Y, **given),
}


def refused(words, call, *args, **kwargs):
    """The call raises a ValueError whose text holds the words."""
    with pytest.raises(ValueError, match=re.escape(words)):
        call(*args, **kwargs)


def ones_but(value, row=3):
    weights = np.ones(N)
    weights[row] = value
    return weights


# --- sample weights ---


@pytest.mark.parametrize("learn", LEARNING.values(), ids=LEARNING)
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (ones_but(-1), "sample_weight must be at least 0. Got -1.0 at row 3."),
        (ones_but(NAN), "sample_weight must be finite. Got nan at row 3."),
        (ones_but(INF), "sample_weight must be finite. Got inf at row 3."),
        (ones_but(-INF), "sample_weight must be finite. Got -inf at row 3."),
        (ones_but(1e10), "sample_weight must be at most 1e+09. Got 10000000000.0."),
        (-2, "sample_weight must be at least 0. Got -2.0 at row 0."),
        (np.ones(N - 1), f"sample_weight must have shape ({N},), one per row. Got ({N - 1},)."),
        (np.ones(N + 1), f"sample_weight must have shape ({N},), one per row. Got ({N + 1},)."),
        (np.ones((N, 1)), f"sample_weight must have shape ({N},), one per row. Got ({N}, 1)."),
        (pd.DataFrame(np.ones((N, 2))), f"sample_weight must have shape ({N},), one per row. Got ({N}, 2)."),
        (["1"] * N, "sample_weight must be numbers. Got an array of dtype <U1."),
        ("balanced", "sample_weight must be numbers. Got an array of dtype <U8."),
        ([None] * N, "sample_weight must be numbers. Got an array of dtype object."),
        (np.ones(N) * 1j, "sample_weight must be numbers. Got an array of dtype complex128."),
    ],
)
def test_bad_sample_weights(weights, words, learn):
    refused(words, learn, quick(), sample_weight=weights)


def test_weights_that_are_all_zero():
    refused("at least one weight must not be zero. Got the sum 0.0", quick().fit, X, Y, np.zeros(N))
    refused("at least one weight must not be zero", quick().partial_fit, X, Y, [0, 1], np.zeros(N))
    warm = quick(warm_start=True).fit(X, Y)
    refused("must be above 0 in at least 2 classes. Got 0 classes: []", warm.fit, X, Y, np.zeros(N))
    step = warm.model_.step
    assert warm.partial_fit(X, Y, sample_weight=np.zeros(N)).model_.step == step  # weight 0 takes no step


def test_weights_that_leave_one_class():
    words = "sample_weight times class_weight must be above 0 in at least 2 classes. Got 1 class: [1]."
    refused(words, quick().fit, X, Y, (Y == 1).astype(float))
    refused(words, quick(class_weight={0: 0.0}).fit, X, Y)
    refused(words, quick(warm_start=True).fit(X, Y).fit, X, Y, Y * 1.0)


def test_small_weights_are_warned_of_where_fit_is_called():
    with pytest.warns(
        UserWarning, match=r"visited w times per epoch, and these weights average 0\.1"
    ) as caught:
        quick().fit(X, Y, sample_weight=np.full(N, 0.1))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "weights", [1, 1.0, True, [1] * N, np.ones(N, np.float32), pd.Series(np.ones(N)), pl.Series([1] * N)]
)
def test_weights_of_one_are_no_weights(weights):
    assert same_model(quick().fit(X, Y), quick().fit(X, Y, sample_weight=weights))


# --- held-out sets ---


@pytest.mark.parametrize(
    ("eval_set", "found"),
    [
        (5, "int"),
        ("sets", "str"),
        ({}, "dict"),
        (X, "ndarray"),
        ((X,), "tuple of ndarray"),
        ((X, Y, Y), "tuple of ndarray, ndarray, ndarray"),
        ([X, Y], "list of ndarray, ndarray"),
        ([(X, Y), 5], "list of tuple, int"),
        ([[X, Y]], "list of list"),
    ],
)
def test_malformed_eval_set(eval_set, found):
    words = f"eval_set must be a tuple (X, y) or a list of such tuples. Got {found}."
    refused(words, quick().fit, X, Y, eval_set=eval_set)


@pytest.mark.parametrize("wrap", [lambda pair: pair, lambda pair: [(X, Y), pair]])
@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ((X, Y + 5), "In eval_set: y must hold only the classes [0, 1]. Got [5, 6]."),
        ((X, Y.astype(str)), "In eval_set: y must hold only the classes [0, 1]. Got ['0', '1']."),
        ((X, Y[:3]), f"In eval_set: y must have one label for each of the {N} rows of X. Got 3."),
        ((X[:, :2], Y), "In eval_set: X has 2 features, but TsetlinClassifier is expecting 3 features"),
        ((X[:0], Y[:0]), "In eval_set: Found array with 0 sample(s)"),
        ((X + INF, Y), "In eval_set: Feature 'x0' must hold finite numbers"),
        ((None, Y), "In eval_set: Expected 2D array"),
        ((X, None), "In eval_set: The classifier requires y to be passed"),
        (((X, Y), (X, Y)), "In eval_set: "),
    ],
)
def test_eval_sets_that_do_not_fit(pair, words, wrap):
    clf = quick()
    refused(words, clf.fit, X, Y, eval_set=wrap(pair))
    assert not hasattr(clf, "model_")


def test_eval_set_with_other_columns():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    words = "In eval_set: The feature names should match those that were passed during fit"
    refused(words, quick().fit, frame, Y, eval_set=(frame[["b", "a", "c"]], Y))
    refused(words, quick().fit, frame, Y, eval_set=[(frame, Y), (frame.rename(columns={"a": "z"}), Y)])


# --- callbacks ---


@pytest.mark.parametrize(
    ("callbacks", "words"),
    [
        (5, "callbacks must be a callable or a list of callables. Got 5."),
        ("print", "callbacks must be a callable or a list of callables. Got 'print'."),
        (True, "callbacks must be a callable or a list of callables. Got True."),
        ([5], "callbacks must be callables. Got 5."),
        ([print, None], "callbacks must be callables. Got None."),
        (("print",), "callbacks must be callables. Got 'print'."),
    ],
)
def test_bad_callbacks(callbacks, words):
    refused(words, quick().fit, X, Y, callbacks=callbacks)


# --- partial_fit ---


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        (None, "classes must be passed on the first call to partial_fit. Got None."),
        ([0], "classes must list at least 2 classes. Got [0]."),
        ([1, 1], "classes must list at least 2 classes. Got [1]."),
        ([], "classes must list at least 2 classes. Got []."),
        ([[0, 1]], "classes must be one-dimensional, one label per row. Got shape (1, 2)."),
        (5, "classes must be one-dimensional, one label per row. Got shape ()."),
        ("ab", "classes must be one-dimensional, one label per row. Got shape ()."),
        ([0, 1, NAN], "classes must hold finite labels, none missing. Got nan at row 2."),
        ([0, 1, None], "classes must hold labels, none missing. Got None at row 2."),
        ([0, 1, "a"], "classes must hold either numbers or strings, not both. Got 0 and 'a'."),
        ([0, 0.5, 1], "Unknown label type: continuous"),
        (["0", "1"], "y must hold only the classes ['0', '1']. Got [0, 1]."),
    ],
)
def test_bad_classes(classes, words):
    clf = quick()
    refused(words, clf.partial_fit, X, Y, classes=classes)
    assert set(vars(clf)) == set(clf.get_params(deep=False))  # the next call is a first call again


def test_other_classes_later():
    clf = quick().partial_fit(X, Y, classes=[0, 1])
    for other in ([0, 1, 2], [0, 2], ["0", "1"]):
        words = f"classes must be the same in every call of partial_fit, [0, 1]. Got {other}."
        refused(words, clf.partial_fit, X, Y, classes=other)
    for same in (None, [0, 1], [1, 0, 0], np.array([0.0, 1.0]), [False, True]):
        clf.partial_fit(X, Y, classes=same)
    assert clf.classes_.dtype.kind == "i"


def test_partial_fit_has_no_early_stopping_and_no_balanced_weights():
    for name, value in [("early_stopping", True), ("class_weight", "balanced")]:
        with pytest.raises(ValueError, match=f"The '{name}' parameter of .* for partial_fit.*Got {value!r}"):
            quick(**{name: value}).partial_fit(X, Y, classes=[0, 1])


# --- going on with other parameters ---

GOING_ON = {
    "warm_start": lambda clf: clf.set_params(warm_start=True).fit(X, Y),
    "partial_fit": lambda clf: clf.partial_fit(X, Y),
}


@pytest.mark.parametrize("go_on", GOING_ON.values(), ids=GOING_ON)
@pytest.mark.parametrize(("name", "old", "new"), [("n_clauses", 10, 12), ("n_states", 128, 64)])
def test_the_shape_stays(name, old, new, go_on):
    clf = quick(**{name: old}).fit(X, Y).set_params(**{name: new})
    rule = f"must stay {old} to go on from the present model. Got {new}."
    refused(f"The {name!r} parameter of TsetlinClassifier {rule}", go_on, clf)
    assert clf.model_.n_clauses == 10
    clf.set_params(**{name: old})
    go_on(clf)


@pytest.mark.parametrize("go_on", GOING_ON.values(), ids=GOING_ON)
@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({}, {"weighting": "real"}),
        ({}, {"weighting": "none"}),
        ({}, {"max_weight": 1}),
        ({}, {"weight_floor": 3}),
        ({"weighting": "real"}, {"weighting": "integer"}),
        ({"weighting": "real", "weight_gain": 0.1}, {"weight_gain": 0.2}),
    ],
)
def test_the_weights_must_fit_the_rule_to_go_on_with(first, then, go_on):
    clf = quick(**first).fit(X, Y).set_params(**then)
    (name, value), *_ = then.items()
    with pytest.raises(ValueError, match=f"must allow the weights to go on from, .* Got .*{name}={value!r}"):
        go_on(clf)


@pytest.mark.parametrize("go_on", GOING_ON.values(), ids=GOING_ON)
def test_what_may_change_between_calls(go_on):
    clf = quick().fit(X, Y)
    clf.set_params(
        threshold=20, specificity=(1.5, 9.0), drop_clause=0.5, boost_true_positive=True, max_weight=999
    )
    before = clf.model_.step
    go_on(clf)
    assert clf.model_.threshold == 20
    assert clf.model_.step > before


# --- early stopping's own rows ---


@pytest.mark.parametrize(
    ("labels", "fraction", "smallest"),
    [
        (np.arange(N) % 10, 0.1, 6),
        (np.arange(N) % 2, 0.001, 30),
        (np.arange(N) % 2, 0.999, 30),
        (np.r_[2, np.arange(N - 1) % 2], 0.3, 1),
    ],
)
def test_validation_fraction_too_small_or_large_for_the_classes(labels, fraction, smallest):
    words = (
        "The 'validation_fraction' parameter of TsetlinClassifier must hold out, and leave, at least one row"
    )
    with pytest.raises(ValueError, match=words) as caught:
        quick(early_stopping=True, validation_fraction=fraction).fit(X, labels)
    n_classes = len(np.unique(labels))
    found = f"Got {fraction} of {N} rows in {n_classes} classes, the smallest of {smallest} row(s)."
    assert str(caught.value).endswith(found)


def test_an_eval_set_spares_the_split():
    labels = np.r_[2, np.arange(N - 1) % 2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = quick(early_stopping=True).fit(X, labels, eval_set=(X, labels))
    assert "eval" in clf.history_
    assert "validation" not in clf.history_
