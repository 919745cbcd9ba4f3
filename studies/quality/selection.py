"""Inner validation: which model of a path is taken at a limit of literals.

The path is fitted on the training part and on 5 stratified folds of it. At a limit, the candidates are the
models of the path with at most so many literals on the training part. Taken is the one with the highest
accuracy over the folds, of equal ones the one with the lowest log-loss; or, as a second choice that is
recorded too, the one with the lowest log-loss. The CPU seconds of a limit are those of its candidates, in
the folds too: a user with that limit would compute no others. What models share (a forest, bins) counts for
the first of them. Not here: the paths (paths.py, outside.py).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from studies.quality.paths import Model, Path

N_FOLDS = 5
CLIP = 0.001  # probabilities of 0 and 1 would have an infinite log-loss
CHOICES = ("accuracy", "log_loss")


@dataclass(frozen=True)
class Candidate:
    """A model of the path, its accuracy and log-loss over the folds, and the seconds that these fits took."""

    model: Model
    accuracy: float
    log_loss: float
    seconds: float


def mean_log_loss(probabilities: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """The log-loss, with probabilities of at least .001."""
    clipped = np.clip(probabilities, CLIP, 1 - CLIP)
    clipped = clipped / clipped.sum(1, keepdims=True)
    return float(-np.log(clipped[np.arange(len(y)), y]).mean())


def candidates(path: Path, X: pd.DataFrame, y: NDArray[np.int64], seed: int) -> list[Candidate]:
    """The models of the path on all rows, validated in folds."""
    models = _timed(path, X, y, seed)
    seconds = np.array([spent for _, spent in models])
    validated = np.zeros((len(models), len(y), int(y.max()) + 1))
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, y):
        inner = _timed(path, X.iloc[train].reset_index(drop=True), y[train], seed)
        held_out = X.iloc[test].reset_index(drop=True)
        for i, (model, spent) in enumerate(inner):
            start = time.process_time()
            validated[i, test] = model.probabilities(held_out)
            seconds[i] += time.process_time() - start + spent
    found = zip(models, validated, seconds, strict=True)
    return [
        Candidate(model, float((p.argmax(1) == y).mean()), mean_log_loss(p, y), float(spent))
        for (model, _), p, spent in found
    ]


def _timed(path: Path, X: Any, y: Any, seed: int) -> list[tuple[Model, float]]:
    """The models with the CPU seconds from one to the next; a model from another process has its own."""
    found, start = [], time.process_time()
    for model in path(X, y, seed):
        found.append((model, time.process_time() - start + model.seconds))
        start = time.process_time()
    return found


def choose(found: Sequence[Candidate], limit: int | None, by: str = "accuracy") -> tuple[Model, float]:
    """The model for a limit of literals, None for no limit, and the CPU seconds of the choice."""
    allowed = [one for one in found if limit is None or one.model.literals <= limit]
    if not allowed:
        raise ValueError(f"No model of the path has at most {limit} literals.")

    def worth(one: Candidate) -> tuple[float, ...]:
        better = (one.accuracy, -one.log_loss) if by == "accuracy" else (-one.log_loss,)
        return (*better, -one.model.literals)

    return max(allowed, key=worth).model, sum(one.seconds for one in allowed)
