"""Bad tables and labels get an error that names what, rule and value, and leave the estimator as it was."""

import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning, NotFittedError

from clausal import Booleanizer, RuleClassifier, UnseenValueWarning
from tests.support.small_data import bits, quick, same_model, table

X, Y = table()
N = len(Y)
BITS = bits()
FRAME = pd.DataFrame(X, columns=["age", "dose", "score"])
NAN, INF = np.nan, np.inf
FITTED = quick().fit(X, Y)
PREDICTIONS = ("votes", "decision_function", "predict", "predict_proba", "transform")


def refused(words, call, *args, error=ValueError, **kwargs):
    """The call raises one error whose text holds each of the words, in their order."""
    pattern = ".*".join(re.escape(word) for word in ([words] if isinstance(words, str) else words))
    with pytest.raises(error, match=re.compile(pattern, re.DOTALL)):
        call(*args, **kwargs)


def with_entry(array, row, column, value):
    changed = np.array(array, dtype=np.result_type(array, np.float64))
    changed[row, column] = value
    return changed


# --- values of X ---


@pytest.mark.parametrize("booleanizer", [None, Booleanizer("boolean")])
def test_missing_values_in_a_boolean_table(booleanizer):
    table_with_gap = with_entry(BITS, 3, 1, NAN)
    refused(
        ["'x1'", "must", "missing", f"missing value in 1 of {N} rows"],
        quick(booleanizer=booleanizer).fit,
        table_with_gap,
        Y,
    )
    fitted = quick(booleanizer=booleanizer).fit(BITS, Y)
    refused(["'x1'", "must", "missing", f"missing value in 1 of {N} rows"], fitted.predict, table_with_gap)


@pytest.mark.parametrize("method", PREDICTIONS)
def test_missing_at_predict_in_a_feature_that_had_none(method):
    gap = with_entry(X, 3, 1, NAN)
    with pytest.warns(UnseenValueWarning, match=r"Values in 1 row .* x1 missing \(1 row\)"):
        getattr(FITTED, method)(gap)
    strict = quick(booleanizer=Booleanizer(handle_missing="error")).fit(X, Y)
    refused(["'x1'", "must not be missing", f"missing value in 1 of {N} rows"], getattr(strict, method), gap)


def test_missing_at_predict_is_fine_where_training_had_it():
    gap = with_entry(X, 3, 1, NAN)
    assert quick().fit(gap, Y).predict(gap).shape == (N,)
    lenient = quick(booleanizer=Booleanizer(handle_missing="as_false")).fit(X, Y)
    assert lenient.predict(gap).shape == (N,)


@pytest.mark.parametrize("value", [INF, -INF])
def test_infinities(value):
    infinite = with_entry(X, 3, 1, value)
    words = ["'x1'", "must hold finite numbers", "inf"]
    refused(words, quick().fit, infinite, Y)
    refused(words, quick().partial_fit, infinite, Y, classes=[0, 1])
    refused(words, quick(booleanizer=None).fit, with_entry(BITS, 3, 1, value), Y)
    refused(words, FITTED.predict, infinite)
    refused(words, quick().fit, pd.DataFrame(infinite, columns=["a", "x1", "c"]), Y)


def test_boolean_tables_hold_only_0_and_1():
    refused(["'x0'", "booleans or 0 and 1", "Got 2"], quick(booleanizer=None).fit, BITS * 2, Y)
    for container in (sp.csr_matrix, sp.csc_array, sp.coo_matrix):
        for booleanizer in (None, "auto", "paper"):
            words = ["Sparse input must hold 0 and 1, or whole counts", "Got the value -2"]
            refused(words, quick(booleanizer=booleanizer).fit, container(BITS * -2.0), Y)
    fitted = quick(booleanizer=None).fit(sp.csr_matrix(BITS), Y)
    refused(
        ["Sparse input must hold 0 and 1, or whole counts", "Got the value -1"],
        fitted.predict,
        sp.csr_matrix(-BITS.astype(int)),
    )


def test_only_dates():
    days = pd.date_range("2020-01-01", periods=N)
    for dates in (days.to_frame(name="day"), pl.DataFrame({"day": days}), pa.table({"day": days})):
        refused(["at least one feature that varies", "'day' is ignored: dates"], quick().fit, dates, Y)
    refused(["at least one feature that varies", "'x0'"], quick().fit, days.to_numpy()[:, None], Y)


def test_text_in_a_feature_that_was_numeric():
    refused(
        ["'age'", "was numeric", "Got text, such as 'old'"],
        quick().fit(FRAME, Y).predict,
        FRAME.assign(age="old"),
    )


