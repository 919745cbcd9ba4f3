"""The content of a model file for a TsetlinClassifier: writing and reading.

All parts are checked for consistency (shapes, ranges, labels, columns) before an estimator is created.
Not here: the file format (model_file.py), `load` (__init__.py), parameters (parameters.py), the encoding
(encoding/encoding.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.encoding import Encoding
from clausal.engine.weight_rule import MAX_REAL_WEIGHT, REAL_SCALE
from clausal.files.model_file import decode_array, encode_array, write_document
from clausal.files.parameters import plain_classes, plain_parameters, read_classes, read_parameters
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.clause_model import ClauseModel
from clausal.machine.read import Fitted
from clausal.machine.settings import check_machine_parameters
from clausal.outcome import make_outcome
from clausal.untrusted import (
    read_integer,
    read_list,
    read_number,
    read_record,
    read_text,
    short_repr,
    wrong,
)

ESTIMATORS = {"TsetlinClassifier": TsetlinClassifier}
_CONTENT = ("estimator", "parameters", "classes", "booleanizer", "model", "history", "n_iter")
_MODEL_NUMBERS = {  # name: (minimum, maximum)
    "n_clauses": (2, 2**24),
    "n_states": (1, 128),
    "threshold": (1, 2**46),
    "scale": (1, REAL_SCALE),
    "seed": (0, 2**32 - 1),
    "step": (0, 2**62),
    "epoch": (0, 2**62),
    "row": (0, 2**62),
}
_MAX_THRESHOLD = 2**30
_MAX_REAL_LEVEL = 2**14  # with the smallest gain, 0.001, levels range from -11,789 to 9,708


def save(estimator: TsetlinClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file; refuses what `load` would refuse."""
    check_is_fitted(estimator, "model_")
    model = estimator.model_
    numbers = {name: int(getattr(model, name)) for name in _MODEL_NUMBERS}
    arrays = {name: encode_array(getattr(model, name)) for name in ("states", "levels", "points")}
    content = {
        "estimator": type(estimator).__name__,
        "parameters": plain_parameters(estimator),
        "classes": plain_classes(estimator._outcome.classes),
        "booleanizer": estimator.encoding_.to_dict(),
        "model": numbers | arrays,
        "history": estimator.history_,
        "n_iter": estimator.n_iter_,
    }
    read_estimator(content)
    write_document(path, content)


def read_estimator(data: object) -> Any:
    """The estimator with this file content; raises ValueError for anything else."""
    content = read_record(data, "content", _CONTENT)
    name = read_text(content["estimator"], "estimator")
    if name not in ESTIMATORS:
        raise wrong("estimator", f"one of {sorted(ESTIMATORS)}", name)
    estimator = ESTIMATORS[name](**read_parameters(content["parameters"]))
    check_machine_parameters(estimator)
    outcome = make_outcome(read_classes(content["classes"], ascending=True))
    encoding = Encoding.from_dict(content["booleanizer"])
    if not encoding.columns:
        raise ValueError("booleanizer must have at least one column. Got 0.")
    model = _read_model(content["model"], outcome.n_banks, 2 * encoding.n_columns)
    history = read_history(content["history"])
    n_iter = read_integer(content["n_iter"], "n_iter", 0, 2**62)
    estimator._keep(Fitted(model, encoding, outcome), history, n_iter)
    return estimator


def _read_model(data: object, n_banks: int, n_literals: int) -> ClauseModel:
    record = read_record(data, "model", (*_MODEL_NUMBERS, "states", "levels", "points"))
    numbers = {
        name: read_integer(record[name], f"model.{name}", low, high)
        for name, (low, high) in _MODEL_NUMBERS.items()
    }
    n_clauses = numbers.pop("n_clauses")
    if n_clauses % 2:
        raise wrong("model.n_clauses", "even", n_clauses)
    if numbers["scale"] not in (1, REAL_SCALE):
        raise wrong("model.scale", f"1 or {REAL_SCALE}", numbers["scale"])
    if numbers["threshold"] > _MAX_THRESHOLD * numbers["scale"]:
        raise wrong("model.threshold", f"at most {_MAX_THRESHOLD} * scale", numbers["threshold"])
    shape = (n_banks, n_clauses)
    states = decode_array(record["states"], "model.states", np.uint8, (*shape, n_literals))
    levels = decode_array(record["levels"], "model.levels", np.int32, shape)
    points = decode_array(record["points"], "model.points", np.int32, shape)
    if states.max() >= 2 * numbers["n_states"]:
        raise wrong("model.states", f"below 2 * n_states = {2 * numbers['n_states']}", int(states.max()))
    _check_weights(levels, points, numbers["scale"])
    return ClauseModel(states=states, levels=levels, points=points, **numbers)


def _check_weights(levels: NDArray[np.int32], points: NDArray[np.int32], scale: int) -> None:
    """Check that levels and points are possible for some weighting.

    The weighting itself is unknown here, because the parameters may have been changed after training.
    `partial_fit` refuses to continue with levels that the parameters do not allow.
    """
    if scale == 1:
        if points.min() < 0:
            raise wrong("model.points", "at least 0", int(points.min()))
        if not np.array_equal(levels, points):
            raise wrong("model.levels", "equal to model.points if model.scale is 1", "other levels")
        return
    for name, array, low, high in (
        ("points", points, 1, MAX_REAL_WEIGHT * REAL_SCALE),
        ("levels", levels, -_MAX_REAL_LEVEL, _MAX_REAL_LEVEL),
    ):
        for extreme in (int(array.min()), int(array.max())):
            if not low <= extreme <= high:
                raise wrong(f"model.{name}", f"from {low} to {high} if model.scale is not 1", extreme)


def read_history(data: object) -> dict[str, list[float]]:
    """`history_`: lists of numbers by name."""
    if not isinstance(data, Mapping):
        raise wrong("history", "a dictionary", data)
    history = {}
    for name, values in data.items():
        where = f"history[{short_repr(name)}]"
        history[read_text(name, "history")] = [read_number(item, where) for item in read_list(values, where)]
    return history
