"""Regressors on a generated table like California housing: 20,640 rows, 8 numbers, a target that is clipped.

No table has to be downloaded. Incomes are skewed, prices depend on the place in steps and on the distance
from two centers, and 5 is the highest price. Every split is 80/20; nothing is tuned.
`python -m studies.housing` prints the table of docs/accuracy.md; `--ebm` adds EBM on the first split only.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from clausal import TsetlinRegressor
from studies.regression import Floats, Run, boosting, card, ebm, mean_and_error, ridge, run, tree

NAMES = ("income", "age", "rooms", "bedrooms", "population", "occupancy", "latitude", "longitude")
N_ROWS = 20_640
HIGHEST = 5.0  # price; California housing has it, too, in 100,000 dollars
_CENTERS = ((34.05, -118.25, 0.5, 1.6), (37.75, -122.4, 0.6, 2.2))  # latitude, longitude, reach, gain


def housing(n_rows: int = N_ROWS, seed: int = 0) -> tuple[Floats, Floats]:
    """A table with the columns NAMES, and prices with noise, of which 1.4 % are HIGHEST."""
    rng = np.random.default_rng(seed)
    nearest = rng.choice(3, n_rows, p=[0.4, 0.25, 0.35])
    latitude = np.choose(
        nearest,
        [rng.normal(34.0, 0.35, n_rows), rng.normal(37.7, 0.4, n_rows), rng.uniform(33, 41.5, n_rows)],
    )
    inland = rng.exponential(0.6, n_rows)
    coast = -117.2 - 0.95 * (latitude - 32.5)  # the coast runs to the north-west
    longitude = coast + np.where(nearest == 2, 2.0, 0.6) * inland
    income = np.clip(rng.lognormal(1.25, 0.47, n_rows), 0.5, 15.0)
    age = np.minimum(np.rint(rng.gamma(4.5, 6.4, n_rows)), 52.0)
    rooms = 2.4 + 0.75 * income + rng.gamma(2.0, 0.5, n_rows)
    bedrooms = np.clip(rng.normal(1.07, 0.1, n_rows), 0.7, None) + 0.02 * rooms
    population = np.rint(rng.lognormal(7.0, 0.7, n_rows))
    occupancy = 1.5 + rng.gamma(3.0, 0.5, n_rows)

    price = 0.5 * income**0.9 + 0.006 * age - 0.28 * np.log(occupancy) - 0.4
    for north, east, reach, gain in _CENTERS:
        distance = np.hypot(latitude - north, longitude - east)
        price += gain * np.exp(-distance / reach)
    price += 0.5 * (longitude < coast + 0.2) - 0.35 * ((longitude > coast + 1.5) & (income < 4))
    price *= np.exp(rng.normal(0.0, 0.25, n_rows))
    X = np.stack([income, age, rooms, bedrooms, population, occupancy, latitude, longitude], axis=1)
    return X.round(4), np.clip(price, 0.15, HIGHEST).round(3)


def machine(X: Floats, y: Floats, **parameters: Any) -> Any:
    return TsetlinRegressor(**parameters, random_state=0).fit(X, y)


def learners() -> dict[str, Callable[[Floats, Floats], Any]]:
    """The models by name."""
    found: dict[str, Callable[[Floats, Floats], Any]] = {}
    for limit in (10, 30):
        found[f"scorecard, at most {limit} literals"] = partial(card, limit=limit)
        found[f"tree, {limit + 1} leaves"] = partial(tree, limit=limit)
    found |= {"TsetlinRegressor()": machine, "TsetlinRegressor(100)": partial(machine, n_clauses=100)}
    return found | {"ridge": ridge, "HistGradientBoosting": boosting}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--ebm", action="store_true")
    parser.add_argument("--only", default="", help="only models with this in their name")
    options = parser.parse_args()
    X, y = housing()
    parts = [train_test_split(X, y, test_size=0.2, random_state=k) for k in range(options.splits)]
    print(
        "| model | RMSE | MAE | literals | CPU s | RMSE, first split |\n| --- | --- | --- | --- | --- | --- |"
    )
    given: dict[str, Callable[[Floats, Floats], Any]] = {"EBM": ebm} if options.ebm else {}
    for name, fit in (learners() | given).items():
        if options.only not in name:
            continue
        runs = [run(fit, part) for part in (parts[:1] if name == "EBM" else parts)]
        print(f"| {name} | {' | '.join(cells(runs))} |", flush=True)


def cells(runs: list[Run]) -> list[str]:
    """The means of a model with standard errors, if there are several splits; and the first split."""
    columns = ("rmse", "mae", "literals", "seconds")
    listed = [[getattr(each, name) for each in runs] for name in columns]
    shown = [mean_and_error(own) if len(runs) > 1 else "" for own in listed]
    return [*shown, f"{runs[0].rmse:.4g}", f"{runs[0].seconds:.3g}"]


if __name__ == "__main__":
    main()
