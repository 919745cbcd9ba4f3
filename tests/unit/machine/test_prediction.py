"""An empty batch is predicted as an empty array, after a check of its features."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from tests.support.scorecards import machine, scorecard
from tests.support.small_data import bits, table

METHODS = ("predict", "predict_proba", "votes", "decision_function", "transform")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("make", [machine, scorecard])
def test_no_rows_give_no_predictions_of_the_usual_type(make, n_classes):
    X, y = table(n_classes=n_classes)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for rows, empty in (
        (X, [X[:0]]),
        (frame, [frame[:0], pl.from_pandas(frame)[:0], pa.Table.from_pandas(frame)[:0]]),
    ):
        clf = make().fit(rows, np.array(["no", "yes", "other"])[y])
        for name in METHODS[: 5 if make is machine else 4]:
            usual = getattr(clf, name)(rows)
            for batch in empty:
                found = getattr(clf, name)(batch)
                assert found.dtype == usual.dtype
                assert found.shape == (0, *usual.shape[1:])


def test_no_rows_of_boolean_columns():
    y = np.arange(len(bits())) % 2
    for clf in (machine(booleanizer=None), scorecard(machine(booleanizer=None))):
        clf.fit(bits(), y)
        for batch in (bits()[:0], bits()[:0].astype(bool), sparse.csr_array(bits())[:0]):
            assert clf.predict(batch).shape == (0,)


def test_the_features_of_an_empty_batch_are_checked():
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for clf in (machine(), scorecard()):
        clf.fit(frame, y)
        with pytest.raises(ValueError, match="feature names should match"):
            clf.predict(frame[["a", "b"]][:0])
        clf.fit(X, y)
        with pytest.raises(ValueError, match="X has 2 features, but .*Classifier is expecting 3"):
            clf.predict(X[:0, :2])
        with pytest.raises(ValueError, match="Expected 2D array"):
            clf.predict([])
