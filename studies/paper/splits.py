"""Training and test rows. They depend only on the data set and the trial, so they are equal for all systems.

Trials use the seeds 0 to 999, searches for the settings of the sweep the seeds from 1000 on. Not here: what
is computed on the rows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from studies.data import Data

TEST_SHARE = 0.2
FIRST_SEARCH_SEED = 1000

Rows = Any  # (n,), positions of rows


def trial_split(data: Data, trial: int) -> tuple[Rows, Rows]:
    """Train and test rows of a trial, 80/20: stratified, or by groups of equal rows."""
    if not 0 <= trial < FIRST_SEARCH_SEED:
        raise ValueError(f"A trial must be from 0 to {FIRST_SEARCH_SEED - 1}. Got {trial}.")
    return _split(data, trial)


def search_split(data: Data, number: int) -> tuple[Rows, Rows]:
    """Train and test rows of a search, which differ from those of all trials."""
    return _split(data, FIRST_SEARCH_SEED + number)


def inner_folds(data: Data, rows: Rows, n_folds: int, trial: int) -> Iterator[tuple[Rows, Rows]]:
    """Folds inside a training part, as positions in the whole table; grouped if the data has groups."""
    y = data.y[rows]
    if data.groups is None:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=trial).split(rows, y)
    else:
        by_group = StratifiedGroupKFold(n_folds, shuffle=True, random_state=trial)
        folds = by_group.split(rows, y, data.groups[rows])
    return ((rows[train], rows[test]) for train, test in folds)


def _split(data: Data, seed: int) -> tuple[Rows, Rows]:
    if data.groups is None:
        splitter = StratifiedShuffleSplit(1, test_size=TEST_SHARE, random_state=seed)
        train, test = next(splitter.split(np.zeros(len(data.y)), data.y))
    else:
        splitter = GroupShuffleSplit(1, test_size=TEST_SHARE, random_state=seed)
        train, test = next(splitter.split(np.zeros(len(data.y)), data.y, data.groups))
    return np.sort(train), np.sort(test)
