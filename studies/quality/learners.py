"""The learners of the comparison: ours, the compact rivals, and references without a limit of size.

Here: which packages they need, what they cannot do, and how many splits they get. Not here: how a rival is
fitted (paths.py, outside.py) and how one of its models is chosen (selection.py).
"""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from clausal import RuleClassifier
from studies import baselines
from studies.quality import outside, paths

OURS = "clausal"


@dataclass(frozen=True)
class Learner:
    """What a learner needs; `package` is its name on PyPI and `module` what it is imported as."""

    package: str
    module: str
    path: paths.Path | None = None  # None: ours, or a reference without a limit
    several_classes: bool = True
    environment: str = ""  # of its own; such a learner is compared only if it is named
    max_splits: int | None = None  # slow learners are compared on the first splits, unless --full is given


LEARNERS = {
    OURS: Learner("clausal", "clausal"),
    "FastRiskScore": Learner("imodels", "imodels", paths.fast_risk_score, several_classes=False),
    "L1 on bits": Learner("scikit-learn", "sklearn", paths.l1),
    "optbinning": Learner("optbinning", "optbinning", paths.optbinning, several_classes=False, max_splits=5),
    "decision tree": Learner("scikit-learn", "sklearn", paths.decision_tree),
    "FIGS": Learner("imodels", "imodels", paths.figs, max_splits=5),
    "SIRUS": Learner("sirus", "sirus", paths.sirus, several_classes=False, max_splits=5),
    "FasterRisk": Learner(
        "fasterrisk", "", outside.path_of("fasterrisk"), several_classes=False, environment="fasterrisk"
    ),
    "LogRR": Learner("aix360", "", outside.path_of("logrr"), several_classes=False, environment="logrr"),
    "logistic regression": Learner("scikit-learn", "sklearn"),
    "XGBoost": Learner("xgboost-cpu", "xgboost"),
    "EBM": Learner("interpret-core", "interpret", max_splits=3),
}
COMPACT = tuple(name for name, learner in LEARNERS.items() if learner.path or name == OURS)
REFERENCES = tuple(name for name in LEARNERS if name not in COMPACT)
BY_DEFAULT = tuple(name for name, learner in LEARNERS.items() if not learner.environment)


def unavailable(name: str) -> str | None:
    """Why a learner is left out, or None; makes its environment where it has one."""
    learner = LEARNERS[name]
    if learner.environment:
        return outside.install(learner.environment)
    return None if find_spec(learner.module) else f"{learner.package} is not installed"


def versions(name: str) -> dict[str, str]:
    """The versions of clausal and of the package behind the learner."""
    learner, found = LEARNERS[name], {"clausal": version("clausal")}
    try:
        found[learner.package] = version(learner.package)
    except PackageNotFoundError:  # it is in an environment of its own
        found[learner.package] = outside.ENVIRONMENTS[learner.environment].needs[0]
    return found


def scorecard(limit: int | None, seed: int) -> Any:
    """Ours: at most so many literals (None: its default), chosen for accuracy."""
    return RuleClassifier(max_literals=limit, scoring="accuracy", random_state=seed)


def reference(name: str, seed: int) -> Any:
    """A model without a limit, at its defaults."""
    return baselines.for_table(name, seed)
