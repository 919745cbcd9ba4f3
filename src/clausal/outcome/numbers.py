"""The outcome of regressors: a number, which is a constant plus a unit times the vote.

Not here: computing votes, the words for points (wording.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import number_text
from clausal.outcome.outcome import Floats, Outcome
from clausal.wording import Number, points_text


class NumericOutcome(Outcome):
    """A number: offset + unit * vote, at least `low` and at most `high`.

    Parameters
    ----------
    unit : float, above 0: what one point adds
    offset : float: what is predicted for a vote of 0
    low, high : float: bounds of what is predicted; infinite if there are none
    """

    n_banks = 1
    is_numeric = True
    unit: float
    offset: float
    low: float
    high: float

    def __init__(
        self, unit: float = 1.0, offset: float = 0.0, low: float = -math.inf, high: float = math.inf
    ) -> None:
        numbers = {"unit": unit, "offset": offset, "low": low, "high": high}
        for name, number in numbers.items():
            bound = name in ("low", "high")
            if math.isnan(number) or (math.isinf(number) and not bound):
                kind = "a number" if bound else "a finite number"
                raise ValueError(f"{name} of a NumericOutcome must be {kind}. Got {number!r}.")
        if unit <= 0:
            raise ValueError(f"unit of a NumericOutcome must be above 0. Got {unit!r}.")
        if low > high:
            raise ValueError(f"low of a NumericOutcome must be at most high, {high!r}. Got {low!r}.")
        vars(self).update({name: float(number) for name, number in numbers.items()})

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override]  # there are none
        """Refused."""
        self.require_classes("The attribute 'classes'")
        raise AssertionError

    @property
    def numbers(self) -> dict[str, Number]:
        """Unit, offset and bounds."""
        return {"unit": self.unit, "offset": self.offset, "low": self.low, "high": self.high}

    def __repr__(self) -> str:
        return f"NumericOutcome({', '.join(map(repr, self.numbers.values()))})"

    def predictions(self, votes: NDArray[Any]) -> Floats:
        """The number for votes [..., 1]."""
        return np.asarray(np.clip(self.offset + self.unit * votes[..., 0], self.low, self.high))

    @property
    def attributes(self) -> dict[str, Any]:
        """None: the number is all."""
        return {}

    def always(self, lows: Sequence[Number], highs: Sequence[Number]) -> tuple[str, str] | None:
        """The number, if it is the same for the lowest and for the highest vote."""
        lowest, highest = self.predictions(np.array([lows, highs], np.float64)).tolist()
        if lowest != highest:
            return None
        return self.prediction_text(lowest), "no rule changes it"

    def prediction_text(self, prediction: Any) -> str:
        """The number in full."""
        return number_text(prediction)

    @property
    def bank_names(self) -> tuple[str, ...]:
        """The prediction."""
        return ("the prediction",)

    def vote_names(self, name: str = "vote") -> tuple[str, ...]:
        """The name itself."""
        return (name,)

    def bank_prefixes(self) -> tuple[str, ...]:
        """No prefix."""
        return ("",)

    def speaks_for(self, bank: int, points: Number) -> str:
        """Whether the prediction rises or falls."""
        return "higher" if points > 0 else "lower"

    def how_to_vote(self, constants: Sequence[Number]) -> str:
        """One total."""
        start = f"Start at {points_text(constants[0])} and add" if constants[0] else "Add"
        return f"{start} the points of each rule that holds."

    def how_to_decide(self) -> str:
        """The formula, in numbers that read back as they are."""
        total = "the total" if self.unit == 1 else f"{number_text(self.unit)} times the total"
        start = f"{number_text(self.offset)} + " if self.offset else ""
        bounds = [
            f"at {side} {number_text(number)}"
            for side, number in (("least", self.low), ("most", self.high))
            if math.isfinite(number)
        ]
        return f"Predicts {start}{total}{', ' if bounds else ''}{' and '.join(bounds)}."
