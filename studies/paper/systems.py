"""Every system of the comparison and the settings it may choose from: four each, fewer in a quick run.

A system is a name, the view of the data it reads and its settings; `build` makes the untrained classifier.
The trivial classifiers have no settings. The scorecard chooses everything in its own `fit`: size,
search and decision cut-off, by cross-validation inside the training part; once with its defaults, once with
at most 15 literals. Not here: the choice (evaluation.py), the construction of the other classifiers
(studies/baselines.py).
"""

from dataclasses import dataclass
from typing import Any

from clausal import RuleClassifier
from studies import baselines
from studies.paper.machines import MACHINES, Setting, machine
from studies.paper.trivial_classifiers import BestLiteral, ConstantPositive

OURS, SHORT = "clausal", "clausal, 15 literals"
CONSTANT, LITERAL = "Constant positive", "Best literal"

# The paper's name of a system: its name in studies/baselines.py, and the parameters that are not searched.
NETWORK = {"learning_rate_init": 0.01, "max_iter": 100}
BASELINES: dict[str, tuple[str, dict[str, Any]]] = {
    "ANN-1": ("neural network", NETWORK | {"hidden_layer_sizes": (5,)}),
    "ANN-2": ("neural network", NETWORK | {"hidden_layer_sizes": (20, 50)}),
    "ANN-3": ("neural network", NETWORK | {"hidden_layer_sizes": (20, 150, 100)}),
    "DT": ("decision tree", {}),
    "SVM": ("support vector machine", {}),
    "KNN": ("nearest neighbors", {}),
    "RF": ("random forest", {}),
    "XGBoost": ("XGBoost", {"n_estimators": 100}),
    "Logistic": ("logistic regression", {}),
    # Bags and rounds are limited, because one fit with the defaults can take minutes.
    "EBM": ("EBM", {"outer_bags": 4, "learning_rate": 0.05}),
}
EBM_SETTINGS = (
    {"interactions": 0, "max_rounds": 500},
    {"interactions": 3, "max_rounds": 500},
    {"interactions": 0, "max_rounds": 100},
    {"interactions": 0, "max_rounds": 500, "min_samples_leaf": 10},
)


@dataclass(frozen=True)
class System:
    """A learner and its possible settings."""

    name: str
    settings: tuple[Any, ...]  # a Setting for machines, a dict of parameters for others
    view: str = "numbers"  # of the data: numbers, frame or cells

    @property
    def chooses(self) -> bool:
        """Whether there is a choice of settings outside of `fit`."""
        return len(self.settings) > 1


def _machine_settings(ratio: float) -> tuple[Setting, ...]:
    """Clauses, s and epochs are the same for the three; T per clause is what other data than the paper's
    showed to suit weights or their absence (docs/decisions/0004-defaults.md).
    """
    shapes = ((100, 3.0, 75), (10, 2.0, 200), (500, 3.0, 50), (100, 8.0, 75))
    return tuple(Setting(m, max(1, round(ratio * m)), s, epochs, 0.01) for m, s, epochs in shapes)


def _grid(name: str, *values: Any, **fixed: Any) -> tuple[dict[str, Any], ...]:
    return tuple({name: value, **fixed} for value in values)


SYSTEMS = {
    system.name: system
    for system in (
        *(System(name, _grid("alpha", 1e-4, 1.0, 1e-2, 0.1)) for name in ("ANN-1", "ANN-2", "ANN-3")),
        System("DT", _grid("max_leaf_nodes", None, 4, 8, 16)),
        System("SVM", _grid("C", 1.0, 0.1, 10.0, 100.0)),
        System("KNN", _grid("n_neighbors", 5, 15, 1, 31)),
        System("RF", _grid("min_samples_leaf", 1, 5, 2, 10)),
        System("XGBoost", _grid("max_depth", 6, 2, 1, 3)),
        System("EBM", EBM_SETTINGS, "frame"),
        System("TM", _machine_settings(0.1), "cells"),
        System("RWTM", _machine_settings(64.0), "cells"),
        System("IWTM", _machine_settings(64.0), "cells"),
        System("Logistic", _grid("C", 1.0, 0.1, 0.01, 10.0)),
        System(CONSTANT, ({},), "cells"),
        System(LITERAL, ({},), "cells"),
        System(OURS, ({},), "frame"),
        System(SHORT, ({"max_literals": 15},), "frame"),
    )
}


def build(system: str, setting: Any, seed: int) -> Any:
    """The untrained classifier."""
    if system in MACHINES:
        return machine(system, setting, seed)
    if system in BASELINES:
        name, fixed = BASELINES[system]
        reads_table = SYSTEMS[system].view == "frame"
        assemble = baselines.for_table if reads_table else baselines.for_matrix
        return assemble(name, seed, **fixed, **setting)
    match system:
        case "Constant positive":
            return ConstantPositive()
        case "Best literal":
            return BestLiteral()
        case "clausal" | "clausal, 15 literals":
            return RuleClassifier(scoring="f1", random_state=seed, **setting)
    raise ValueError(f"The system must be one of {', '.join(SYSTEMS)}. Got {system!r}.")
