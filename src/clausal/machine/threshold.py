"""The choice of the threshold T: what `threshold="auto"` stands for.

The shares come from a study on data other than the paper's (docs/decisions/0004-defaults.md). Not here: what
T does in training (docs/algorithm.md).
"""

from __future__ import annotations

AUTO_THRESHOLD_PER_CLAUSE = {"integer": 64.0, "real": 64.0, "none": 0.1}


def resolve_threshold(threshold: int | str, n_clauses: int, weighting: str) -> int:
    """T; "auto" depends on the number of clauses and on how large weights can become."""
    if not isinstance(threshold, str):
        return int(threshold)
    return max(1, round(AUTO_THRESHOLD_PER_CLAUSE[weighting] * n_clauses))
