"""The study of the defaults: its grids, its stored results, and the table of the untuned machine."""

import numpy as np
import pandas as pd
import pytest

from studies.defaults import grid, untuned
from studies.defaults.summary import regret
from studies.defaults.tables import TABLES

GENERATED = ("boxes", "additive", "clusters2", "clusters4", "xor")


@pytest.mark.parametrize("kind", grid.GRIDS)
def test_the_stored_results_are_those_of_the_grid(kind):
    results = pd.read_csv(grid.RESULTS / f"{kind}.csv.gz")
    assert list(results.columns) == grid.COLUMNS.split()
    wanted = {(p["n_clauses"], p["threshold"], p["specificity"], c) for p, c in grid.settings(kind)}
    columns = ["n_clauses", "threshold", "specificity", "max_columns"]
    assert set(results[columns].itertuples(index=False, name=None)) == wanted
    assert set(results["table"]) == set(TABLES)


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_table_depends_on_the_split_only(name):
    first, again, other = TABLES[name](0), TABLES[name](0), TABLES[name](1)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_regret_is_the_accuracy_lost_against_the_best_setting_of_a_table():
    results = pd.DataFrame(
        {"table": ["a", "a", "b", "b"], "s": [1, 2, 1, 2], "split": 0, "n_literals": 5}
        | {"accuracy": [0.9, 0.8, 0.5, 0.75]}
    )
    assert regret(results)["regret"].tolist() == pytest.approx([0.0, 10.0, 25.0, 0.0])


def test_a_row_of_the_untuned_table(monkeypatch):
    monkeypatch.setattr(untuned, "N_REPEATS", 1)
    data = untuned.load("Breast Cancer")
    row = untuned.row(data, "logistic regression", untuned.learners()["logistic regression"])
    assert row.startswith("| Breast Cancer | logistic regression | 0.")
    assert row.endswith(" | - |")
