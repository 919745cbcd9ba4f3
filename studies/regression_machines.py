"""Machines that predict numbers beside other regressors: error, literals, time, and speed per clause and row.

`python -m studies.regression_machines` prints the tables of docs/accuracy.md; pyTsetlinMachine and tmu are
there where they are installed, EBM (interpret-core) with `--ebm`. Every split is 80/20.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.abc import SourceLoader
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import train_test_split

from clausal import Booleanizer, TsetlinRegressor

Floats = NDArray[np.float64]
Parts = list[Any]
Run = tuple[float, float, float]  # error, literals (nan where there are none), CPU seconds of the fit


def artificial(noise: float, seed: int, n_rows: int = 2_000) -> tuple[NDArray[Any], Floats]:
    """Like the examples of the first regression machines: 100 times the number that 4 bits write."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, 4)).astype(np.uint8)
    return X, 100.0 * (X @ [8, 4, 2, 1]) + rng.normal(scale=noise, size=n_rows)


def tables() -> dict[str, tuple[NDArray[Any], Floats]]:
    """The tables by name; the first two are boolean."""
    return {
        "artificial": artificial(0.0, 0),
        "artificial, noise 100": artificial(100.0, 1),
        "diabetes": load_diabetes(return_X_y=True, scaled=False),
        "Friedman 1": make_friedman1(1000, noise=1.0, random_state=0),
    }


def as_bits(parts: Parts) -> Parts:
    """The rows as boolean columns, at most 16 per feature, learned from the training rows."""
    train, test, y_train, y_test = parts
    encoder = Booleanizer().fit(train)
    return [*(np.ascontiguousarray(encoder.transform(X), np.uint32) for X in (train, test)), y_train, y_test]


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """What `fit` returns, and the CPU seconds that it took."""
    start = time.process_time()
    model = fit()
    return model, time.process_time() - start


def machine(parts: Parts, **params: Any) -> Run:
    """A TsetlinRegressor, the time of encoding included."""
    train, test, y_train, y_test = parts
    reg, seconds = timed(lambda: TsetlinRegressor(**params, random_state=0).fit(train, y_train))
    return root_mean_squared_error(y_test, reg.predict(test)), reg.n_literals_, seconds


def count_literals(states: NDArray[np.uint32], n_clauses: int, n_literals: int) -> int:
    """The literals of all clauses of pyTsetlinMachine, from its states: 8 words for each 32 automata.

    The last of the 8 has the include actions. Bits beyond the literals are no automata, and often set.
    """
    words = np.ascontiguousarray(states.reshape(n_clauses, -1, 8)[..., -1], "<u4")
    as_bytes = words.view(np.uint8).reshape(n_clauses, -1)
    return int(np.unpackbits(as_bytes, axis=1, count=n_literals, bitorder="little").sum())


def peer(parts: Parts, n_clauses: int, threshold: int, epochs: int) -> Run:
    """pyTsetlinMachine with integer weights, on rows in a new random order for each epoch."""
    from pyTsetlinMachine.tm import RegressionTsetlinMachine

    train, test, y_train, y_test = as_bits(parts)
    model = RegressionTsetlinMachine(n_clauses, threshold, 3.0, weighted_clauses=True)
    order = np.random.default_rng(0)

    def fit() -> None:
        for _ in range(epochs):
            rows = order.permutation(len(y_train))
            model.fit(train[rows], y_train[rows], epochs=1, incremental=True)

    seconds = timed(fit)[1]
    n_literals = count_literals(model.get_state()[1], n_clauses, 2 * train.shape[1])
    return root_mean_squared_error(y_test, model.predict(test)), float(n_literals), seconds


