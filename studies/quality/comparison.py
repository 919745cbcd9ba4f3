"""The fits of the comparison: every learner on every table, at every limit of literals.

The limits are at most 5, 10, 20 and 30 literals, and "free": the learner's own limit (ours tries up to 40
literals, a rival all models of its path). Every choice is made inside the training part. A line of
comparison.jsonl is one model: learner, size, data, split, choice (see selection.py), CPU seconds with all
choices, accuracy, F1 (macro with several classes), AUC, log-loss, literals, features and rules that the model
uses, versions. A fit that has its line is not repeated; delete lines to make them again. Not here: the tables
(tables.py), the learners (learners.py), the summary (report.py).
"""

import json
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score
from threadpoolctl import threadpool_limits

from studies.quality.learners import LEARNERS, OURS, reference, scorecard, versions
from studies.quality.paths import compile_fast_risk_score
from studies.quality.selection import CHOICES, candidates, choose, mean_log_loss
from studies.quality.tables import MULTI_CLASS, parts

RESULTS = Path(__file__).parent / "comparison.jsonl"
FREE = "free"
SIZES: tuple[int | str, ...] = (5, 10, 20, 30, FREE)
N_SPLITS, N_SPLITS_FULL = 10, 20

Line = dict[str, Any]


class Work(NamedTuple):
    """One learner on one split of one table, at the limits whose lines are missing."""

    learner: str
    data: str
    split: int
    sizes: tuple[int | str, ...]


def wanted_sizes(learner: str, sizes: Sequence[int | str]) -> tuple[int | str, ...]:
    """The limits for a learner: a reference has none."""
    return tuple(sizes) if learner == OURS or LEARNERS[learner].path else (FREE,)


def missing_work(
    lines: Iterable[Line],
    learners: Sequence[str],
    tables: Sequence[str],
    sizes: Sequence[int | str],
    n_splits: int,
    full: bool = False,
) -> Iterator[Work]:
    """What has no line yet, split by split, so that an interrupted run has whole splits; EBM comes last."""
    done = {(line["learner"], line["data"], line["split"], line["size"]) for line in lines}
    for ebm, split in product((False, True), range(n_splits)):
        for learner in learners:
            if (learner == "EBM") != ebm:
                continue
            most = LEARNERS[learner].max_splits
            if most is not None and split >= most and not full:
                continue
            for data in tables:
                if data in MULTI_CLASS and not LEARNERS[learner].several_classes:
                    continue
                left = [s for s in wanted_sizes(learner, sizes) if (learner, data, split, s) not in done]
                if left:
                    yield Work(learner, data, split, tuple(left))


def lines_of(work: Work) -> list[Line]:
    """Fit, choose, and score the test part; warnings of other packages are not shown."""
    if LEARNERS[work.learner].module:
        import_module(LEARNERS[work.learner].module)  # an import is not part of a fit
    if work.learner == "FastRiskScore":
        compile_fast_risk_score()
    with warnings.catch_warnings(), threadpool_limits(1):  # more threads of BLAS would count as CPU seconds
        warnings.simplefilter("ignore")
        return _lines(work)


def _lines(work: Work) -> list[Line]:
    X_train, X_test, y_train, y_test = parts(work.data, work.split)
    place = {"learner": work.learner, "data": work.data, "split": work.split}
    about = {"versions": versions(work.learner)}
    path = LEARNERS[work.learner].path
    if path is None:
        split = (X_train, X_test, y_train, y_test)
        asked = {size: {"size": size, "choice": "accuracy"} for size in work.sizes}
        return [place | asked[size] | _one_model(work, size, *split) | about for size in work.sizes]
    found, lines = candidates(path, X_train, y_train, work.split), []
    for size in work.sizes:
        for choice in CHOICES:
            model, seconds = choose(found, None if size == FREE else int(size), choice)
            probabilities = model.probabilities(X_test)
            line = place | {"size": size, "choice": choice, "seconds": seconds}
            line |= scores(probabilities, probabilities.argmax(1), y_test)
            line |= {"literals": model.literals, "features": model.features, "rules": model.rules}
            lines.append(line | about)
    return lines


def _one_model(work: Work, size: int | str, X_train: Any, X_test: Any, y_train: Any, y_test: Any) -> Line:
    """Ours or a reference; a reference has no literals."""
    ours = work.learner == OURS
    limit = None if size == FREE else int(size)
    model = scorecard(limit, work.split) if ours else reference(work.learner, work.split)
    start = time.process_time()
    model.fit(X_train, y_train)
    line: Line = {"seconds": time.process_time() - start}
    line |= scores(model.predict_proba(X_test), model.predict(X_test), y_test)
    if ours:
        rules = model.rules_
        line |= {"literals": model.n_literals_, "features": len(rules.used_features), "rules": rules.n_rules}
    return line


def scores(probabilities: Any, predicted: Any, y: Any) -> Line:
    """Accuracy, F1, AUC and log-loss on the test part; more classes: means over them."""
    several = probabilities.shape[1] > 2
    score = probabilities if several else probabilities[:, 1]
    return {
        "accuracy": float(np.mean(predicted == y)),
        "f1": float(f1_score(y, predicted, average="macro" if several else "binary", zero_division=0)),
        "auc": float(roc_auc_score(y, score, multi_class="ovr")),
        "log_loss": mean_log_loss(np.asarray(probabilities), y),
    }


def stored_lines(file: Path = RESULTS) -> list[Line]:
    """All completed fits."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
