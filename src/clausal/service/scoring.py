"""What a service says of rows: their predictions and explanations as plain values, or why they are refused.

A row is a dictionary of values by name of the feature, as JSON has them. Every feature that a rule tests must
be there, null where it is missing; other features of the model may be there, and are not read. Not here: HTTP
(app.py), the description of rows (schema.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.records import RecordTable
from clausal.explain.counterfactual import plain_label
from clausal.explain.explain_rows import explain_rows
from clausal.explain.points_lost import find_points_lost
from clausal.export.document import Probability
from clausal.machine.prediction import votes_on_bits
from clausal.rules.rule_set import RuleSet
from clausal.untrusted import short_repr

MOST_REFUSED = 20
"""Refused rows that an answer names."""

_MOST_CHARACTERS = 500  # of a message, which quotes values


class RefusedRow(NamedTuple):
    """A row that the model does not score: its position, from 0, and why."""

    row: int
    message: str


class RefusedRowsError(ValueError):
    """Some rows are refused, so none is scored."""

    def __init__(self, refused: Sequence[RefusedRow]) -> None:
        super().__init__(refused[0].message)
        self.refused = tuple(refused)


class RowScorer:
    """Scores rows with the rules of a model. Its methods may be called from several threads at once.

    Parameters
    ----------
    rules : the rules of the model
    probability : how votes become probabilities; None if the model has none
    """

    def __init__(self, rules: RuleSet, probability: Probability | None) -> None:
        self.rules, self._probability = rules, probability
        self.names = rules.encoding.feature_names
        self.required = tuple(self.names[index] for index in sorted(rules.used_features))
        self._known, self._required = frozenset(self.names), frozenset(self.required)
        self.classes = [plain_label(label) for label in rules.outcome.labels.tolist()]

    def predict(self, rows: Sequence[Any]) -> list[dict[str, Any]]:
        """For each row the label, votes, probabilities in the order of `classes`, and override."""
        bits = self._bits(self._table(rows))
        rules = self.rules
        banked, overridden = votes_on_bits(rules, bits), rules.overridden_on(bits)
        decided = rules.decide(rules.outcome.flat(banked), overridden)
        labels, shares = rules.classes[decided].tolist(), self._shares(banked)
        held = [-1] * len(bits) if overridden is None else overridden.tolist()
        return [
            {
                "label": plain_label(labels[row]),
                "votes": votes,
                "probabilities": shares[row],
                "override": str(rules.overrides[held[row]]) if held[row] >= 0 else None,
            }
            for row, votes in enumerate(banked.tolist())
        ]

    def explain(self, rows: Sequence[Any], **options: Any) -> list[dict[str, Any]]:
        """For each row its explanation, probabilities and lost points; `options` are those of `explain`."""
        table = self._table(rows)
        shares = self._shares(votes_on_bits(self.rules, self._bits(table)))
        explained = explain_rows(self.rules, table, **options)
        target = options.get("target")
        lost = find_points_lost(self.rules, table, baseline="best", reference=None, target=target, n=4)
        return [
            each.to_dict() | {"probabilities": own, "points_lost": why.to_dict()["lost"]}
            for each, own, why in zip(explained, shares, lost, strict=True)
        ]

    def _shares(self, banked: NDArray[Any]) -> list[Any]:
        if self._probability is None:
            return [None] * len(banked)
        outcome = self.rules.outcome
        shares: list[Any] = outcome.by_label(self._probability.probabilities(outcome, banked)).tolist()
        return shares

    def _table(self, rows: Sequence[Any]) -> RecordTable:
        """The rows as a table; RefusedRowsError if one is no row of the model."""
        found = ((row, self._problem(record)) for row, record in enumerate(rows))
        refused = (RefusedRow(row, problem) for row, problem in found if problem is not None)
        if listed := list(islice(refused, MOST_REFUSED)):
            raise RefusedRowsError(listed)
        return RecordTable(rows, self.names)

    def _problem(self, record: Any) -> str | None:
        """Why this is no row of the model, if it is none."""
        if not isinstance(record, dict):
            return f"A row must be an object of values by feature. Got {short_repr(record)}."
        if not record.keys() <= self._known:
            extra = next(name for name in record if name not in self._known)
            near = get_close_matches(extra[:100], self.names, 1) if len(self.names) <= _MOST_COMPARED else []
            meant = f"; did you mean {short_repr(near[0])}?" if near else "."
            return f"A row must have only features of the model. Got {short_repr(extra)}{meant}"
        if not self._required <= record.keys():
            absent = next(name for name in self.required if name not in record)
            return f"A row must have a value of {short_repr(absent)}, null where it is missing. Got none."
        for name, value in record.items():
            if isinstance(value, (dict, list)):
                return (
                    f"Feature {short_repr(name)} must be a number, a text, true, false or null. "
                    f"Got {short_repr(value)}."
                )
        return None

    def _bits(self, table: RecordTable) -> NDArray[np.uint8]:
        """The boolean columns of the rows; RefusedRowsError if the model refuses a value."""
        try:
            bits: NDArray[np.uint8] = self.rules.bits(table)
        except ValueError as error:
            refused = list(islice(self._refused(table.records, 0), MOST_REFUSED))
            raise RefusedRowsError(refused or [RefusedRow(0, _shortened(str(error)))]) from None
        return bits

    def _refused(self, records: Sequence[Mapping[str, Any]], first: int) -> Iterator[RefusedRow]:
        """The rows with a value that the model refuses, found by halving."""
        try:
            self.rules.bits(RecordTable(records, self.names))
        except ValueError as error:
            half = len(records) // 2
            if not half:
                yield RefusedRow(first, _shortened(str(error)))
                return
            yield from self._refused(records[:half], first)
            yield from self._refused(records[half:], first + half)


_MOST_COMPARED = 2000  # names that a wrong one is compared with


def _shortened(message: str) -> str:
    return message if len(message) <= _MOST_CHARACTERS else f"{message[:_MOST_CHARACTERS]}..."
