"""The compaction path: its arrays, its data frame, its repr."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from clausal.scorecard.path import CompactionPath


@dataclass
class ValidatedSize:
    scores: np.ndarray
    n_rules: float
    loss: float


VALIDATED = {
    (search, size): ValidatedSize(
        np.array([0.5, 0.7]) + 0.1 * size - 0.05 * search, 1.0 + size, 0.7 - 0.1 * size
    )
    for search in range(2)
    for size in range(3)
}
PATH = CompactionPath.of(VALIDATED, ("lasso", "forward"), (1, 2, 5), (1, 2), "f1")


def test_the_arrays_are_those_of_the_chosen_search():
    assert PATH.n_literals.tolist() == [1, 2, 5]
    np.testing.assert_allclose(PATH.scores, [0.55, 0.65, 0.75])
    np.testing.assert_allclose(PATH.errors, 0.1)  # two folds that differ by 0.2
    assert PATH.n_rules.tolist() == [1, 2, 3]
    np.testing.assert_allclose(PATH.losses, [0.7, 0.6, 0.5])
    assert (PATH.chosen, PATH.scoring, PATH.search) == (5, "f1", "forward")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_has_every_search_and_marks_what_was_chosen(backend):
    frame = PATH.to_frame(backend)
    assert len(frame) == 6
    rows = pd.DataFrame({name: list(frame[name]) for name in ("search", "n_literals", "score", "chosen")})
    assert [str(name) for name in rows["search"]] == ["lasso"] * 3 + ["forward"] * 3
    np.testing.assert_allclose(np.array(frame["log_loss"]), 2 * [0.7, 0.6, 0.5])
    chosen = frame["chosen"].to_pylist() if backend == "pyarrow" else rows["chosen"]
    assert [bool(each) for each in chosen] == [False] * 5 + [True]


def test_the_repr_has_the_chosen_size_and_its_score():
    assert repr(PATH) == "CompactionPath of 1 to 5 literals: 5 chosen, f1 0.750 ± 0.100 (forward)"
    assert PATH.plot().ax_.lines
