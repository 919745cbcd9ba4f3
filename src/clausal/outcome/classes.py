"""The outcomes of classifiers: two classes with one vote, K > 2 classes with one vote each.

The order of two classes says which one is positive (docs/decisions/0014), so it may differ from that of
`classes_`. Not here: computing votes, the words for classes and points (wording.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from clausal.outcome.outcome import Case, Comparison, Contrast, Floats, Indices, Outcome
from clausal.wording import Number, label_text, points_text

_MAX_LISTED_CLASSES = 10


class ClassOutcome(Outcome):
    """What the outcomes of two classes and of more have in common."""

    def __init__(self, classes: NDArray[Any], cut_off: Number = 0) -> None:
        vars(self).update(classes=classes, cut_off=cut_off)

    def __repr__(self) -> str:
        cut_off = f", cut_off={self.cut_off!r}" if self.cut_off else ""
        return f"{type(self).__name__}({self.classes.tolist()}{cut_off})"

    @cached_property
    def _step(self) -> int:
        """-1 if the classes are in descending order, which only two classes of an estimator can be."""
        return -1 if self.classes[0] > self.classes[-1] else 1

    @property
    def labels(self) -> NDArray[Any]:
        """The classes in ascending order."""
        return self.classes[:: self._step]

    def by_label(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Columns in the order of `labels`, or from that order back."""
        return columns[:, :: self._step]

    @property
    def pos_label(self) -> Any:
        """The label of the positive class; None if every class has a vote."""
        return None if self.positive is None else self.classes.tolist()[self.positive]

    def predictions(self, votes: NDArray[Any]) -> NDArray[Any]:
        """The label of the predicted class."""
        return np.asarray(self.classes[self.decide(votes)])

    @property
    def attributes(self) -> dict[str, Any]:
        """`classes_` and `pos_label_`."""
        return {"classes_": self.labels, "pos_label_": self.pos_label}

    @property
    def numbers(self) -> dict[str, Number]:
        """The cut-off."""
        return {"cut_off": self.cut_off}

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        """The classes as printed."""
        return tuple(map(label_text, self.classes.tolist()))

    @property
    def bank_names(self) -> tuple[str, ...]:
        """The class that each bank votes for, as printed."""
        return self.class_names[-self.n_banks :]

    def prediction_text(self, prediction: Any) -> str:
        """The class label as printed."""
        return label_text(prediction)

    def margins(self, votes: NDArray[Any], codes: NDArray[np.integer]) -> Floats:
        """The lead of each row's true class, given as an index, for votes [n, banks]; shape [n]."""
        margins = np.zeros(len(votes))
        for k in range(len(self.classes)):
            rows = codes == k
            margins[rows] = self.leads(votes[rows].astype(np.float64), k)
        return margins

    def shares(self, codes: NDArray[np.integer]) -> Floats:
        """1 where the class of a row is the one that a bank votes for, else 0."""
        by_bank = np.equal(codes, np.arange(len(self.classes))[-self.n_banks :, None])
        return np.asarray(by_bank.astype(np.float64).T)

    def class_votes(self, votes: NDArray[Any]) -> Floats:
        """The votes; of two classes, the first one has 0 and the second one its lead."""
        if self.positive is None:
            return votes.astype(np.float64)
        return np.column_stack([np.zeros(len(votes)), votes[:, 0] - self.cut_off + 0.5])


