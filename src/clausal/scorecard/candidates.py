"""Candidate rules: clauses of trained machines, the same clauses without one literal, and single literals.

The candidate machines are a few with different specificities, or the user's own. Their settings differ from
the defaults of TsetlinClassifier because a scorecard needs short clauses (docs/decisions/0007-compaction.md).
Not here: the selection among the candidates (selection.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.columns import Column
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.settings import PartOf
from clausal.progress import Advance
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.logistic import Floats, Indices

N_CLAUSES = 100
THRESHOLD = 60
SPECIFICITIES = (2.0, 1.5, 3.0, 5.0)  # the first is the best one alone
MAX_COLUMNS = 12
MANY_ROWS = 20_000  # from here on, two machines and three folds are enough
_VISITS = 2_000_000  # rows times epochs, if that many epochs are within the next two limits
_MIN_EPOCHS, _MAX_EPOCHS = 15, 100


# --- candidate machines ---


def default_machines(n_rows: int, booleanizer: Any, constraints: dict[str, Any]) -> list[TsetlinClassifier]:
    """Unfitted machines for a table of `n_rows` rows."""
    epochs = int(np.clip(_VISITS // max(n_rows, 1), _MIN_EPOCHS, _MAX_EPOCHS))
    chosen = Booleanizer(max_columns=MAX_COLUMNS) if booleanizer == "auto" else booleanizer
    return [
        TsetlinClassifier(
            N_CLAUSES,
            threshold=THRESHOLD,
            specificity=specificity,
            n_epochs=epochs,
            booleanizer=chosen,
            **constraints,
        )
        for specificity in (SPECIFICITIES[:2] if n_rows >= MANY_ROWS else SPECIFICITIES)
    ]


def train_machines(
    machines: list[TsetlinClassifier], X: Any, y: Any, sample_weight: Any, seed: int, advance: Advance
) -> list[TsetlinClassifier]:
    """Fitted clones of the machines, each with its own seed; they belong to a larger fit."""
    fitted = []
    for index, machine in enumerate(machines):
        own = clone(machine).set_params(random_state=seed + index)
        own._part_of = machine._part_of or PartOf()
        fitted.append(own.fit(X, y, sample_weight=sample_weight))
        advance("")
    return fitted


# --- candidate rules ---

Literals = tuple[Literal, ...]


def rules_of(machines: Iterable[RuleSet]) -> list[Literals]:
    """The literals of each rule, and of each rule without one of its literals, without duplicates."""
    found: dict[frozenset[tuple[int, bool]], Literals] = {}
    for rules in machines:
        for rule in rules:
            for literals in (rule.literals, *_without_one(rule.literals)):
                found.setdefault(frozenset((a.position, a.negated) for a in literals), literals)
    return list(found.values())


def _without_one(literals: Literals) -> Iterator[Literals]:
    if len(literals) > 1:
        for index in range(len(literals)):
            yield literals[:index] + literals[index + 1 :]


def single_literals(columns: Sequence[Column]) -> list[Literals]:
    """Every column and its negation, as rules of one literal."""
    return [
        (Literal(column, position, negated),)
        for negated in (False, True)
        for position, column in enumerate(columns)
    ]


def outputs(candidates: Sequence[Literals], bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether each candidate is true on each row of boolean columns, [n, candidates]."""
    result = np.empty((len(bits), len(candidates)), bool)
    for index, literals in enumerate(candidates):
        result[:, index] = Rule(literals, 1).holds(bits)
    return result


class Twin(NamedTuple):
    """A candidate that is equal to a kept one on all rows or, if `negated`, to its negation."""

    candidate: int
    kept: int
    negated: bool


def distinct(fires: NDArray[np.bool_], n_literals: NDArray[np.intp]) -> tuple[NDArray[np.intp], list[Twin]]:
    """Indices of candidates whose outputs [n, candidates] differ, and the others, which are their twins.

    Of equal candidates, and of a candidate and its negation, the first of the shortest is kept: a rule and
    its negation differ by a constant. Candidates that are true on all rows or on none are dropped.
    """
    seen: dict[bytes, int] = {}
    twins = []
    for index in np.argsort(n_literals, kind="stable").tolist():
        column = fires[:, index]
        if column.all() or not column.any():
            continue
        key, negation = np.packbits(column).tobytes(), np.packbits(~column).tobytes()
        if key in seen:
            twins.append(Twin(index, seen[key], negated=False))
        elif negation in seen:
            twins.append(Twin(index, seen[negation], negated=True))
        else:
            seen[key] = index
    return np.array(sorted(seen.values()), np.intp), twins


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidate rules and their outputs on n rows.

    Attributes
    ----------
    fires : float32 [n, rules], 1 where a rule is true
    n_literals : intp [rules]
    signs : bool [rules, banks, 2], whether the coefficient of a rule may be positive (0) or negative (1)
    """

    fires: NDArray[np.float32]
    n_literals: Indices
    signs: NDArray[np.bool_]

    def sums(self, values: Floats) -> Floats:
        """Sums [rules, k] of values [n, k] over the rows where each rule is true."""
        return np.asarray(self.fires.T @ values.astype(np.float32), np.float64)

    def columns(self, rules: Indices | list[int]) -> Floats:
        """The outputs of some rules, [n, rules]."""
        return self.fires[:, rules].astype(np.float64)

    def take(self, rules: Indices) -> Candidates:
        """Some of the rules."""
        return Candidates(self.fires[:, rules], self.n_literals[rules], self.signs[rules])