# --- shape of X ---


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    ("table_", "words"),
    [
        (X[:, 0], ["Expected 2D array", "got 1D array"]),
        (X[:, :, None], ["dim 3", "dim <= 2"]),
        (X[:, :0], ["0 feature(s)", f"({N}, 0)", "minimum of 1"]),
        (FRAME[[]], ["0 feature(s)", f"({N}, 0)", "minimum of 1"]),
        (5.0, ["Expected 2D array"]),
        (np.array(5.0), ["Expected 2D array"]),
        ("table", ["'table'", "no such file"]),
        (None, ["Expected 2D array"]),
        ({"a": [1]}, ["Expected 2D array"]),
        (np.ones((N, 2)), ["at least one feature that varies", "2 feature(s)"]),
    ],
)
def test_no_table(table_, words, learn):
    clf = quick()
    classes = {"classes": [0, 1]} if learn == "partial_fit" else {}
    refused(words, getattr(clf, learn), table_, Y, **classes)
    assert vars(clf) == vars(quick())


@pytest.mark.parametrize("method", PREDICTIONS)
@pytest.mark.parametrize("rows", [X[0], np.array(5.0), 5.0, "table", None, X[:, :, None], [], [[]]])
def test_no_table_at_predict(method, rows):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X has feature names", UserWarning)
        refused("", getattr(FITTED, method), rows)


def test_no_rows():
    refused("y must hold at least 2 classes. Got 0 classes: []", quick().fit, X[:0], Y[:0])
    refused("y must hold at least 2 classes. Got 0 classes: []", quick().fit, FRAME[:0], [])
    refused(["0 sample(s)", "minimum of 1"], quick().partial_fit, X[:0], Y[:0], classes=[0, 1])


@pytest.mark.parametrize("width", [1, 2, 4])
def test_another_number_of_features(width):
    other = np.ones((5, width))
    words = f"X has {width} features, but TsetlinClassifier is expecting 3 features"
    for method in PREDICTIONS:
        refused(words, getattr(FITTED, method), other)
    refused(words, quick().fit(X, Y).partial_fit, other, Y[:5])
    refused(words, quick(warm_start=True).fit(X, Y).fit, np.ones((N, width)), Y)
    refused(words, FITTED.score, other, Y[:5])


@pytest.mark.parametrize(
    "convert", [lambda f: f, pl.from_pandas, lambda f: pa.Table.from_pandas(f, preserve_index=False)]
)
def test_other_columns_at_predict(convert):
    fitted = quick().fit(convert(FRAME), Y)
    names = "The feature names should match those that were passed during fit"
    for other, words in [
        (FRAME[["dose", "age", "score"]], "must be in the same order"),
        (FRAME[["age", "dose"]], "now missing:\n- score"),
        (FRAME.assign(extra=1.0), "unseen at fit time:\n- extra"),
        (FRAME.rename(columns={"dose": "doses"}), "unseen at fit time:\n- doses"),
    ]:
        refused([names, words], fitted.predict, convert(other))
        refused([names, words], fitted.partial_fit, convert(other), Y)
    np.testing.assert_array_equal(fitted.predict(convert(FRAME)), FITTED.predict(X))


# --- labels ---


def text_labels(at_row_3=None):
    labels = np.array(["no", "yes"], dtype=object)[Y]
    if at_row_3 is not None:
        labels[3] = None if at_row_3 == "None" else at_row_3
    return labels