class BinaryOutcome(ClassOutcome):
    """Two classes: one vote; the second one, the positive class, is predicted from the cut-off on."""

    n_banks = 1
    positive = 1

    def decide(self, votes: NDArray[Any]) -> Indices:
        """1 if the vote is the cut-off or more, else 0."""
        return (votes[..., 0] >= self.cut_off).astype(np.intp)

    def decision_list(self) -> list[Case]:
        """Two explicit cases: for a missing vote, neither applies."""
        return [Case(k, (Comparison(0, None, k == 0, self.cut_off),)) for k in (1, 0)]

    def always(self, lows: Sequence[Number], highs: Sequence[Number]) -> tuple[str, str] | None:
        """The positive class if no vote can be below the cut-off, the other if every vote is."""
        mark, (other, positive) = points_text(self.cut_off), self.class_names
        if lows[0] >= self.cut_off:
            return positive, f"the total is never below {mark}"
        return (other, f"the total is always below {mark}") if highs[0] < self.cut_off else None

    def leads(self, votes: Floats, winner: int) -> Floats:
        """How far the vote is above the cut-off, or its negation."""
        lead = votes[..., 0] - self.cut_off
        return np.asarray(lead if winner == 1 else -lead)

    def gains(self, points: Floats, winner: int, rival: int | None = None) -> Floats:
        """The points, or their negation."""
        return points[:, 0] if winner == 1 else -points[:, 0]

    def contrast(self, decided: int, votes: Floats) -> Contrast:
        """The rival is the other class."""
        sign, names = 1 if decided == 1 else -1, self.class_names
        return Contrast({0: sign}, names[decided], names[1 - decided])

    def scores(self, votes: NDArray[Any], scale: int = 1) -> Floats:
        """The lead over the cut-off and half a unit: above 0 just where `labels[1]` is decided."""
        return np.asarray(self._step * (votes[:, 0] - self.cut_off + 0.5) / scale)

    def machine_probabilities(self, votes: NDArray[np.int64], threshold: int, scale: int) -> Floats:
        """The inverse of the vote T (2 q - 1), near which training settles for probability q."""
        positive = np.clip((1.0 + (votes[:, 0] + 0.5) / (threshold + 0.5)) / 2.0, 0.0, 1.0)
        return np.column_stack([1.0 - positive, positive])

    def calibrated_probabilities(self, votes: NDArray[Any], slope: float, offset: float) -> Floats:
        """The logistic function of the log-odds."""
        positive = expit(slope * votes[:, 0] + offset)
        return np.column_stack([1.0 - positive, positive])

    def vote_names(self, name: str = "vote") -> tuple[str, ...]:
        """The name itself."""
        return (name,)

    def bank_prefixes(self) -> tuple[str, ...]:
        """No prefix."""
        return ("",)

    def speaks_for(self, bank: int, points: Number) -> str:
        """The positive class for points above 0, else the other."""
        return self.class_names[1 if points > 0 else 0]

    def supports(self, bank: int, points: Number, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Rows of the class that the points count for."""
        return np.asarray(codes == int(points > 0))

    def how_to_vote(self, constants: Sequence[Number]) -> str:
        """One total, for the positive class."""
        start = f"Start at {points_text(constants[0])} and add" if constants[0] else "Add"
        return f"{start} the points of each rule that holds."

    def how_to_decide(self) -> str:
        """By the cut-off of the total."""
        other, positive = self.class_names
        return f"Predicts {positive} if the total is {points_text(self.cut_off)} or more, else {other}."


class MulticlassOutcome(ClassOutcome):
    """K > 2 classes: one vote each; the highest vote wins, the first class on a tie."""

    positive = None

    @property
    def n_banks(self) -> int:  # type: ignore[override]  # a constant of two classes
        """One bank per class."""
        return len(self.classes)

    def decide(self, votes: NDArray[Any]) -> Indices:
        """The index of the highest vote, the first one on a tie."""
        decided: Indices = votes.argmax(axis=-1)
        return decided

    def decision_list(self) -> list[Case]:
        """A class wins if no later class has more votes; every earlier class has lost to a later one."""
        banks = range(self.n_banks)
        return [Case(k, tuple(Comparison(k, later) for later in banks[k + 1 :])) for k in banks]

    def always(self, lows: Sequence[Number], highs: Sequence[Number]) -> tuple[str, str] | None:
        """A class whose lowest possible vote beats the highest possible vote of every other class."""
        for k, low in enumerate(lows):
            if all(high < low for high in highs[:k]) and all(high <= low for high in highs[k + 1 :]):
                return self.class_names[k], "no other class can get more points"
        return None

    def leads(self, votes: Floats, winner: int) -> Floats:
        """The vote of the class minus the highest other vote."""
        others: Floats = np.delete(votes, winner, axis=-1).max(axis=-1)
        return votes[..., winner] - others

    def gains(self, points: Floats, winner: int, rival: int | None = None) -> Floats:
        """Points for the class minus those for the rival, or for all others."""
        rivals = points[:, [rival]] if rival is not None else np.delete(points, winner, axis=1)
        return np.asarray(points[:, winner] - rivals.sum(axis=1))

    def contrast(self, decided: int, votes: Floats) -> Contrast:
        """The rival is the class with the highest other vote."""
        others = np.where(np.arange(len(votes)) == decided, -np.inf, votes)
        rival, names = int(others.argmax()), self.class_names
        towards, other = names[decided], names[rival]
        return Contrast({decided: 1, rival: -1}, f"{towards} over {other}", f"{other} over {towards}")

    def scores(self, votes: NDArray[Any], scale: int = 1) -> Floats:
        """The votes."""
        return np.asarray(votes / scale)

    def machine_probabilities(self, votes: NDArray[np.int64], threshold: int, scale: int) -> Floats:
        """Inverts the effect of training a bank on all rows of its class but on 1 in K - 1 of the others.

        With true probability r it settles at q = r / (r + (1 - r) / (K - 1)), which is solved for r. For
        votes above T, q approaches 1 but never reaches it: higher votes give higher probabilities.
        """
        votes_, threshold_ = votes / scale, threshold / scale
        q = (1.0 + votes_ / (np.maximum(np.abs(votes_), threshold_) + 1.0)) / 2.0
        r = q / (q + (self.n_banks - 1) * (1.0 - q))
        return np.asarray(r / r.sum(axis=1, keepdims=True))

    def calibrated_probabilities(self, votes: NDArray[Any], slope: float, offset: float) -> Floats:
        """The softmax of the log-odds, in which the offset cancels."""
        return np.asarray(softmax(slope * votes, axis=1))

    def vote_names(self, name: str = "vote") -> tuple[str, ...]:
        """The name with the class appended, or with its index if two classes differ only in case."""
        labels = [str(label) for label in self.classes.tolist()]
        clash = len({label.casefold() for label in labels}) < len(labels)
        return tuple(f"{name}_{index if clash else label}" for index, label in enumerate(labels))

    def bank_prefixes(self) -> tuple[str, ...]:
        """The class."""
        return tuple(f"{label}_" for label in self.classes)

    def speaks_for(self, bank: int, points: Number) -> str:
        """The class of the bank, or `not` that class."""
        return self.class_names[bank] if points > 0 else f"not {self.class_names[bank]}"

    def supports(self, bank: int, points: Number, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Rows of the class of the bank, or of any other class."""
        return np.asarray((codes == bank) == (points > 0))

    def how_to_vote(self, constants: Sequence[Number]) -> str:
        """One total per class."""
        named = zip(self.class_names, constants, strict=True)
        starts = [f"{name} at {points_text(constant)}" for name, constant in named if constant]
        others = "" if len(starts) == self.n_banks else ", others at 0"
        start = f"Start {', '.join(starts)}{others}. " if starts else ""
        return f"{start}Add the points of each rule that holds to its class."

    def how_to_decide(self) -> str:
        """By the highest total."""
        some = self.n_banks <= _MAX_LISTED_CLASSES
        order = f" of {', '.join(self.class_names)}" if some else " in their order"
        return f"Predicts the class with the most points, the first{order} on a tie."


def make_outcome(classes: Any, cut_off: Number | None = None) -> Outcome:
    """The outcome of a classifier with these class labels in order: two or more, all different."""
    if isinstance(classes, Outcome) and cut_off is None:
        return classes
    if isinstance(classes, Outcome):
        classes.require_classes("A cut-off")
    labels = np.array(classes.classes if isinstance(classes, Outcome) else classes)
    if labels.ndim != 1 or len(labels) < 2:
        raise ValueError(f"classes must list at least 2 labels. Got an array of shape {labels.shape}.")
    if len(set(labels.tolist())) != len(labels):
        raise ValueError(f"classes must list different labels. Got one twice among {len(labels)}.")
    labels.setflags(write=False)
    labels = labels.view()  # which cannot be made writable again
    if len(labels) > 2 and cut_off:
        raise ValueError(f"cut_off must be 0 with more than two classes. Got {cut_off!r}.")
    return BinaryOutcome(labels, cut_off or 0) if len(labels) == 2 else MulticlassOutcome(labels)
