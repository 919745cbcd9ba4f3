"""How good scorecards of numbers are beside other regressors, on diabetes and generated tables.

Every split is 80/20; every choice is made inside the training part. A decision tree may have one leaf more
than the scorecard may have literals. `python -m studies.regression` prints the tables of docs/accuracy.md;
`--ebm` adds EBM, which takes up to a minute per fit and needs interpret-core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, root_mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from clausal import RuleRegressor, TsetlinRegressor

Floats = NDArray[np.float64]
QUANTILE = 0.8


def steps(n_samples: int, noise: float, random_state: int) -> tuple[Floats, Floats]:
    """A step function of three of ten features, with an interaction."""
    rng = np.random.default_rng(random_state)
    X = rng.uniform(size=(n_samples, 10))
    a, b, c = X[:, 0] > 0.3, X[:, 1] > 0.6, X[:, 2] > 0.5
    return X, 10.0 * a + 5.0 * b + 20.0 * (b & c) + rng.normal(scale=noise, size=n_samples)


def tables() -> dict[str, tuple[Floats, Floats]]:
    """The tables by name."""
    return {
        "diabetes": load_diabetes(return_X_y=True, scaled=False),
        "Friedman 1": make_friedman1(1000, noise=1.0, random_state=0),
        "Friedman 2": make_friedman2(1000, noise=125.0, random_state=0),
        "Friedman 3": make_friedman3(1000, noise=0.1, random_state=0),
        "steps": steps(1000, 2.0, 0),
    }


class Run(NamedTuple):
    """A model on a split: errors on the test rows, size, and CPU seconds of the fit."""

    rmse: float
    mae: float
    pinball: float
    literals: float
    seconds: float


def ebm(X: Floats, y: Floats) -> Any:
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(n_jobs=1, random_state=0).fit(X, y)


def card(X: Floats, y: Floats, limit: int = 15, **parameters: Any) -> Any:
    return RuleRegressor(max_literals=limit, random_state=0, **parameters).fit(X, y)


def tree(X: Floats, y: Floats, limit: int) -> Any:
    return DecisionTreeRegressor(max_leaf_nodes=limit + 1, random_state=0).fit(X, y)


def ridge(X: Floats, y: Floats) -> Any:
    return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13))).fit(X, y)


def boosting(X: Floats, y: Floats, **parameters: Any) -> Any:
    return HistGradientBoostingRegressor(random_state=0, **parameters).fit(X, y)


def learners(with_ebm: bool) -> dict[str, Callable[[Floats, Floats], Any]]:
    """The models by name."""
    found: dict[str, Callable[[Floats, Floats], Any]] = {}
    for limit in (10, 30):
        found[f"scorecard, at most {limit}"] = partial(card, limit=limit)
        found[f"tree of as many leaves ({limit})"] = partial(tree, limit=limit)
    found |= {"ridge": ridge, "HistGradientBoosting": boosting}
    return found | {"EBM": ebm} if with_ebm else found


def literals_of(model: Any) -> float:
    """The conditions of a scorecard or a machine, or the inner nodes of a tree; nan for others."""
    if isinstance(model, (RuleRegressor, TsetlinRegressor)):
        return float(model.n_literals_)
    return float(model.get_n_leaves() - 1) if isinstance(model, DecisionTreeRegressor) else np.nan


def run(fit: Callable[[Floats, Floats], Any], parts: list[Floats]) -> Run:
    """Fit and evaluate on one split."""
    X_train, X_test, y_train, y_test = parts
    start = time.process_time()
    model = fit(X_train, y_train)
    seconds = time.process_time() - start
    p = model.predict(X_test)
    errors = root_mean_squared_error(y_test, p), mean_absolute_error(y_test, p)
    return Run(*errors, mean_pinball_loss(y_test, p, alpha=QUANTILE), literals_of(model), seconds)


def mean_and_error(values: list[float]) -> str:
    """The mean and its standard error over splits."""
    array = np.array(values)
    if np.isnan(array).any():
        return ""
    return f"{array.mean():.4g} ± {array.std(ddof=1) / np.sqrt(len(array)):.2g}"


def show(title: str, found: dict[str, list[Run]], columns: tuple[str, ...]) -> None:
    """Print a Markdown table."""
    print(f"\n{title}\n\n| model | {' | '.join(columns)} |\n| --- |{' --- |' * len(columns)}")
    for name, runs in found.items():
        cells = [mean_and_error([getattr(each, column) for each in runs]) for column in columns]
        print(f"| {name} | {' | '.join(cells)} |")


def losses_on(X: Floats, y: Floats, n_splits: int) -> dict[str, list[Run]]:
    """Scorecards of each loss, and boosting of the same loss."""
    found: dict[str, list[Run]] = {}
    quantile: dict[str, Any] = {"loss": "quantile", "quantile": QUANTILE}
    models: dict[str, Callable[[Floats, Floats], Any]] = {
        "scorecard, squared": card,
        "scorecard, absolute": partial(card, loss="absolute_error"),
        "scorecard, quantile .8": partial(card, **quantile),
        "boosting, absolute": partial(boosting, loss="absolute_error"),
        "boosting, quantile .8": partial(boosting, **quantile),
    }
    for split in range(n_splits):
        parts = train_test_split(X, y, test_size=0.2, random_state=split)
        for name, fit in models.items():
            found.setdefault(name, []).append(run(fit, parts))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--tables", nargs="*", default=list(tables()))
    parser.add_argument("--ebm", action="store_true")
    options = parser.parse_args()
    for name in options.tables:
        X, y = tables()[name]
        found: dict[str, list[Run]] = {}
        for split in range(options.splits):
            parts = train_test_split(X, y, test_size=0.2, random_state=split)
            for learner, fit in learners(options.ebm).items():
                found.setdefault(learner, []).append(run(fit, parts))
        show(f"{name}: {options.splits} splits", found, ("rmse", "literals", "seconds"))
    X, y = tables()["diabetes"]
    show("diabetes by loss", losses_on(X, y, options.splits), ("rmse", "mae", "pinball", "literals"))


if __name__ == "__main__":
    main()
