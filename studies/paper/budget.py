"""The size of a run: trials, clauses, settings, folds, epochs; and the cost of each part.

It is the same for every system. Not here: the settings themselves (machines.py, systems.py).
"""

from dataclasses import dataclass

# Costs are rough measurements on one core at 2.8 GHz.
SIMPLIFY_SECONDS = 1.2e-4  # per clause
# One fit of another system on a whole training part, with its predictions; 0.01 by default.
FIT_SECONDS = {"EBM": 0.5, "ANN-1": 0.09, "ANN-2": 0.12, "ANN-3": 0.28, "RF": 0.26, "XGBoost": 0.03}
OURS_SECONDS = 7.0

# By data set: columns of the paper's binarization, training rows, and nanoseconds of training per row, clause
# and epoch.
SIZES = {
    "Bankruptcy": (18, 200, 3.0),
    "Balance Scale": (20, 460, 3.0),
    "Breast Cancer": (41, 221, 9.0),
    "Liver Disorders": (312, 276, 37.0),
    "Heart Disease": (384, 216, 41.0),
}


@dataclass(frozen=True)
class Budget:
    """The size of one run."""

    name: str
    n_trials: int
    clause_counts: tuple[int, ...]
    n_search_splits: int  # splits on which a setting of the sweep is evaluated
    n_small_search_splits: int  # the same for machines of at most 10 clauses, which vary most and cost least
    n_folds: int  # inside a training part, in the comparison
    n_settings: int  # maximum number of settings per system in the comparison
    n_simplified: int  # trials whose models of more than 500 clauses are simplified, which is slow
    n_rule_trials: int  # trials for which rules and weights are recorded

    def search_splits(self, n_clauses: int) -> int:
        """The number of splits on which a setting of the sweep is evaluated, for this number of clauses."""
        return self.n_small_search_splits if n_clauses <= 10 else self.n_search_splits


FULL = Budget(
    "full",
    n_trials=50,
    clause_counts=(2, 10, 100, 500, 2000, 8000),
    n_search_splits=3,
    n_small_search_splits=10,
    n_folds=3,
    n_settings=4,
    n_simplified=10,
    n_rule_trials=50,
)
QUICK = Budget(
    "quick",
    n_trials=5,
    clause_counts=(2, 10, 100),
    n_search_splits=1,
    n_small_search_splits=1,
    n_folds=2,
    n_settings=2,
    n_simplified=5,
    n_rule_trials=5,
)
BUDGETS = {budget.name: budget for budget in (FULL, QUICK)}

# Epochs of the sweep by number of clauses; a quarter of that is tried as well. Large machines learn faster
# per epoch and cost more.
EPOCHS = {2: 200, 10: 200, 100: 100, 500: 50, 2000: 25, 8000: 20}


def machine_seconds(data: str, n_clauses: int, n_epochs: int) -> float:
    """Estimated processor seconds of one training."""
    _, n_rows, nanoseconds = SIZES[data.split(" (")[0]]
    return 0.02 + n_rows * n_clauses * n_epochs * nanoseconds * 1e-9
