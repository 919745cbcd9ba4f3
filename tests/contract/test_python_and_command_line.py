"""The same awkward table gives the same model, warnings and predictions in Python and on the command line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clausal import RuleClassifier, TsetlinClassifier, load
from clausal.tables.csv_cells import USUAL_MISSING
from tests.support.command_line import done

N = 90
Table = dict[str, list[Any]]


def with_labels(columns: Table, labels: Any = ("no", "yes"), noise: float = 0.5) -> tuple[Table, list[Any]]:
    """The columns beside a number that the class depends on, and the classes.

    No two rows are equal: the folds of a scorecard keep equal rows together, and which rows are equal depends
    on columns that the command line leaves out before the fit, and Python in the fit.
    """
    rng = np.random.default_rng(len(columns))
    number = rng.normal(size=N).round(6)
    score = number + noise * rng.normal(size=N)
    codes = np.digitize(score, np.quantile(score, np.arange(1, len(labels)) / len(labels)))
    return {"number": number.tolist(), **columns}, [labels[code] for code in codes]


def drawn(values: list[Any], seed: int = 0) -> list[Any]:
    return [values[i] for i in np.random.default_rng(seed).integers(0, len(values), N)]


TABLES: dict[str, Callable[[], tuple[Table, list[Any]]]] = {
    "ids, free text, a row number": lambda: with_labels(
        {
            "id": [f"C-{i:04}" for i in range(N)],
            "remark": [f"called on day {i * 7 % 91}, {i} times" for i in range(N)],
            "row": list(range(1, N + 1)),
        }
    ),
    "dates and constants": lambda: with_labels(
        {
            "day": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(N)],
            "same": ["x"] * N,
            "no": [None] * N,
        }
    ),
    "missing values of every kind": lambda: with_labels(
        {
            "number with gaps": drawn([1.5, 2.5, None, 4.0]),
            "category with gaps": drawn(["red", "green", None], 1),
            "truth with gaps": drawn([True, False, None], 2),
        }
    ),
    "names and categories that must be quoted": lambda: with_labels(
        {
            "a \"b\" 'c'": drawn(["no checking account", "it's", "a,b", "not x"]),
            "ß; ü": drawn(["=1+1", "-"], 1),
        }
    ),
    "labels that are numbers": lambda: with_labels({"kind": drawn(["a", "b", "c"])}, labels=(0, 1)),
    "three classes": lambda: with_labels({"kind": drawn(["a", "b", "c"])}, labels=("high", "low", "mid")),
    "a column that leaks the class": lambda: (
        lambda table, y: ({**table, "leak": [3 if label == "yes" else 1 for label in y]}, y)
    )(*with_labels({"kind": drawn(["a", "b"])})),
    "many categories": lambda: with_labels({"town": drawn([f"town{i}" for i in range(25)])}),
    "noise": lambda: with_labels({"kind": drawn(["a", "b"])}, noise=1e6),
}
NEW: Table = {
    "number": [0.0, None, 1.0, -1.0],
    "row": [1, None, 3, 400],
    "leak": [1, 3, None, 2],
    "town": ["town1", "elsewhere", None, "town2"],
    "kind": ["a", "new", None, "b"],
    "category with gaps": ["red", "new", None, "green"],
    "number with gaps": [None, 1.5, 2.5, 9.0],
    "truth with gaps": [True, None, False, True],
    "a \"b\" 'c'": ["it's", "new", None, "a,b"],
    "ß; ü": ["-", "=1+1", None, "new"],
}


def new_rows(columns: Table) -> Table:
    """Rows with values that training did not have; columns that are left out may hold anything."""
    return {name: NEW.get(name, ["any", None, "thing", "here"]) for name in columns}


def recorded(call: Callable[[], Any]) -> tuple[Any, set[str]]:
    """What a call gives, and the warnings that it shows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, {str(each.message) for each in caught}


def warned(shown: str) -> set[str]:
    return {line.removeprefix("Warning: ") for line in shown.splitlines() if line.startswith("Warning: ")}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("machine", [False, True], ids=["scorecard", "machine"])
def test_one_table_gives_one_model(name: str, machine: bool, tmp_path: Path):
    columns, labels = TABLES[name]()
    pl.DataFrame({**columns, "class": labels}).write_csv(tmp_path / "table.csv")
    options = ["--max-literals", "4", "--cv", "2"]
    clf: Any = RuleClassifier(max_literals=4, cv=2, random_state=0)
    if machine:
        options = ["--machine", "--clauses", "10", "--epochs", "5"]
        clf = TsetlinClassifier(10, n_epochs=5, random_state=0)
    model = tmp_path / "model.json"
    fitted = done("fit", tmp_path / "table.csv", "--target", "class", "--no-test", *options, "--model", model)
    table = pd.read_csv(tmp_path / "table.csv", na_values=USUAL_MISSING)
    _, said = recorded(lambda: clf.fit(table.drop(columns="class"), table["class"]))
    assert said == warned(fitted.stderr)
    loaded = load(model)
    assert loaded.rules_.to_text() == clf.rules_.to_text()

    pl.DataFrame(new_rows(columns)).write_csv(tmp_path / "new.csv")
    scored = done("predict", model, tmp_path / "new.csv")
    new = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in new_rows(columns).items()})
    (votes, classes), said = recorded(lambda: (clf.votes(new), clf.predict(new)))
    assert said == warned(scored.stderr)
    written = pd.read_csv(pd.io.common.StringIO(scored.stdout), dtype={"prediction": str})
    shown = written.filter(regex="^vote").to_numpy()
    np.testing.assert_array_equal(shown, votes.reshape(len(new), -1))
    assert written["prediction"].tolist() == [str(label) for label in classes]
