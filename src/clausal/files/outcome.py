"""What a model predicts, in a file: its class labels, or how votes become a number.

Not here: the labels themselves (parameters.py), the cut-off of two classes (rules.py).
"""

from __future__ import annotations

import math
from typing import Any

from clausal.files.parameters import plain_classes, read_classes
from clausal.outcome import NumericOutcome, Outcome, make_outcome
from clausal.untrusted import read_number, read_record

NUMBER = "number"
CLASSES = "classes"
_BOUNDS = {"low": -math.inf, "high": math.inf}


def outcome_name(data: object) -> str:
    """The name under which a record has what is predicted."""
    return NUMBER if isinstance(data, dict) and NUMBER in data else CLASSES


def plain_outcome(outcome: Outcome) -> dict[str, Any]:
    """One entry: the labels or the numbers as JSON-compatible values; an infinite bound is left out."""
    if not outcome.is_numeric:
        return {CLASSES: plain_classes(outcome.classes)}
    return {NUMBER: {name: value for name, value in outcome.numbers.items() if math.isfinite(value)}}


def read_outcome(record: dict[str, Any], *, ascending: bool) -> Outcome:
    """The inverse of `plain_outcome`, from a record with its entry; `ascending` as in `read_classes`."""
    if NUMBER not in record:
        return make_outcome(read_classes(record[CLASSES], ascending=ascending))
    data = record[NUMBER]
    bounds = [name for name in _BOUNDS if isinstance(data, dict) and name in data]
    numbers = read_record(data, NUMBER, ("unit", "offset", *bounds))
    return NumericOutcome(**{name: read_number(value, f"{NUMBER}.{name}") for name, value in numbers.items()})
