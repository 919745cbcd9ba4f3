"""A fitted estimator as the content of a model file, and back.

Everything read is checked against everything else (shapes, ranges, labels, columns) before an estimator is
made of it. Not here: the file itself (model/storage.py) and the booleanizer's part (encoding).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.booleanizer import Booleanizer
from clausal.estimators._base import BaseTsetlin
from clausal.estimators.classifier import TsetlinClassifier
from clausal.estimators.settings import PARAMETERS
from clausal.model.clause_model import ClauseModel
from clausal.model.storage import decode_array, encode_array, read_document, write_document
from clausal.untrusted import (
    read_bool,
    read_integer,
    read_list,
    read_number,
    read_record,
    read_text,
    wrong,
)

ESTIMATORS = {"TsetlinClassifier": TsetlinClassifier}
_CONTENT = ("estimator", "parameters", "classes", "booleanizer", "model", "history", "n_iter")
_MODEL_NUMBERS = {  # least and greatest value
    "n_clauses": (2, 2**24),
    "n_states": (1, 128),
    "threshold": (1, 2**47),
    "scale": (1, 2**16),
    "seed": (0, 2**64 - 1),
    "step": (0, 2**62),
    "epoch": (0, 2**62),
    "row": (0, 2**62),
}
_INTEGERS = tuple(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
_LABEL_TYPES = ("bool", "str", "object", "float32", "float64", *_INTEGERS)  # "object" arrays hold strings


def save(estimator: BaseTsetlin, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file."""
    check_is_fitted(estimator, "model_")
    model = estimator.model_
    numbers = {name: int(getattr(model, name)) for name in _MODEL_NUMBERS}
    arrays = {name: encode_array(getattr(model, name)) for name in ("states", "levels", "points")}
    content = {
        "estimator": type(estimator).__name__,
        "parameters": _plain_parameters(estimator),
        "classes": _plain_classes(estimator.classes_),
        "booleanizer": estimator.booleanizer_.to_dict(),
        "model": numbers | arrays,
        "history": estimator.history_,
        "n_iter": estimator.n_iter_,
    }
    write_document(path, content)


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator from a file that `save` wrote; safe for files from strangers.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    TsetlinClassifier
        As it was when saved: it predicts the same and `partial_fit` goes on as if never interrupted.

    Raises
    ------
    ValueError
        If the file is not a model file, is damaged, or was written by a newer version.
    """
    content = read_record(read_document(path), "content", _CONTENT)
    name = read_text(content["estimator"], "estimator")
    if name not in ESTIMATORS:
        raise wrong("estimator", f"one of {sorted(ESTIMATORS)}", name)
    estimator = ESTIMATORS[name](**_read_parameters(content["parameters"]))
    estimator._check_parameters()
    estimator.classes_ = _read_classes(content["classes"])
    estimator.booleanizer_ = Booleanizer.from_dict(content["booleanizer"])
    if not estimator.booleanizer_.columns_:
        raise ValueError("booleanizer must have at least one column. Got 0.")
    estimator._copy_input_names()
    n_banks = 1 if len(estimator.classes_) == 2 else len(estimator.classes_)
    estimator.model_ = _read_model(content["model"], n_banks, 2 * len(estimator.columns_))
    estimator.history_ = _read_history(content["history"])
    estimator.n_iter_ = read_integer(content["n_iter"], "n_iter", 0, 2**62)
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
    shape = (n_banks, n_clauses)
    states = decode_array(record["states"], "model.states", np.uint8, (*shape, n_literals))
    levels = decode_array(record["levels"], "model.levels", np.int32, shape)
    points = decode_array(record["points"], "model.points", np.int32, shape)
    if states.max() >= 2 * numbers["n_states"]:
        raise wrong("model.states", f"below 2 * n_states = {2 * numbers['n_states']}", int(states.max()))
    if points.min() < 0:
        raise wrong("model.points", "at least 0", int(points.min()))
    return ClauseModel(states=states, levels=levels, points=points, **numbers)


def _plain_parameters(estimator: BaseTsetlin) -> dict[str, Any]:
    """Constructor parameters as JSON values; `random_state` objects are left out with a warning."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if isinstance(parameters["booleanizer"], Booleanizer):
        parameters["booleanizer"] = parameters["booleanizer"].params_to_dict()
    if isinstance(parameters["class_weight"], dict):
        parameters["class_weight"] = [[label, weight] for label, weight in parameters["class_weight"].items()]
    if not isinstance(parameters["random_state"], (int, np.integer, type(None))):
        warnings.warn(
            "random_state is a generator object and is saved as None; the model itself keeps its seed.",
            UserWarning,
            stacklevel=4,
        )
        parameters["random_state"] = None
    return {name: _plain(value, name) for name, value in parameters.items()}


