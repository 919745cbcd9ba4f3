"""The learners: packages with pinned versions, the kind of machine of each, and the variants to try.

Not here: how a package is called (adapters.py) and installed (install.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from speed.equal_work import AS_SET, BANK_PER_CLASS, NO_CLAUSES, OURS, SHARED_POOL


@dataclass(frozen=True)
class Learner:
    """A package, or one of its variants."""

    name: str
    package: str
    kind: str
    pins: tuple[str, ...] = ()  # for pip; empty for clausal
    variant: str = ""
    only: tuple[str, ...] = ()  # families of workloads; empty means all
    epochs: dict[str, int] = field(default_factory=dict)  # fewer epochs than the workload, by family
    slow: tuple[str, ...] = ()  # families that a quick run skips


EARLY = ("W1", "W2")
CLAUSAL = Learner("clausal", "clausal", OURS)
SET = Learner("clausal as set", "clausal", AS_SET, only=("W1", "W2", "W4"))
PYTM = ("pyTsetlinMachine==0.6.6", "numpy")
TORCH = ("torchtsetlin==0.5", "torch==2.13.0", "numpy")
TMU = ("tmu==0.8.3",)

PEERS = (
    Learner("pyTsetlinMachine", "pyTsetlinMachine", BANK_PER_CLASS, PYTM),
    Learner("pyTsetlinMachine indexed", "pyTsetlinMachine", BANK_PER_CLASS, PYTM, "indexed"),
    Learner(
        "pyTsetlinMachineParallel",
        "pyTsetlinMachineParallel",
        BANK_PER_CLASS,
        ("pyTsetlinMachineParallel==0.2.1", "numpy"),
    ),
    Learner("tmu", "tmu", BANK_PER_CLASS, TMU),
    Learner("tmu sparse", "tmu", BANK_PER_CLASS, TMU, "sparse", ("W4",), {"W4": 1}, slow=("W4",)),
    Learner("green-tsetlin", "green_tsetlin", SHARED_POOL, ("green-tsetlin==1.1.0",)),
    Learner(
        "torchtsetlin",
        "torchtsetlin",
        BANK_PER_CLASS,
        TORCH,
        epochs={"W2": 5, "W3": 1, "W4": 1},
        slow=("W3", "W4"),
    ),
)
FORESTS = (
    Learner("XGBoost", "xgboost-cpu", NO_CLAUSES, ("xgboost-cpu==3.2.0", "scikit-learn")),
    Learner("LightGBM", "lightgbm", NO_CLAUSES, ("lightgbm==4.7.0", "scikit-learn")),
    Learner("EBM", "interpret-core", NO_CLAUSES, ("interpret-core==0.7.8",), only=EARLY, slow=EARLY),
)


def takes_part(learner: Learner, key: str, quick: bool) -> bool:
    """Whether a learner runs a workload; learners without clauses run W1 in only one size."""
    family, _, size = key.partition(" ")
    if learner.kind == NO_CLAUSES and size not in ("", "m=2000"):
        return False
    return (not learner.only or family in learner.only) and not (quick and family in learner.slow)
