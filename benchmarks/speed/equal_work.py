"""Equal work: the sizes of each kind of machine such that a sample visits the same number of clauses in all.

A machine with one bank of m clauses per class (pyTsetlinMachine, pyTsetlinMachineParallel, tmu, torchtsetlin)
trains two banks with every sample, that of its class and one other: it visits 2m clauses. The workloads are
defined for such machines. green-tsetlin has one bank that all classes share and visits all of it, so it gets
2m clauses. clausal has one bank for two classes and visits all of it, so it gets 2m clauses as well, and
twice the threshold, because twice as many clauses contribute to a vote; with the original threshold it would
reach it sooner and give less feedback. For more classes, it visits two banks of m clauses like the others,
with the same threshold. green-tsetlin keeps the original threshold, which is to its advantage.

So all touch 2m clauses per sample, and the ratio of CPU times is the ratio of costs per clause. What a user
sees who gives clausal the stated m and T (one bank of m for two classes, half the work) is "clausal as set".

A row to predict is met by every clause of the machine: K banks of m, so a shared pool gets K x m clauses for
the measurement of prediction, in a machine of its own where that is another size than in training.
Nothing here runs anything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from speed.workloads import Workload

BANK_PER_CLASS, SHARED_POOL, OURS, AS_SET, NO_CLAUSES = (
    "bank per class",
    "shared pool",
    "ours",
    "as set",
    "no clauses",
)


@dataclass(frozen=True)
class Settings:
    """The settings for an adapter; `n_clauses` is per bank, or in the shared bank."""

    n_clauses: int
    threshold: int
    specificity: float
    n_epochs: int
    n_classes: int
    n_threads: int = 1


def settings(kind: str, work: Workload) -> Settings:
    """The settings with which a kind of machine trains."""
    stated = Settings(work.n_clauses, work.threshold, work.specificity, work.n_epochs, work.n_classes)
    if kind == SHARED_POOL:
        return replace(stated, n_clauses=2 * work.n_clauses)
    if kind == OURS and work.n_classes == 2:
        return replace(stated, n_clauses=2 * work.n_clauses, threshold=2 * work.threshold)
    return stated


def prediction_settings(kind: str, work: Workload) -> Settings:
    """The settings for prediction; they differ from training for a bank that many classes share."""
    trained = settings(kind, work)
    n_clauses = work.n_classes * work.n_clauses
    if kind != SHARED_POOL or trained.n_clauses == n_clauses:
        return trained
    return replace(trained, n_clauses=n_clauses, n_epochs=1)


def touched(kind: str, work: Workload) -> int:
    """The number of clauses that one training sample visits."""
    n_clauses = settings(kind, work).n_clauses
    one_bank = kind == SHARED_POOL or (kind in (OURS, AS_SET) and work.n_classes == 2)
    return 0 if kind == NO_CLAUSES else n_clauses if one_bank else 2 * n_clauses


def clause_visits(kind: str, work: Workload, n_epochs: int) -> int:
    """Samples x clauses visited x epochs: the unit of training work."""
    return work.n_samples * touched(kind, work) * n_epochs
