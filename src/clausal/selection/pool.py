"""The machines whose clauses compaction chooses from: a few with different specificities, or the user's own.

Their settings differ from TsetlinClassifier's defaults on purpose: short clauses serve here, not accuracy
alone (docs/decisions/0007-compaction.md). Not here: what is done with their rules (compaction.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from clausal.encoding.booleanizer import Booleanizer
from clausal.estimators.classifier import TsetlinClassifier

N_CLAUSES = 100
THRESHOLD = 60
SPECIFICITIES = (2.0, 1.5, 3.0, 5.0)  # the first gives the shortest list that is good alone
MAX_COLUMNS = 12
_VISITS = 2_000_000  # rows times epochs, within the bounds below
_FEWEST_EPOCHS, _MOST_EPOCHS = 15, 100
MANY_ROWS = 20_000  # from here on two machines do, and three folds


def default_machines(n_rows: int, booleanizer: Any, constraints: dict[str, Any]) -> list[TsetlinClassifier]:
    """Unfitted machines for a table of so many rows."""
    epochs = int(np.clip(_VISITS // max(n_rows, 1), _FEWEST_EPOCHS, _MOST_EPOCHS))
    chosen = Booleanizer(max_columns=MAX_COLUMNS) if booleanizer == "auto" else booleanizer
    return [
        TsetlinClassifier(
            N_CLAUSES,
            threshold=THRESHOLD,
            specificity=specificity,
            n_epochs=epochs,
            booleanizer=chosen,
            **constraints,
        )
        for specificity in (SPECIFICITIES[:2] if n_rows >= MANY_ROWS else SPECIFICITIES)
    ]


def trained(
    machines: list[TsetlinClassifier], X: Any, y: Any, sample_weight: Any, seed: int
) -> list[TsetlinClassifier]:
    """The machines, fitted, each from a seed of its own."""
    return [
        clone(machine).set_params(random_state=seed + place).fit(X, y, sample_weight=sample_weight)
        for place, machine in enumerate(machines)
    ]