BAD_LABELS = [
    (None, "requires y to be passed, but the target y is None"),
    (Y[:-1], f"y must have one label for each of the {N} rows of X. Got {N - 1}."),
    (np.r_[Y, 1], f"y must have one label for each of the {N} rows of X. Got {N + 1}."),
    (X[:, 0], "Unknown label type: continuous"),
    (np.where(np.arange(N) == 3, NAN, Y), "y must hold finite labels, none missing. Got nan at row 3."),
    (np.where(np.arange(N) == 3, INF, Y), "y must hold finite labels, none missing. Got inf at row 3."),
    (np.where(np.arange(N) == 3, None, Y), "none missing. Got None at row 3."),
    (text_labels("None"), "none missing. Got None at row 3."),
    (text_labels(NAN), "none missing. Got nan at row 3."),
    (text_labels("None").tolist(), "none missing. Got None at row 3."),
    (pd.Series(text_labels("None"), dtype="string"), "none missing. Got <NA> at row 3."),
    (pd.Series(text_labels("None"), dtype="category"), "none missing. Got nan at row 3."),
    (pd.Series(np.where(np.arange(N) == 3, NAN, Y)).astype("Int64"), "none missing. Got nan at row 3."),
    (pl.Series(text_labels("None").tolist()), "none missing. Got None at row 3."),
    (pa.array(text_labels("None").tolist()), "none missing. Got None at row 3."),
    (text_labels(1), "y must hold either numbers or strings, not both. Got 1 and 'no'."),
    (["a", 1] * (N // 2), "y must hold either numbers or strings, not both. Got 1 and 'a'."),
    ([[1], [2, 3]] * (N // 2), "y must hold numbers, strings or booleans, one per row. Got [1] at row 0."),
    (np.c_[Y, Y] + 1, "y must be one-dimensional, "),
    (pd.DataFrame({"a": Y, "b": Y + 1}), "y must be one-dimensional, "),
    (1, "y must be one-dimensional, one label per row. Got shape ()."),
    ("labels", "y must be an array of labels. Got the string 'labels'; the name of a column is for fit, "),
]


@pytest.mark.parametrize(("labels", "words"), BAD_LABELS, ids=[words[-40:] for _, words in BAD_LABELS])
def test_bad_labels(labels, words):
    refused(words, quick().fit, X, labels)
    refused(words, quick().fit, X, labels, sample_weight=np.full(N, 2.0))
    refused(words, quick().partial_fit, X, labels, classes=[0, 1])
    refused(["In eval_set: ", words], quick().fit, X, Y, eval_set=(X, labels))


def test_labels_of_unsupported_types():
    refused("y must be a dense array", quick().fit, X, sp.csr_matrix(Y[:, None]), error=TypeError)
    refused("bytes", quick().fit, X, np.array([b"a", b"b"])[Y], error=TypeError)
    refused("Complex data not supported", quick().fit, X, Y.astype(complex))


def test_one_class_only():
    refused("y must hold at least 2 classes. Got 1 class: [1].", quick().fit, X, np.ones(N, int))
    refused("y must hold at least 2 classes. Got 1 class: ['a'].", quick().fit, X, ["a"] * N)
    refused(
        "y must hold at least 2 classes. Got 1 class: [0].", quick(warm_start=True).fit(X, Y).fit, X, Y * 0
    )


def test_a_column_of_labels_is_accepted_with_scikit_learns_warning():
    with pytest.warns(DataConversionWarning):
        fitted = quick().fit(X, Y[:, None])
    assert same_model(fitted, FITTED)


def test_unseen_labels_when_going_on():
    words = "y must hold only the classes [0, 1]. Got [2]."
    refused(words, quick(warm_start=True).fit(X, Y).fit, X, Y + 1)
    refused(words, quick().fit(X, Y).partial_fit, X, Y + 1)
    refused(
        "y must hold only the classes [0, 1]. Got ['0', '1'].",
        quick().fit(X, Y).partial_fit,
        X,
        Y.astype(str),
    )
    refused("y must hold only the classes [1, 2]. Got [0].", quick().partial_fit, X, Y, classes=[1, 2])


# --- before fit, and after a failure ---


@pytest.mark.parametrize("method", [*PREDICTIONS, "score", "save", "get_feature_names_out"])
def test_unfitted_methods_say_so(method, tmp_path):
    arguments = {"score": (X, Y), "save": (tmp_path / "model.json",), "get_feature_names_out": ()}.get(
        method, (X,)
    )
    refused(
        "TsetlinClassifier instance is not fitted yet",
        getattr(quick(), method),
        *arguments,
        error=NotFittedError,
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["rules_", "columns_", "n_literals_", "model_", "classes_", "history_"])
def test_unfitted_attributes_are_not_there(name):
    assert not hasattr(quick(), name)
    assert hasattr(FITTED, name)


@pytest.mark.parametrize("name", ["rules_", "columns_", "n_literals_"])
def test_unfitted_properties_raise_scikit_learns_error(name):
    refused("not fitted yet", lambda: getattr(quick(), name), error=NotFittedError)


def test_an_unfitted_estimator_can_be_looked_at():
    clf = quick()
    assert repr(clf).startswith("TsetlinClassifier(")
    assert "fit" in dir(clf)
    assert set(vars(clf)) == set(clf.get_params(deep=False))
    assert "TsetlinClassifier" in clf._repr_html_()
    assert "fitted" in FITTED._repr_html_()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda clf: clf.fit(X, None),
        lambda clf: clf.fit(X[:, 0], Y + 5),
        lambda clf: clf.fit(with_entry(X, 0, 0, INF), ["a", "b"] * (N // 2)),
        lambda clf: clf.fit(FRAME, Y + 5, sample_weight=np.full(N, -1)),
        lambda clf: clf.fit(FRAME, Y + 5, eval_set=(FRAME, Y)),
        lambda clf: clf.fit(FRAME, Y + 5, callbacks=7),
        lambda clf: clf.set_params(early_stopping=True, validation_fraction=0.01).fit(FRAME, Y + 5),
        lambda clf: clf.partial_fit(X, Y + 5),
        lambda clf: clf.partial_fit(X[:, :2], Y),
    ],
)
def test_a_failed_fit_leaves_the_estimator_as_it_was(spoil):
    clf = quick().fit(X, Y)
    before = {name: value for name, value in vars(clf).items() if name.endswith("_")}
    with pytest.raises(ValueError, match=r"must|Expected|requires|X has"):
        spoil(clf)
    assert {name: value for name, value in vars(clf).items() if name.endswith("_")} == before
    np.testing.assert_array_equal(clf.predict(X), FITTED.predict(X))


# --- memory ---

TOO_LARGE = """
import resource
import numpy as np
import scipy.sparse as sp
from clausal import TsetlinClassifier

def limit(n_bytes):
    pages = int(open("/proc/self/statm").read().split()[0])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]  # stays, so that a later limit may be higher
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + n_bytes, hard))

def fit(X, n_clauses=10):
    clf = TsetlinClassifier(n_clauses, n_epochs=1, booleanizer=None, random_state=0)
    return clf.fit(X, np.arange(40) % 2)

def empty(*shape):
    return sp.coo_matrix(shape, dtype=np.uint8)

def report(room, call):
    limit(room)
    try:
        call()
    except (MemoryError, ValueError) as error:
        print(type(error).__name__, error, flush=True)

report(2**31, lambda: fit(empty(10**9, 10**6)))
report(2**31, lambda: fit(empty(10**9, 2)))
report(2**31, lambda: fit(empty(40, 100)).predict(empty(10**14, 100)))
report(2**31, lambda: fit(empty(40, 20_000), n_clauses=2**24))
report(2**29, lambda: fit(np.ones((40, 300), np.uint8), n_clauses=2**19))  # no check sees this one coming
print("alive")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc and address space limits are Linux's")
def test_too_large_for_memory_is_an_error_not_a_dead_process():
    done = subprocess.run([sys.executable, "-c", TOO_LARGE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    wide, long, long_at_predict, clauses, refused_by_the_system, end = done.stdout.splitlines()
    assert wide.startswith(
        "MemoryError A table of 1,000,000,000 rows and 1,000,000 boolean columns would need"
    )
    assert long == "ValueError y must have one label for each of the 1000000000 rows of X. Got 40."
    assert long_at_predict.startswith("MemoryError A table of 100,000,000,000,000 rows")
    assert clauses.startswith("MemoryError A machine of 671,088,640,000 automata would need")
    assert refused_by_the_system.startswith("MemoryError")
    assert end == "alive"


@pytest.mark.parametrize("weight", [1e-3, 1 / 3])
def test_equal_weights_are_no_weights_for_scorecards(weight):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(500, 3))  # from this size on, cut points are chosen among more
    labels = (table[:, 0] + rng.normal(size=500) > 0.3).astype(int)
    plain, weighted = (RuleClassifier(max_literals=4, cv=2, random_state=0) for _ in range(2))
    assert plain.fit(table, labels).rules_ == weighted.fit(table, labels, np.full(500, weight)).rules_


def test_sample_weights_of_any_scale():
    weights = np.random.default_rng(0).gamma(2.0, 0.5, N)
    expected = quick().fit(X, Y, weights * 10 / weights.mean()).votes(X)
    for clf in (quick(), quick(class_weight={0: 9.0, 1: 9.0}), quick(class_weight="balanced")):
        with pytest.warns(UserWarning, match="they are scaled down to average 10"):
            clf.fit(X, Y, weights * 1e6)
        if clf.class_weight != "balanced":
            np.testing.assert_array_equal(clf.votes(X), expected)
    with pytest.warns(UserWarning, match=r"these weights average 1e\+09"):
        quick(early_stopping=True).fit(X, Y, np.full(N, 1e9))
    first, said = quick().partial_fit, "An epoch of about 60,000,000,060 visits would need"
    refused(said, first, X, Y, classes=[0, 1], sample_weight=np.full(N, 1e9), error=MemoryError)
