"""The column of classes: labels to learn from, and labels to judge a model by.

Not here: features (training_table.py, model_rows.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.cli.file_columns import check_name, read_column
from clausal.cli.table_file import TableFile
from clausal.cli.text_cells import MissingTexts
from clausal.frames import make_frame

MOST_CLASSES = 100

Labels = list[Any]
"""One per row: all int, all bool or all str, None where missing."""


def read_labels(file: TableFile, target: str, missing: MissingTexts) -> Labels:
    """The classes of a table's rows, whole numbers as int."""
    check_name(target, file.names)
    column = read_column(file.column(target), missing)
    if column.kind in ("date", "other", "empty"):
        got = {"date": "dates", "empty": "missing values only"}.get(column.kind, "another type")
        raise ValueError(f"The target {target!r} must hold classes. Got {got}.")
    if column.kind == "number":
        numbers = np.asarray(column.values, np.float64)
        _check_whole(numbers, target)
        return [None if number != number else int(number) for number in numbers.tolist()]
    return list(column.values)


def check_classes(labels: Sequence[Any], target: str) -> None:
    """Refuse what cannot be learned: fewer than two classes, or so many that they are none."""
    classes = set(labels)
    if len(classes) < 2:
        raise ValueError(f"The target {target!r} must have at least 2 classes. Got only {labels[0]!r}.")
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"The target {target!r} must have at most {MOST_CLASSES} classes. Got {len(classes)} different "
            "values; is it the right column?"
        )


def with_positive(labels: Labels, positive: str, target: str) -> Labels:
    """Labels in which one class is the positive one: the second of two.

    The others become one class, named so that it sorts before. Two classes that are in that order stay.
    """
    names = {label: _name(label) for label in set(labels) if label is not None}
    if positive not in names.values():
        listed = ", ".join(sorted(names.values()))
        raise ValueError(f"--positive must be a class of {target!r}: {listed}. Got {positive!r}.")
    if len(names) == 2 and names[max(names)] == positive:
        return labels
    others = _others(positive)
    if not others < positive:
        raise ValueError(
            f"--positive cannot be {positive!r}, as it sorts before {others!r}; rename that class."
        )
    return [None if label is None else positive if names[label] == positive else others for label in labels]


def labels_for_model(labels: Sequence[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Labels as a model knows them: 1 for "1" and such, and all others as one class if it has such a one."""
    known = {_name(label): label for label in classes.tolist()}
    others = known.get(_others(_name(classes[-1])))
    found = [known.get(_name(label), label if others is None else others) for label in labels]
    return np.array(found)


def named(labels: NDArray[Any], target: str) -> Any:
    """Labels as a series with a name, which the report shows."""
    return make_frame({target: labels.tolist()})[target]


def _others(positive: str) -> str:
    return f"(not {positive})"


def _name(label: Any) -> str:
    return str(label).lower() if isinstance(label, (bool, np.bool_)) else str(label)


def _check_whole(numbers: NDArray[np.float64], target: str) -> None:
    broken = numbers[~np.isnan(numbers) & (numbers != np.rint(numbers))]
    if len(broken):
        raise ValueError(
            f"The target {target!r} must hold classes: text, booleans or whole numbers. Got {broken[0]:g}; "
            "make classes of it, such as below and above a limit."
        )
