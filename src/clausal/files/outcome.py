"""What a model predicts, in a file: its class labels, or how votes become a number.

Not here: the labels themselves (parameters.py), the cut-off of two classes (rules.py).
"""

from __future__ import annotations

import math
from typing import Any

from clausal.files.parameters import plain_classes, read_classes
from clausal.outcome import LabelsOutcome, NumericOutcome, Outcome, make_outcome
from clausal.untrusted import read_list, read_number, read_record, read_text, wrong

NUMBER = "number"
CLASSES = "classes"
LABELS = "labels"
_BOUNDS = {"low": -math.inf, "high": math.inf}


def outcome_name(data: object) -> str:
    """The name under which a record has what is predicted."""
    named = [name for name in (NUMBER, LABELS) if isinstance(data, dict) and name in data]
    return named[0] if named else CLASSES


def plain_outcome(outcome: Outcome) -> dict[str, Any]:
    """One entry: the labels or the numbers as JSON-compatible values; an infinite bound is left out."""
    if isinstance(outcome, LabelsOutcome):
        return {LABELS: list(outcome.bank_names)}
    if not outcome.is_numeric:
        return {CLASSES: plain_classes(outcome.classes)}
    return {NUMBER: {name: value for name, value in outcome.numbers.items() if math.isfinite(value)}}


def read_outcome(record: dict[str, Any], *, ascending: bool) -> Outcome:
    """The inverse of `plain_outcome`, from a record with its entry; `ascending` as in `read_classes`."""
    if LABELS in record:
        names = [read_text(name, LABELS) for name in read_list(record[LABELS], LABELS)]
        if len(names) < 2 or len(set(names)) < len(names):
            raise wrong(LABELS, "2 or more different labels", names)
        return LabelsOutcome(names)
    if NUMBER not in record:
        return make_outcome(read_classes(record[CLASSES], ascending=ascending))
    data = record[NUMBER]
    bounds = [name for name in _BOUNDS if isinstance(data, dict) and name in data]
    numbers = read_record(data, NUMBER, ("unit", "offset", *bounds))
    return NumericOutcome(**{name: read_number(value, f"{NUMBER}.{name}") for name, value in numbers.items()})
