"""Summaries of the CSV files of grid.py: mean accuracy over tables relative to each table's best setting.

python -m studies.defaults.summary grid specificity threshold
"""

import sys
from pathlib import Path

import pandas as pd

RESULTS = Path(__file__).parent / "results"


def regret(results: pd.DataFrame) -> pd.DataFrame:
    """The mean difference in accuracy to the best setting of the same table, in percentage points."""
    keys = [c for c in results.columns if c not in ("split", "accuracy", "n_literals")]
    means = results.groupby(keys, as_index=False)[["accuracy", "n_literals"]].mean()
    best = means.groupby("table")["accuracy"].transform("max")
    means["regret"] = 100 * (best - means["accuracy"])
    return means


def main(kind: str, *by: str) -> None:
    """Print the settings of a grid, averaged over all other columns, best first."""
    results = pd.read_csv(RESULTS / f"{kind}.csv.gz")
    means = regret(results)
    summary = means.groupby(list(by))[["regret", "accuracy", "n_literals"]].mean()
    summary["worst"] = means.groupby(list(by))["regret"].max()
    print(summary.sort_values("regret").head(40).round(3).to_string())


if __name__ == "__main__":
    main(*sys.argv[1:])
