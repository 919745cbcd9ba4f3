"""Every system of the comparison and the settings it may choose from: four each, fewer in a quick run.

A system is a name, the view of the data it reads and its settings; `build` makes the untrained classifier.
Baselines have nothing to choose. Ours chooses everything in its own `fit`: size, search and decision
threshold, by cross-validation inside the training part; once as it is, once told to keep to 15 literals. Not
here: choosing (judging.py).
"""

from dataclasses import dataclass
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from clausal import RuleClassifier
from experiments.baselines import BestLiteral, ConstantPositive
from experiments.machines import MACHINES, Setting, machine

OURS, SHORT = "clausal", "clausal, 15 literals"
CONSTANT, LITERAL = "Constant positive", "Best literal"
HIDDEN = {"ANN-1": (5,), "ANN-2": (20, 50), "ANN-3": (20, 150, 100)}
EBM_SETTINGS = (
    {"interactions": 0, "max_rounds": 500},
    {"interactions": 3, "max_rounds": 500},
    {"interactions": 0, "max_rounds": 100},
    {"interactions": 0, "max_rounds": 500, "min_samples_leaf": 10},
)


@dataclass(frozen=True)
class System:
    """A learner and what may be chosen of it."""

    name: str
    settings: tuple[Any, ...]  # a Setting for machines, a dict of parameters for others
    view: str = "numbers"  # of the data: numbers, frame or cells

    @property
    def chooses(self) -> bool:
        """Whether there is anything to choose from outside of `fit`."""
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
        *(System(name, _grid("alpha", 1e-4, 1.0, 1e-2, 0.1)) for name in HIDDEN),
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
    match system:
        case "Constant positive":
            return ConstantPositive()
        case "Best literal":
            return BestLiteral()
        case "clausal" | "clausal, 15 literals":
            return RuleClassifier(scoring="f1", random_state=seed, **setting)
        case "EBM":
            return _ebm(setting, seed)
    return make_pipeline(StandardScaler(), _standard(system, setting, seed))


def _ebm(setting: dict[str, Any], seed: int) -> Any:
    """Bags and rounds are bounded, as one fit with the package's defaults takes up to minutes."""
    from interpret.glassbox import ExplainableBoostingClassifier

    bounds = {"outer_bags": 4, "learning_rate": 0.05}
    return ExplainableBoostingClassifier(**bounds, **setting, n_jobs=1, random_state=seed)


def _standard(system: str, setting: dict[str, Any], seed: int) -> Any:
    match system:
        case "ANN-1" | "ANN-2" | "ANN-3":
            pace = {"learning_rate_init": 0.01, "max_iter": 100}
            return MLPClassifier(HIDDEN[system], **pace, **setting, random_state=seed)
        case "DT":
            return DecisionTreeClassifier(**setting, random_state=seed)
        case "SVM":
            return SVC(**setting)
        case "KNN":
            return KNeighborsClassifier(**setting)
        case "RF":
            return RandomForestClassifier(**setting, n_jobs=1, random_state=seed)
        case "XGBoost":
            from xgboost import XGBClassifier

            return XGBClassifier(n_estimators=100, **setting, n_jobs=1, random_state=seed)
        case "Logistic":
            return LogisticRegression(**setting, max_iter=2000)
    raise ValueError(f"The system must be one of {', '.join(SYSTEMS)}. Got {system!r}.")
