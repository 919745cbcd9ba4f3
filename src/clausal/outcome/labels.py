"""The outcome of a classifier of several labels, of which each row has any number: one vote per label.

A label is predicted if its vote is 0 or more. What is about one class per row, such as a decision between
classes, is refused. Not here: sets of labels as the engine reads them (machine/targets.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.outcome.outcome import Floats, Outcome
from clausal.wording import Number, points_text

_MAX_SHOWN = 12  # names


def label_names(y: Any) -> tuple[str, ...] | None:
    """The names of the columns of an indicator matrix, if they are texts; else None."""
    names = getattr(y, "column_names", None)  # of pyarrow
    names = getattr(y, "columns", None) if names is None else names
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return tuple(map(str, names))


class LabelsOutcome(Outcome):
    """Labels by name, each predicted or not; `classes` are their positions, as in scikit-learn."""

    has_several = True
    predicts = "several labels"
    bank_names: tuple[str, ...] = ()

    def __init__(self, names: Sequence[str]) -> None:
        classes = np.arange(len(names))
        classes.setflags(write=False)
        vars(self).update(bank_names=tuple(names), n_banks=len(names), classes=classes)

    def __repr__(self) -> str:
        return f"LabelsOutcome({list(self.bank_names)})"

    @classmethod
    def of(cls, y: Any, n_labels: int) -> LabelsOutcome:
        """Labels with the names of the columns of y; where they have none, label 0, label 1 and so on."""
        names = label_names(y)
        if names is None:
            return cls(_unnamed(n_labels))
        if len(set(names)) < len(names):
            twice = next(name for index, name in enumerate(names) if name in names[:index])
            raise ValueError(
                f"y must have a different name for each of its {n_labels} columns of labels. "
                f"Got {names.count(twice)} columns named {twice!r:.60}."
            )
        return cls(names)

    def require_names(self, y: Any) -> None:
        """Refuse a y whose columns are named otherwise; without names, they count by their position."""
        names, own = label_names(y), self.bank_names
        if names is None or names == own or (own == _unnamed(len(own)) and set(names) != set(own)):
            return
        raise ValueError(
            f"y must have the columns of labels that it had in training, in the same order: {_listed(own)}. "
            f"Got {_listed(names)}."
        )

    def require_classes(self, what: str) -> None:
        """Refuse what is about one class per row."""
        raise self._needs_classes(what)

    def predictions(self, votes: NDArray[Any]) -> NDArray[Any]:
        """The indicator matrix: 1 where the vote is 0 or more."""
        return (votes >= 0).astype(np.int64)

    @property
    def attributes(self) -> dict[str, Any]:
        """`classes_`, and `pos_label_`, which is None."""
        return {"classes_": self.classes, "pos_label_": None}

    def always(self, lows: Sequence[Number], highs: Sequence[Number]) -> tuple[str, str] | None:
        """None: it is said of each label by its rules."""
        return None

    @property
    def numbers(self) -> dict[str, Number]:
        """None."""
        return {}

    @property
    def class_names(self) -> tuple[str, ...]:
        """The labels."""
        return self.bank_names

    def prediction_text(self, prediction: Any) -> str:
        """The labels that are predicted."""
        return ", ".join(np.array(self.bank_names)[np.asarray(prediction) == 1].tolist()) or "no label"

    def vote_names(self, name: str = "vote") -> tuple[str, ...]:
        """The name with the label appended, or with its position if two labels differ only in case."""
        clash = len({label.casefold() for label in self.bank_names}) < self.n_banks
        return tuple(f"{name}_{index if clash else label}" for index, label in enumerate(self.bank_names))

    def prediction_names(self) -> tuple[str, ...]:
        """One per label, as for votes."""
        return self.vote_names("prediction")

    def probability_names(self) -> tuple[str, ...]:
        """One per label, as for votes."""
        return self.vote_names("probability")

    def bank_prefixes(self) -> tuple[str, ...]:
        """The label."""
        return tuple(f"{label}_" for label in self.bank_names)

    def speaks_for(self, bank: int, points: Number) -> str:
        """The label, or `not` that label."""
        return self.bank_names[bank] if points > 0 else f"not {self.bank_names[bank]}"

    def by_label(self, columns: NDArray[Any]) -> NDArray[Any]:
        """The columns as they are."""
        return columns

    def how_to_vote(self, constants: Sequence[Number]) -> str:
        """One total per label."""
        named = zip(self.bank_names, constants, strict=True)
        starts = [f"{name} at {points_text(constant)}" for name, constant in named if constant]
        start = f"Start {', '.join(starts)}, others at 0. " if starts else ""
        return f"{start}Add the points of each rule that holds to its label."

    def how_to_decide(self) -> str:
        """Each label by itself."""
        return "Predicts every label whose total is 0 or more."

    def scores(self, votes: NDArray[Any], scale: int = 1) -> Floats:
        """The vote and half a unit: above 0 just where the label is predicted."""
        return np.asarray((votes + 0.5) / scale)

    def machine_probabilities(self, votes: NDArray[np.int64], threshold: int, scale: int) -> Floats:
        """The inverse of the vote T (2 q - 1), near which training settles; a vote above T never gives 1."""
        lead = (votes + 0.5) / scale
        return np.asarray((1.0 + lead / (np.maximum(np.abs(lead), threshold / scale) + 1.0)) / 2.0)


def _unnamed(n_labels: int) -> tuple[str, ...]:
    return tuple(f"label {index}" for index in range(n_labels))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    return ", ".join(f"{name!r:.60}" for name in names[:_MAX_SHOWN]) + more
