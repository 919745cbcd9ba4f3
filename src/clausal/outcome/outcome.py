"""What every Outcome can say: what is predicted, names for output, sentences; and, of classes, decisions.

Not here: what these are for classes (classes.py) and for numbers (numbers.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.wording import Number

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Comparison(NamedTuple):
    """The test vote[bank] >= vote[other], or < if `below`; with `cut_off` if `other` is None."""

    bank: int
    other: int | None
    below: bool = False
    cut_off: Number = 0


class Case(NamedTuple):
    """One case of a decision list: predicts the class if all tests hold and no earlier case applied."""

    class_index: int
    tests: tuple[Comparison, ...]


class Contrast(NamedTuple):
    """A class compared with its closest rival: the sign with which each bank counts, and both as text."""

    signs: dict[int, int]
    towards: str
    other: str


class Outcome(ABC):
    """What the votes of a model mean; see `make_outcome` for classes, `NumericOutcome` for numbers.

    Attributes
    ----------
    n_banks : number of votes per row
    is_numeric : whether numbers are predicted, not classes; there is nothing to decide then
    has_several : whether each row has any number of labels, not one class
    predicts : what is predicted where it is not one class per row, for messages
    classes : ndarray, the class labels in order, read-only; of two, the second is the positive class
    positive : index of the class that a single vote is for; None if every class has a vote, or there are none
    cut_off : the positive class is decided if its vote is this or more; 0 unless there are two classes
    """

    n_banks: int
    is_numeric: bool = False
    has_several: bool = False
    predicts: str = "numbers"
    classes: NDArray[Any]
    positive: int | None = None
    cut_off: Number = 0

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"An Outcome cannot be changed. Got a new value of {name!r}.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return repr(self) == repr(other)  # 1 is not True, but text is text in an array of any type

    def __hash__(self) -> int:
        return hash(repr(self))

    @abstractmethod
    def __repr__(self) -> str:
        """All that makes the outcome what it is."""

    # --- shapes ---

    def flat(self, votes: NDArray[Any], axis: int = -1) -> NDArray[Any]:
        """Votes as users see them: without the axis of banks if there is only one bank."""
        return votes.squeeze(axis) if self.n_banks == 1 else votes

    def banked(self, votes: NDArray[Any]) -> NDArray[Any]:
        """The inverse of `flat`: votes [n, banks]."""
        return votes.reshape(len(votes), self.n_banks)

    # --- what is predicted ---

    @abstractmethod
    def predictions(self, votes: NDArray[Any]) -> NDArray[Any]:
        """What is predicted, a class label or a number, for votes [..., banks]."""

    @property
    @abstractmethod
    def attributes(self) -> dict[str, Any]:
        """The attributes of a fitted estimator that say what it predicts."""

    @abstractmethod
    def always(self, lows: Sequence[Number], highs: Sequence[Number]) -> tuple[str, str] | None:
        """What is predicted for every row, and the reason, if the votes of each bank are in [low, high]."""

    @property
    @abstractmethod
    def numbers(self) -> dict[str, Number]:
        """The numbers with which votes become predictions, by name."""

    # --- names ---

    @abstractmethod
    def prediction_text(self, prediction: Any) -> str:
        """A prediction as printed."""

    @property
    @abstractmethod
    def bank_names(self) -> tuple[str, ...]:
        """What each bank votes for, as printed."""

    @abstractmethod
    def vote_names(self, name: str = "vote") -> tuple[str, ...]:
        """A name for the vote of each bank, such as `vote` or `vote_setosa`; unique, also ignoring case."""

    def prediction_names(self) -> tuple[str, ...]:
        """A name for each column of predictions."""
        return ("prediction",)

    def probability_names(self) -> tuple[str, ...]:
        """A name for the probability that goes with each vote, such as `probability_setosa`."""
        return tuple(f"probability_{label}" for label in self.classes[-self.n_banks :].tolist())

    @abstractmethod
    def bank_prefixes(self) -> tuple[str, ...]:
        """A prefix for the names of the clauses of each bank, which makes them unique."""

    @abstractmethod
    def speaks_for(self, bank: int, points: Number) -> str:
        """What points of this sign count for, as text: a class, or higher or lower predictions."""

    def class_cells(self, bank: int) -> tuple[str, ...]:
        """The cells of a table beside the points of a rule: its class, unless all rules have the same one."""
        return () if self.n_banks == 1 else (self.bank_names[bank],)

    @abstractmethod
    def how_to_vote(self, constants: Sequence[Number]) -> str:
        """How points become totals, in one or two sentences."""

    @abstractmethod
    def how_to_decide(self) -> str:
        """A sentence that says how totals become a prediction."""

    # --- of classes alone ---

    def require_classes(self, what: str) -> None:
        """Refuse what is about classes, such as probabilities, where numbers are predicted."""
        if self.is_numeric:
            raise self._needs_classes(what)

    def require_single(self, what: str) -> None:
        """Refuse what is about one prediction per row, such as an explanation, where a row has several."""
        if self.has_several:
            raise self._needs_classes(what)

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes as printed; none where numbers are predicted."""
        return ()

    @property
    def labels(self) -> NDArray[Any]:
        """The classes of an estimator in ascending order, as in `classes_`; read-only."""
        raise self._needs_classes("The attribute 'labels'")

    @property
    def pos_label(self) -> Any:
        """The label of the class that a single vote is for; None if every class has a vote."""
        raise self._needs_classes("The attribute 'pos_label'")

    def by_label(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Columns [n, classes] in the order of `labels`, or from that order back."""
        raise self._needs_classes("The method 'by_label'")

    def decide(self, votes: NDArray[Any]) -> Indices:
        """The index of the predicted class, for votes [..., banks]."""
        raise self._needs_classes("A decision")

    def decision_list(self) -> list[Case]:
        """The decision as a list of cases, for exports; the first case that applies decides."""
        raise self._needs_classes("A decision list")

    def leads(self, votes: Floats, winner: int) -> Floats:
        """The lead of a class over the best other class, for votes [..., banks]."""
        raise self._needs_classes("A lead")

    def margins(self, votes: NDArray[Any], codes: NDArray[np.integer]) -> Floats:
        """The lead of each row's true class, given as an index, for votes [n, banks]; shape [n]."""
        raise self._needs_classes("A margin")

    def gains(self, points: Floats, winner: int, rival: int | None = None) -> Floats:
        """What points [n, banks] add to the lead of a class over a rival, or over all others; shape [n]."""
        raise self._needs_classes("A lead")

    def contrast(self, decided: int, votes: Floats) -> Contrast:
        """The predicted class compared with its closest rival, for votes [banks]."""
        raise self._needs_classes("A contrast")

    def shares(self, codes: NDArray[np.integer]) -> Floats:
        """Whether the class [n] of a row is the one that a bank votes for, as 0 or 1; shape [n, banks]."""
        raise self._needs_classes("A share")

    def supports(self, bank: int, points: Number, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether points of this sign count for the class of each row, given as class indices [n]."""
        raise self._needs_classes("The precision of a rule")

    def scores(self, votes: NDArray[Any], scale: int = 1) -> Floats:
        """What `decision_function` returns for votes [n, banks] in units of 1 / scale."""
        raise self._needs_classes("A score")

    def machine_probabilities(self, votes: NDArray[np.int64], threshold: int, scale: int) -> Floats:
        """A machine's own estimate [n, classes] from votes and T in units of 1 / scale; not calibrated."""
        raise self._needs_classes("A probability")

    def class_votes(self, votes: NDArray[Any]) -> Floats:
        """Votes for each class, [n, classes], from whole votes [n, banks]; the highest is decided for."""
        raise self._needs_classes("A vote for a class")

    def calibrated_probabilities(self, votes: NDArray[Any], slope: float, offset: float) -> Floats:
        """Probabilities [n, classes] from votes [n, banks], with log-odds slope * vote + offset."""
        raise self._needs_classes("A probability")

    def _needs_classes(self, what: str) -> ValueError:
        return ValueError(
            f"{what} is for models that predict one class per row. This one predicts {self.predicts}."
        )
