"""Constructor parameters and class labels in model files: writing, and reading with the same types.

Reading is strict: anything unexpected raises a ValueError. It gives each parameter the type that the
constraints of the estimator expect; these are checked afterwards. Not here: what an estimator learned.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.column_choice import plain_params, read_encoding_params
from clausal.encoding.patch_encoder import PatchEncoder, read_patch_encoder
from clausal.encoding.remarks import level_of_user
from clausal.machine.inputs import MAX_SAMPLE_WEIGHT
from clausal.machine.settings import NUMBER_PARAMETERS, PARAMETERS
from clausal.untrusted import (
    read_bool,
    read_integer,
    read_list,
    read_number,
    read_record,
    read_scalar,
    read_text,
    short_repr,
    wrong,
)

_INTEGERS = tuple(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
_LABEL_TYPES = ("bool", "object", "float16", "float32", "float64", *_INTEGERS)  # "object": strings
_STRING_TYPE = re.compile(r"str[1-9][0-9]{0,6}")
_MAX_LABEL_CHARACTERS = 2**22
_MAX_FLOAT_LABEL = 2.0**62  # scikit-learn converts float labels to int64
_MAX_SHORT_LABEL = 1000  # characters of a label in a parameter, which errors of `fit` quote in full
ADDED = {"pos_label": None, "sharing": None}
"""Parameters that the first model files lack, with what that means; written only if it is something else."""


def plain_classes(classes: NDArray[Any]) -> dict[str, Any]:
    """The labels and their type as JSON-compatible values."""
    is_text = classes.dtype.kind == "U"
    name = f"str{classes.dtype.itemsize // 4}" if is_text else classes.dtype.name
    values = classes.tolist()
    known = is_text or name in _LABEL_TYPES
    if not known or (name == "object" and not all(isinstance(value, str) for value in values)):
        raise ValueError(
            f"Class labels must be numbers, booleans or strings to be saved. Got {classes.dtype}."
        )
    return {"type": name, "values": values}


def read_classes(data: object, *, ascending: bool) -> NDArray[Any]:
    """The inverse of `plain_classes`; there must be two or more different labels.

    More than two are sorted if `ascending`; the order of two says which one is positive.
    """
    record = read_record(data, "classes", ("type", "values"))
    name = read_text(record["type"], "classes.type")
    listed = read_list(record["values"], "classes.values")
    if len(listed) < 2:
        raise wrong("classes.values", "at least 2 labels", f"{len(listed)} label(s)")
    if _STRING_TYPE.fullmatch(name):
        classes = _read_strings(listed, int(name.removeprefix("str")))
    elif name in _LABEL_TYPES:
        classes = np.array([_read_label(value, name) for value in listed], dtype=name)
    else:
        types = ", ".join(("str8 (any width)", *_LABEL_TYPES))
        raise wrong("classes.type", f"one of {types}", name)
    if ascending and len(classes) > 2 and np.any(classes[:-1] >= classes[1:]):
        raise wrong("classes.values", "sorted without repeats", "another order")
    if len(set(classes.tolist())) != len(classes):
        raise wrong("classes.values", "different labels", "one twice")
    return classes


def _read_strings(listed: list[object], width: int) -> NDArray[np.str_]:
    """Labels as a fixed-width array; its size is checked before it is allocated."""
    texts = [read_text(value, "classes.values") for value in listed]
    for text in texts:
        if text.endswith("\0"):  # NumPy pads fixed-width strings with NUL
            raise wrong("classes.values", "strings that do not end in NUL, which NumPy would drop", text)
    if max(map(len, texts)) > width:
        raise wrong("classes.values", f"at most {width} characters long each", max(texts, key=len))
    if width * len(texts) > _MAX_LABEL_CHARACTERS:
        raise ValueError(
            f"classes must need at most {_MAX_LABEL_CHARACTERS} characters for all labels, at the width of "
            f"their type. Got {len(texts)} labels of {width} characters."
        )
    return np.array(texts, dtype=f"U{width}")


def _read_label(value: object, name: str) -> object:
    if name == "object":
        return read_text(value, "classes.values")
    if name == "bool":
        return read_bool(value, "classes.values")
    if name.startswith("float"):
        limit = min(float(np.finfo(name).max), _MAX_FLOAT_LABEL)
        number = read_number(value, "classes.values")
        if not -limit <= number <= limit or number != int(number):
            raise wrong("classes.values", f"whole numbers from {-limit:g} to {limit:g}, as {name}", number)
        if float(np.dtype(name).type(number)) != number:
            raise wrong("classes.values", f"numbers that {name} holds exactly", number)
        return number
    limits = np.iinfo(name)
    return read_integer(value, "classes.values", int(limits.min), int(limits.max))


def plain_parameters(estimator: BaseEstimator) -> dict[str, Any]:
    """Constructor parameters as JSON-compatible values; warns if `random_state` is saved as None."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if isinstance(parameters["booleanizer"], Booleanizer):
        parameters["booleanizer"] = plain_params(parameters["booleanizer"].get_params(deep=False))
    elif isinstance(parameters["booleanizer"], PatchEncoder):
        parameters["booleanizer"] = parameters["booleanizer"].to_dict()
    if isinstance(parameters["random_state"], (int, np.integer)):
        parameters["random_state"] = int(parameters["random_state"])
    elif parameters["random_state"] is not None:
        warnings.warn(
            "random_state is a generator object and is saved as None; the model itself keeps its seed.",
            UserWarning,
            stacklevel=level_of_user(),
        )
        parameters["random_state"] = None
    plain = {name: plain_parameter(name, value) for name, value in parameters.items()}
    return {name: value for name, value in plain.items() if name not in ADDED or value != ADDED[name]}


