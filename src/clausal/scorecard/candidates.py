"""Rules to choose from: the clauses of trained machines, the same with a literal less, and single literals.

The machines are a few with different specificities, or the user's own. Their settings differ from
TsetlinClassifier's defaults on purpose: short clauses serve here, not accuracy alone
(docs/decisions/0007-compaction.md). Not here: choosing among the rules (search.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.columns import Column
from clausal.machine.classifier import TsetlinClassifier
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

N_CLAUSES = 100
THRESHOLD = 60
SPECIFICITIES = (2.0, 1.5, 3.0, 5.0)  # the first gives the shortest list that is good alone
MAX_COLUMNS = 12
_VISITS = 2_000_000  # rows times epochs, within the bounds below
_FEWEST_EPOCHS, _MOST_EPOCHS = 15, 100
MANY_ROWS = 20_000  # from here on two machines do, and three folds


def default_machines(n_rows: int, booleanizer: Any, constraints: dict[str, Any]) -> list[TsetlinClassifier]:
    """Unfitted machines for a table of so many rows."""
    epochs = int(np.clip(_VISITS // max(n_rows, 1), _FEWEST_EPOCHS, _MOST_EPOCHS))
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


def trained(
    machines: list[TsetlinClassifier], X: Any, y: Any, sample_weight: Any, seed: int
) -> list[TsetlinClassifier]:
    """The machines, fitted, each from a seed of its own."""
    return [
        clone(machine).set_params(random_state=seed + place).fit(X, y, sample_weight=sample_weight)
        for place, machine in enumerate(machines)
    ]


Literals = tuple[Literal, ...]


def rules_of(machines: Iterable[RuleSet]) -> list[Literals]:
    """The conditions of the machines' rules, and of each rule with one of them left out, each once."""
    found: dict[frozenset[tuple[int, bool]], Literals] = {}
    for rules in machines:
        for rule in rules:
            for literals in (rule.literals, *_looser(rule.literals)):
                found.setdefault(frozenset((a.position, a.negated) for a in literals), literals)
    return list(found.values())


def _looser(literals: Literals) -> Iterator[Literals]:
    if len(literals) > 1:
        for place in range(len(literals)):
            yield literals[:place] + literals[place + 1 :]


def single_literals(columns: Sequence[Column]) -> list[Literals]:
    """Every column and its negation, as conditions of one literal."""
    return [
        (Literal(column, place, negated),)
        for negated in (False, True)
        for place, column in enumerate(columns)
    ]


def outputs(candidates: Sequence[Literals], bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which candidates hold on which rows of boolean columns, [n, candidates]."""
    result = np.empty((len(bits), len(candidates)), bool)
    for place, literals in enumerate(candidates):
        result[:, place] = Rule(literals, 1).holds(bits)
    return result


def distinct(fires: NDArray[np.bool_], n_literals: NDArray[np.intp], negations: bool) -> NDArray[np.intp]:
    """Places of candidates that differ on the rows [n, candidates]: of equals the shortest, then the first.

    Those that hold on every row or on none are left out, and, unless `negations` are wanted, those that hold
    just where another does not.
    """
    seen: set[bytes] = set()
    kept = []
    for place in np.argsort(n_literals, kind="stable").tolist():
        column = fires[:, place]
        key, opposite = np.packbits(column).tobytes(), np.packbits(~column).tobytes()
        if column.all() or not column.any() or key in seen or (not negations and opposite in seen):
            continue
        seen.add(key)
        kept.append(place)
    return np.array(sorted(kept), np.intp)
