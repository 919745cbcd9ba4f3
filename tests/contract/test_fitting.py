"""Around the epochs: callbacks, held-out sets, early stopping, warm starts, row order, weights, progress."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.utils import shuffle

from clausal import EpochEnd
from clausal.machine.equal_rows import units_of
from clausal.machine.read import Samples, encode_table
from clausal.machine.train import hold_out
from tests.support.small_data import quick, same_model, table

X, Y = table()
X3, Y3 = table(n_classes=3)
N = len(Y)
NOISY = np.where(
    np.arange(N) % 5 == 0, 1 - Y, Y
)  # cannot be learned to the end, so that scores go up and down


# --- callbacks ---


def test_a_callback_sees_every_epoch():
    seen = []
    clf = quick(n_epochs=4).fit(X3, Y3, eval_set=(X, Y3), callbacks=seen.append)
    assert [type(event) for event in seen] == [EpochEnd] * 4
    assert [(event.epoch, event.n_epochs) for event in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [dict(event.scores) for event in seen] == [{"eval": score} for score in clf.history_["eval"]]
    assert seen[-1].weights.shape == (3, 10)
    np.testing.assert_array_equal(seen[-1].weights, clf.model_.weights)
    assert any(not np.array_equal(event.weights, seen[-1].weights) for event in seen)


@pytest.mark.parametrize("weighting", ["integer", "none", "real", "rwtla", "cpl_ats"])
def test_a_callback_cannot_change_anything(weighting):
    def meddle(event):
        with pytest.raises(ValueError, match="read-only"):
            event.weights[0, 0] = 5
        with pytest.raises(TypeError, match="does not support item assignment"):
            event.scores["eval"] = 1.0
        with pytest.raises(AttributeError, match="cannot assign"):
            event.epoch = 9

    clf = quick(weighting=weighting).fit(X, Y, eval_set=(X, Y), callbacks=[meddle])
    assert same_model(clf, quick(weighting=weighting).fit(X, Y))


@pytest.mark.parametrize("answer", [True, np.True_])
def test_returning_true_stops(answer):
    clf = quick(n_epochs=9).fit(X, Y, callbacks=lambda event: answer if event.epoch == 4 else None)
    assert clf.n_iter_ == 4
    assert clf.history_["epoch"] == [1, 2, 3, 4]
    assert same_model(clf, quick(n_epochs=4).fit(X, Y))


@pytest.mark.parametrize("answer", [None, False, np.False_, 1, "stop", [True]])
def test_anything_else_does_not_stop(answer):
    assert quick(n_epochs=2).fit(X, Y, callbacks=lambda event: answer).n_iter_ == 2


def test_all_callbacks_are_called_also_when_one_stops():
    calls = []
    callbacks = [
        lambda e: calls.append("a") or True,
        lambda e: calls.append("b"),
        lambda e: calls.append("c"),
    ]
    assert quick(n_epochs=5).fit(X, Y, callbacks=tuple(callbacks)).n_iter_ == 1
    assert calls == ["a", "b", "c"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_in_a_callback_keeps_the_epochs_done(error):
    def fail(event):
        if event.epoch == 3:
            raise error

    clf = quick(n_epochs=9)
    with pytest.raises(error):
        clf.fit(X, Y, callbacks=fail)
    assert clf.n_iter_ == len(clf.history_["epoch"]) == 3
    assert same_model(clf, quick(n_epochs=3).fit(X, Y))


# --- history and held-out sets ---


def test_history_without_held_out_data():
    clf = quick(n_epochs=4).fit(X, Y)
    assert set(clf.history_) == {"epoch", "n_live_clauses"}
    assert clf.history_["epoch"] == [1, 2, 3, 4]
    assert clf.history_["n_live_clauses"][-1] == (clf.model_.weights > 0).sum()
    assert clf.n_iter_ == 4


def test_held_out_sets_are_scored_and_change_nothing():
    other = (X[::2], NOISY[::2])
    one = quick().fit(X, Y, eval_set=other)
    two = quick().fit(X, Y, eval_set=[(X, Y), other])
    assert one.history_["eval"][-1] == one.score(*other)
    assert two.history_["eval_0"][-1] == two.score(X, Y)
    assert two.history_["eval_1"] == one.history_["eval"]
    assert same_model(one, quick().fit(X, Y))
    assert same_model(one, two)
    assert quick().fit(X, Y, eval_set=[]).history_.keys() == {"epoch", "n_live_clauses"}


# --- early stopping ---


@pytest.mark.parametrize("weighting", ["integer", "real", "rwtla", "cpl_ats"])
@pytest.mark.parametrize("labels", [NOISY, Y3], ids=["2 classes", "3 classes"])
def test_early_stopping_keeps_the_best_epoch(labels, weighting):
    held_out = (X[1::2], labels[1::2])
    clf = quick(n_epochs=200, early_stopping=True, n_iter_no_change=6, tol=0.0, weighting=weighting)
    clf.fit(X[::2], labels[::2], eval_set=[held_out, (X, labels)])
    scores = clf.history_["eval_0"]
    assert 6 < clf.n_iter_ == len(scores) < 200
    assert clf.score(*held_out) == max(scores)
    best = scores.index(max(scores)) + 1
    plain = quick(n_epochs=best, weighting=weighting).fit(X[::2], labels[::2])
    np.testing.assert_array_equal(clf.model_.states, plain.model_.states)
    assert max(scores[-6:]) <= max(scores[:-6])  # six epochs without a rise, and not one more


def test_early_stopping_holds_out_its_own_rows():
    clf = quick(n_epochs=200, early_stopping=True, validation_fraction=0.3, n_iter_no_change=5).fit(X, NOISY)
    assert set(clf.history_) == {"epoch", "n_live_clauses", "validation"}
    steps_per_epoch = N - round(0.3 * N)
    assert clf.model_.step % steps_per_epoch == 0
    assert set(np.round(np.array(clf.history_["validation"]) * 18, 9) % 1) == {0}  # shares of 18 rows
    assert clf.n_iter_ < 200


def test_tol_and_patience():
    params = {"n_epochs": 60, "early_stopping": True, "tol": 5.0}  # no rise is ever that large, but the first
    clf = quick(**params, n_iter_no_change=3).fit(X, Y, eval_set=(X, Y))
    assert clf.n_iter_ == 4
    assert clf.score(X, Y) == max(clf.history_["eval"])


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("weights", ["none", "whole", "fractional"])
def test_the_order_of_rows_does_not_matter(early_stopping, weights):
    given = {"none": None, "whole": np.arange(N) % 3, "fractional": (np.arange(N) % 7) / 2}[weights]
    params = {"early_stopping": early_stopping, "validation_fraction": 0.3}
    rows = np.repeat(np.arange(0, N, 2), 2)  # every row twice, with two weights
    expected = quick(**params).fit(X[rows], Y[rows], sample_weight=given)
    for seed in range(3):
        order = np.random.RandomState(seed).permutation(N)
        shuffled_weights = None if given is None else given[order]
        assert same_model(
            expected, quick(**params).fit(X[rows][order], Y[rows][order], sample_weight=shuffled_weights)
        )


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("class_weight", [None, {1: 2}])
def test_a_whole_weight_is_repetition(early_stopping, class_weight):
    params = {"early_stopping": early_stopping, "validation_fraction": 0.3, "class_weight": class_weight}
    weights = np.arange(N) % 4
    weighted = quick(**params).fit(X, Y, sample_weight=weights)
    rows = shuffle(np.repeat(np.arange(N), weights), random_state=0)
    repeated = quick(**params).fit(X[rows], Y[rows])
    assert same_model(weighted, repeated)
    assert weighted.history_ == repeated.history_


def test_whole_weights_are_repetition_and_zero_is_absence_beside_fractional_ones():
    weights = np.where(np.arange(N) < 20, np.arange(N) % 3, 0.5 + np.arange(N) % 2)
    rows = np.r_[np.repeat(np.arange(20), weights[:20].astype(int)), np.arange(20, N)]
    repeated_weights = np.where(rows < 20, 1.0, weights[rows])
    assert same_model(
        quick().fit(X, Y, sample_weight=weights),
        quick().fit(X[rows], Y[rows], sample_weight=repeated_weights),
    )


def test_rows_of_weight_zero_may_hold_anything_known_to_be_a_value():
    table_ = np.array([["a", 1.0], ["b", 2.0], ["a", 2.0], ["b", 1.0]] * 10 + [["new", None]], dtype=object)
    labels = np.r_[[0, 1, 0, 1] * 10, 1]
    weights = np.r_[np.ones(40), 0]
    for learn in (
        lambda clf, n: clf.fit(table_[:n], labels[:n], sample_weight=weights[:n]),
        lambda clf, n: clf.partial_fit(table_[:n], labels[:n], classes=[0, 1], sample_weight=weights[:n]),
    ):
        with_row, without = learn(quick(), 41), learn(quick(), 40)
        np.testing.assert_array_equal(with_row.model_.states, without.model_.states)
        assert with_row.columns_ == without.columns_


@pytest.mark.parametrize("extra", [0.0, 0.5], ids=["whole", "fractional"])
def test_the_held_out_score_is_the_weighted_one(extra):
    weights = np.where(np.arange(N) % 5 == 0, 1.0, 3.0) + extra  # the wrongly labelled rows count less
    params = {"early_stopping": True, "validation_fraction": 0.5, "n_epochs": 10}
    clf = quick(**params).fit(X, NOISY, sample_weight=weights)
    codes = NOISY.astype(np.int32)
    samples = Samples(encode_table(clf, clf.encoding_, X), codes, weights)
    train, test = hold_out(units_of(samples, clf.encoding_), codes, 0.5, clf.model_.seed)
    score = clf.score(X[test.rows], NOISY[test.rows], sample_weight=test.weights)
    assert max(clf.history_["validation"]) == pytest.approx(score)
    assert score != clf.score(X[test.rows], NOISY[test.rows])
    assert train.weights.sum() + test.weights.sum() == weights.sum()


# --- going on ---


@pytest.mark.parametrize(
    "params", [{}, {"weighting": "real"}, {"drop_clause": 0.3}, {"negative_sampling": "focused"}]
)
@pytest.mark.parametrize("weights", [None, np.arange(N) % 3 / 2 + 0.25])
def test_three_epochs_and_four_are_seven(params, weights):
    warm = quick(n_epochs=3, warm_start=True, **params).fit(X3, Y3, sample_weight=weights)
    warm.set_params(n_epochs=4).fit(X3, Y3, sample_weight=weights)
    assert same_model(warm, quick(n_epochs=7, **params).fit(X3, Y3, sample_weight=weights))
    assert warm.n_iter_ == 4
    assert warm.history_["epoch"] == [1, 2, 3, 4]


def test_without_warm_start_a_fit_starts_anew():
    clf = quick().fit(X3, np.array(["a", "b", "c"])[Y3])
    assert same_model(clf.fit(X, Y), quick().fit(X, Y))
    assert clf.classes_.tolist() == [0, 1]


def test_chunks_of_partial_fit_do_not_matter_and_a_chunk_may_lack_a_class():
    order = np.argsort(Y, kind="stable")  # the first chunks hold one class only
    boolean = (X > 0.5)[order]
    weights = (np.arange(N) % 3) / 2 + 0.25
    whole = quick(booleanizer=None).partial_fit(boolean, Y[order], classes=[0, 1], sample_weight=weights)
    parts = quick(booleanizer=None)
    for first in range(0, N, 7):
        chunk = slice(first, first + 7)
        parts.partial_fit(boolean[chunk], Y[order][chunk], classes=[0, 1], sample_weight=weights[chunk])
    assert same_model(whole, parts)


# --- progress ---

PROGRAM = """
import numpy as np
from clausal.machine.read import encode_table
from clausal import TsetlinClassifier
X = np.arange(40)[:, None]
clf = TsetlinClassifier(10, n_epochs=3, verbose={verbose}, random_state=0)
clf.fit(X, X[:, 0] > 20, eval_set=(X, X[:, 0] > 20), callbacks={callbacks})
"""


def run(verbose, callbacks, stderr=subprocess.PIPE):
    program = [sys.executable, "-c", PROGRAM.format(verbose=verbose, callbacks=callbacks)]
    terminal = {**os.environ, "TERM": "xterm"}
    return subprocess.run(
        program, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=60, check=True, env=terminal
    )


def test_verbose_shows_a_bar_on_standard_error_and_nothing_on_standard_output():
    done = run(1, callbacks="None")
    assert "training" in done.stderr
    assert "3/3 epochs" in done.stderr
    assert "eval " in done.stderr
    assert done.stdout == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_what_callbacks_print_stays_on_standard_output_also_in_a_terminal():
    pty = pytest.importorskip("pty")
    reader, terminal = pty.openpty()
    done = run(1, callbacks="lambda event: print('epoch', event.epoch)", stderr=terminal)
    os.close(terminal)
    assert b"3/3" in os.read(reader, 2**16)
    os.close(reader)
    assert done.stdout.splitlines() == ["epoch 1", "epoch 2", "epoch 3"]


def test_not_verbose_is_silent(capfd):
    quick(verbose=0).fit(X, Y)
    assert capfd.readouterr() == ("", "")