def plain_parameter(name: str, value: Any) -> Any:
    """One parameter as JSON-compatible values; the inverse of `read_parameter`."""
    if name == "class_weight" and isinstance(value, dict):
        value = [[label, weight] for label, weight in value.items()]
    if name == "points_bounds" and isinstance(value, dict):
        value = [[key, *pair] for key, pair in value.items()]
    return _plain(value, name)


def _plain(value: Any, where: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if hasattr(value, "__array__"):  # an array, or an Index or a Series
        value = np.asarray(value).tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item, where) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, where) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(f"{where} must be made of numbers and strings to be saved. Got {type(value).__name__}.")


def read_parameters(data: object, where: str = "parameters", *, of_numbers: bool = False) -> dict[str, Any]:
    """The parameters of a TsetlinClassifier, with the types that their constraints expect.

    Those of a TsetlinRegressor with `of_numbers`.
    """
    known = NUMBER_PARAMETERS if of_numbers else PARAMETERS
    record = read_record(
        {**ADDED, **data} if isinstance(data, dict) and not of_numbers else data, where, known
    )
    return {name: read_parameter(name, value, f"{where}.{name}") for name, value in record.items()}


def read_parameter(name: str, value: object, where: str) -> Any:
    """One parameter, of a type and size that is safe for the checks that follow."""
    match name, value:
        case "specificity" | "target_range", [low, high]:
            return read_number(low, where), read_number(high, where)
        case "booleanizer", dict():
            patches = "patch_shape" in value
            return read_patch_encoder(value, where) if patches else Booleanizer(**read_encoding_params(value))
        case "class_weight", list():
            return _read_class_weight(value, where)
        case "pos_label", str() | int() | float():
            return _read_short_label(value, where, "a label")
        case "monotonic_cst", dict():
            return {
                read_text(key, where): _read_sign(sign, f"{where}[{short_repr(key)}]")
                for key, sign in value.items()
            }
        case "monotonic_cst", list():
            return [_read_sign(sign, f"{where}[{index}]") for index, sign in enumerate(value)]
        case "forbidden_features", list():
            return [
                item if isinstance(item, str) else read_scalar(item, f"{where}[{index}]")
                for index, item in enumerate(value)
            ]
        case "fixed_rules", list():
            return [_read_items(item, f"{where}[{index}]") for index, item in enumerate(value)]
        case "points_bounds", list():
            return _read_bounds(value, where)
        case "interaction_cst", list():
            return [_read_items(group, f"{where}[{index}]") for index, group in enumerate(value)]
        case "categorical_features", _:
            others = plain_params(Booleanizer().get_params())
            return read_encoding_params({**others, name: value})[name]
    return read_scalar(value, where)


def _read_sign(value: object, where: str) -> int:
    number = read_number(value, where)
    if number not in (-1, 0, 1):
        raise wrong(where, "-1, 0 or 1", number)
    return int(number)


def _read_items(value: object, where: str) -> Any:
    """A text of any length, or a list of texts and short values."""
    if isinstance(value, str):
        return value
    items = read_list(value, where)
    return tuple(item if isinstance(item, str) else read_scalar(item, where) for item in items)


def _read_bounds(triples: list[object], where: str) -> dict[Any, tuple[Any, Any]]:
    bounds: dict[Any, tuple[Any, Any]] = {}
    for triple in triples:
        items = _read_items(triple, where)
        if isinstance(items, str) or len(items) != 3 or items[0] in bounds:
            raise wrong(where, "a list of different features, each with its least and most points", triple)
        bounds[items[0]] = items[1:]
    return bounds


def _read_class_weight(pairs: list[object], where: str) -> dict[Any, float]:
    weights: dict[Any, float] = {}
    for pair in pairs:
        items = read_list(pair, where)
        if len(items) != 2 or not isinstance(items[0], (str, int, float)):
            raise wrong(where, "a list of pairs [label, weight]", pair)
        label, weight = _read_short_label(items[0], where, "pairs with labels"), read_number(items[1], where)
        if not 0 <= weight <= MAX_SAMPLE_WEIGHT:
            raise wrong(where, f"weights from 0 to {MAX_SAMPLE_WEIGHT:g}", weight)
        if label in weights:
            raise wrong(where, "pairs of different labels", label)
        weights[label] = weight
    return weights


def _read_short_label(label: str | float, where: str, what: str) -> str | float:
    """A label of the size that class labels have; `what` is the subject of an error."""
    if isinstance(label, float):
        return read_number(label, where)
    if isinstance(label, int):
        return label if isinstance(label, bool) else read_integer(label, where, -(2**63), 2**64 - 1)
    if len(label) > _MAX_SHORT_LABEL:
        raise wrong(where, f"{what} of at most {_MAX_SHORT_LABEL} characters", label)
    return label
