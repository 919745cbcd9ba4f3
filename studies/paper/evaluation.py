"""The computation of one cell. The result depends only on the cell, so that a second run gives the same line.

A line keeps counts (tp, fp, fn, tn), from which all scores follow. No choice uses the test rows. Not here:
which cells there are (cells.py), where lines are stored (result_files.py).
"""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from studies.data import Data, load
from studies.paper.cells import Cell
from studies.paper.machines import MACHINES, Setting, epoch_stops, machine, weight_facts
from studies.paper.metrics import best_cutoff, counts, f1
from studies.paper.splits import FIRST_SEARCH_SEED, inner_folds, search_split, trial_split
from studies.paper.systems import OURS, SHORT, SYSTEMS, build

WEIGHT_EPOCHS = (1, 2, 5, 10, 20, 50, 100, 200)


def evaluate(cell: Cell) -> dict[str, Any]:
    """The line of a cell, without time and versions."""
    data = load(cell.data)
    compute = {"search": _search, "sweep": _sweep, "comparison": _comparison, "rules": _rules}[cell.part]
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # the number of epochs is a limit; convergence is not required
        return compute(cell, data)


def _search(cell: Cell, data: Data) -> dict[str, Any]:
    """One training, evaluated after each of the numbers of epochs in `epoch_stops`."""
    train, test = search_split(data, cell.trial)
    (setting,) = cell.settings
    model = machine(cell.system, setting, FIRST_SEARCH_SEED + cell.trial).set_params(warm_start=True)
    stops, done = [], 0
    for stop in epoch_stops(setting):
        model.set_params(n_epochs=stop - done).fit(data.cells[train], data.y[train])
        four = counts(data.y[test], model.predict(data.cells[test]))
        stops.append({"n_epochs": stop, "counts": four, "literals": model.n_literals_})
        done = stop
    return {"stops": stops}


def _sweep(cell: Cell, data: Data) -> dict[str, Any]:
    train, test = trial_split(data, cell.trial)
    (setting,) = cell.settings
    model = machine(cell.system, setting, cell.trial).fit(data.cells[train], data.y[train])
    simplified = model.rules_.n_literals if cell.options["simplify"] else None
    return {
        "counts": counts(data.y[test], model.predict(data.cells[test])),
        "literals": model.n_literals_,
        "simplified": simplified,
        **weight_facts(model),
    }


def _rules(cell: Cell, data: Data) -> dict[str, Any]:
    """A small model as text, with its counts on both parts and its weights during training."""
    train, test = trial_split(data, cell.trial)
    (setting,) = cell.settings
    weights: dict[int, list[float]] = {}

    def follow(end: Any) -> None:
        if end.epoch in WEIGHT_EPOCHS:
            weights[end.epoch] = np.round(end.weights[0], 4).tolist()

    X, y = data.frame, data.y
    model = machine(cell.system, setting, cell.trial).fit(X.iloc[train], y[train], callbacks=follow)
    predicted = model.predict(X)
    return {
        "train": counts(y[train], predicted[train]),
        "counts": counts(y[test], predicted[test]),
        "literals": model.n_literals_,
        "simplified": model.rules_.n_literals,
        "one_rule": bool((predicted == (X["competitiveness"] != "N")).all()),
        "rules": model.rules_.to_text(),
        "weights": weights,
        **weight_facts(model),
    }


def _comparison(cell: Cell, data: Data) -> dict[str, Any]:
    """Every setting evaluated in folds of the training part, then fitted on all of it and tested.

    `chosen` and `chosen_tuned` are the settings with the highest F1 in the folds, at the learner's own
    decision cut-off and at the best one. All settings are tested, for the version selected on test F1.
    """
    train, test = trial_split(data, cell.trial)
    tried = []
    for setting in cell.settings:
        found: dict[str, Any] = {}
        if len(cell.settings) > 1:
            found |= _in_folds(cell, setting, data, train)
        tried.append(found | _tested(cell, setting, data, (train, test), found.get("threshold")))
    chosen = int(np.argmax([f1(found["inner"]) if "inner" in found else 0.0 for found in tried]))
    chosen_tuned = int(np.argmax([found.get("inner_tuned_f1", 0.0) for found in tried]))
    return {"tried": tried, "chosen": chosen, "chosen_tuned": chosen_tuned}


def _in_folds(cell: Cell, setting: Any, data: Data, train: Any) -> dict[str, Any]:
    """Counts over all folds together, and the decision cut-off with the highest F1 on their scores."""
    X, values, said = _view(cell, data), np.zeros(len(data.y)), np.zeros(len(data.y), np.int64)
    for inside, outside in inner_folds(data, train, cell.options["n_folds"], cell.trial):
        model = build(cell.system, setting, cell.trial).fit(_rows(X, inside), data.y[inside])
        values[outside] = _values(model, _rows(X, outside))
        said[outside] = model.predict(_rows(X, outside))
    cutoff, tuned_f1 = best_cutoff(data.y[train], values[train])
    four = counts(data.y[train], said[train])
    return {"inner": four, "threshold": cutoff, "inner_tuned_f1": round(tuned_f1, 9)}


def _tested(
    cell: Cell, setting: Any, data: Data, parts: tuple[Any, Any], cutoff: float | None
) -> dict[str, Any]:
    """Counts on the test part at both decision cut-offs, and the number of literals if there are any."""
    train, test = parts
    X, y = _view(cell, data), data.y[test]
    model = build(cell.system, setting, cell.trial).fit(_rows(X, train), data.y[train])
    found: dict[str, Any] = {"counts": counts(y, model.predict(_rows(X, test)))}
    if cutoff is not None:
        found["tuned"] = counts(y, _values(model, _rows(X, test)) >= cutoff)
    if cell.system in (*MACHINES, OURS, SHORT):
        found |= {"literals": model.n_literals_, "simplified": model.rules_.n_literals}
    return found


def _view(cell: Cell, data: Data) -> Any:
    return getattr(data, SYSTEMS[cell.system].view)


def _rows(X: Any, rows: Any) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _values(model: Any, X: Any) -> Any:
    """The scores for a decision cut-off, shape (n_rows,): margins, else the probability of class 1."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), float)
    return np.asarray(model.predict_proba(X), float)[:, 1]


def setting_dict(setting: Any) -> dict[str, Any]:
    """A setting for a line of results."""
    return setting.as_dict() if isinstance(setting, Setting) else dict(setting)
