"""The settings that the tuner tries, as parameters of models; what an expert knows is in all of them.

Not here: how settings are validated and compared (trials.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterSampler

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.knowledge import NAMES as OF_FEATURES
from clausal.machine.settings import CHOSEN_COLUMNS
from clausal.scorecard.knowledge_file import OF_MACHINES
from clausal.scorecard.search_space import MAX_COLUMNS

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
_OTHER_COLUMNS = (64, 16, 8)  # of machines that choose their settings
_MAX_COLUMNS = [4, 6, 8, 16, 24]  # of scorecards with the default machines, besides the default


@dataclass(frozen=True)
class Setting:
    """One setting of the hyperparameters.

    If `n_clauses` is None, it is a TsetlinClassifier that chooses its settings, or a RuleClassifier with its
    default machines.
    """

    n_clauses: int | None
    threshold: int | None
    specificity: float | tuple[float, float] | None
    n_epochs: int | None
    max_columns: int

    def params(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Constructor parameters of a TsetlinClassifier or, for its default machines, of a RuleClassifier.

        `known` is what an expert knows of the features, as such parameters.
        """
        params = {name: value for name, value in asdict(self).items() if value is not None}
        of_features: dict[str, Any] = {
            name: getattr(known.get("booleanizer"), name, None) for name in OF_FEATURES
        }
        params["booleanizer"] = Booleanizer(max_columns=params.pop("max_columns"), **of_features)
        return params | {name: known[name] for name in OF_MACHINES if name in known}


def machine_settings(n: int, seed: int) -> list[Setting]:
    """Up to n distinct settings of machines, the default one first.

    Then come machines that choose their settings with other numbers of columns, and machines of one group.
    """
    columns = np.random.default_rng(seed).permutation(_OTHER_COLUMNS).tolist()
    default_machines = [Setting(None, None, None, None, number) for number in (CHOSEN_COLUMNS, *columns)]
    return _distinct(default_machines[:n], _MACHINES, n, seed)


def scorecard_settings(n: int, seed: int) -> list[Setting]:
    """Up to n distinct settings of scorecards, the default one first.

    Then come the default machines with other numbers of columns, and single machines.
    """
    columns = np.random.default_rng(seed).permutation(_MAX_COLUMNS).tolist()
    default_machines = [
        Setting(None, None, None, None, number) for number in (MAX_COLUMNS, *columns[: n // 2])
    ]
    return _distinct(default_machines[:n], _SHORT_RULES, n, seed)


def _distinct(first: list[Setting], space: dict[str, list[Any]], n: int, seed: int) -> list[Setting]:
    """The first settings, and distinct random ones from the space up to n settings."""
    settings = dict.fromkeys(first)
    for drawn in ParameterSampler(space, n, random_state=seed):
        if len(settings) == n:
            break
        settings[Setting(**{**drawn, "threshold": drawn["threshold"] * drawn["n_clauses"]})] = None
    return list(settings)
