"""HistoryDisplay: the curves are `history_`."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from clausal import HistoryDisplay
from tests.support.small_data import quick, table


def test_curves_are_the_scores_and_the_live_clauses():
    X, y = table()
    clf = quick(n_epochs=4).fit(X, y, eval_set=[(X[:20], y[:20]), (X[20:], y[20:])])
    display = HistoryDisplay.from_estimator(clf)
    assert list(display.lines_) == ["eval_0", "eval_1"]
    for name, line in display.lines_.items():
        assert line.get_xdata().tolist() == [1, 2, 3, 4]
        assert line.get_ydata().tolist() == clf.history_[name]
    assert display.clauses_line_.get_ydata().tolist() == clf.history_["n_live_clauses"]
    assert display.clauses_ax_ is not display.ax_
    assert display.kept_line_ is None
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts == ["eval_0", "eval_1", "live clauses"]
    display.figure_.canvas.draw()


def test_the_epoch_kept_by_early_stopping_is_marked():
    X, y = table()
    clf = quick(n_epochs=8, early_stopping=True, n_iter_no_change=3).fit(X, y, eval_set=(X, y))
    display = HistoryDisplay.from_estimator(clf)
    kept = 1 + int(np.argmax(clf.history_["eval"]))
    assert display.kept_line_.get_xdata()[0] == kept
    assert max(clf.history_["eval"]) == clf.score(X, y)


def test_without_scores_the_live_clauses_have_the_axes_to_themselves():
    _, ax = plt.subplots()
    display = HistoryDisplay.from_estimator(quick().fit(*table()), ax=ax)
    assert display.lines_ == {}
    assert display.clauses_ax_ is display.ax_ is ax
    display.figure_.canvas.draw()


def test_a_history_without_epochs_is_refused():
    X, y = table()
    clf = quick().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="must have at least one epoch. Got none"):
        HistoryDisplay.from_estimator(clf)
