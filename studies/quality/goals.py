"""Scorecards of limited size compared with three other classifiers on the same splits: `make quality`.

Twenty stratified 80/20 splits (random_state 0 to 19) of the paper's data sets; no choice uses a test part.
All parameters have their defaults, except the metric and the size of the scorecard, the number of leaves of
the tree, and that the other learners allow unknown categories. Every fit is written to quality.jsonl when it
ends and is not repeated (delete the file to start again). EBM takes most of the time and comes last. Not
here: the summary (goals_summary.py).
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split

from clausal import RuleClassifier
from studies import baselines
from studies.data import load

RESULTS = Path(__file__).parent / "quality.jsonl"
N_SPLITS = 20
OURS = "clausal"
LEARNERS = (OURS, "logistic regression", "decision tree", "EBM")
METRICS = {"f1": f1_score, "accuracy": accuracy_score}

Line = dict[str, Any]  # one fit: learner, data, split, seconds, scores; a scorecard's literals and rules


@dataclass(frozen=True)
class Goal:
    """The goal of a scorecard on one data set."""

    max_literals: int
    metric: str
    score: float


GOALS = {
    "Heart Disease": Goal(15, "f1", 0.80),
    "Bankruptcy": Goal(12, "f1", 0.99),
    "Breast Cancer": Goal(6, "f1", 0.52),
    "Balance Scale": Goal(35, "f1", 0.975),
    "Liver Disorders": Goal(20, "accuracy", 0.61),
}


def build(learner: str, goal: Goal, seed: int) -> Any:
    """The untrained classifier; the tree may have as many conditions as the scorecard literals."""
    match learner:
        case "clausal":
            return RuleClassifier(max_literals=goal.max_literals, scoring=goal.metric, random_state=seed)
        case "decision tree":
            return baselines.for_table(learner, seed, max_leaf_nodes=goal.max_literals + 1)
    return baselines.for_table(learner, seed)


def one_fit(learner: str, name: str, split: int) -> Line:
    """Fit on the training part of a split and score the test part."""
    data, goal = load(name), GOALS[name]
    X_train, X_test, y_train, y_test = train_test_split(
        data.frame, data.y, test_size=0.2, random_state=split, stratify=data.y
    )
    model = build(learner, goal, split)
    start = time.process_time()
    model.fit(X_train, y_train)
    line: Line = {"learner": learner, "data": name, "split": split, "seconds": time.process_time() - start}
    predicted = model.predict(X_test)
    line |= {metric: float(score(y_test, predicted)) for metric, score in METRICS.items()}
    if learner == OURS:
        line |= {"n_literals": model.n_literals_, "n_rules": model.rules_.n_rules}
    return line


def stored_lines(file: Path = RESULTS) -> list[Line]:
    """All completed fits."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def missing_fits(lines: list[Line]) -> Iterator[tuple[str, str, int]]:
    """Learner, data set and split of every fit that is not among the lines."""
    done = {(line["learner"], line["data"], line["split"]) for line in lines}
    wanted = ((learner, name, i) for learner in LEARNERS for i in range(N_SPLITS) for name in GOALS)
    return (fit for fit in wanted if fit not in done)
