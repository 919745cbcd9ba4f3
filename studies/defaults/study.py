"""The fits of the study: machines with their default parameters and other classifiers with theirs.

A line of study.jsonl is one fit: learner, table, split, CPU seconds, accuracy, F1, AUC, log-loss, literals,
versions, and `reliability`: for ten bins of predicted probability (of the positive class, or of every class
if there are several) the number of rows, the sum of probabilities, and the rows of the class. A fit that has
its line is not repeated; delete lines to make them again. Not here: the tables (tables.py), the other
classifiers (studies/baselines.py), the measures (quality/comparison.py), the summary (summary.py).
"""

import json
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from clausal import TsetlinClassifier, tune
from studies import baselines
from studies.defaults import tables as made
from studies.quality import tables as shared
from studies.quality.comparison import scores

RESULTS = Path(__file__).parent / "study.jsonl"
N_SPLITS = 5
MAX_SPLITS = {"EBM": 2, "tune": 1}  # slow learners
TUNE_TIMES = 10  # `tune` may take this many times the time of the default fit

TABLES = {
    "Pima": made.keel("pima"),
    "Contraceptive": made.keel("contraceptive"),
    "Vehicle": made.keel("vehicle"),
    "Phoneme": made.keel("phoneme"),
    "Chess": made.keel("chess"),
    "Abalone": made.keel("abalone9-18", "imbalanced"),
    "MONK-2": shared.maker("MONK-2"),
    "Tic-tac-toe": shared.maker("Tic-tac-toe"),
    "XOR": made.xor,
    "Sums": shared.maker("Sums"),
    "K of n": made.k_of_n,
    "Clusters": made.clusters(4),
    "Weak signal": shared.maker("Weak signal"),
    "German credit": made.german,
    "Adult": shared.maker("Adult"),
    "Wisconsin": shared.maker("Wisconsin"),
    "Digits": shared.maker("Digits"),
    "Segment": made.keel("segment"),
    "LED": made.keel("led7digit"),
    "Splice": made.keel("splice"),
    "Spambase": made.keel("spambase"),
    "Sonar": made.keel("sonar"),
    "Magic": made.keel("magic"),
    "MONK-1": shared.maker("MONK-1"),
    "MONK-3": shared.maker("MONK-3"),
    "Boxes": made.boxes,
}
EXPLORED = tuple(TABLES)[:13]
"""The design was chosen on splits from 50 on of these; the others were first looked at when it was done."""

OURS = "clausal"
LEARNERS = {
    OURS: "clausal",
    "clausal, quick": "clausal",
    "logistic regression": "scikit-learn",
    "random forest": "scikit-learn",
    "gradient boosting": "scikit-learn",
    "LightGBM": "lightgbm",
    "XGBoost": "xgboost-cpu",
    "EBM": "interpret-core",
    "tune": "clausal",
}

Line = dict[str, Any]


class Work(NamedTuple):
    """One learner on one split of one table."""

    learner: str
    table: str
    split: int


def parts(table: str, split: int) -> Any:
    """X_train, X_test, y_train, y_test: frames in which texts are categories, and whole numbers from 0."""
    X_train, X_test, y_train, y_test = TABLES[table](split)
    classes = np.unique(np.concatenate([y_train, y_test]))
    n_train = len(X_train)
    X = pd.concat([shared.frame(X_train), shared.frame(X_test)], ignore_index=True)
    texts = X.select_dtypes(exclude="number").columns
    X = X.astype(dict.fromkeys(texts, "category"))
    codes = (np.searchsorted(classes, y) for y in (y_train, y_test))
    return X.iloc[:n_train], X.iloc[n_train:].reset_index(drop=True), *codes


def missing_work(
    lines: Iterable[Line], learners: Sequence[str], tables: Sequence[str], n_splits: int
) -> Iterator[Work]:
    """What has no line yet, split by split, so that an interrupted run has whole splits."""
    done = {(line["learner"], line["table"], line["split"]) for line in lines}
    for split in range(n_splits):
        for learner in learners:
            if split < MAX_SPLITS.get(learner, n_splits):
                wanted = (Work(learner, table, split) for table in tables)
                yield from (work for work in wanted if tuple(work) not in done)


def one_line(work: Work) -> Line:
    """Fit and score the test part; warnings are not shown."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        X_train, X_test, y_train, y_test = parts(work.table, work.split)
        begin = time.process_time()
        model = fitted(work, X_train, y_train)
        line: Line = work._asdict() | {"seconds": time.process_time() - begin}
        probabilities = np.asarray(model.predict_proba(X_test))
        line |= scores(probabilities, model.predict(X_test), y_test)
        line |= {"reliability": reliability(probabilities, y_test)}
    if hasattr(model, "n_literals_"):
        line |= {"literals": int(model.n_literals_)}
    names = {"clausal", LEARNERS[work.learner]}
    return line | {"versions": {name: version(name) for name in sorted(names)}}


def fitted(work: Work, X: pd.DataFrame, y: NDArray[np.int64]) -> Any:
    """The classifier of this name, fitted."""
    match work.learner:
        case "clausal":
            return TsetlinClassifier(random_state=work.split).fit(X, y)
        case "clausal, quick":
            return TsetlinClassifier(n_clauses=100, random_state=work.split).fit(X, y)
        case "tune":
            begin = time.time()
            TsetlinClassifier(random_state=work.split).fit(X, y)
            budget = TUNE_TIMES * (time.time() - begin)
            result = tune(X, y, scoring="accuracy", time_budget=budget, random_state=work.split, verbose=0)
            return result.best_estimator_
    return baselines.for_table(work.learner, work.split).fit(X, y)


def reliability(probabilities: NDArray[np.float64], y: NDArray[np.int64]) -> list[list[float]]:
    """Rows, sum of probabilities and rows of the class, for ten bins of probability."""
    several = probabilities.shape[1] > 2
    shown = probabilities if several else probabilities[:, 1:]
    hits = np.eye(probabilities.shape[1])[y][:, -shown.shape[1] :]
    bins = np.minimum((10 * shown).astype(int), 9).ravel()
    sums = [np.bincount(bins, values, 10) for values in (np.ones(shown.size), shown.ravel(), hits.ravel())]
    return [[round(float(value), 3) for value in values] for values in zip(*sums, strict=True)]


def stored_lines(file: Path = RESULTS) -> list[Line]:
    """All completed fits."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
