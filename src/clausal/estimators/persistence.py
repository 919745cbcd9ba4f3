"""A fitted estimator as the content of a model file, and back.

Everything read is checked against everything else (shapes, ranges, labels, columns) before an estimator is
made of it. Not here: the file itself (model/storage.py) and the booleanizer's part (encoding).
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.booleanizer import Booleanizer
from clausal.engine.weight_rule import MAX_REAL_WEIGHT, REAL_SCALE
from clausal.estimators._base import BaseTsetlin
from clausal.estimators.classifier import TsetlinClassifier
from clausal.estimators.inputs import MAX_SAMPLE_WEIGHT
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
    read_word,
    shown,
    wrong,
)

ESTIMATORS = {"TsetlinClassifier": TsetlinClassifier}
_CONTENT = ("estimator", "parameters", "classes", "booleanizer", "model", "history", "n_iter")
_MODEL_NUMBERS = {  # least and greatest value
    "n_clauses": (2, 2**24),
    "n_states": (1, 128),
    "threshold": (1, 2**46),
    "scale": (1, REAL_SCALE),
    "seed": (0, 2**32 - 1),
    "step": (0, 2**62),
    "epoch": (0, 2**62),
    "row": (0, 2**62),
}
_INTEGERS = tuple(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
_LABEL_TYPES = ("bool", "object", "float16", "float32", "float64", *_INTEGERS)  # "object": strings
_STRINGS = re.compile(r"str[1-9][0-9]{0,6}")
_MOST_LABEL_CHARACTERS = 2**22
_MOST_FLOAT_LABEL = 2.0**62  # scikit-learn compares float labels with their int64
_MOST_THRESHOLD = 2**30
_MOST_REAL_LEVEL = 2**14  # the longest walk, in steps of 1.001, has 11,789 down and 9,708 up


def save(estimator: BaseTsetlin, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file; what `load` would refuse is refused here."""
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
    _read_estimator(content)
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
    return _read_estimator(read_document(path))


def _read_estimator(data: object) -> Any:
    content = read_record(data, "content", _CONTENT)
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
    if numbers["scale"] not in (1, REAL_SCALE):
        raise wrong("model.scale", f"1 or {REAL_SCALE}", numbers["scale"])
    if numbers["threshold"] > _MOST_THRESHOLD * numbers["scale"]:
        raise wrong("model.threshold", f"at most {_MOST_THRESHOLD} * scale", numbers["threshold"])
    shape = (n_banks, n_clauses)
    states = decode_array(record["states"], "model.states", np.uint8, (*shape, n_literals))
    levels = decode_array(record["levels"], "model.levels", np.int32, shape)
    points = decode_array(record["points"], "model.points", np.int32, shape)
    if states.max() >= 2 * numbers["n_states"]:
        raise wrong("model.states", f"below 2 * n_states = {2 * numbers['n_states']}", int(states.max()))
    _check_weights(levels, points, numbers["scale"])
    return ClauseModel(states=states, levels=levels, points=points, **numbers)


def _check_weights(levels: NDArray[np.int32], points: NDArray[np.int32], scale: int) -> None:
    """Hold the votes to what a weight rule can give.

    Which rule that was cannot be told: the parameters may have been set anew after training. Going on with
    levels that the parameters do not allow is refused by `partial_fit`.
    """
    if scale == 1:
        if points.min() < 0:
            raise wrong("model.points", "at least 0", int(points.min()))
        if not np.array_equal(levels, points):
            raise wrong("model.levels", "equal to model.points where model.scale is 1", "other levels")
        return
    for name, array, low, high in (
        ("points", points, 1, MAX_REAL_WEIGHT * REAL_SCALE),
        ("levels", levels, -_MOST_REAL_LEVEL, _MOST_REAL_LEVEL),
    ):
        for extreme in (int(array.min()), int(array.max())):
            if not low <= extreme <= high:
                raise wrong(f"model.{name}", f"from {low} to {high} where model.scale is not 1", extreme)


