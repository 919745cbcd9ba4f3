"""FasterRisk or LogRR in an environment of its own: `outside_worker.py fasterrisk|logrr in.npz out.json`.

Reads boolean columns, labels of 0 and 1 and the settings to try; writes for every setting the CPU seconds,
the constant, and rules as lists of literals with a weight (column j is j + 1, its negation -j - 1). Imports
neither clausal nor another module of the studies, which that environment does not have.
"""

import json
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

Found = tuple[float, list[tuple[list[int], float]]]  # the constant; the literals and the weight of every rule


def fasterrisk(B: Any, y: Any, k: float) -> Found:
    """The score of least training loss with at most k conditions."""
    from fasterrisk.fasterrisk import RiskScoreOptimizer

    optimizer = RiskScoreOptimizer(B, 2.0 * y - 1, k=min(int(k), B.shape[1]))
    optimizer.optimize()
    scale, constant, points = optimizer.get_models(model_index=0)
    used = np.flatnonzero(points)
    return float(constant / scale), [([int(j) + 1], float(points[j] / scale)) for j in used]


def logrr(B: Any, y: Any, penalty: float) -> Found:
    """Logistic rule regression: this penalty per rule, a fifth of it per literal, as in its defaults."""
    import pandas as pd
    from aix360.algorithms.rbm import LogisticRuleRegression

    names = [(f"x{j}", relation, 1) for relation in ("==", "!=") for j in range(B.shape[1])]
    table = pd.DataFrame(np.hstack([B, 1 - B]), columns=pd.MultiIndex.from_tuples(names))
    model = LogisticRuleRegression(lambda0=penalty, lambda1=penalty / 5)
    model.fit(table, pd.Series(y))
    rules = model.z.to_numpy().T if model.lr.coef_.shape[1] else []
    weights = model.lr.coef_[0] if len(rules) else []
    n, found = B.shape[1], []
    for rule, weight in zip(rules, weights, strict=True):
        literals = [int(j) + 1 if j < n else -int(j - n) - 1 for j in np.flatnonzero(rule)]
        scale = penalty / (penalty + penalty / 5 * len(literals))
        found.append((literals, float(weight * scale)))
    constant = float(model.lr.intercept_[0]) if len(rules) else float(np.log(y.mean() / (1 - y.mean())))
    return constant, found


def main(kind: str, source: str, target: str) -> None:
    """Fit every setting."""
    warnings.simplefilter("ignore")
    data = np.load(source)
    fit = {"fasterrisk": fasterrisk, "logrr": logrr}[kind]

    def results() -> Iterator[dict[str, Any]]:
        for setting in data["settings"]:
            start = time.process_time()
            constant, rules = fit(data["B"], data["y"], float(setting))
            yield {"seconds": time.process_time() - start, "constant": constant, "rules": rules}

    with open(target, "w", encoding="utf-8") as file:
        json.dump(list(results()), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
