"""An estimator's constructor parameters as the plain values of a model file, and back.

Values are checked by the estimator's own table afterwards; here each gets the type that those checks expect.
Not here: what an estimator learned (persistence.py).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from clausal.encoding.booleanizer import Booleanizer
from clausal.estimators.inputs import MAX_SAMPLE_WEIGHT
from clausal.estimators.settings import PARAMETERS
from clausal.untrusted import read_list, read_number, read_record, read_text, read_word, wrong


def plain_parameters(estimator: BaseEstimator) -> dict[str, Any]:
    """Constructor parameters as JSON values; `random_state` objects are left out with a warning."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if isinstance(parameters["booleanizer"], Booleanizer):
        parameters["booleanizer"] = parameters["booleanizer"].params_to_dict()
    if isinstance(parameters.get("class_weight"), dict):
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


def read_parameters(data: object, where: str = "parameters") -> dict[str, Any]:
    """The parameters of a machine, with the types that their checks expect."""
    record = read_record(data, where, PARAMETERS)
    return {name: read_parameter(name, value, f"{where}.{name}") for name, value in record.items()}


def read_parameter(name: str, value: object, where: str) -> Any:
    """One parameter: nothing that the table's checks, its messages or the engine could choke on."""
    match name, value:
        case "specificity", [low, high]:
            return read_number(low, where), read_number(high, where)
        case "booleanizer", dict():
            return Booleanizer.from_params_dict(value)
        case "class_weight", list():
            return _read_class_weight(value, where)
        case "monotonic_cst", dict():
            return {read_text(key, where): _read_sign(sign, where) for key, sign in value.items()}
        case "monotonic_cst", list():
            return [_read_sign(sign, where) for sign in value]
        case "forbidden_features", list():
            return [item if isinstance(item, str) else read_word(item, where) for item in value]
        case "categorical_features", _:
            others = Booleanizer().params_to_dict()
            return Booleanizer.from_params_dict({**others, name: value}).categorical_features
    return read_word(value, where)


def _read_sign(value: object, where: str) -> int:
    number = read_number(value, where)
    if number not in (-1, 0, 1):
        raise wrong(where, "made of -1, 0 and 1", number)
    return int(number)


def _read_class_weight(pairs: list[object], where: str) -> dict[Any, float]:
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