def _plain_parameters(estimator: BaseTsetlin) -> dict[str, Any]:
    """Constructor parameters as JSON values; `random_state` objects are left out with a warning."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if isinstance(parameters["booleanizer"], Booleanizer):
        parameters["booleanizer"] = parameters["booleanizer"].params_to_dict()
    if isinstance(parameters["class_weight"], dict):
        parameters["class_weight"] = [[label, weight] for label, weight in parameters["class_weight"].items()]
    if isinstance(parameters["random_state"], (int, np.integer)):
        parameters["random_state"] = int(parameters["random_state"])
    elif parameters["random_state"] is not None:
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
    record = read_record(data, "parameters", PARAMETERS)
    return {name: _read_parameter(name, value) for name, value in record.items()}


def _read_parameter(name: str, value: object) -> Any:
    """One parameter: nothing that the table's checks, its messages or the engine could choke on."""
    where = f"parameters.{name}"
    match name, value:
        case "specificity", [low, high]:
            return read_number(low, where), read_number(high, where)
        case "booleanizer", dict():
            return Booleanizer.from_params_dict(value)
        case "class_weight", list():
            return _read_class_weight(value)
        case "categorical_features", _:
            others = Booleanizer().params_to_dict()
            return Booleanizer.from_params_dict({**others, name: value}).categorical_features
    return read_word(value, where)


def _read_class_weight(pairs: list[object]) -> dict[Any, float]:
    where = "parameters.class_weight"
    weights: dict[Any, float] = {}
    for pair in pairs:
        items = read_list(pair, where)
        if len(items) != 2 or not isinstance(items[0], (str, int, float)):
            raise wrong(where, "a list of pairs [label, weight]", pair)
        label, weight = items[0], read_number(items[1], where)
        if not 0 <= weight <= MAX_SAMPLE_WEIGHT:
            raise wrong(where, f"weights from 0 to {MAX_SAMPLE_WEIGHT:g}", weight)
        if label in weights:
            raise wrong(where, "pairs of different labels", label)
        weights[label] = weight
    return weights


def _plain_classes(classes: NDArray[Any]) -> dict[str, Any]:
    is_text = classes.dtype.kind == "U"
    name = f"str{classes.dtype.itemsize // 4}" if is_text else classes.dtype.name
    values = classes.tolist()
    known = is_text or name in _LABEL_TYPES
    if not known or (name == "object" and not all(isinstance(value, str) for value in values)):
        raise ValueError(
            f"Class labels must be numbers, booleans or strings to be saved. Got {classes.dtype}."
        )
    return {"type": name, "values": values}


def _read_classes(data: object) -> NDArray[Any]:
    record = read_record(data, "classes", ("type", "values"))
    name = read_text(record["type"], "classes.type")
    listed = read_list(record["values"], "classes.values")
    if len(listed) < 2:
        raise wrong("classes.values", "at least 2 labels", f"{len(listed)} label(s)")
    if _STRINGS.fullmatch(name):
        classes = _read_strings(listed, int(name.removeprefix("str")))
    elif name in _LABEL_TYPES:
        classes = np.array([_read_label(value, name) for value in listed], dtype=name)
    else:
        types = ", ".join(("str8 (any width)", *_LABEL_TYPES))
        raise wrong("classes.type", f"one of {types}", name)
    if np.any(classes[:-1] >= classes[1:]):
        raise wrong("classes.values", "sorted without repeats", "another order")
    return classes


def _read_strings(listed: list[object], width: int) -> NDArray[np.str_]:
    """Labels in an array that gives each the same room: that room is checked before it is taken."""
    texts = [read_text(value, "classes.values") for value in listed]
    if max(map(len, texts)) > width:
        raise wrong("classes.values", f"at most {width} characters long each", max(texts, key=len))
    if width * len(texts) > _MOST_LABEL_CHARACTERS:
        rule = f"at most {_MOST_LABEL_CHARACTERS} characters for all labels, each as wide as its type"
        raise ValueError(f"classes must need {rule}. Got {len(texts)} labels of {width} characters.")
    return np.array(texts, dtype=f"U{width}")


def _read_label(value: object, name: str) -> object:
    if name == "object":
        return read_text(value, "classes.values")
    if name == "bool":
        return read_bool(value, "classes.values")
    if name.startswith("float"):
        limit = min(float(np.finfo(name).max), _MOST_FLOAT_LABEL)
        number = read_number(value, "classes.values")
        if not -limit <= number <= limit or number != int(number):
            raise wrong("classes.values", f"whole numbers from {-limit:g} to {limit:g}, as {name}", number)
        return number
    limits = np.iinfo(name)
    return read_integer(value, "classes.values", int(limits.min), int(limits.max))


def _read_history(data: object) -> dict[str, list[float]]:
    if not isinstance(data, Mapping):
        raise wrong("history", "a dictionary", data)
    return {
        read_text(name, "history"): [
            read_number(item, f"history[{shown(name)}]") for item in read_list(values, "history")
        ]
        for name, values in data.items()
    }
