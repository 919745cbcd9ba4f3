"""Accuracy and F1 of a machine with the defaults, by cross-validation: the README's table "The machine".

Also a machine with few clauses, gradient boosting and logistic regression. Five folds, repeated four times,
with the same splits for all. Nothing is tuned, and these data sets were not used to choose the defaults.
Prints a Markdown table with 95 % intervals. Bankruptcy is skipped if its file is missing.

    python -m studies.defaults.untuned
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

from clausal import Booleanizer, TsetlinClassifier
from studies import baselines
from studies.data import Data, load

DATA = ("Balance Scale", "Breast Cancer", "Heart Disease", "Liver Disorders", "Bankruptcy")
N_FOLDS = 5
N_REPEATS = 4


def tables() -> Iterator[Data]:
    """The available data sets."""
    for name in DATA:
        try:
            yield load(name)
        except OSError as error:
            print(f"{name} left out: {str(error).splitlines()[0]}")


def learners() -> dict[str, Any]:
    """The untrained classifiers by displayed name."""
    unknown = Booleanizer(handle_unknown="no_match")
    return {
        "clausal, defaults": TsetlinClassifier(random_state=0),
        "clausal, quick": TsetlinClassifier(100, booleanizer=unknown, random_state=0),
        "gradient boosting": baselines.for_table("gradient boosting", seed=0),
        "logistic regression": baselines.for_table("logistic regression", seed=0),
    }


def cell(scores: Any) -> str:
    """Mean and the 95 % half-width, corrected for overlapping training sets (Nadeau and Bengio)."""
    spread = scores.std(ddof=1) * np.sqrt(1 / len(scores) + 1 / (N_FOLDS - 1))
    return f"{scores.mean():.3f} ± {1.96 * spread:.3f}"


def row(data: Data, label: str, learner: Any) -> str:
    """One line of the table."""
    folds = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=0)
    found = cross_validate(
        learner, data.frame, data.y, cv=folds, scoring=["accuracy", "f1"], return_estimator=True
    )
    literals = [model.n_literals_ for model in found["estimator"] if hasattr(model, "n_literals_")]
    size = f"{np.mean(literals):.0f}" if literals else "-"
    scores = f"{cell(found['test_accuracy'])} | {cell(found['test_f1'])}"
    return f"| {data.name} | {label} | {scores} | {size} |"


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    print("| data | learner | accuracy | F1 | literals |\n| --- | --- | --- | --- | --- |")
    for data in tables():
        for label, learner in learners().items():
            print(row(data, label, learner))


if __name__ == "__main__":
    main()
