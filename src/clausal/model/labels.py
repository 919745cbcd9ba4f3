"""Class labels as the plain values of a file, and back with the same type.

Reading is strict: anything unexpected is a ValueError. Not here: which labels an estimator takes.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.untrusted import read_bool, read_integer, read_list, read_number, read_record, read_text, wrong

_INTEGERS = tuple(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
_LABEL_TYPES = ("bool", "object", "float16", "float32", "float64", *_INTEGERS)  # "object": strings
_STRINGS = re.compile(r"str[1-9][0-9]{0,6}")
_MOST_LABEL_CHARACTERS = 2**22
_MOST_FLOAT_LABEL = 2.0**62  # scikit-learn compares float labels with their int64


def plain_classes(classes: NDArray[Any]) -> dict[str, Any]:
    """The labels and their type in plain values that JSON can hold."""
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
    """The labels that `plain_classes` described: two or more, different and, with `ascending`, sorted."""
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
    if ascending and np.any(classes[:-1] >= classes[1:]):
        raise wrong("classes.values", "sorted without repeats", "another order")
    if len(set(classes.tolist())) != len(classes):
        raise wrong("classes.values", "different labels", "one twice")
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
