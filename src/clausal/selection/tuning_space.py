"""What the tuner tries: settings of machines, and of scorecards made of them.

Not here: how they are judged (judging.py) and which of them go on (halving.py).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterSampler

from clausal.encoding.booleanizer import Booleanizer
from clausal.estimators.classifier import TsetlinClassifier
from clausal.estimators.settings import resolve_threshold
from clausal.selection.pool import MAX_COLUMNS

_MACHINES: dict[str, list[Any]] = {
    "n_clauses": [20, 50, 100, 200, 400],
    "threshold": [1, 4, 16, 64],  # per clause
    "specificity": [1.5, 2.0, 3.0, 4.0, 6.0, 10.0],
    "n_epochs": [15, 30, 50, 75, 100, 150],
    "max_columns": [4, 8, 12, 16, 24, 32],
}
_SHORT_RULES: dict[str, list[Any]] = {
    **_MACHINES,
    "n_clauses": [50, 100, 200],
    "specificity": [1.5, 2.0, 3.0, 5.0],
    "n_epochs": [30, 50, 75, 100],
}
_COLUMNS_OF_POOLS = [4, 6, 8, 16, 24]  # besides the default


@dataclass(frozen=True)
class Setting:
    """One point of the search.

    Without `n_clauses` it stands for the several machines that a RuleClassifier takes by default.
    """

    n_clauses: int | None
    threshold: int | None
    specificity: float | tuple[float, float] | None
    n_epochs: int | None
    max_columns: int

    @property
    def params(self) -> dict[str, Any]:
        """Constructor parameters: of a TsetlinClassifier or, without a machine, of a RuleClassifier."""
        params = {name: value for name, value in asdict(self).items() if value is not None}
        params["booleanizer"] = Booleanizer(max_columns=params.pop("max_columns"))
        return params


def machine_settings(n: int, seed: int) -> list[Setting]:
    """So many different settings of machines, the default one first."""
    default = TsetlinClassifier()
    first = Setting(
        default.n_clauses,
        resolve_threshold(default.threshold, default.n_clauses, default.weighting),
        default.specificity,
        default.n_epochs,
        Booleanizer().max_columns,
    )
    return _distinct([first], _MACHINES, n, seed)


def scorecard_settings(n: int, seed: int) -> list[Setting]:
    """So many different settings of scorecards: the default, its like with other columns, single machines."""
    columns = np.random.default_rng(seed).permutation(_COLUMNS_OF_POOLS).tolist()
    pools = [Setting(None, None, None, None, number) for number in (MAX_COLUMNS, *columns[: n // 2])]
    return _distinct(pools[:n], _SHORT_RULES, n, seed)


def _distinct(first: list[Setting], space: dict[str, list[Any]], n: int, seed: int) -> list[Setting]:
    """The first settings, filled up to n with others drawn from the space."""
    settings = dict.fromkeys(first)
    for drawn in ParameterSampler(space, n, random_state=seed):
        if len(settings) == n:
            break
        settings[Setting(**{**drawn, "threshold": drawn["threshold"] * drawn["n_clauses"]})] = None
    return list(settings)
