"""TM, RWTM and IWTM as in the paper: binarization, polarity, tie rule; settings; counting literals.

Class 1 wins a vote of 0, odd clauses vote for it, every training value is a cut point. The paper does
not state T, s, gain and epochs; they are settings, found by search. Not here: the search (evaluation.py).
"""

from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from clausal import Booleanizer, TsetlinClassifier
from studies.paper.budget import EPOCHS

WEIGHTINGS = {"TM": "none", "RWTM": "real", "IWTM": "integer"}
MACHINES = tuple(WEIGHTINGS)

# The sweep's search: T per clause and s, all pairs; the gain of RWTM alternates between two values,
# so that all three systems try the same number of settings.
THRESHOLDS = (0.25, 1.0, 4.0, 16.0, 64.0)
SPECIFICITIES = (1.5, 3.0, 8.0)
GAINS = (0.01, 0.1)


@dataclass(frozen=True)
class Setting:
    """The parameters of one machine."""

    n_clauses: int
    threshold: int
    specificity: float
    n_epochs: int
    weight_gain: float

    def as_dict(self) -> dict[str, Any]:
        """For a line of results."""
        return asdict(self)

    def with_epochs(self, n_epochs: int) -> "Setting":
        """The same setting with another number of epochs."""
        return replace(self, n_epochs=n_epochs)

    def of(self, system: str) -> "Setting":
        """The setting, without the gain unless weights are real: equal machines have equal settings."""
        return self if system == "RWTM" else replace(self, weight_gain=0.01)

    def __str__(self) -> str:
        return (
            f"m={self.n_clauses} T={self.threshold} s={self.specificity:g} "
            f"epochs={self.n_epochs} gain={self.weight_gain:g}"
        )


def sweep_settings(n_clauses: int) -> list[Setting]:
    """The settings that the sweep's search tries at this number of clauses, each with all its epochs."""
    pairs = product(enumerate(THRESHOLDS), enumerate(SPECIFICITIES))
    return [
        Setting(n_clauses, max(1, round(ratio * n_clauses)), s, EPOCHS[n_clauses], GAINS[(row + column) % 2])
        for (row, ratio), (column, s) in pairs
    ]


def epoch_stops(setting: Setting) -> tuple[int, int]:
    """The numbers of epochs after which a training of the search is evaluated."""
    return (setting.n_epochs // 4, setting.n_epochs)


def machine(system: str, setting: Setting, seed: int) -> TsetlinClassifier:
    """The untrained machine."""
    return TsetlinClassifier(
        setting.n_clauses,
        threshold=setting.threshold,
        specificity=setting.specificity,
        weighting=WEIGHTINGS[system],
        n_epochs=setting.n_epochs,
        weight_gain=setting.weight_gain,
        booleanizer=Booleanizer(mode="paper", handle_unknown="no_match"),
        random_state=seed,
    )


def weight_facts(model: TsetlinClassifier) -> dict[str, Any]:
    """The number of clauses with weight 0 or without literals, and the largest weight."""
    weights = model.model_.weights  # (1, n_clauses)
    return {
        "n_zero": int((weights == 0).sum()),
        "n_empty": int((~model.model_.include.any(axis=-1)).sum()),
        "max_weight": round(float(weights.max()), 6),
    }