def _plain(value: Any, where: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item, where) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, where) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(f"{where} must be made of numbers and strings to be saved. Got {type(value).__name__}.")


def _read_parameters(data: object) -> dict[str, Any]:
    """Parameters with the types their checks expect; values are checked by the parameter table."""
    names = (*PARAMETERS, "categorical_features", "random_state")
    record = read_record(data, "parameters", names)
    parameters: dict[str, Any] = dict(record)
    if isinstance(parameters["specificity"], list):
        parameters["specificity"] = tuple(parameters["specificity"])
    if isinstance(parameters["booleanizer"], dict):
        parameters["booleanizer"] = Booleanizer.from_params_dict(parameters["booleanizer"])
    if isinstance(parameters["class_weight"], list):
        parameters["class_weight"] = _read_class_weight(parameters["class_weight"])
    if parameters["random_state"] is not None:
        read_integer(parameters["random_state"], "parameters.random_state", 0, 2**32 - 1)
    selection = parameters["categorical_features"]
    for item in selection if isinstance(selection, list) else [selection]:
        if not isinstance(item, (str, int, type(None))):
            raise wrong(
                "parameters.categorical_features", "a string, None or a list of strings or integers", item
            )
    return parameters


def _read_class_weight(pairs: list[object]) -> dict[Any, float]:
    weights: dict[Any, float] = {}
    for pair in pairs:
        items = read_list(pair, "parameters.class_weight")
        if len(items) != 2 or not isinstance(items[0], (str, int, float)):
            raise wrong("parameters.class_weight", "a list of pairs [label, weight]", pair)
        weights[items[0]] = read_number(items[1], "parameters.class_weight")
    return weights


def _plain_classes(classes: NDArray[Any]) -> dict[str, Any]:
    name = "str" if classes.dtype.kind == "U" else classes.dtype.name
    values = classes.tolist()
    if name not in _LABEL_TYPES or (name == "object" and not all(isinstance(v, str) for v in values)):
        raise ValueError(
            f"Class labels must be numbers, booleans or strings to be saved. Got {classes.dtype}."
        )
    return {"type": name, "values": values}


def _read_classes(data: object) -> NDArray[Any]:
    record = read_record(data, "classes", ("type", "values"))
    name = read_text(record["type"], "classes.type")
    if name not in _LABEL_TYPES:
        raise wrong("classes.type", f"one of {', '.join(_LABEL_TYPES)}", name)
    listed = read_list(record["values"], "classes.values")
    if len(listed) < 2:
        raise wrong("classes.values", "at least 2 labels", f"{len(listed)} label(s)")
    classes = np.array([_read_label(value, name) for value in listed], dtype=name)
    if np.any(classes[:-1] >= classes[1:]):
        raise wrong("classes.values", "sorted without repeats", "another order")
    return classes


def _read_label(value: object, name: str) -> object:
    if name in ("str", "object"):
        return read_text(value, "classes.values")
    if name == "bool":
        return read_bool(value, "classes.values")
    if name.startswith("float"):
        limit = float(np.finfo(name).max)
        number = read_number(value, "classes.values")
        if not -limit <= number <= limit:
            raise wrong("classes.values", f"numbers that {name} can hold", number)
        return number
    limits = np.iinfo(name)
    return read_integer(value, "classes.values", int(limits.min), int(limits.max))


def _read_history(data: object) -> dict[str, list[float]]:
    if not isinstance(data, Mapping):
        raise wrong("history", "a dictionary", data)
    return {
        read_text(name, "history"): [
            read_number(item, f"history.{name}") for item in read_list(values, "history")
        ]
        for name, values in data.items()
    }