def load_tmu() -> Any:
    """TMRegressor of tmu 0.8.3, with what fails on NumPy 2 replaced: `np.uint32(~0)` overflows there."""
    logging.disable(logging.CRITICAL)  # of GPUs that are not there
    name, old, new = "tmu.clause_bank.clause_bank", "np.uint32(~0)", "np.uint32(0xFFFFFFFF)"
    if name not in sys.modules:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert isinstance(spec.loader, SourceLoader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        source = spec.loader.get_source(name) or ""
        exec(compile(source.replace(old, new), str(spec.origin), "exec"), module.__dict__)
    from tmu.models.regression.vanilla_regressor import TMRegressor

    return TMRegressor


def tmu_peer(parts: Parts, n_clauses: int, threshold: int, epochs: int) -> Run:
    """tmu with integer weights; a fit of it is one epoch, on the rows in a new random order."""
    train, test, y_train, y_test = as_bits(parts)
    model = load_tmu()(n_clauses, threshold, 3.0, weighted_clauses=True, seed=1)

    def fit() -> None:
        for _ in range(epochs):
            model.fit(train, y_train)

    seconds = timed(fit)[1]
    n_literals = sum(
        model.get_ta_action(clause, literal)
        for clause in range(n_clauses)
        for literal in range(model.clause_bank.number_of_literals)
    )
    return root_mean_squared_error(y_test, model.predict(test)), float(n_literals), seconds


def is_installed(package: str) -> bool:
    """Whether a package can be imported."""
    return importlib.util.find_spec(package) is not None


def other(parts: Parts, make: Callable[[], Any]) -> Run:
    """A regressor of another kind."""
    train, test, y_train, y_test = parts
    model, seconds = timed(lambda: make().fit(train, y_train))
    return root_mean_squared_error(y_test, model.predict(test)), np.nan, seconds


def learners(with_ebm: bool) -> Iterator[tuple[str, Callable[[Parts], Run]]]:
    """The models by name."""
    yield "TsetlinRegressor()", machine
    yield "TsetlinRegressor(100)", lambda parts: machine(parts, n_clauses=100)
    for package, run in (("pyTsetlinMachine", peer), ("tmu", tmu_peer)):
        for threshold in (12_800, 800) if is_installed(package) else ():
            name = f"{package}, 800 clauses, T {threshold}"
            yield name, partial(run, n_clauses=800, threshold=threshold, epochs=100)
    yield "ridge", lambda parts: other(parts, lambda: RidgeCV(np.logspace(-3, 3, 13)))
    yield "HistGradientBoosting", lambda parts: other(parts, HistGradientBoostingRegressor)
    if with_ebm:
        from interpret.glassbox import ExplainableBoostingRegressor

        yield (
            "EBM",
            lambda parts: other(parts, lambda: ExplainableBoostingRegressor(n_jobs=1, random_state=0)),
        )


def speed(n_rows: int = 2_000, n_rounds: int = 2) -> None:
    """Nanoseconds of an epoch per row and clause, in turns, at equal settings on the same bits."""
    parts = as_bits(train_test_split(*make_friedman1(n_rows, noise=1.0, random_state=0), random_state=0))
    train, _, y, _ = parts
    print("\n| clauses | TsetlinRegressor | pyTsetlinMachine | ratio |\n| --- | --- | --- | --- |")
    for n_clauses in (200, 800):
        found: dict[str, list[float]] = {"ours": [], "peer": []}
        for _ in range(n_rounds):
            for name, epochs in (("ours", 20), ("peer", 3)):
                found[name].append(epoch_time(name, train, y, n_clauses, epochs) / len(y) / n_clauses * 1e9)
        ours, peers = (float(np.median(times)) for times in found.values())
        print(f"| {n_clauses} | {ours:.1f} | {peers:.1f} | {peers / ours:.1f} |")


def epoch_time(name: str, train: NDArray[np.uint32], y: Floats, n_clauses: int, epochs: int) -> float:
    """CPU seconds of one of the epochs after the fifth."""
    threshold = 16 * n_clauses
    if name == "ours":
        reg = TsetlinRegressor(n_clauses, n_epochs=5, booleanizer=None, warm_start=True, random_state=0).fit(
            train.astype(np.uint8), y
        )
        rows = train.astype(np.uint8)
        return timed(lambda: reg.set_params(n_epochs=epochs).fit(rows, y))[1] / epochs
    from pyTsetlinMachine.tm import RegressionTsetlinMachine

    model = RegressionTsetlinMachine(n_clauses, threshold, 3.0, weighted_clauses=True)
    model.fit(train, y, epochs=5, incremental=True)
    return timed(lambda: model.fit(train, y, epochs=epochs, incremental=True))[1] / epochs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--tables", nargs="*", default=list(tables()))
    parser.add_argument("--ebm", action="store_true", help="EBM, too, which takes most of the time")
    parser.add_argument("--only", default="", help="only models with this in their name, and no speed")
    options = parser.parse_args()
    for name in options.tables:
        X, y = tables()[name]
        print(f"\n{name}\n\n| model | RMSE | literals | CPU s |\n| --- | --- | --- | --- |")
        for model, run in learners(options.ebm):
            if options.only not in model:
                continue
            runs = np.array(
                [run(train_test_split(X, y, test_size=0.2, random_state=k)) for k in range(options.splits)]
            )
            error = runs[:, 0].std(ddof=1) / np.sqrt(len(runs))
            literals = "-" if np.isnan(runs[:, 1]).any() else f"{runs[:, 1].mean():,.0f}"
            print(
                f"| {model} | {runs[:, 0].mean():.4g} ± {error:.2g} | {literals} | {runs[:, 2].mean():.2f} |",
                flush=True,
            )
    if not options.only and is_installed("pyTsetlinMachine"):
        speed()


if __name__ == "__main__":
    main()
