"""`python -m studies.clause_forms`: fuzzy patterns and learned intervals beside ordinary clauses.

For each form and number of clauses, T, s and the tolerance are chosen by the accuracy on a third of the
training rows that is held out, and the machine of the chosen setting is trained on all of them. Every choice
is a line of results.jsonl; one that is there is not made again. `--mnist FILE` adds MNIST. Needs Numba, which
`make quality` installs. The outcome is decision 34.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from clausal import Booleanizer
from studies.clause_forms.prototype import Form, Rows, decide, train
from studies.quality import tables as shared

RESULTS = Path(__file__).parent / "results.jsonl"
FORMS = ("ordinary", "fuzzy", "intervals")
TABLES = ("Wisconsin", "MONK-1", "MONK-3", "Tic-tac-toe", "Sums", "Weak signal", "Clusters", "Boxes", "XOR")
N_CLAUSES = (10, 40)
N_EPOCHS = 40
N_SPLITS = 3
MOST_BINS = 64
_RATIOS, _SPECIFICITIES, _TOLERANCES = (2, 16), (3.0, 8.0), (2, 4, 8)  # T per clause, s


class Task(NamedTuple):
    """Rows to train on and to test, their classes, and which literals of a number are ordered."""

    train: Rows
    test: Rows
    y_train: NDArray[np.int64]
    y_test: NDArray[np.int64]
    groups: NDArray[np.int64]


def task(table: str, split: int, form: str) -> Task:
    """A table as the literals of a form: intervals have numbers as bins, the others cut points."""
    X_train, X_test, y_train, y_test = shared.parts(table, split)
    numbers = [
        name for name in X_train.columns if X_train[name].nunique() > 2 and X_train[name].dtype.kind in "if"
    ]
    taken = numbers if form == "intervals" else []
    reader = Booleanizer(max_columns=16)
    rest = X_train.drop(columns=taken)
    fitted = reader.fit(rest) if rest.shape[1] else None
    parts = []
    cuts = [_cuts(X_train[name]) for name in taken]
    for X in (X_train, X_test):
        columns = fitted.transform(X.drop(columns=taken)) if fitted else np.zeros((len(X), 0))
        bits = np.asarray(columns, np.uint8)
        bins = [np.searchsorted(cut, X[name]) for cut, name in zip(cuts, taken, strict=True)]
        parts.append(
            Rows(
                np.ascontiguousarray(np.concatenate([bits, 1 - bits], axis=1)),
                np.stack(bins, axis=1).astype(np.int16) if bins else np.zeros((len(X), 0), np.int16),
                np.array([len(cut) + 1 for cut in cuts], np.int16),
            )
        )
    return Task(parts[0], parts[1], y_train, y_test, _groups(fitted))


def _cuts(values: pd.Series[Any]) -> NDArray[np.float64]:
    """Midpoints between neighbouring values, or quantiles where there are many."""
    seen = np.unique(values)
    if len(seen) > MOST_BINS:
        seen = np.unique(np.quantile(values, np.linspace(0, 1, MOST_BINS)))
    return np.asarray((seen[1:] + seen[:-1]) / 2)


def _groups(reader: Any) -> NDArray[np.int64]:
    """For each literal the number of its feature and direction if it is a cut point, else -1."""
    if reader is None:
        return np.zeros(0, np.int64)
    columns = reader.encoding_.columns
    own = np.array([one.feature_index if one.kind in ("le", "upto") else -1 for one in columns], np.int64)
    n_features = own.max(initial=-1) + 1
    return np.concatenate([own, np.where(own < 0, -1, own + n_features)])


def settings(form: str, n_clauses: int) -> Iterator[Form]:
    """What is tried."""
    tolerances = _TOLERANCES if form == "fuzzy" else (1,)
    for ratio, s, tolerance in product(_RATIOS, _SPECIFICITIES, tolerances):
        yield Form(n_clauses, ratio * n_clauses * tolerance, s, tolerance, form == "intervals")


def one_line(table: str, split: int, name: str, n_clauses: int) -> dict[str, Any]:
    """Choose the setting inside the training rows, train it on all of them, score it on the test rows."""
    given = task(table, split, name)
    begin = time.process_time()
    kept, held = train_test_split(
        np.arange(len(given.y_train)), test_size=1 / 3, random_state=0, stratify=given.y_train
    )
    best, most = None, -1.0
    for form in settings(name, n_clauses):
        machine = train(form, _take(given.train, kept), given.y_train[kept], N_EPOCHS, split)
        right = decide(machine.votes(_take(given.train, held))) == given.y_train[held]
        if right.mean() > most:
            best, most = form, float(right.mean())
    assert best is not None
    machine = train(best, given.train, given.y_train, N_EPOCHS, split)
    accuracy = float((decide(machine.votes(given.test)) == given.y_test).mean())
    found = {
        "accuracy": accuracy,
        "literals": machine.n_literals(given.groups),
        "seconds": time.process_time() - begin,
    }
    return (
        {"table": table, "split": split, "form": name, "clauses": n_clauses}
        | found
        | {"chosen": asdict(best)}
    )


def _take(rows: Rows, index: NDArray[np.int64]) -> Rows:
    return replace(rows, literals=rows.literals[index], bins=rows.bins[index])


def summary(lines: list[dict[str, Any]]) -> pd.DataFrame:
    """Means over tables, and differences to the ordinary form with 95 % intervals over tables."""
    frame = pd.DataFrame(lines)
    frame["log2 literals"] = np.log2(frame["literals"].clip(lower=1))
    means = frame.groupby(["clauses", "form", "table"])[["accuracy", "log2 literals"]].mean()
    found = []
    for (n_clauses, form), own in means.groupby(level=["clauses", "form"]):
        difference = own.droplevel(["clauses", "form"]) - means.xs(
            (n_clauses, "ordinary"), level=["clauses", "form"]
        )
        half = 1.96 * difference.std() / np.sqrt(len(difference))
        found.append(
            {"clauses": n_clauses, "form": form, "tables": len(own), "accuracy": own["accuracy"].mean()}
            | {"difference": difference["accuracy"].mean(), "+-": half["accuracy"]}
            | {
                "literals": 2 ** own["log2 literals"].mean(),
                "times as many": 2 ** difference["log2 literals"].mean(),
            }
        )
    return pd.DataFrame(found)


def mnist(file: Path, n_train: int = 10_000, n_epochs: int = 15) -> Iterator[dict[str, Any]]:
    """Twenty clauses per class on pixels above 75; every setting is scored on the test rows, none chosen."""
    with np.load(file) as data:
        arrays = {name: data[name] for name in data.files}
    X_train, y_train = arrays["x_train"][:n_train], arrays["y_train"][:n_train].astype(np.int64)
    X_test, y_test = arrays["x_test"], arrays["y_test"].astype(np.int64)
    rows = [_pixels(X) for X in (X_train, X_test)]
    for tolerance, s in ((1, 10.0), (1, 100.0), (10, 10.0), (10, 100.0), (20, 100.0)):
        form = Form(20, 50 * tolerance, s, tolerance)
        machine = train(form, rows[0], y_train, n_epochs, 0)
        accuracy = float((decide(machine.votes(rows[1])) == y_test).mean())
        literals = machine.n_literals(np.full(rows[0].literals.shape[1], -1))
        found = {"accuracy": accuracy, "literals": literals, "chosen": asdict(form)}
        yield {"table": "MNIST", "form": "fuzzy" if tolerance > 1 else "ordinary"} | found


def _pixels(X: NDArray[Any]) -> Rows:
    bits = (X.reshape(len(X), -1) > 75).astype(np.uint8)
    return Rows(
        np.concatenate([bits, 1 - bits], axis=1), np.zeros((len(X), 0), np.int16), np.zeros(0, np.int16)
    )


def main() -> None:
    """Make the missing lines, print the summary."""
    parser = argparse.ArgumentParser(prog="python -m studies.clause_forms", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--splits", type=int, default=N_SPLITS)
    parser.add_argument("--mnist", type=Path)
    options = parser.parse_args()
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    done = {(one["table"], one.get("split"), one["form"], one.get("clauses")) for one in lines}
    with RESULTS.open("a", encoding="utf-8") as file:
        for split, table, n_clauses, form in product(range(options.splits), options.tables, N_CLAUSES, FORMS):
            if (table, split, form, n_clauses) not in done:
                lines.append(one_line(table, split, form, n_clauses))
                print(json.dumps(lines[-1]), file=file, flush=True)
        if options.mnist is not None:
            for line in mnist(options.mnist):
                lines.append(line)
                print(json.dumps(line), file=file, flush=True)
    print(summary([one for one in lines if one["table"] != "MNIST"]).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
