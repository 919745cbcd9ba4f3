"""The machines whose clauses are candidate rules: their settings, and training them on the rows of a fold.

Their settings differ from the defaults of TsetlinClassifier because a scorecard needs short clauses
(docs/decisions/0018-an-exact-search.md). Not here: the other candidates and the choice (core/scorecard).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from clausal.encoding.booleanizer import Booleanizer
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.clause_model import ClauseModel
from clausal.machine.read import Samples, TrainingRows
from clausal.machine.settings import PartOf
from clausal.machine.train import prepare_fit
from clausal.scorecard.calibration import Floats
from clausal.scorecard.rows import SearchRows

N_CLAUSES = 100
THRESHOLD = 60
SPECIFICITY = 2.0
MAX_COLUMNS = 12
_MORE_COLUMNS, _ENOUGH_ROWS = 24, 5_000  # that many columns from that many rows on
MANY_ROWS = 20_000  # from here on, three folds are enough
_VISITS = 8_000  # rows times epochs, if that many epochs are within the next two limits
_MIN_EPOCHS, _MAX_EPOCHS = 1, 30


def epochs_for(n_rows: float) -> int:
    """The number of epochs for a table of `n_rows` rows, or of this total weight."""
    return int(np.clip(_VISITS // max(int(n_rows), 1), _MIN_EPOCHS, _MAX_EPOCHS))


def booleanizer_for(n_rows: float) -> Booleanizer:
    """The booleanizer "auto" for a table of `n_rows` rows, or of this total weight."""
    return Booleanizer(max_columns=MAX_COLUMNS if n_rows < _ENOUGH_ROWS else _MORE_COLUMNS)


def default_machine(booleanizer: Any, constraints: dict[str, Any]) -> TsetlinClassifier:
    """The unfitted machine; see `epochs_for` and, if the booleanizer is "auto", `booleanizer_for`."""
    return TsetlinClassifier(
        N_CLAUSES,
        threshold=THRESHOLD,
        specificity=SPECIFICITY,
        booleanizer=booleanizer,
        **constraints,
    )


Clauses = tuple[NDArray[np.int64], NDArray[np.uint32]]
"""Clauses as lists of literals: the start of each, and all literals."""
NO_CLAUSES: Clauses = (np.zeros(1, np.int64), np.zeros(0, np.uint32))


def clauses_of(model: ClauseModel) -> Clauses:
    """The different clauses of a machine that count and include a literal."""
    counts = (model.points > 0) & model.include.any(axis=2)
    include = np.unique(model.include[counts], axis=0)
    starts = np.concatenate([[0], np.cumsum(include.sum(axis=1))]).astype(np.int64)
    return starts, np.nonzero(include)[1].astype(np.uint32)


def train_machine(machine: TsetlinClassifier, rows: SearchRows, weights: Floats, seed: int) -> Clauses:
    """The clauses of a machine trained on rows with these weights [n], those of weight 0 left out."""
    own = clone(machine).set_params(random_state=seed)
    own._part_of = machine._part_of or PartOf()
    used = np.flatnonzero(weights > 0)
    samples = Samples(
        np.ascontiguousarray(rows.literals[used]),
        rows.codes[used].astype(np.int32),
        None if (weights[used] == 1).all() else weights[used],
    )
    fit = prepare_fit(own, TrainingRows(rows.encoding, rows.outcome, samples), {}, (), None)
    fit.run()
    assert fit.fitted is not None
    return clauses_of(fit.fitted.model)
